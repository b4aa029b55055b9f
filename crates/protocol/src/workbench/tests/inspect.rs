//! What the page is told of a query's state and plan.

use super::*;
use crate::messages::{InspectCommand, InspectEvent, PlanReport, RowMark, StateReport, StateRequest};

fn answer(bench: &mut Bench, command: InspectCommand) -> InspectEvent {
    let events = bench.run_through(Command::Inspect(command));
    let answer = events.iter().find_map(|event| match event {
        Event::Inspect(answer) => Some((**answer).clone()),
        _ => None,
    });
    answer.unwrap_or_else(|| panic!("{events:?}"))
}

fn state(bench: &mut Bench, request: StateRequest) -> StateReport {
    match answer(bench, InspectCommand::State(StateRequest { limit: 100, ..request })) {
        InspectEvent::State(report) => report,
        other => panic!("{other:?}"),
    }
}

fn plan(bench: &mut Bench, query: &str) -> PlanReport {
    match answer(bench, InspectCommand::Plan { query: query.to_owned(), recall: true }) {
        InspectEvent::Plan(report) => report,
        other => panic!("{other:?}"),
    }
}

fn texts(cells: &[Option<String>]) -> Vec<&str> {
    cells.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect()
}

const COUNTS: &str = r#"
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 1)
rows = spark.readStream.schema("ts timestamp, who string").option("maxFilesPerTrigger", 1).json("in")
counts = rows.withWatermark("ts", "10 seconds").groupBy(F.window("ts", "10 seconds"), "who").count()
counts.writeStream.format("noop").outputMode("update").option("checkpointLocation", "cp").start().awaitTermination()
"#;

fn file(bench: &mut Bench, path: &str, rows: &[(&str, &str)]) {
    let line = |(ts, who): &(&str, &str)| format!("{{\"ts\": \"2026-02-14 10:00:{ts}\", \"who\": \"{who}\"}}\n");
    let content: String = rows.iter().map(line).collect();
    bench.run(Command::WriteFile { path: format!("/workspace/{path}"), content: content.into_bytes() });
}

/// Two batches: a window of two keys, then one key changed, one new window.
fn counted() -> (Bench, String) {
    let mut bench = Bench::open(None);
    file(&mut bench, "in/1.json", &[("01", "ann"), ("02", "bob")]);
    file(&mut bench, "in/2.json", &[("05", "ann"), ("31", "cid")]);
    bench.run(Command::Run { text: COUNTS.to_owned() });
    let query = bench.batch(step()).query;
    bench.batch(step());
    (bench, query)
}

#[test]
fn the_state_of_a_batch_is_compared_with_the_one_before() {
    let (mut bench, query) = counted();
    let request = StateRequest { query, batch: Some(1), ..StateRequest::default() };
    let report = state(&mut bench, request.clone());
    let [section] = &report.sections[..] else { panic!("{report:?}") };
    assert_eq!((section.held, section.added, section.changed, section.removed), (3, 1, 1, 0));
    assert!(section.compared && !section.unbounded);
    assert_eq!(section.rule, "A row leaves when the watermark reaches window.end.");
    let of = |who: &str| report.rows.iter().find(|row| row.key[1].as_deref() == Some(who)).unwrap();
    assert_eq!((texts(&of("ann").value), &of("ann").mark), (vec!["2"], &RowMark::Changed(vec![Some("1".into())])));
    assert_eq!((&of("bob").mark, &of("cid").mark), (&RowMark::Held, &RowMark::Added));
    assert_eq!(of("ann").expiry.as_deref(), Some("evicted when the watermark reaches 2026-02-14 10:00:10"));

    let changes = StateRequest { changes_only: true, ..request.clone() };
    assert_eq!(state(&mut bench, changes).total, 2);
    let filtered = StateRequest { filter: "ANN".to_owned(), ..request.clone() };
    assert_eq!(state(&mut bench, filtered).total, 1);
    let page = state(&mut bench, StateRequest { offset: 2, ..request.clone() });
    assert_eq!((page.total, page.rows.len()), (3, 1));

    // The no-data batch that the watermark of 10:00:21 calls for closes the first window.
    bench.batch(step());
    let report = state(&mut bench, StateRequest { batch: None, ..request.clone() });
    assert_eq!((report.batch, report.sections[0].held, report.sections[0].removed), (2, 1, 2));
    // Any version is there: the state of batch 0 is what it was.
    let first = state(&mut bench, StateRequest { batch: Some(0), ..request });
    assert_eq!((first.sections[0].held, first.sections[0].added), (2, 2));
}

