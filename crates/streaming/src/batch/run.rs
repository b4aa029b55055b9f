//! Running a planned batch (MicroBatchExecution.runBatch) and reporting it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::Partition;
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::{LogicalPlan, PlanRef};

use super::events::MAX_EVENTS;
use super::explain::Explained;
use super::observe::Observer;
use super::plan::PlannedBatch;
use super::{Executed, MicroBatch, Timings, describe_operators, sink_env};
use crate::api::{CrashPoint, Rehearsal};
use crate::env::Env;
use crate::operators::StatefulBatch;
use crate::progress::{EventTimes, ExecutionStats, format_ms};
use crate::query::{Query, Ran};
use crate::sinks::SinkBatch;

/// Frames of foreachBatch that stay usable after their batch.
const KEPT_FRAMES: i64 = 100;

/// A batch as its sink sees it.
struct Running<'a> {
    id: i64,
    output: &'a [Arc<Attribute>],
    planned: &'a Rc<PlannedBatch>,
    /// Rows of the first execution, for the page.
    kept: Rc<RefCell<Option<Vec<Partition>>>>,
    keep: bool,
    env: &'a Env,
    run_id: &'a str,
}

impl SinkBatch for Running<'_> {
    fn id(&self) -> i64 {
        self.id
    }

    fn output(&self) -> &[Arc<Attribute>] {
        self.output
    }

    fn rows(&self) -> Result<Vec<Partition>> {
        let rows = self.planned.execute(None)?;
        if self.keep {
            self.kept.borrow_mut().get_or_insert_with(|| rows.clone());
        }
        Ok(rows)
    }

    fn frame(&self) -> PlanRef {
        let name = |batch: i64| format!("batch {batch} of {}", self.run_id);
        // A script may keep a frame and use it later; it does not keep them for ever.
        self.env.session.catalog.borrow_mut().drop_deferred(&name(self.id - KEPT_FRAMES));
        let kept = self.keep.then(|| self.kept.clone());
        self.planned.frame(&self.env.session, name(self.id), self.output, kept)
    }
}

