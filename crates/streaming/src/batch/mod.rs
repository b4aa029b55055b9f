//! Micro-batches (Spark's MicroBatchExecution): what is new is planned and logged, run, and committed.

mod describe;
pub(crate) mod events;
mod explain;
mod json_rows;
mod modes;
mod observe;
mod plan;
mod rehearsal;
mod restart;
mod reused;
pub(crate) mod rows;
mod run;

use std::cell::Cell;
use std::rc::Rc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::ExecRef;
use tidemark_sql::expr::ExprId;
use tidemark_sql::plan::{LogicalPlan, StreamingRelation};
use tidemark_sql::session::SqlSession;

use crate::api::{CrashPoint, OperatorDescription, Rehearsal, SourceDescription};
use crate::checkpoint::{CommitLog, LOGGED_CONF, OffsetEntry, OffsetLog};
use crate::env::Env;
use crate::operators::{StatefulBatch, StatefulQuery, StreamingConf};
use crate::progress::{ExecutionStats, NO_DATA_INTERVAL_MS, Progress, SourceProgress, format_ms};
use crate::query::{Due, Query};
use crate::settings::Settings;
use crate::sinks::{Sink, SinkEnv};
use crate::sources::{self, NextChange, ReadLimit, Source, SourceEnv};
use crate::trigger::Trigger;
use crate::watermark::{WatermarkPolicy, WatermarkTracker};

pub(crate) use describe::plan_description;
pub(crate) use explain::Explained;
pub(crate) use json_rows::row_json;
pub(crate) use modes::{check_async, check_start};
pub(crate) use plan::PlannedBatch;
pub(crate) use plan::{check, writes_continuously};

/// How often a file source looks under the machine's clock.
const REAL_POLL_MS: i64 = 100;

/// What a trigger did.
pub(crate) enum Outcome {
    Batch(i64),
    /// Nothing to do, and why.
    Idle(String),
    Crashed(i64),
}

/// One source of the query.
struct OpenSource {
    /// Id of the relation, and which of its instances this is.
    key: (ExprId, usize),
    source: Box<dyn Source>,
    limit: ReadLimit,
    /// Marks the source's data in the plans of this run.
    mark: ExprId,
    /// Offsets of the batch at hand, JSON.
    start: Option<String>,
    end: Option<String>,
    latest: Option<String>,
}

impl OpenSource {
    fn has_new(&self) -> bool {
        self.end.is_some() && self.start != self.end
    }
}

/// The batch that ran last, for the question whether another is needed.
struct Executed {
    plan: ExecRef,
    stateful: Rc<StatefulBatch>,
}

/// One run of a query. What Spark's execution thread holds.
pub(crate) struct MicroBatch {
    env: Rc<Env>,
    /// The query's own session: settings stay as they were at the start.
    session: Rc<SqlSession>,
    settings: Settings,
    sources: Vec<OpenSource>,
    /// Source of each relation of the plan, in plan order. The offset log has a line for each.
    occurrences: Vec<usize>,
    sink: Box<dyn Sink>,
    offsets: OffsetLog,
    commits: CommitLog,
    stateful: Rc<StatefulQuery>,
    tracker: WatermarkTracker,
    has_event_time: bool,
    /// The plan keeps state: adaptive execution is off.
    stateful_plan: bool,
    shuffle_partitions: usize,
    batch_id: i64,
    /// The batch is in the offset log and has to run.
    constructed: bool,
    /// Watermark and time of the batch at hand, ms.
    watermark_ms: i64,
    timestamp_ms: i64,
    /// Watermark of the batch before, ms.
    previous_watermark_ms: i64,
    executed: Option<Executed>,
    stats: Option<ExecutionStats>,
    /// Start of this trigger and of the one before, ms.
    trigger_ms: Option<i64>,
    last_trigger_ms: Option<i64>,
    /// The first batch of this run is yet to come.
    first: Cell<bool>,
    /// The run is over after one trigger.
    single: bool,
    no_data_reason: Option<String>,
    /// Rows that the sink has of the batch at hand, which is run again.
    delivered: Option<rehearsal::Delivered>,
}

