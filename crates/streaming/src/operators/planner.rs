//! Plans the nodes of a micro-batch that need state or watermarks (the strategies of IncrementalExecution), and prepares
//! the finished plan (its rule `state`).

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::aggregate::{AggregatePieces, plan_aggregate_pieces};
use tidemark_sql::exec::limit::{LimitExec, LimitKind};
use tidemark_sql::exec::sort::SortExec;
use tidemark_sql::exec::{ExecRef, PlannerExtension};
use tidemark_sql::expr::{Attribute, Expr, SortOrder, WindowKind};
use tidemark_sql::plan::{Delay, LogicalPlan, PlanRef};
use tidemark_sql::planner::aggregation::Extracted;
use tidemark_sql::planner::{Planner, has_pandas_aggregate, python_operator};
use tidemark_sql::value::Value;

use super::aggregate::{Layout, STATE_STORE_SAVE, StateStoreRestoreExec, StateStoreSaveExec};
use super::batch::{EventTimeNode, OutputMode, StatefulBatch};
use super::columns::Columns;
use super::deduplicate::{self, Remembered, StreamingDeduplicateExec};
use super::event_time::EventTimeWatermarkExec;
use super::join::plan_join;
use super::limit::{self, ScanLimitExec, StreamingGlobalLimitExec};
use super::nodes::writers;
use super::python::plan_python;
use super::relation::StreamingRelationExec;
use super::session::{
    MergedSessionsExec, MergingSessionsExec, SESSION_SAVE, SessionLayout, SessionWindowStateStoreRestoreExec,
    SessionWindowStateStoreSaveExec, merging_sessions,
};
use super::stateful::Stateful;
use crate::fates::notes::Finish;
use crate::state::OperatorMetadata;

/// The planner extension of one micro-batch.
#[derive(Debug)]
pub struct StatefulPlanner {
    batch: Rc<StatefulBatch>,
    /// A limit on its way down to the scan, while there are only nodes between that keep every row.
    scan_limit: Cell<Option<usize>>,
}

impl StatefulPlanner {
    pub fn new(batch: Rc<StatefulBatch>) -> Self {
        Self { batch, scan_limit: Cell::new(None) }
    }

    /// Once on the finished plan, before it runs: checks or writes operator metadata and state schemas in the first batch
    /// of a run, and gives every operator its watermarks.
    pub fn prepare(&self, plan: &ExecRef) -> Result<()> {
        let batch = &self.batch;
        batch.query.stores.borrow_mut().maintain_if_due(batch.now_ms);
        if batch.is_first_batch {
            if batch.batch_id != 0 {
                self.check_operators(plan)?;
            }
            let stores = batch.query.stores.borrow();
            for writer in writers(plan) {
                for (store, schema) in writer.stores() {
                    stores.check_schema(writer.operator_id(), &store, &schema, batch.now_ms)?;
                }
                if !writer.writes_metadata() {
                    let metadata = OperatorMetadata {
                        operator_id: writer.operator_id(),
                        operator_name: writer.stateful().name.to_owned(),
                        stores: writer.store_metadata(),
                        properties: writer.properties(),
                    };
                    stores.write_metadata(&metadata, batch.batch_id, batch.now_ms)?;
                }
            }
        }
        let mut propagator = batch.query.propagator.borrow_mut();
        propagator.propagate(batch.batch_id - 1, plan, batch.previous_watermark_ms)?;
        propagator.propagate(batch.batch_id, plan, batch.watermark_ms)?;
        propagator.purge(batch.batch_id - 2);
        Ok(())
    }

