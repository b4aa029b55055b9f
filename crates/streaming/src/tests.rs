//! Queries from start to end on sources and sinks that need no files to be parsed.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use indexmap::IndexMap;
use serde_json::Value;
use tidemark_sql::error::Result;
use tidemark_sql::expr::{Attribute, ExprId};
use tidemark_sql::plan::{LogicalPlan, PlanRef, StreamingRelation};
use tidemark_sql::session::SqlSession;
use tidemark_sql::types::DataType;
use tidemark_vfs::{FileSystem, MemoryFs};

use crate::StreamingSession;
use crate::api::{
    BatchObservation, CrashPoint, QueryApi, QueryDescription, ScriptHost, StepOutcome, StreamObserver, StreamingApi,
    TriggerSpec, Wait, WriterSpec,
};
use crate::clock::VirtualClock;
use crate::ids::SeededIds;
use tidemark_sql::error::SparkError;

const START_MS: i64 = 1_767_225_600_000;

struct Fixture {
    fs: Arc<MemoryFs>,
    streams: Rc<StreamingSession>,
}

impl Fixture {
    fn new() -> Self {
        Self::over(Arc::new(MemoryFs::new()))
    }

    fn over(fs: Arc<MemoryFs>) -> Self {
        let clock = Rc::new(VirtualClock::new(START_MS * 1000));
        let sql = Rc::new(SqlSession::new(fs.clone(), "/lake", clock.clone(), 2));
        sql.conf.borrow_mut().set("spark.sql.shuffle.partitions", "2").unwrap();
        Self { fs, streams: StreamingSession::new(sql, clock, Box::new(SeededIds::new(1))) }
    }

    fn names(&self, folder: &str) -> Vec<String> {
        self.fs.list(folder).map_or_else(|_| Vec::new(), |e| e.into_iter().map(|e| e.name).collect())
    }
}

fn source(format: &str, options: &[(&str, &str)]) -> PlanRef {
    let column = |name: &str, data_type: DataType| {
        Arc::new(Attribute {
            id: ExprId::fresh(),
            name: name.into(),
            data_type,
            nullable: true,
            qualifier: Vec::new(),
            metadata: tidemark_sql::expr::Metadata::default(),
        })
    };
    Arc::new(LogicalPlan::StreamingRelation(StreamingRelation {
        id: ExprId::fresh(),
        format: format.into(),
        options: options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<IndexMap<_, _>>(),
        path: None,
        python: None,
        user_schema: None,
        output: vec![column("timestamp", DataType::Timestamp), column("value", DataType::Long)],
    }))
}

fn noop(checkpoint: &str, trigger: TriggerSpec) -> WriterSpec {
    let mut spec = WriterSpec { format: Some("noop".into()), trigger, ..WriterSpec::default() };
    spec.options.insert("checkpointLocation".into(), checkpoint.into());
    spec
}

fn progress(query: &Rc<dyn QueryApi>) -> Vec<(i64, i64)> {
    let number = |json: &Value, key: &str| json.get(key).and_then(Value::as_i64).unwrap_or(-1);
    query
        .recent_progress()
        .iter()
        .map(|text| serde_json::from_str::<Value>(text).unwrap())
        .map(|json| (number(&json, "batchId"), number(&json, "numInputRows")))
        .collect()
}

#[test]
fn available_now_takes_one_batch_and_ends_and_the_next_run_goes_on() {
    let fixture = Fixture::new();
    let rows = source("rate-micro-batch", &[("rowsPerBatch", "3")]);
    for run in 0..2_i64 {
        let query = fixture.streams.start(rows.clone(), noop("cp", TriggerSpec::AvailableNow)).unwrap();
        assert!(query.is_active());
        assert_eq!(query.await_termination(None).unwrap(), Wait::Ended);
        assert!(!query.is_active());
        assert_eq!(progress(&query), [(run, 3)]);
    }
    assert_eq!(fixture.names("/lake/cp"), ["commits", "metadata", "offsets"]);
    assert_eq!(fixture.names("/lake/cp/offsets"), ["0", "1"]);
    let offsets = String::from_utf8(fixture.fs.read("/lake/cp/offsets/1").unwrap().to_vec()).unwrap();
    assert_eq!(offsets.lines().nth(2), Some("{\"offset\":6,\"timestamp\":2000}"));
    assert!(offsets.contains("\"spark.sql.shuffle.partitions\":\"2\""));
    let commit = fixture.fs.read("/lake/cp/commits/1").unwrap();
    assert_eq!(&**commit, b"v1\n{\"nextBatchWatermarkMs\":0}");
}