/// A relation of the plan: the same relation on both sides of a join is two sources, as in Spark, where the right side is
/// made anew; the branches of a union share it.
struct Occurrence {
    relation: StreamingRelation,
    instance: usize,
}

/// Relations of a plan in the order in which Spark numbers its sources.
fn relations(plan: &LogicalPlan) -> Vec<Occurrence> {
    if let LogicalPlan::StreamingRelation(relation) = plan {
        return vec![Occurrence { relation: relation.clone(), instance: 0 }];
    }
    let is_join = matches!(plan, LogicalPlan::Join(_));
    let mut found: Vec<Occurrence> = Vec::new();
    for child in plan.child_plans() {
        let mut below = relations(&child);
        if is_join {
            for occurrence in &mut below {
                let same = found.iter().filter(|other| other.relation.id == occurrence.relation.id);
                if let Some(last) = same.map(|other| other.instance).max() {
                    occurrence.instance += last + 1;
                }
            }
        }
        found.extend(below);
    }
    found
}

fn watermark_nodes(plan: &LogicalPlan) -> usize {
    let own = usize::from(matches!(plan, LogicalPlan::EventTimeWatermark { .. }));
    own + plan.child_plans().iter().map(|child| watermark_nodes(child)).sum::<usize>()
}

/// Whether a plan has an operator that keeps state between batches.
pub(crate) fn keeps_state(plan: &LogicalPlan) -> bool {
    let own = match plan {
        LogicalPlan::Aggregate { .. }
        | LogicalPlan::GroupingSets { .. }
        | LogicalPlan::Pivot { .. }
        | LogicalPlan::Distinct { .. }
        | LogicalPlan::Deduplicate { .. }
        | LogicalPlan::Limit { .. } => plan.is_streaming(),
        LogicalPlan::Extension(node) => plan.is_streaming() && node.group_state().is_some(),
        LogicalPlan::Join(join) => join.left.is_streaming() && join.right.is_streaming(),
        _ => false,
    };
    own || plan.child_plans().iter().any(|child| keeps_state(child))
}

