//! Plans as text: explain() of a running query, and the plan in the text of a failure.

use tidemark_sql::explain::{exec_tree, tree_below};
use tidemark_sql::plan::LogicalPlan;

use super::plan::PlannedBatch;
use super::{MicroBatch, OpenSource};
use crate::query::Query;
use crate::sinks::Sink;

/// The plans of the last batch.
pub(crate) struct Explained {
    simple: String,
    extended: String,
}

impl Explained {
    pub(super) fn new(planned: &PlannedBatch, sink: &dyn Sink, query: &Query) -> Self {
        let mut physical = exec_tree(&planned.physical());
        let name = sink.plan_text(&query.setup.id, query.setup.output_mode);
        let epoch = planned.stateful.batch_id;
        let headers = match sink.writer_text() {
            Some(writer) => {
                let write = format!("MicroBatchWrite[epoch: {epoch}, writer: {writer}]");
                // The rows are the only child of the writing node.
                let below: String = physical
                    .lines()
                    .enumerate()
                    .map(|(i, line)| format!("{}{line}\n", if i == 0 { "+- " } else { "   " }))
                    .collect();
                physical = format!("WriteToDataSourceV2 {write}\n{below}");
                let table = name.strip_prefix("WriteToMicroBatchDataSource ").unwrap_or(&name);
                let optimized = format!("~WriteToDataSourceV2 RelationV2[] {table}, {write}");
                [name, optimized]
            }
            None => [format!("{name}, {epoch}"), format!("{name}, {epoch}")],
        };
        let logical = tree_below(&headers[0], &planned.logical, &|_| None);
        let optimized = tree_below(&headers[1], &planned.optimized, &|_| None);
        let extended = format!(
            "== Parsed Logical Plan ==\n{logical}\n== Analyzed Logical Plan ==\n{logical}\n\
             == Optimized Logical Plan ==\n{optimized}\n== Physical Plan ==\n{physical}",
        );
        Self { simple: format!("== Physical Plan ==\n{physical}\n"), extended }
    }

    pub(crate) fn text(&self, extended: bool) -> String {
        if extended { self.extended.clone() } else { self.simple.clone() }
    }
}

impl MicroBatch {
    /// StreamExecution.toDebugString: offsets, state and plan of a query that failed.
    pub(crate) fn debug_text(&self, query: &Query) -> String {
        let offsets = |get: &dyn Fn(&OpenSource) -> Option<String>| {
            let entries: Vec<String> = self
                .sources
                .iter()
                .filter_map(|open| get(open).map(|offset| format!("{}: {offset}", open.source.description())))
                .collect();
            format!("{{{}}}", entries.join(", "))
        };
        let committed = offsets(&|open| open.start.clone());
        let available = offsets(&|open| open.end.clone());
        let header = query.debug_header(&committed, &available, "ACTIVE");
        let sink = self.sink.plan_text(&query.setup.id, query.setup.output_mode);
        let plan = tree_below(&sink, &query.setup.plan, &|node| {
            let LogicalPlan::StreamingRelation(relation) = node else { return None };
            let open = self.sources.iter().find(|open| open.key.0 == relation.id)?;
            let columns: Vec<String> = relation.output.iter().map(|a| format!("{}#{}", a.name, a.id.0)).collect();
            Some(format!(
                "~StreamingExecutionRelation {}, [{}], name=<Unassigned>",
                open.source.description(),
                columns.join(", ")
            ))
        });
        format!("{header}\n\nLogical Plan:\n{plan}")
    }
}