#[test]
fn the_rate_source_wakes_with_the_clock_and_idle_time_costs_nothing() {
    let fixture = Fixture::new();
    let query =
        fixture.streams.start(source("rate", &[("rowsPerSecond", "4")]), noop("cp", TriggerSpec::Default)).unwrap();
    assert_eq!(query.await_termination(Some(3500)).unwrap(), Wait::TimedOut);
    assert_eq!(progress(&query), [(0, 0), (1, 4), (2, 4), (3, 4)]);
    assert_eq!(fixture.streams.clock().now_ms(), START_MS + 3500);
    query.stop().unwrap();
    assert_eq!(query.status(), "{\"message\":\"Stopped\",\"isDataAvailable\":false,\"isTriggerActive\":false}");
}

#[test]
fn a_query_just_started_has_progress_once_it_is_asked_for() {
    let fixture = Fixture::new();
    let rows = source("rate-micro-batch", &[("rowsPerBatch", "3")]);
    let query = fixture.streams.start(rows, noop("/lake/cp", TriggerSpec::ProcessingTime("1 second".into()))).unwrap();
    assert!(query.last_progress().is_some());
    assert_eq!(progress(&query), [(0, 3)]);
    query.stop().unwrap();
    assert!(query.last_progress().is_some());
}

#[test]
fn firings_keep_to_multiples_of_the_interval() {
    let fixture = Fixture::new();
    let trigger = TriggerSpec::ProcessingTime("10 seconds".into());
    let query = fixture.streams.start(source("rate", &[]), noop("cp", trigger)).unwrap();
    fixture.streams.sleep(4_000);
    assert_eq!(progress(&query).len(), 1);
    assert_eq!(fixture.streams.next_due_ms(), Some(START_MS + 10_000));
    assert!(matches!(fixture.streams.step(None), StepOutcome::Batch { batch_id: 1, .. }));
    assert_eq!(progress(&query), [(0, 0), (1, 10)]);
}

#[test]
fn a_crash_leaves_what_a_killed_driver_leaves_and_the_batch_runs_again() {
    for (point, offsets, commits, again) in
        [(CrashPoint::OffsetsWritten, 1, 0, 0), (CrashPoint::SinkDone, 1, 0, 0), (CrashPoint::CommitWritten, 1, 1, 1)]
    {
        let fs = Arc::new(MemoryFs::new());
        let rows = source("rate-micro-batch", &[("rowsPerBatch", "3")]);
        let first = Fixture::over(fs.clone());
        first.streams.set_crash_point(Some(point));
        let query = first.streams.start(rows.clone(), noop("/cp", TriggerSpec::Default)).unwrap();
        let outcome = first.streams.step(Some(&query.id()));
        assert_eq!(outcome, StepOutcome::Crashed { query_id: query.id(), batch_id: 0 });
        assert_eq!((first.names("/cp/offsets").len(), first.names("/cp/commits").len()), (offsets, commits));
        assert_eq!(first.streams.step(None), StepOutcome::NoQuery);

        let second = Fixture::over(fs);
        let restarted = second.streams.start(rows, noop("/cp", TriggerSpec::Default)).unwrap();
        assert_eq!(restarted.id(), query.id());
        assert!(matches!(second.streams.step(None), StepOutcome::Batch { batch_id, .. } if batch_id == again));
        assert_eq!(progress(&restarted), [(again, 3)]);
    }
}

#[test]
fn bad_options_fail_the_query_and_not_its_start() {
    let fixture = Fixture::new();
    let plan = source("json", &[("maxFilesPerTrigger", "0")]);
    let query = fixture.streams.start(plan, noop("cp", TriggerSpec::Default)).unwrap();
    let error = query.process_all_available().unwrap_err();
    assert_eq!(error.condition.as_deref(), Some("STREAM_FAILED"));
    let first = error.to_string().lines().next().unwrap().to_owned();
    assert!(
        first.ends_with(
            "exception: Invalid value '0' for option 'maxFilesPerTrigger', must be a positive integer SQLSTATE: XXKST"
        ),
        "{first}"
    );
    assert!(!query.is_active());
    assert!(query.exception().unwrap().to_string().starts_with("Invalid value '0'"));
    assert!(fixture.streams.await_any_termination(Some(1)).is_err());
    fixture.streams.reset_terminated();
    assert_eq!(fixture.streams.await_any_termination(Some(1)).unwrap(), Wait::TimedOut);
}

