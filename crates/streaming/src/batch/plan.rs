//! From the logical plan of a batch to its rows (Spark's IncrementalExecution).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use serde_json::Value as Json;
use tidemark_sql::analyzer::streaming_checks;
use tidemark_sql::catalog::{FirstRows, Reading};
use tidemark_sql::error::Result;
use tidemark_sql::exec::batch::row_count;
use tidemark_sql::exec::shuffle::{ShuffleFiles, sampled};
use tidemark_sql::exec::{ExecContext, ExecRef, Partition};
use tidemark_sql::expr::{Attribute, ExprId};
use tidemark_sql::plan::{LogicalPlan, PlanRef};
use tidemark_sql::planner::Planner;
use tidemark_sql::session::SqlSession;
use tidemark_sql::types::DataType;

use super::reused::scans_reused;
use crate::api::OperatorDescription;
use crate::fates::OperatorRule;
use crate::operators::watermark::behind;
use crate::operators::{OperatorInfo, OutputMode, StatefulBatch, StatefulPlanner};
use crate::settings::Settings;
use crate::trigger::Trigger;

/// Sinks of Spark's second interface.
pub(crate) fn writes_continuously(sink: &str) -> bool {
    matches!(sink, "console" | "memory" | "noop" | "foreach" | "kafka")
}

/// The checks of UnsupportedOperationChecker.
pub(crate) fn check(
    plan: &PlanRef,
    mode: OutputMode,
    trigger: Trigger,
    sink: &str,
    session: &SqlSession,
) -> Result<()> {
    let mode = match mode {
        OutputMode::Append => streaming_checks::OutputMode::Append,
        OutputMode::Update => streaming_checks::OutputMode::Update,
        OutputMode::Complete => streaming_checks::OutputMode::Complete,
    };
    if matches!(trigger, Trigger::Continuous(_)) && writes_continuously(sink) {
        return streaming_checks::check_continuous(plan, mode, session);
    }
    streaming_checks::check_streaming(plan, mode, session)?;
    match trigger {
        Trigger::RealTime(_) => streaming_checks::check_real_time(plan, mode),
        _ => Ok(()),
    }
}

/// A session of the query's own: its settings stay as they are while the user's change.
pub(super) fn query_session(session: &Rc<SqlSession>, settings: &Settings) -> Rc<SqlSession> {
    let own =
        SqlSession::new(session.fs.clone(), session.cwd.clone(), session.clock.clone(), session.parallelism.get());
    *own.conf.borrow_mut() = settings.merged();
    own.udfs.borrow_mut().clone_from(&session.udfs.borrow());
    own.batch_processors.borrow_mut().clone_from(&session.batch_processors.borrow());
    Rc::new(own)
}

/// A batch ready to run, as often as its sink asks.
pub(crate) struct PlannedBatch {
    pub(super) logical: PlanRef,
    pub(super) optimized: PlanRef,
    physical: ExecRef,
    session: Rc<SqlSession>,
    pub(super) stateful: Rc<StatefulBatch>,
    now_us: i64,
    adaptive: bool,
    /// Rows out of the scans by source, and observed metrics, of the executions so far.
    input: RefCell<BTreeMap<ExprId, i64>>,
    observed: RefCell<BTreeMap<String, Json>>,
    /// The same metrics for listeners.
    observed_values: RefCell<BTreeMap<String, Json>>,
    runs: Cell<usize>,
    /// The script has it as a frame, and may run it several times.
    lent: Cell<bool>,
    /// What runs once more before the first run.
    sampled: Vec<ExecRef>,
    shuffles: Rc<ShuffleFiles>,
}

