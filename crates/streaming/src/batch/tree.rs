//! The plan of a query under its sink, as an indented tree.

use std::sync::Arc;

use tidemark_sql::explain::node_line;
use tidemark_sql::expr::ExprId;
use tidemark_sql::plan::{LogicalPlan, PlanRef};

/// `plan` below `header`; `line` may say what stands for a node.
pub(super) fn logical(header: &str, plan: &PlanRef, line: &dyn Fn(&LogicalPlan) -> Option<String>) -> String {
    let mut out = format!("{header}\n");
    draw(plan, "", true, line, &mut out);
    out
}

fn draw(plan: &PlanRef, prefix: &str, last: bool, line: &dyn Fn(&LogicalPlan) -> Option<String>, out: &mut String) {
    // A batch's data stands for its source.
    if let LogicalPlan::StreamingBatch { data, .. } = &**plan {
        draw(&Arc::new((**data).clone()), prefix, last, line, out);
        return;
    }
    let mark = if plan.is_streaming() { "~" } else { "" };
    let text = line(plan).unwrap_or_else(|| format!("{mark}{}", node_line(plan)));
    out.push_str(&format!("{prefix}{}{text}\n", if last { "+- " } else { ":- " }));
    let below = format!("{prefix}{}", if last { "   " } else { ":  " });
    let children = plan.child_plans();
    for (i, child) in children.iter().enumerate() {
        draw(child, &below, i + 1 == children.len(), line, out);
    }
}

/// `name#1` for columns of sources.
pub(super) fn attribute(name: &str, id: ExprId) -> String {
    format!("{name}#{}", id.0)
}