impl MicroBatch {
    /// Opens sources, sink and logs, and finds where to go on. An error comes with what Spark says of the query's state,
    /// once it is past its initialisation.
    pub(crate) fn open(query: &Query, mut sink: Box<dyn Sink>) -> Result<Self, (SparkError, Option<String>)> {
        let early = |error: SparkError| (error, None);
        let env = query.env.clone();
        let setup = &query.setup;
        let now = env.clock.now_ms();
        let fs = env.session.fs.clone();
        let mut settings = setup.settings.clone();
        let offsets = OffsetLog::open(fs.clone(), &setup.checkpoint, now).map_err(early)?;
        let commits = CommitLog::open(fs.clone(), &setup.checkpoint, now).map_err(early)?;

        let found = relations(&setup.plan);
        let mut opened: Vec<OpenSource> = Vec::new();
        let mut occurrences = Vec::new();
        for Occurrence { relation, instance } in &found {
            let key = (relation.id, *instance);
            if let Some(index) = opened.iter().position(|open| open.key == key) {
                occurrences.push(index);
                continue;
            }
            let source_env = SourceEnv {
                fs: fs.clone(),
                cwd: env.session.cwd.clone(),
                clock: env.clock.clone(),
                settings: settings.clone(),
                session: env.session.clone(),
                log: format!("{}/sources/{}", setup.checkpoint, opened.len()),
                parallelism: env.session.parallelism.get(),
                broker: env.broker.clone(),
                sockets: env.sockets(),
                uuid: uuid_of(&env),
            };
            let source = sources::open(relation, source_env).map_err(early)?;
            occurrences.push(opened.len());
            let (limit, mark) = (ReadLimit::All, ExprId::fresh());
            opened.push(OpenSource { key, source, limit, mark, start: None, end: None, latest: None });
        }
        let single = modes::settle_limits(&mut opened, setup.trigger).map_err(early)?;
        describe_sources(query, &opened, &found);
        modes::check(setup.trigger, &setup.sink_format, &found).map_err(early)?;
        sink.open(&sink_env(query)).map_err(early)?;

        let latest = offsets.latest();
        let partitions = settings.text("spark.sql.shuffle.partitions", "200");
        settings.fix("spark.sql.shuffle.partitions", &partitions);
        if let Ok(Some((_, entry))) = &latest {
            restart::restore_settings(entry, &mut settings);
        }
        let conf = StreamingConf::read(&|key| settings.get(key));
        let shuffle_partitions = usize::try_from(settings.long("spark.sql.shuffle.partitions", 200)).unwrap_or(200);
        let policy = WatermarkPolicy::parse(&settings.text("spark.sql.streaming.multipleWatermarkPolicy", "min"));
        let nodes = watermark_nodes(&setup.plan);
        let mut micro = Self {
            session: plan::query_session(&env.session, &settings),
            stateful: Rc::new(StatefulQuery::new(fs, &setup.checkpoint, &setup.run_id, conf)),
            tracker: WatermarkTracker::new(policy, nodes),
            has_event_time: nodes > 0,
            stateful_plan: keeps_state(&setup.plan),
            env,
            settings,
            sources: opened,
            occurrences,
            sink,
            offsets,
            commits,
            shuffle_partitions,
            batch_id: 0,
            constructed: false,
            watermark_ms: 0,
            timestamp_ms: 0,
            previous_watermark_ms: 0,
            executed: None,
            stats: None,
            trigger_ms: None,
            last_trigger_ms: None,
            first: Cell::new(true),
            single,
            no_data_reason: None,
            delivered: None,
        };
        match latest.and_then(|latest| micro.resume(latest)) {
            Ok(()) => Ok(micro),
            Err(error) => {
                let debug = micro.debug_text(query);
                Err((error, Some(debug)))
            }
        }
    }

    /// Whether the run is over after one trigger.
    pub(crate) fn is_single(&self) -> bool {
        self.single
    }

    /// One trigger (MicroBatchExecution.executeOneBatch).
    pub(crate) fn trigger(&mut self, query: &Query) -> Result<Outcome> {
        let now = self.env.clock.now_ms();
        self.last_trigger_ms = self.trigger_ms;
        self.trigger_ms = Some(now);
        query.status.borrow_mut().trigger_active = true;
        let mut timings = Timings::new(&self.env);
        let whole = timings.start();
        if !self.constructed {
            if self.env.rehearses(Rehearsal::Stop) && self.executed.is_some() && !self.wants_another()? {
                self.reopen(query)?;
                self.executed = None;
            }
            self.constructed = self.construct(query, &mut timings)?;
            if self.constructed && self.env.rehearses(Rehearsal::Crash(CrashPoint::OffsetsWritten)) {
                self.reopen(query)?;
            }
            if self.constructed && self.env.crashes_at(CrashPoint::OffsetsWritten) {
                return Ok(Outcome::Crashed(self.batch_id));
            }
        }
        let new_data = self.sources.iter().any(OpenSource::has_new);
        query.status.borrow_mut().data_available = new_data;
        if !self.constructed {
            query.set_status("Waiting for data to arrive");
            timings.stop("triggerExecution", whole);
            self.report_idle(query, &timings)?;
            query.status.borrow_mut().trigger_active = false;
            return Ok(Outcome::Idle(self.idle_reason()));
        }
        query.set_status(if new_data { "Processing new data" } else { "No new data but cleaning up state" });
        let batch_id = self.batch_id;
        if self.run(query, new_data, &mut timings, whole)? {
            query.status.borrow_mut().trigger_active = false;
            Ok(Outcome::Batch(batch_id))
        } else {
            Ok(Outcome::Crashed(batch_id))
        }
    }