impl PlannedBatch {
    pub(super) fn plan(
        logical: PlanRef,
        user: &SqlSession,
        session: Rc<SqlSession>,
        stateful: Rc<StatefulBatch>,
        now_us: i64,
        adaptive: bool,
    ) -> Result<Self> {
        let logical = tidemark_sql::catalog::bind_memory_tables(user, &logical, false)?;
        let extension = StatefulPlanner::new(stateful.clone());
        let (optimized, physical) = {
            let ctx = context(&session, &stateful, now_us, adaptive);
            let optimized = tidemark_sql::optimizer::optimize(&ctx, &logical)?;
            let physical = Planner::new(&ctx, Some(&extension)).plan(&optimized)?;
            (optimized, physical)
        };
        extension.prepare(&physical)?;
        crate::operators::transform::initialize(&physical, &context(&session, &stateful, now_us, adaptive))?;
        Ok(Self {
            sampled: sampled(&physical),
            shuffles: Rc::default(),
            lent: Cell::new(false),
            logical,
            optimized,
            physical,
            session,
            stateful,
            now_us,
            adaptive,
            input: RefCell::default(),
            observed: RefCell::default(),
            observed_values: RefCell::default(),
            runs: Cell::new(0),
        })
    }

    pub(crate) fn physical(&self) -> ExecRef {
        self.physical.clone()
    }

    /// The tree of operators as explain shows it.
    pub(super) fn physical_text(&self, verbose: bool) -> String {
        let ctx = context(&self.session, &self.stateful, self.now_us, self.adaptive);
        tidemark_sql::explain::executed_tree(&self.physical, &ctx, verbose)
    }

    pub(crate) fn optimized(&self) -> &PlanRef {
        &self.optimized
    }

    pub(crate) fn stateful(&self) -> &StatefulBatch {
        &self.stateful
    }

    /// The operators with what has to be known for saying which watermark they wait for.
    pub(crate) fn operator_rules(&self) -> Vec<OperatorRule> {
        let behind = behind(&self.physical, self.stateful.watermark_ms);
        let rule = |info: OperatorInfo| OperatorRule {
            behind_ms: behind.get(&info.id).copied(),
            id: info.id,
            name: info.name,
        };
        crate::operators::operator_infos(&self.physical).into_iter().map(rule).collect()
    }

    /// Runs the plan without a trace of it.
    fn look(&self) -> Result<Vec<Partition>> {
        let seen = self.stateful.snapshot();
        let ctx = context(&self.session, &self.stateful, self.now_us, self.adaptive);
        let rows = self.physical.execute(&ctx);
        self.stateful.restore(seen);
        rows
    }

    /// Runs the plan once. What lies before an exchange has run already when it runs again.
    pub(super) fn execute(&self, first: Option<FirstRows>) -> Result<Vec<Partition>> {
        let mut ctx = context(&self.session, &self.stateful, self.now_us, self.adaptive);
        ctx.shuffles = (self.lent.get() || !self.sampled.is_empty()).then(|| self.shuffles.clone());
        self.runs.set(self.runs.get() + 1);
        self.stateful.check()?;
        if self.runs.get() == 1 {
            for input in &self.sampled {
                self.stateful.repeat(|| input.execute(&ctx))?;
            }
            self.count_input(&ctx.source_rows.take());
        }
        let rows = match self.runs.get() {
            1 => self.physical.execute(&ctx),
            _ => self.stateful.repeat(|| self.physical.execute(&ctx)),
        };
        let mut read = ctx.source_rows.take();
        let reused = scans_reused(&self.physical);
        if reused.len() == read.len() {
            read.iter_mut().zip(reused).filter(|(_, reused)| *reused).for_each(|((_, count), _)| *count = 0);
        }
        if let (Some(first), Ok(partitions), [(_, count)]) = (first, &rows, &mut read[..])
            && row_by_row(&self.physical)
        {
            // A limit that the script put above stops the scan.
            let sizes: Vec<usize> = partitions.iter().map(|partition| row_count(partition)).collect();
            *count = i64::try_from(first.read(&sizes)).unwrap_or(i64::MAX);
        }
        self.count_input(&read);
        for (name, metrics) in ctx.observed.borrow().iter() {
            let columns = named_types(metrics)?;
            let (mut json, mut values) = (Json::Null, Json::Null);
            if metrics.num_rows() > 0 {
                json = super::json_rows::metrics_json(metrics, &columns, &self.stateful.zone);
                values = super::json_rows::internal_json(metrics, &columns);
            }
            self.observed.borrow_mut().insert(name.clone(), json);
            self.observed_values.borrow_mut().insert(name.clone(), values);
        }
        rows
    }