impl MicroBatch {
    /// False: the crash point was met.
    pub(super) fn run(&mut self, query: &Query, new_data: bool, timings: &mut Timings, whole: i64) -> Result<bool> {
        let observer = self.env.observer();
        let delivered = self.delivered.take();
        let crashes_after_sink = self.env.rehearses(Rehearsal::Crash(CrashPoint::SinkDone)) && delivered.is_none();
        let watch = timings.start();
        let plan = self.batch_plan(&query.setup.plan)?;
        timings.stop("getBatch", watch);

        let watch = timings.start();
        let mut stateful = StatefulBatch::new(
            self.stateful.clone(),
            self.batch_id,
            self.first.get(),
            query.setup.output_mode,
            self.shuffle_partitions,
            self.previous_watermark_ms,
            self.watermark_ms,
            self.env.clock.now_ms(),
        );
        stateful.zone = self.env.session.conf.borrow().time_zone().clone();
        stateful.observe = observer.is_some();
        stateful.follow = if observer.as_ref().is_some_and(|observer| observer.follows()) { MAX_EVENTS } else { 0 };
        let stateful = Rc::new(stateful);
        let planned = Rc::new(PlannedBatch::plan(
            plan,
            &self.env.session,
            self.session.clone(),
            stateful.clone(),
            self.timestamp_ms.saturating_mul(1000),
            !self.stateful_plan,
        )?);
        *query.explained.borrow_mut() = Some(Explained::new(planned.clone(), &*self.sink, query));
        if self.first.get() {
            describe_operators(query, planned.operators());
        }
        timings.stop("queryPlanning", watch);
        if self.stateful_plan && query.setup.asynchronous {
            let message = "Stateful streaming queries does not support async progress tracking at this moment.";
            return Err(SparkError::plain(ErrorClass::IllegalArgument, message));
        }

        let watch = timings.start();
        let running = Running {
            id: self.batch_id,
            output: &query.setup.output,
            planned: &planned,
            kept: Rc::default(),
            keep: observer.is_some() || crashes_after_sink,
            env: &self.env,
            run_id: &query.setup.run_id,
        };
        let output_rows = match &delivered {
            Some(delivered) => self.run_again(&running, delivered)?,
            None => self.sink.add(&running, &sink_env(query))?,
        };
        let kept = running.kept.take();
        planned.finish();
        timings.stop("addBatch", watch);
        if query.stopping() {
            return Err(SparkError::internal("the query was stopped during the batch"));
        }
        if self.stateful_plan && planned.runs() == 0 && query.setup.sink_format == "foreachBatch" {
            // A foreachBatch function without an action: nobody has committed the state (StateStoreCommitTracker's wait).
            return Err(SparkError::plain(ErrorClass::Spark, "Exception thrown in awaitResult: "));
        }
        if let Some(observer) = &observer {
            let rows = kept.as_ref().map(|rows| crate::sinks::count_rows(rows));
            observer.batch_delivered(&query.description.borrow(), self.batch_id, rows);
        }
        if crashes_after_sink {
            self.lose_after_sink(query, kept, output_rows)?;
            return self.run(query, new_data, timings, whole);
        }
        if self.env.crashes_at(CrashPoint::SinkDone) {
            return Ok(false);
        }

        let event_times = stateful.event_times();
        self.tracker.update(&event_times);
        let watch = timings.start();
        if !self.commits.add(self.batch_id, self.tracker.current_ms(), self.env.clock.now_ms())? {
            return Err(SparkError::new(
                ErrorClass::Spark,
                "CONCURRENT_STREAM_LOG_UPDATE",
                &[("batchId", &self.batch_id.to_string())],
            ));
        }
        timings.stop("commitOffsets", watch);
        timings.stop("triggerExecution", whole);
        if self.env.crashes_at(CrashPoint::CommitWritten) {
            return Ok(false);
        }

        let mut times = EventTimes::new();
        if new_data && let Some(seen) = event_times.iter().find(|node| node.stats.count > 0) {
            times.insert("avg", format_ms(seen.stats.avg as i64));
            times.insert("max", format_ms(seen.stats.max));
            times.insert("min", format_ms(seen.stats.min));
        }
        if self.has_event_time {
            times.insert("watermark", format_ms(self.watermark_ms));
        }
        let stats = ExecutionStats { operators: stateful.operator_metrics(), event_times: times, output_rows };
        let rows = planned.input_rows();
        let by_source = |index: usize| {
            if new_data { rows.get(&self.sources[index].mark).copied().unwrap_or(0) } else { 0 }
        };
        let mut progress = self.progress(query, timings, stats.clone(), &by_source);
        progress.observed = planned.observed();
        let input_rows: i64 = progress.sources.iter().map(|source| source.rows).sum();
        let json = progress.to_json().to_string();
        let now = self.env.clock.now_ms();
        {
            let mut buffer = query.progress.borrow_mut();
            buffer.add(json.clone(), query.progress_limit)?;
            buffer.last_ms = Some(now);
        }
        if let Some(host) = self.env.host() {
            let observed = serde_json::json!(planned.observed_values());
            host.listener_event("progress", &format!("{{\"progress\":{json},\"observed\":{observed}}}"));
        }
        if let Some(observer) = observer {
            let facts = Observer {
                query,
                batch_id: self.batch_id,
                no_data_reason: self.no_data_reason.clone(),
                clock_ms: now,
                input_rows,
                output_rows: stats.output_rows.unwrap_or(-1),
                watermark_ms: self.has_event_time.then_some(self.watermark_ms),
                late_watermark_ms: self.has_event_time.then_some(self.previous_watermark_ms),
                next_watermark_ms: self.has_event_time.then_some(self.tracker.current_ms()),
                progress_json: json,
                sources: self.sources.iter().map(|open| open.mark).collect(),
                tracker: &self.tracker,
            };
            observer.batch_committed(&facts.observation(&planned, kept.unwrap_or_default()));
        }
        self.stats = Some(stats);
        *query.ran.borrow_mut() = Some(Ran { plan: planned.physical(), batch: self.batch_id });
        self.executed = Some(Executed { plan: planned.physical(), stateful });
        self.previous_watermark_ms = self.watermark_ms;
        for open in &mut self.sources {
            open.start.clone_from(&open.end);
        }
        self.batch_id += 1;
        self.constructed = false;
        self.first = Cell::new(false);
        self.no_data_reason = None;
        if self.env.rehearses(Rehearsal::Crash(CrashPoint::CommitWritten)) {
            self.reopen(query)?;
        }
        Ok(true)
    }

    /// The query's plan over the data of the batch. A source without new data gives no rows.
    fn batch_plan(&mut self, plan: &PlanRef) -> Result<PlanRef> {
        let sources = &mut self.sources;
        // The relations are met in the order in which they were counted.
        let mut occurrences = self.occurrences.iter();
        let replaced = (**plan).clone().try_transform_up(&mut |node| match node {
            LogicalPlan::StreamingRelation(relation) => {
                let Some(open) = occurrences.next().and_then(|index| sources.get_mut(*index)) else {
                    return Err(SparkError::internal("a source that was not opened"));
                };
                let rows = if open.has_new() {
                    let end = open.end.clone().unwrap_or_default();
                    open.source.batch(open.start.as_deref(), &end, &relation.output)?
                } else {
                    super::rows::local_relation(&relation.output, Vec::new())
                };
                Ok(LogicalPlan::StreamingBatch { source: open.mark, data: Box::new(rows), output: relation.output })
            }
            other => Ok(other),
        })?;
        Ok(Arc::new(replaced))
    }
}