    /// checkOperatorValidWithMetadata: the operators of a restarted query are those that wrote the state.
    fn check_operators(&self, plan: &ExecRef) -> Result<()> {
        let now: Vec<(usize, &str)> = writers(plan).iter().map(|w| (w.operator_id(), w.stateful().name)).collect();
        let show = |operators: &[(usize, &str)]| {
            let shown: Vec<String> =
                operators.iter().map(|(id, name)| format!("(OperatorId: {id} -> OperatorName: {name})")).collect();
            shown.join(", ")
        };
        let stores = self.batch.query.stores.borrow();
        if !now.is_empty() && !stores.has_state() {
            return Err(SparkError::new(
                ErrorClass::Runtime,
                "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY",
                &[("OpsInCurBatchSeq", &show(&now))],
            ));
        }
        let metadata = stores.all_metadata();
        let before: Vec<(usize, &str)> = metadata.iter().map(|m| (m.operator_id, &*m.operator_name)).collect();
        let same = before.len() == now.len() && before.iter().all(|operator| now.contains(operator));
        if before.is_empty() || same {
            return Ok(());
        }
        Err(SparkError::new(
            ErrorClass::Runtime,
            "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA",
            &[("OpsInMetadataSeq", &show(&before)), ("OpsInCurBatchSeq", &show(&now))],
        ))
    }

    fn watermark(
        &self,
        node: &LogicalPlan,
        column: &Expr,
        delay: Delay,
        child: &PlanRef,
        planner: &Planner<'_>,
    ) -> Result<ExecRef> {
        let output = node.output();
        let id = column.expr_id();
        let Some(ordinal) = output.iter().position(|a| Some(a.id) == id) else {
            return Err(SparkError::internal("the event time column is not among the columns of its watermark"));
        };
        let at = {
            let mut nodes = self.batch.event_times.borrow_mut();
            nodes.push(EventTimeNode {
                column: output[ordinal].name.to_string(),
                delay_ms: delay.millis(),
                stats: Default::default(),
            });
            nodes.len() - 1
        };
        Ok(Arc::new(EventTimeWatermarkExec {
            batch: self.batch.clone(),
            node: at,
            ordinal,
            shown_delay: tidemark_sql::value::text::calendar_interval_to_string(delay.months, delay.days, delay.micros),
            output,
            child: planner.plan_child(child)?,
        }))
    }

    fn aggregate(&self, grouping: &[Expr], list: &[Expr], child: &PlanRef, planner: &Planner<'_>) -> Result<ExecRef> {
        if has_pandas_aggregate(list) {
            return Err(SparkError::new(ErrorClass::Analysis, "_LEGACY_ERROR_TEMP_3067", &[]));
        }
        let operator = self.batch.next_operator_id();
        let below = planner.plan_child(child)?;
        let Extracted { grouping, inner, outer, child } = planner.extract_aggregate(grouping, list, below)?;
        let pieces = plan_aggregate_pieces(&grouping, &inner)?;
        if self.batch.follow > 0 {
            let finish = Finish { pieces: pieces.clone(), outer: outer.clone() };
            self.batch.notes.borrow_mut().operators.entry(operator).or_default().finish = Some(finish);
        }
        let aggregated = self.stateful_aggregate(operator, &pieces, child, planner)?;
        match outer {
            Some(list) => planner.project(list, aggregated),
            None => Ok(aggregated),
        }
    }

    fn stateful_aggregate(
        &self,
        operator: usize,
        pieces: &AggregatePieces,
        child: ExecRef,
        planner: &Planner<'_>,
    ) -> Result<ExecRef> {
        let partial = pieces.partial(child)?;
        let keys = &pieces.grouping_attributes;
        if let Some(session) = keys.iter().find(|a| a.metadata.window == Some(WindowKind::Session)).cloned() {
            return self.session_aggregate(operator, pieces, &session, partial, planner);
        }
        let columns: Vec<Expr> = keys.iter().cloned().map(Expr::Attribute).collect();
        let merged = pieces.merge(planner.stateful_clustered(&columns, partial)?)?;
        let input = merged.output().to_vec();
        let layout = Layout::new(&input, keys, self.batch.query.conf.aggregation_state_format)?;
        let schema = layout.schema(&input);
        let stateful = Stateful::new(&self.batch, operator, STATE_STORE_SAVE, schema, &input, &[])?;
        let restored: ExecRef =
            Arc::new(StateStoreRestoreExec { stateful: stateful.clone(), layout: layout.clone(), child: merged });
        let saved: ExecRef = Arc::new(StateStoreSaveExec { stateful, layout, child: pieces.merge(restored)? });
        pieces.finish(saved)
    }