#[test]
fn a_second_run_of_one_checkpoint_stops_the_first() {
    let fixture = Fixture::new();
    let rows = source("rate", &[]);
    let first = fixture.streams.start(rows.clone(), noop("cp", TriggerSpec::Default)).unwrap();
    let second = fixture.streams.start(rows.clone(), noop("cp", TriggerSpec::Default)).unwrap();
    assert!(!first.is_active() && first.exception().is_none());
    assert_eq!((second.id() == first.id(), second.run_id() == first.run_id()), (true, false));
    let mut named = noop("cp2", TriggerSpec::Default);
    named.query_name = Some("n".into());
    fixture.streams.start(rows.clone(), named.clone()).unwrap();
    named.options.insert("checkpointLocation".into(), "cp3".into());
    let refused = fixture.streams.start(rows, named).err().unwrap().to_string();
    assert_eq!(
        refused,
        "Cannot start query with name n as a query with that name is already active in this SparkSession"
    );
}

#[derive(Default)]
struct Script {
    events: RefCell<Vec<String>>,
    batches: RefCell<Vec<(i64, usize)>>,
    session: RefCell<Option<Rc<SqlSession>>>,
}

impl ScriptHost for Script {
    fn print(&self, text: &str) {
        self.events.borrow_mut().push(text.to_owned());
    }
    fn foreach_batch(&self, _handle: u64, batch: PlanRef, batch_id: i64) -> Result<()> {
        let session = self.session.borrow().clone().unwrap();
        let rows = tidemark_sql::planner::execute(&session, &batch)?;
        let count = rows.iter().flatten().map(RecordBatch::num_rows).sum();
        self.batches.borrow_mut().push((batch_id, count));
        if batch_id == 2 {
            return Err(SparkError::plain(
                tidemark_sql::error::ErrorClass::Java("py4j.Py4JException"),
                "An exception was raised by the Python Proxy. Return Message: Traceback: ValueError: no good",
            ));
        }
        Ok(())
    }
    fn foreach(&self, _: u64, _: usize, _: i64, _: &[RecordBatch]) -> Result<()> {
        Ok(())
    }
    fn listener_event(&self, kind: &str, _json: &str) {
        self.events.borrow_mut().push(kind.to_owned());
    }
}

#[test]
fn a_failing_function_of_the_script_ends_the_query() {
    let fixture = Fixture::new();
    let script = Rc::new(Script::default());
    *script.session.borrow_mut() = Some(fixture.streams.env.session.clone());
    fixture.streams.set_host(Some(script.clone()));
    let spec = WriterSpec { foreach_batch: Some(1), ..WriterSpec::default() };
    let query = fixture.streams.start(source("rate-micro-batch", &[("rowsPerBatch", "3")]), spec).unwrap();
    let checkpoint = query.description().checkpoint;
    let error = query.await_termination(Some(60_000)).unwrap_err();
    assert_eq!(*script.batches.borrow(), [(0, 3), (1, 3), (2, 3)]);
    assert_eq!(*script.events.borrow(), ["started", "progress", "progress", "terminated"]);
    assert!(error.to_string().contains("[FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred in the user provided function in foreach batch sink. Reason: An exception was raised by the Python Proxy. Return Message: Traceback: ValueError: no good"));
    let exception = query.exception().unwrap().to_string();
    assert!(
        exception.starts_with("An exception was raised by the Python Proxy. Return Message: Traceback"),
        "{exception}"
    );
    assert!(fixture.fs.is_dir(&checkpoint), "a temporary checkpoint stays after a failure");
}

#[derive(Default)]
struct Page {
    batches: RefCell<Vec<(i64, i64, usize)>>,
    traces: RefCell<Vec<Option<Rc<crate::fates::BatchTrace>>>>,
    /// Does not want rows to be followed.
    looks_away: bool,
}

impl StreamObserver for Page {
    fn query_started(&self, _query: &QueryDescription) {}
    fn batch_committed(&self, batch: &BatchObservation) {
        self.batches.borrow_mut().push((batch.batch_id, batch.input_rows, batch.events.len()));
        self.traces.borrow_mut().push(batch.trace.clone());
    }
    fn follows(&self) -> bool {
        !self.looks_away
    }
    fn idle(&self, _query_id: &str, _reason: &str) {}
    fn terminated(&self, _query_id: &str, _error: Option<&SparkError>) {}
}