#[test]
fn state_and_plan_of_a_session_that_is_over_are_what_they_were() {
    let (mut bench, query) = counted();
    let request = StateRequest { query: query.clone(), batch: Some(1), ..StateRequest::default() };
    let before = (state(&mut bench, request.clone()), plan(&mut bench, &query));
    bench.run(Command::Crash { point: None });
    assert_eq!((state(&mut bench, request.clone()), plan(&mut bench, &query)), before);
    let mut bench = Bench::open(Some(bench.stored()));
    let quiet = InspectCommand::Plan { query: query.clone(), recall: false };
    assert!(matches!(&bench.run(Command::Inspect(quiet))[..], [Event::Settled { .. }]));
    // Looking back takes its time, and stands in nobody's way.
    let waits = StateRequest { limit: 100, ..request.clone() };
    bench.run(Command::Inspect(InspectCommand::State(waits)));
    assert!(bench.bench.is_recalling());
    file(&mut bench, "in/3.json", &[("41", "dan")]);
    assert_eq!((state(&mut bench, request.clone()), plan(&mut bench, &query)), before);
    // What comes after is the new session's own.
    bench.run(Command::Run { text: COUNTS.to_owned() });
    assert_eq!(bench.batch(step()).batch, 2);
    assert_eq!(state(&mut bench, StateRequest { batch: Some(2), ..request.clone() }).batch, 2);
    assert_eq!(state(&mut bench, request).sections, before.0.sections);
}

#[test]
fn times_of_the_state_are_in_the_sessions_zone() {
    let mut bench = Bench::open(None);
    file(&mut bench, "in/1.json", &[("01", "ann")]);
    let zone = "builder.config(\"spark.sql.session.timeZone\", \"America/New_York\")";
    bench.run(Command::Run { text: COUNTS.replace("builder", zone) });
    let query = bench.batch(step()).query;
    let report = state(&mut bench, StateRequest { query, ..StateRequest::default() });
    assert_eq!(report.rows[0].expiry.as_deref(), Some("evicted when the watermark reaches 2026-02-14 10:00:10"));
    assert_eq!(texts(&report.rows[0].key)[0], "{2026-02-14 10:00:00, 2026-02-14 10:00:10}");
}

#[test]
fn without_a_journal_the_state_of_another_session_is_not_there() {
    let (bench, query) = counted();
    let mut stored = bench.stored();
    stored.records.retain(|(key, _)| !key.starts_with(super::ledger::JOURNAL));
    let mut bench = Bench::open(Some(stored));
    let request = StateRequest { query, ..StateRequest::default() };
    assert!(matches!(answer(&mut bench, InspectCommand::State(request)), InspectEvent::NoState { .. }));
}

#[test]
fn the_plan_traces_the_event_time_to_the_operator_that_keeps_state() {
    let (mut bench, query) = counted();
    let report = plan(&mut bench, &query);
    assert_eq!(report.nodes[0].brief, "noop, update mode");
    let at =
        |name: &str| report.nodes.iter().position(|node| node.name == name).unwrap_or_else(|| panic!("{report:?}"));
    let times = |at: usize| report.nodes[at].output.iter().filter(|c| c.delay_ms.is_some()).count();
    let (aggregate, watermark, source) = (at("Aggregate"), at("EventTimeWatermark"), at("StreamingRelation"));
    assert_eq!((times(aggregate), times(watermark), times(source)), (1, 1, 0));
    assert_eq!((report.nodes[aggregate].operator, report.nodes[aggregate].stateful), (Some(0), true));
    assert!(report.nodes.iter().all(|node| node.hint.is_none()), "{report:?}");
    assert_eq!(report.sources, [source]);
    assert!(report.explain.contains("== Physical Plan =="));
}