    fn count_input(&self, read: &[(ExprId, i64)]) {
        let mut input = self.input.borrow_mut();
        for (source, rows) in read {
            *input.entry(*source).or_insert(0) += rows;
        }
    }

    /// The batch is over: what it wrote for its exchanges goes.
    pub(super) fn finish(&self) {
        self.shuffles.clear();
    }

    /// The batch as a plan for foreachBatch: whoever runs it runs the batch. Rows that are made are left in `kept`.
    pub(super) fn frame(
        self: &Rc<Self>,
        user: &SqlSession,
        name: String,
        output: &[Arc<Attribute>],
        kept: Option<Rc<RefCell<Option<Vec<Partition>>>>>,
    ) -> PlanRef {
        self.lent.set(true);
        let planned = self.clone();
        let rows = move |reading: Reading| {
            let rows = match reading {
                Reading::Look => return planned.look(),
                Reading::All => planned.execute(None)?,
                Reading::First(first) => planned.execute(Some(first))?,
            };
            if let Some(kept) = &kept {
                kept.borrow_mut().get_or_insert_with(|| rows.clone());
            }
            Ok(rows)
        };
        user.catalog.borrow_mut().set_deferred(&name, Rc::new(rows));
        Arc::new(LogicalPlan::MemoryTable { name, output: output.to_vec() })
    }

    /// How often the plan ran.
    pub(super) fn runs(&self) -> usize {
        self.runs.get()
    }

    /// How often the operators of the plan ran at most.
    pub(super) fn operator_runs(&self) -> usize {
        self.runs.get() + usize::from(!self.sampled.is_empty())
    }

    pub(crate) fn input_rows(&self) -> BTreeMap<ExprId, i64> {
        self.input.borrow().clone()
    }

    pub(super) fn observed(&self) -> BTreeMap<String, Json> {
        self.observed.borrow().clone()
    }

    pub(super) fn observed_values(&self) -> BTreeMap<String, Json> {
        self.observed_values.borrow().clone()
    }

    pub(crate) fn session(&self) -> &SqlSession {
        &self.session
    }

    pub(crate) fn now_us(&self) -> i64 {
        self.now_us
    }

    /// The stateful operators for the page.
    pub(super) fn operators(&self) -> Vec<OperatorDescription> {
        crate::operators::operator_infos(&self.physical)
            .into_iter()
            .map(|info| OperatorDescription {
                name: info.name,
                partitions: info.partitions,
                key: info.key,
                value: info.value,
            })
            .collect()
    }
}

/// Whether every row of the scan is a row of the plan.
fn row_by_row(node: &ExecRef) -> bool {
    match &node.children()[..] {
        [] => true,
        [child] => {
            matches!(&*node.name(), "Project" | "EventTimeWatermark" | "CollectMetrics" | "MicroBatchScan")
                && row_by_row(child)
        }
        _ => false,
    }
}

/// Adaptive execution is for streams without state only.
fn context<'a>(session: &'a SqlSession, stateful: &StatefulBatch, now_us: i64, adaptive: bool) -> ExecContext<'a> {
    let mut ctx = ExecContext::new(session);
    ctx.now_us = now_us;
    ctx.shuffle_partitions = stateful.shuffle_partitions;
    ctx.adaptive &= adaptive;
    ctx
}

/// Names and types of observed metrics, which are one row.
fn named_types(metrics: &RecordBatch) -> Result<Vec<(String, DataType)>> {
    let schema = metrics.schema();
    let columns = schema.fields().iter();
    columns.map(|field| Ok((field.name().clone(), DataType::from_arrow(field.data_type())?))).collect()
}
