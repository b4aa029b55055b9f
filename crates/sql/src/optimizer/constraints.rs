//! InferFiltersFromConstraints: what a condition implies becomes a filter of its own.

use std::sync::Arc;

use super::filters::{covered, filtered};
use super::{is_not_null, join_conjuncts, split_conjuncts};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::{Attribute, Expr};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};

/// Functions that give null whenever an argument is null (Catalyst's NullIntolerant).
fn null_intolerant(name: &str) -> bool {
    matches!(
        name,
        "=" | "=="
            | "<"
            | "<="
            | ">"
            | ">="
            | "+"
            | "-"
            | "*"
            | "/"
            | "%"
            | "div"
            | "&"
            | "|"
            | "^"
            | "~"
            | "not"
            | "negative"
            | "positive"
            | "abs"
            | "upper"
            | "lower"
            | "length"
            | "trim"
            | "ltrim"
            | "rtrim"
            | "substring"
            | "startswith"
            | "endswith"
            | "contains"
            | "like"
            | "rlike"
            | "year"
            | "month"
            | "day"
            | "dayofmonth"
            | "hour"
            | "minute"
            | "second"
            | "ceil"
            | "floor"
            | "round"
            | "sqrt"
            | "pow"
            | "date_add"
            | "date_sub"
            | "datediff"
            | "date_trunc"
            | "trunc"
            | "to_date"
            | "date_format"
            | "unix_timestamp"
            | "mod"
            | "pmod"
    )
}

/// Attributes that must not be null for `term` to be true.
fn needed(term: &Expr, out: &mut Vec<Arc<Attribute>>) {
    match term {
        Expr::Attribute(a) => {
            if !out.iter().any(|o| o.id == a.id) {
                out.push(Arc::clone(a));
            }
        }
        Expr::Cast { child, .. } => needed(child, out),
        Expr::Call(call) if null_intolerant(&call.name) => call.args.iter().for_each(|a| needed(a, out)),
        _ => {}
    }
}

/// IS NOT NULL of what the terms need, without what is known or cannot be null.
fn implied(terms: &[Expr], columns: &[Arc<Attribute>]) -> Vec<Expr> {
    let mut attributes = Vec::new();
    terms.iter().for_each(|t| needed(t, &mut attributes));
    attributes
        .into_iter()
        .filter(|a| columns.iter().any(|c| c.id == a.id && c.nullable))
        .map(|a| is_not_null(Expr::Attribute(a)))
        .filter(|p| !terms.iter().any(|t| t.semantic_eq(p)))
        .collect()
}

/// Terms that hold for every row of the plan (a part of QueryPlan.constraints).
fn known(plan: &PlanRef) -> Vec<Expr> {
    match &**plan {
        LogicalPlan::Filter { condition, child } => {
            let mut terms = split_conjuncts(condition);
            terms.extend(known(child));
            terms
        }
        LogicalPlan::Project { child, .. }
        | LogicalPlan::EventTimeWatermark { child, .. }
        | LogicalPlan::Sort { child, .. } => known(child),
        _ => Vec::new(),
    }
}

/// `child` with these terms above it, without those that hold already.
fn with(terms: Vec<Expr>, child: PlanRef) -> PlanRef {
    let holds = known(&child);
    filtered(terms.into_iter().filter(|t| !holds.iter().any(|k| k.semantic_eq(t))).collect(), child)
}

pub(super) fn infer_filters(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| match node {
        LogicalPlan::Filter { condition, child } => {
            let terms = split_conjuncts(&condition);
            let holds = known(&child);
            let new: Vec<Expr> = implied(&terms, &child.output())
                .into_iter()
                .filter(|t| !holds.iter().any(|k| k.semantic_eq(t)))
                .collect();
            let condition = match join_conjuncts(new) {
                Some(new) => super::and(new, condition),
                None => condition,
            };
            LogicalPlan::Filter { condition, child }
        }
        // InferFiltersFromGenerate: rows whose collection is null give nothing.
        LogicalPlan::Generate { generator, outer: false, qualifier, output, child } => {
            let rows = match generator.unaliased() {
                Expr::Generator(g) if !g.outer && matches!(&*g.name, "explode" | "posexplode" | "inline") => {
                    g.args.first().filter(|a| matches!(a, Expr::Attribute(a) if a.nullable)).cloned()
                }
                _ => None,
            };
            let child = with(rows.into_iter().map(is_not_null).collect(), child);
            LogicalPlan::Generate { generator, outer: false, qualifier, output, child }
        }
        LogicalPlan::Join(Join { left, right, kind, condition: JoinCondition::On(on) }) => {
            let terms: Vec<Expr> = split_conjuncts(&on).into_iter().filter(Expr::deterministic).collect();
            let (on_left, on_right) = (implied(&terms, &left.output()), implied(&terms, &right.output()));
            let (left, right) = match kind {
                JoinKind::Inner | JoinKind::Cross | JoinKind::LeftSemi => {
                    let (more_left, more_right) = transferred(&terms, &left, &right);
                    (
                        with(on_left.into_iter().chain(more_left).collect(), left),
                        with(on_right.into_iter().chain(more_right).collect(), right),
                    )
                }
                JoinKind::LeftOuter | JoinKind::LeftSingle | JoinKind::LeftAnti => {
                    let (_, more_right) = transferred(&terms, &left, &right);
                    (left, with(on_right.into_iter().chain(more_right).collect(), right))
                }
                JoinKind::RightOuter => {
                    let (more_left, _) = transferred(&terms, &left, &right);
                    (with(on_left.into_iter().chain(more_left).collect(), left), right)
                }
                JoinKind::FullOuter => (left, right),
            };
            LogicalPlan::Join(Join { left, right, kind, condition: JoinCondition::On(on) })
        }
        other => other,
    }))
}

/// Terms over a key that hold on one side, said of the equal key of the other (inferAdditionalConstraints).
fn transferred(terms: &[Expr], left: &PlanRef, right: &PlanRef) -> (Vec<Expr>, Vec<Expr>) {
    let (l_out, r_out) = (left.output(), right.output());
    let mut pairs = Vec::new();
    for term in terms {
        if let Expr::Call(call) = term
            && matches!(&*call.name, "=" | "==")
            && let [Expr::Attribute(a), Expr::Attribute(b)] = call.args.as_slice()
        {
            let in_left = |x: &Attribute| l_out.iter().any(|o| o.id == x.id);
            if in_left(a) && !in_left(b) {
                pairs.push((Arc::clone(a), Arc::clone(b)));
            } else if in_left(b) && !in_left(a) {
                pairs.push((Arc::clone(b), Arc::clone(a)));
            }
        }
    }
    let carry = |side: &PlanRef, from_left: bool, columns: &[Arc<Attribute>]| -> Vec<Expr> {
        let mut out = Vec::new();
        for term in known(side).iter().filter(|t| t.deterministic() && covered(t, columns)) {
            for (l, r) in &pairs {
                let (from, to) = if from_left { (l, r) } else { (r, l) };
                let ids = term.references();
                if ids.len() == 1 && ids.contains(&from.id) {
                    out.push(term.clone().transform_up(&mut |e| match &e {
                        Expr::Attribute(a) if a.id == from.id => Expr::Attribute(Arc::clone(to)),
                        _ => e,
                    }));
                }
            }
        }
        out
    };
    (carry(right, false, &r_out), carry(left, true, &l_out))
}