    fn session_aggregate(
        &self,
        operator: usize,
        pieces: &AggregatePieces,
        session: &Arc<Attribute>,
        partial: ExecRef,
        planner: &Planner<'_>,
    ) -> Result<ExecRef> {
        let keys: Vec<Arc<Attribute>> =
            pieces.grouping_attributes.iter().filter(|a| a.id != session.id).cloned().collect();
        if keys.is_empty() {
            return Err(SparkError::new(ErrorClass::Analysis, "_LEGACY_ERROR_TEMP_3068", &[]));
        }
        let columns: Vec<Expr> = keys.iter().cloned().map(Expr::Attribute).collect();
        let shuffled = planner.stateful_clustered(&columns, partial)?;
        let order = columns.iter().cloned().chain([Expr::Attribute(session.clone())]);
        let order = order.map(|child| SortOrder { child, ascending: true, nulls_first: true }).collect();
        let sorted: ExecRef = Arc::new(SortExec::new(order, false, shuffled)?);
        let input = sorted.output().to_vec();
        let layout = SessionLayout::new(&input, &keys, session)?;
        let schema = layout.schema(&input);
        let stateful = Stateful::new(&self.batch, operator, SESSION_SAVE, schema, &input, &[])?;
        let restored: ExecRef = Arc::new(SessionWindowStateStoreRestoreExec {
            stateful: stateful.clone(),
            layout: layout.clone(),
            child: sorted,
        });
        let common = MergingSessionsExec { layout: layout.clone(), child: restored.clone() };
        let merged = pieces.merge(Arc::new(common))?;
        let sessions: ExecRef = Arc::new(MergedSessionsExec {
            shown: merging_sessions(pieces, session, &columns, self.batch.shuffle_partitions),
            restored,
            merged,
        });
        let saved: ExecRef = Arc::new(SessionWindowStateStoreSaveExec { stateful, layout, child: sessions });
        pieces.finish(saved)
    }

    fn deduplicate(
        &self,
        keys: Vec<Arc<Attribute>>,
        within_watermark: bool,
        child: &PlanRef,
        planner: &Planner<'_>,
    ) -> Result<ExecRef> {
        if keys.is_empty() {
            return Err(SparkError::plain(
                ErrorClass::IllegalArgument,
                "requirement failed: The expressions for hash of a StatefulOpClusteredDistribution should not be Nil. An \
                 AllTuples should be used to represent a distribution that only has a single partition.",
            ));
        }
        let operator = self.batch.next_operator_id();
        let columns: Vec<Expr> = keys.iter().cloned().map(Expr::Attribute).collect();
        let child = planner.stateful_clustered(&columns, planner.plan_child(child)?)?;
        let input = child.output().to_vec();
        let (name, remembered) = if within_watermark {
            let marked = input.iter().find_map(|column| column.metadata.watermark_delay_ms);
            let Some(delay) = marked else {
                // Only met with the checks of unsupported operations off.
                return Err(SparkError::plain(ErrorClass::NoSuchElement, "None.get"));
            };
            (deduplicate::DEDUPE_WITHIN_WATERMARK, Remembered::Within { delay_us: delay.saturating_mul(1000) })
        } else {
            (deduplicate::DEDUPE, Remembered::ByKey)
        };
        let key = Columns::of(&input, &keys)?;
        let schema = remembered.schema(&key.attributes(&input));
        let stateful = Stateful::new(&self.batch, operator, name, schema, &input, &deduplicate::METRICS)?;
        Ok(Arc::new(StreamingDeduplicateExec { stateful, key, remembered, child }))
    }