    /// Whether the last batch calls for another one at the present watermark.
    fn wants_another(&self) -> Result<bool> {
        let enabled = self.settings.flag("spark.sql.streaming.noDataMicroBatches.enabled", true);
        match &self.executed {
            Some(executed) if enabled => {
                executed.stateful.should_run_another_batch(&executed.plan, self.tracker.current_ms())
            }
            _ => Ok(false),
        }
    }

    /// Asks the sources and decides on a batch; it is in the offset log afterwards (constructNextBatch).
    fn construct(&mut self, query: &Query, timings: &mut Timings) -> Result<bool> {
        for open in &mut self.sources {
            query.set_status(&format!("Getting offsets from {}", open.source.description()));
            let watch = timings.start();
            if let Some(end) = open.source.latest_offset(open.start.as_deref(), open.limit)? {
                open.end = Some(end);
            }
            open.latest = open.source.report_latest();
            timings.stop("latestOffset", watch);
        }
        self.watermark_ms = self.tracker.current_ms();
        self.timestamp_ms = self.env.clock.now_ms();
        let new_data = self.sources.iter().any(OpenSource::has_new);
        let another = self.wants_another()?;
        let on_time = self.executed.as_ref().is_some_and(|executed| executed.stateful.runs_on_time(&executed.plan));
        self.no_data_reason = (!new_data && another).then(|| self.no_data_text(on_time));
        if !new_data && !another {
            query.no_new_data.set(true);
            return Ok(false);
        }
        query.set_status("Writing offsets to log");
        let watch = timings.start();
        let now = self.env.clock.now_ms();
        let entry = OffsetEntry {
            has_metadata: true,
            watermark_ms: self.watermark_ms,
            timestamp_ms: self.timestamp_ms,
            conf: LOGGED_CONF
                .iter()
                .map(|(key, default)| ((*key).to_owned(), self.settings.text(key, default)))
                .collect(),
            offsets: self.occurrences.iter().map(|index| self.sources[*index].end.clone()).collect(),
        };
        if !self.offsets.add(self.batch_id, &entry, now)? {
            return Err(SparkError::new(
                tidemark_sql::error::ErrorClass::Spark,
                "CONCURRENT_STREAM_LOG_UPDATE",
                &[("batchId", &self.batch_id.to_string())],
            ));
        }
        self.clean_up_last()?;
        timings.stop("walCommit", watch);
        // With timers on processing time there is always another batch; whoever waits for the data is served all the same.
        query.no_new_data.set(!new_data && on_time);
        Ok(true)
    }

    /// Lets the sources forget the batch before, and drops old log entries.
    fn clean_up_last(&mut self) -> Result<()> {
        if self.batch_id == 0 {
            return Ok(());
        }
        let before = self.batch_id - 1;
        let Some(entry) = self.offsets.get(before)? else {
            return Err(crate::checkpoint::illegal_state(format!("batch {before} doesn't exist")));
        };
        for (index, offset) in self.occurrences.iter().zip(&entry.offsets) {
            if let Some(offset) = offset {
                self.sources[*index].source.commit(offset)?;
            }
        }
        self.stateful.propagator.borrow_mut().purge(self.batch_id - 2);
        let kept = self.settings.long("spark.sql.streaming.minBatchesToRetain", 100);
        if kept < self.batch_id {
            self.offsets.purge(self.batch_id - kept);
            self.commits.purge(self.batch_id - kept);
        }
        Ok(())
    }

    fn no_data_text(&self, on_time: bool) -> String {
        if on_time {
            return "No new data: the batch looks for timeouts and timers of processing time that have come."
                .to_owned();
        }
        format!(
            "No new data, but the watermark has moved to {}: windows and state that it has passed are finished in a batch \
             without input.",
            format_ms(self.watermark_ms)
        )
    }

