//! Plans as text: explain() of a running query, and the plan in the text of a failure.

use std::sync::Arc;

use tidemark_sql::explain::{as_optimized, tree_below};
use tidemark_sql::expr::Attribute;
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

/// What an analysed plan shows above the data of a batch: the files' columns become the source's.
fn batch_data(node: &LogicalPlan) -> Option<String> {
    let LogicalPlan::StreamingBatch { data, output, .. } = node else { return None };
    let LogicalPlan::FileRelation(_) = &**data else { return None };
    let name = |a: &Attribute| format!("{}#{}", a.name, a.id.0);
    let renamed: Vec<String> =
        data.output().iter().zip(output).map(|(from, to)| format!("{} AS {}", name(from), name(to))).collect();
    Some(format!("~Project [{}]", renamed.join(", ")))
}

/// A plan without a sink above it.
fn root(plan: &LogicalPlan) -> String {
    let below = tree_below("", plan, &|_| None);
    below.lines().skip(1).filter_map(|row| row.get(3..)).map(|row| format!("{row}\n")).collect()
}

impl Explained {
    pub(super) fn new(planned: &PlannedBatch, sink: &dyn Sink, query: &Query) -> Self {
        let batch = planned.stateful.batch_id;
        let header = sink.plan_text(&query.setup);
        let [simple, verbose] = [false, true].map(|verbose| planned.physical_text(verbose));
        let (logical, columns, optimized, physical) = if let Some(writer) = sink.writer_text() {
            let write = format!("MicroBatchWrite[epoch: {batch}, writer: {writer}]");
            // The rows are the only child of the writing node.
            let below = |tree: String| {
                let rows =
                    tree.lines().enumerate().map(|(i, line)| format!("{}{line}\n", if i == 0 { "+- " } else { "   " }));
                format!("WriteToDataSourceV2 {write}\n{}", rows.collect::<String>())
            };
            let table = header.trim_start_matches("WriteToMicroBatchDataSource ");
            let optimized_header = format!("~WriteToDataSourceV2 RelationV2[] {table}, {write}");
            let optimized = tree_below(&optimized_header, &planned.optimized, &|_| None);
            // A command has no columns.
            let logical = tree_below(&header, &planned.logical, &batch_data);
            (logical, String::new(), optimized, [simple, verbose].map(below))
        } else {
            let header = format!("{header}, {batch}");
            let column = |a: &Arc<Attribute>| format!("{}: {}", a.name, a.data_type.simple_string());
            let columns: Vec<String> = query.setup.output.iter().map(column).collect();
            let logical = tree_below(&header, &planned.logical, &batch_data);
            (logical, format!("{}\n", columns.join(", ")), root(&planned.optimized), [simple, verbose])
        };
        let [simple, verbose] = physical;
        let extended = format!(
            "== Parsed Logical Plan ==\n{logical}\n== Analyzed Logical Plan ==\n{columns}{logical}\n\
             == Optimized Logical Plan ==\n{}\n== Physical Plan ==\n{verbose}",
            as_optimized(&optimized)
        );
        Self { simple: format!("== Physical Plan ==\n{simple}\n"), extended }
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
        let sink = self.sink.plan_text(&query.setup);
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