const LOST: &str = r#"
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 1)
rows = spark.readStream.schema("ts timestamp, who string").json("in")
counts = rows.withWatermark("ts", "10 seconds").groupBy("who").count()
counts.writeStream.format("noop").outputMode("update").start().awaitTermination()
"#;

#[test]
fn a_watermark_that_reaches_no_key_is_pointed_out() {
    let mut bench = Bench::open(None);
    file(&mut bench, "in/1.json", &[("01", "ann")]);
    bench.run(Command::Run { text: LOST.to_owned() });
    let query = bench.batch(step()).query;
    let report = plan(&mut bench, &query);
    let hint = |name: &str| report.nodes.iter().find(|node| node.name == name).and_then(|node| node.hint.clone());
    assert!(hint("EventTimeWatermark").unwrap().starts_with("`ts` reaches no key"));
    assert!(hint("Aggregate").unwrap().contains("nothing ever evicts"));
    let state = state(&mut bench, StateRequest { query, ..StateRequest::default() });
    assert!(state.sections[0].unbounded && state.rows[0].expiry.is_none());
}

const JOIN: &str = r#"
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 1)
def read(name, prefix):
    rows = spark.readStream.schema("ts timestamp, who string").json(name)
    rows = rows.select(F.col("ts").alias(prefix + "_ts"), F.col("who").alias(prefix + "_who"))
    return rows.withWatermark(prefix + "_ts", "10 seconds")
on = F.expr("a_who = b_who AND b_ts >= a_ts AND b_ts <= a_ts + interval 1 minute")
joined = read("a", "a").join(read("b", "b"), on, "leftOuter")
joined.writeStream.format("noop").outputMode("append").start().awaitTermination()
"#;

#[test]
fn a_join_shows_its_sides_and_what_can_still_match() {
    let mut bench = Bench::open(None);
    file(&mut bench, "a/1.json", &[("01", "ann"), ("02", "bob")]);
    file(&mut bench, "b/1.json", &[("05", "ann")]);
    bench.run(Command::Run { text: JOIN.to_owned() });
    let report = bench.batch(step());
    let sources: Vec<usize> = report.events.iter().map(|event| event.source).collect();
    assert_eq!(sources, [0, 0, 1]);
    let state = state(&mut bench, StateRequest { query: report.query.clone(), ..StateRequest::default() });
    let [left, right] = &state.sections[..] else { panic!("{state:?}") };
    assert_eq!((left.name.as_str(), left.held, right.name.as_str(), right.held), ("left", 2, "right", 1));
    assert_eq!([&left.key[0].name, &right.key[0].name], ["a_who", "b_who"]);
    assert_eq!(left.value.last().unwrap().name, "matched");
    assert_eq!(state.stores.len(), 4);
    let ann = state.rows.iter().find(|row| row.section == 0 && row.key[0].as_deref() == Some("ann")).unwrap();
    assert_eq!(texts(&ann.value), ["2026-02-14 10:00:01", "ann", "true"]);
    // A partner one minute later still matches, so it takes a millisecond more.
    assert_eq!(ann.expiry.as_deref(), Some("evicted when the watermark reaches 2026-02-14 10:01:01.001"));

    let plan = plan(&mut bench, &report.query);
    let [range] = &plan.joins[..] else { panic!("{plan:?}") };
    assert_eq!((&range.left[..], &range.right[..]), (&[0][..], &[1][..]));
    assert_eq!((range.lower_us, range.upper_us), (Some(0), Some(60_000_000)));
}