    fn idle_reason(&self) -> String {
        let names: Vec<String> = self.sources.iter().map(|open| open.source.description()).collect();
        format!("No new data in {}", names.join(", "))
    }

    /// When a query whose trigger found nothing should look again.
    pub(crate) fn due_after_idle(&self, query: &Query, next_tick_ms: i64) -> Due {
        let now = self.env.clock.now_ms();
        let change = self.sources.iter().map(|open| match open.source.next_change(now) {
            // Under the machine's clock files come from other programs, too.
            NextChange::WhenFilesChange if !self.env.clock.is_virtual() => now + REAL_POLL_MS,
            NextChange::WhenFilesChange => i64::MAX,
            NextChange::At(ms) => ms,
            NextChange::Always => now,
        });
        let change = change.min().unwrap_or(i64::MAX);
        let last = query.progress.borrow().last_ms.unwrap_or(now);
        let report = last.saturating_add(self.report_interval());
        let trigger = query.setup.trigger;
        let endless = self.is_endless(query);
        let (at, idle) = if change <= report { (change, false) } else { (report, true) };
        Due { at_ms: next_tick_ms.max(trigger.align(at)), idle, endless }
    }

    /// Whether time alone makes new rows, for ever.
    pub(crate) fn is_endless(&self, query: &Query) -> bool {
        let now = self.env.clock.now_ms();
        !matches!(query.setup.trigger, Trigger::Once | Trigger::AvailableNow)
            && (self.executed.as_ref().is_some_and(|executed| executed.stateful.runs_on_time(&executed.plan))
                || self.sources.iter().any(|open| match open.source.next_change(now) {
                    NextChange::WhenFilesChange => false,
                    NextChange::At(ms) => ms > now,
                    NextChange::Always => true,
                }))
    }

    fn report_interval(&self) -> i64 {
        self.settings.duration_ms("spark.sql.streaming.noDataProgressEventInterval", NO_DATA_INTERVAL_MS)
    }

    /// Makes a report of a trigger without a batch: the first, then one every ten seconds (updateIdleness).
    fn report_idle(&self, query: &Query, timings: &Timings) -> Result<()> {
        let now = self.env.clock.now_ms();
        if !query.progress.borrow().idle_is_due(now, self.report_interval()) {
            return Ok(());
        }
        let stats = self.stats.as_ref().map(|stats| stats.idle(self.watermark_ms)).unwrap_or_default();
        let progress = self.progress(query, timings, stats, &|_| 0);
        let json = progress.to_json().to_string();
        let first = {
            let mut buffer = query.progress.borrow_mut();
            buffer.add(json, query.progress_limit)?;
            buffer.last_ms.replace(now).is_none()
        };
        if !first {
            let event = serde_json::json!({
                "id": query.setup.id,
                "runId": query.setup.run_id,
                "timestamp": format_ms(self.trigger_ms.unwrap_or(now)),
            });
            self.env.event("idle", &event);
        }
        Ok(())
    }

    fn progress(
        &self,
        query: &Query,
        timings: &Timings,
        stats: ExecutionStats,
        rows: &dyn Fn(usize) -> i64,
    ) -> Progress {
        let started_ms = self.trigger_ms.unwrap_or(0);
        Progress {
            id: query.setup.id.clone(),
            run_id: query.setup.run_id.clone(),
            name: query.setup.name.clone(),
            started_ms,
            batch_id: self.batch_id,
            duration_ms: timings.durations.get("triggerExecution").copied().unwrap_or(0),
            durations: timings.durations.clone(),
            since_last_ms: self.last_trigger_ms.map(|last| (started_ms - last).max(1)),
            stats,
            sources: self
                .sources
                .iter()
                .enumerate()
                .map(|(index, open)| SourceProgress {
                    description: open.source.description(),
                    start: open.start.clone(),
                    end: open.end.clone(),
                    latest: open.latest.clone(),
                    rows: rows(index),
                    metrics: open.source.metrics(open.end.as_deref()),
                })
                .collect(),
            sink: self.sink.description(),
            observed: std::collections::BTreeMap::new(),
        }
    }
}