    fn limit(&self, limit: usize, child: &PlanRef, planner: &Planner<'_>) -> Result<ExecRef> {
        let operator = self.batch.next_operator_id();
        self.scan_limit.set(Some(limit));
        let child = planner.plan_child(child);
        self.scan_limit.set(None);
        let child = child?;
        let kind = if writers(&child).is_empty() { LimitKind::Local } else { LimitKind::StreamingLocal };
        let local: ExecRef = Arc::new(LimitExec::new(kind, Some(limit), 0, child));
        let child = planner.stateful_clustered(&[], local)?;
        let name = limit::GLOBAL_LIMIT;
        let stateful = Stateful::new(&self.batch, operator, name, limit::schema(), &[], &[])?;
        Ok(Arc::new(StreamingGlobalLimitExec { stateful, limit, child }))
    }
}

/// Rows that only ever get more: append mode, or a limit before the aggregation of complete mode.
pub(crate) fn generates_appends(plan: &LogicalPlan, mode: OutputMode) -> bool {
    let aggregates = plan.any(&|p| matches!(p, LogicalPlan::Aggregate { child, .. } if child.is_streaming()));
    match mode {
        OutputMode::Append => true,
        OutputMode::Complete => !aggregates,
        OutputMode::Update => false,
    }
}

/// A source's batch, perhaps with projections over it.
fn is_scan(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::StreamingBatch { .. } => true,
        LogicalPlan::Project { child, .. } => is_scan(child),
        _ => false,
    }
}

/// The attributes of resolved key columns.
fn attributes(columns: &[Expr]) -> Result<Vec<Arc<Attribute>>> {
    columns
        .iter()
        .map(|column| match column {
            Expr::Attribute(attribute) => Ok(attribute.clone()),
            _ => Err(SparkError::internal("a key of dropDuplicates is not a column")),
        })
        .collect()
}

fn literal(limit: &Expr) -> Option<usize> {
    match limit {
        Expr::Literal { value: Value::Integer(n), .. } => usize::try_from(*n).ok(),
        Expr::Literal { value: Value::Long(n), .. } => usize::try_from(*n).ok(),
        _ => None,
    }
}

impl PlannerExtension for StatefulPlanner {
    fn plan(&self, node: &LogicalPlan, planner: &Planner<'_>) -> Option<Result<ExecRef>> {
        if !node.is_streaming() {
            return None;
        }
        if let Some(limit) = self.scan_limit.get() {
            if is_scan(node) {
                self.scan_limit.set(None);
                let scan = planner.plan_child(&Arc::new(node.clone()));
                return Some(scan.map(|child| Arc::new(ScanLimitExec { limit, child }) as ExecRef));
            }
            let keeps_rows = matches!(
                node,
                LogicalPlan::EventTimeWatermark { .. }
                    | LogicalPlan::SubqueryAlias { .. }
                    | LogicalPlan::Project { .. }
            );
            if !keeps_rows {
                self.scan_limit.set(None);
            }
        }
        match node {
            LogicalPlan::StreamingRelation(relation) => Some(Ok(Arc::new(StreamingRelationExec::new(relation)))),
            LogicalPlan::EventTimeWatermark { column, delay, child } => {
                Some(self.watermark(node, column, *delay, child, planner))
            }
            LogicalPlan::Aggregate { grouping, list, child } => Some(self.aggregate(grouping, list, child, planner)),
            LogicalPlan::Distinct { child } => Some(self.deduplicate(child.output(), false, child, planner)),
            LogicalPlan::Deduplicate { columns, within_watermark, child } => {
                Some(attributes(columns).and_then(|keys| self.deduplicate(keys, *within_watermark, child, planner)))
            }
            LogicalPlan::Extension(node) => plan_python(&self.batch, python_operator(node)?, planner),
            LogicalPlan::Join(join) if join.left.is_streaming() && join.right.is_streaming() => {
                Some(plan_join(&self.batch, join, planner))
            }
            LogicalPlan::Limit { limit, child } if generates_appends(node, self.batch.output_mode) => {
                let limit = literal(limit)?;
                Some(self.limit(limit, child, planner))
            }
            _ => None,
        }
    }
}
