//! Plans as text: explain() of a running query, and the plan in the text of a failure.

use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::explain::{as_optimized, tree_below};
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::LogicalPlan;

use super::plan::PlannedBatch;
use super::{MicroBatch, OpenSource};
use crate::query::Query;
use crate::sinks::Sink;

/// The plans of the last batch, which become text when somebody asks.
pub(crate) struct Explained {
    planned: Rc<PlannedBatch>,
    /// The writing node.
    header: String,
    /// The writer of a sink of Spark's second interface.
    writer: Option<String>,
    output: Vec<Arc<Attribute>>,
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
    pub(super) fn new(planned: Rc<PlannedBatch>, sink: &dyn Sink, query: &Query) -> Self {
        let (header, writer) = (sink.plan_text(&query.setup), sink.writer_text());
        Self { planned, header, writer, output: query.setup.output.clone() }
    }

    pub(crate) fn text(&self, extended: bool) -> String {
        let planned = &self.planned;
        let batch = planned.stateful.batch_id;
        let write = self.writer.as_ref().map(|writer| format!("MicroBatchWrite[epoch: {batch}, writer: {writer}]"));
        let mut physical = planned.physical_text(extended);
        if let Some(write) = &write {
            // The rows are the only child of the writing node.
            let rows =
                physical.lines().enumerate().map(|(i, line)| format!("{}{line}\n", if i == 0 { "+- " } else { "   " }));
            physical = format!("WriteToDataSourceV2 {write}\n{}", rows.collect::<String>());
        }
        if !extended {
            return format!("== Physical Plan ==\n{physical}\n");
        }
        let (logical, columns, optimized) = if let Some(write) = &write {
            let table = self.header.trim_start_matches("WriteToMicroBatchDataSource ");
            let optimized_header = format!("~WriteToDataSourceV2 RelationV2[] {table}, {write}");
            let optimized = tree_below(&optimized_header, &planned.optimized, &|_| None);
            // A command has no columns.
            (tree_below(&self.header, &planned.logical, &batch_data), String::new(), optimized)
        } else {
            let header = format!("{}, {batch}", self.header);
            let column = |a: &Arc<Attribute>| format!("{}: {}", a.name, a.data_type.simple_string());
            let columns: Vec<String> = self.output.iter().map(column).collect();
            let logical = tree_below(&header, &planned.logical, &batch_data);
            (logical, format!("{}\n", columns.join(", ")), root(&planned.optimized))
        };
        format!(
            "== Parsed Logical Plan ==\n{logical}\n== Analyzed Logical Plan ==\n{columns}{logical}\n\
             == Optimized Logical Plan ==\n{}\n== Physical Plan ==\n{physical}",
            as_optimized(&optimized)
        )
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