#[test]
fn an_observer_sees_every_source_row() {
    let fixture = Fixture::new();
    let page = Rc::new(Page::default());
    fixture.streams.set_observer(Some(page.clone()));
    let rows = source("rate-micro-batch", &[("rowsPerBatch", "3")]);
    fixture.streams.start(rows, noop("cp", TriggerSpec::Default)).unwrap();
    fixture.streams.step(None);
    fixture.streams.step(None);
    assert_eq!(*page.batches.borrow(), [(0, 3, 3), (1, 3, 3)]);
}

#[test]
fn rows_are_followed_to_the_output_only_when_asked() {
    use crate::fates::Hop;

    for looks_away in [false, true] {
        let fixture = Fixture::new();
        let page = Rc::new(Page { looks_away, ..Page::default() });
        fixture.streams.set_observer(Some(page.clone()));
        let rows = source("rate-micro-batch", &[("rowsPerBatch", "3"), ("numPartitions", "2")]);
        fixture.streams.start(rows, noop("cp", TriggerSpec::Default)).unwrap();
        fixture.streams.step(None);
        let traces = page.traces.borrow();
        if looks_away {
            assert_eq!(*page.batches.borrow(), [(0, 3, 0)]);
            assert!(traces[0].is_none());
            continue;
        }
        let trace = traces[0].as_ref().unwrap();
        assert!(trace.complete && trace.news.is_empty());
        let out: Vec<&[Hop]> = trace.courses.iter().map(|course| &course.hops[..]).collect();
        assert_eq!(out, [0, 1, 2].map(|row| vec![Hop::Out { row: Some(row) }]).each_ref().map(Vec::as_slice));
    }
}

#[test]
fn waiting_without_an_end_parks_when_only_time_could_go_on() {
    let fixture = Fixture::new();
    for format in ["rate", "rate-micro-batch"] {
        let query = fixture
            .streams
            .start(source(format, &[("rowsPerBatch", "1")]), noop(format, TriggerSpec::Default))
            .unwrap();
        assert_eq!(query.await_termination(None).unwrap(), Wait::Parked);
        assert_eq!(progress(&query).len(), 1);
        query.stop().unwrap();
    }
}

fn drop_file(fixture: &Fixture, path: &str, text: &str, modified_ms: i64) {
    fixture.fs.create_dir_all(tidemark_vfs::parent(path).unwrap(), modified_ms).unwrap();
    fixture.fs.write(path, text.as_bytes(), modified_ms).unwrap();
}

fn json_stream(fixture: &Fixture, path: &str, schema: &str, options: &[(&str, &str)]) -> PlanRef {
    let spec = tidemark_sql::dataframe::ReadSpec {
        format: Some("json".into()),
        schema: Some(tidemark_sql::types::parse_struct(schema).unwrap()),
        options: options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        paths: vec![path.to_owned()],
    };
    tidemark_sql::dataframe::read_stream(&fixture.streams.env.session, spec).unwrap()
}

#[test]
fn files_are_read_once_in_the_order_of_their_times_and_logged_as_spark_logs_them() {
    let fixture = Fixture::new();
    for (name, when) in [("c", 100), ("a", 300), ("b", 200)] {
        drop_file(&fixture, &format!("/lake/in/{name}.json"), &format!("{{\"v\": \"{name}\"}}\n"), when);
    }
    let plan = json_stream(&fixture, "in", "v string", &[("maxFilesPerTrigger", "2")]);
    let mut spec = noop("cp", TriggerSpec::Default);
    spec.format = Some("memory".into());
    spec.query_name = Some("rows".into());
    let query = fixture.streams.start(plan, spec).unwrap();
    query.process_all_available().unwrap();
    assert_eq!(progress(&query), [(0, 2), (1, 1)]);
    let session = fixture.streams.env.session.clone();
    let table = tidemark_sql::dataframe::table(&session, "rows", false).unwrap();
    assert_eq!(tidemark_sql::dataframe::count(&session, &table).unwrap(), 3);
    let log = String::from_utf8(fixture.fs.read("/lake/cp/sources/0/0").unwrap().to_vec()).unwrap();
    assert_eq!(
        log,
        "v1\n{\"path\":\"file:///lake/in/c.json\",\"timestamp\":100,\"batchId\":0}\n{\"path\":\"file:///lake/in/b.json\",\"timestamp\":200,\"batchId\":0}"
    );
    drop_file(&fixture, "/lake/in/a.json", "{\"v\": \"again\"}\n", 900);
    query.process_all_available().unwrap();
    assert_eq!(progress(&query), [(0, 2), (1, 1)]);
}