fn sink_env(query: &Query) -> SinkEnv {
    let env = query.env.clone();
    SinkEnv {
        session: env.session.clone(),
        host: env.host(),
        output_mode: query.setup.output_mode,
        now_ms: env.clock.now_ms(),
        uuid: uuid_of(&env),
    }
}

fn uuid_of(env: &Rc<Env>) -> Rc<dyn Fn() -> String> {
    let env = env.clone();
    Rc::new(move || env.ids.uuid())
}

/// What the page shows of a query whose sources are not opened yet: taken from its plan.
pub(crate) fn describe_plan(plan: &LogicalPlan, cwd: &str, description: &mut crate::api::QueryDescription) {
    let is_file = |format: &str| matches!(format, "json" | "csv" | "text" | "parquet");
    description.sources = relations(plan)
        .into_iter()
        .map(|Occurrence { relation, .. }| SourceDescription {
            description: relation.format.clone(),
            folder: relation
                .path
                .filter(|path| is_file(&relation.format) && !path.contains(['*', '?', '[', '{']))
                .map(|path| tidemark_vfs::join(cwd, &path)),
            format: relation.format,
            schema: relation.output.iter().map(|a| (a.name.to_string(), a.data_type.simple_string())).collect(),
        })
        .collect();
    (description.watermark_delay_ms, description.event_time_column) = event_time(plan);
}

/// Fills in what the page shows of the sources.
fn describe_sources(query: &Query, opened: &[OpenSource], found: &[Occurrence]) {
    let describe = |open: &OpenSource| {
        let relation = found.iter().map(|o| &o.relation).find(|relation| relation.id == open.key.0);
        SourceDescription {
            description: open.source.description(),
            folder: open.source.folder(),
            format: relation.map(|r| r.format.clone()).unwrap_or_default(),
            schema: relation
                .map(|r| r.output.iter().map(|a| (a.name.to_string(), a.data_type.simple_string())).collect())
                .unwrap_or_default(),
        }
    };
    let sources = opened.iter().map(describe).collect();
    let (delay, column) = event_time(&query.setup.plan);
    let mut description = query.description.borrow_mut();
    description.sources = sources;
    description.watermark_delay_ms = delay;
    description.event_time_column = column;
    drop(description);
    query.describe_again();
}

/// Delay and column of the first withWatermark.
fn event_time(plan: &LogicalPlan) -> (Option<i64>, Option<String>) {
    if let LogicalPlan::EventTimeWatermark { column, delay, .. } = plan {
        return (Some(delay.millis()), Some(column.to_attribute().name.to_string()));
    }
    let found = plan.child_plans().iter().map(|child| event_time(child)).find(|(delay, _)| delay.is_some());
    found.unwrap_or((None, None))
}

/// Puts the operators of the first plan into the description.
fn describe_operators(query: &Query, operators: Vec<OperatorDescription>) {
    let first = query.description.borrow().operators.is_empty() && !operators.is_empty();
    query.description.borrow_mut().operators = operators;
    if first {
        query.describe_again();
    }
}

/// Durations of one trigger by Spark's names.
pub(crate) struct Timings {
    env: Rc<Env>,
    durations: std::collections::BTreeMap<&'static str, i64>,
}

impl Timings {
    fn new(env: &Rc<Env>) -> Self {
        Self { env: env.clone(), durations: std::collections::BTreeMap::new() }
    }

    fn start(&self) -> i64 {
        self.env.clock.stopwatch_ms()
    }

    fn stop(&mut self, name: &'static str, started: i64) {
        *self.durations.entry(name).or_insert(0) += (self.start() - started).max(0);
    }
}
