use super::*;
use crate::messages::{BatchReport, InspectCommand, InspectEvent, StateRequest, Verdict};
use crate::workbench::Record;
use crate::workbench::tests::{Bench, step};

fn replay(bench: &mut Bench, command: ReplayCommand) -> Vec<Event> {
    let before = bench.said.borrow().len();
    bench.run(Command::Replay(command));
    bench.bench.finish_replay();
    let said = bench.said.borrow();
    said[before..]
        .iter()
        .filter_map(|output| if let Output::Event(event) = output { Some(event.clone()) } else { None })
        .collect()
}

fn replayed(events: &[Event]) -> Vec<&ReplayEvent> {
    events.iter().filter_map(|event| if let Event::Replay(event) = event { Some(event) } else { None }).collect()
}

/// Batches of the second run, in the order in which they ran.
fn second_batches(events: &[Event]) -> Vec<BatchReport> {
    replayed(events)
        .into_iter()
        .filter_map(|event| match event {
            ReplayEvent::Said(event) => match &**event {
                Event::Batch(report) => Some((**report).clone()),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

fn recorded(bench: &Bench) -> Recorder {
    let mut recorder = Recorder::default();
    bench.said.borrow().iter().for_each(|output| recorder.hear(output));
    recorder
}

/// Back to every moment, the last first, and forward again: the same bytes each time.
fn comes_back(bench: &mut Bench) -> usize {
    let recorder = recorded(bench);
    let count = recorder.moments().len();
    for number in (0..count).rev().chain(0..count) {
        replay(bench, ReplayCommand::Goto { moment: number });
        let second = bench.bench.second_stored().unwrap();
        assert_eq!(recorder.moments()[number].differences(&second), [""; 0], "moment {number}");
    }
    replay(bench, ReplayCommand::Discard);
    count
}

fn put(name: &str, lines: &str) -> Command {
    Command::WriteFile { path: format!("/workspace/data/stream_in/{name}"), content: lines.as_bytes().to_vec() }
}

const LATE: &str = r#"{"event_time": "2026-03-02T09:00:30", "user": "dee", "action": "buy", "amount": 99.0}"#;
const LATER: &str = r#"{"event_time": "2026-03-02T09:30:00", "user": "dee", "action": "buy", "amount": 1.0}"#;

/// The example, six batches of it: the last drops a late event.
fn six_batches() -> Bench {
    let mut bench = Bench::open(None);
    let text = bench.script();
    bench.run(Command::Run { text });
    for _ in 0..5 {
        bench.batch(step());
    }
    bench.run(put("late.json", LATE));
    bench.batch(step());
    bench
}

#[test]
fn every_moment_comes_back_over_crash_and_restart() {
    let mut bench = six_batches();
    bench.run(Command::Crash { point: Some(CrashPoint::SinkDone) });
    bench.run(put("later.json", LATER));
    bench.run(step());
    let text = bench.script();
    bench.run(Command::Run { text });
    bench.batch(step());
    bench.batch(step());
    // The start, six batches, the crash, the start again, two batches.
    assert_eq!(comes_back(&mut bench), 11);
}

/// All its batches within the run of the script, but for the last.
const AT_ONCE: &str = "\
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
rows = spark.readStream.schema('user string, amount double').option('maxFilesPerTrigger', 1).json('data/stream_in')
query = rows.groupBy('user').sum('amount').writeStream.outputMode('complete').format('console').start()
query.processAllAvailable()
print('all of it')
query.awaitTermination()
";

#[test]
fn moments_within_a_command_come_back_too_and_can_be_branched_from() {
    let mut bench = Bench::open(None);
    bench.run(Command::Run { text: AT_ONCE.to_owned() });
    bench.run(put("late.json", LATE));
    bench.batch(step());
    assert_eq!(comes_back(&mut bench), 5);

    let events = replay(&mut bench, ReplayCommand::Goto { moment: 1 });
    let console: String = replayed(&events)
        .iter()
        .filter_map(|event| match event {
            ReplayEvent::Said(event) => match &**event {
                Event::Console { text, .. } => Some(text.as_str()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert!(console.contains("Batch: 1") && !console.contains("Batch: 2"), "{console}");
    let query = second_batches(&events)[0].query.clone();
    let request = StateRequest { query, limit: 10, ..StateRequest::default() };
    let state = Command::Inspect(InspectCommand::State(request));
    let events = replay(&mut bench, ReplayCommand::Ask(Box::new(state)));
    let rows = replayed(&events).into_iter().find_map(|event| match event {
        ReplayEvent::Said(event) => match &**event {
            Event::Inspect(event) => match &**event {
                InspectEvent::State(report) => Some(report.total),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    assert_eq!(rows, Some(3));
    let refused = replay(&mut bench, ReplayCommand::Ask(Box::new(step())));
    assert!(format!("{refused:?}").contains("can only be looked at"), "{refused:?}");
    replay(&mut bench, ReplayCommand::Branch);
    let events = replay(&mut bench, ReplayCommand::Ask(Box::new(Command::Run { text: AT_ONCE.to_owned() })));
    assert!(!second_batches(&events).is_empty());
}

#[test]
fn a_branch_goes_its_own_way_and_becomes_the_workspace() {
    let mut bench = six_batches();
    replay(&mut bench, ReplayCommand::Goto { moment: 2 });
    replay(&mut bench, ReplayCommand::Branch);
    replay(&mut bench, ReplayCommand::Ask(Box::new(put("other.json", LATER))));
    let events = replay(&mut bench, ReplayCommand::Ask(Box::new(step())));
    assert_eq!(second_batches(&events)[0].batch, 2);
    let events = replay(&mut bench, ReplayCommand::Adopt);
    assert!(replayed(&events).contains(&&ReplayEvent::Adopted));
    assert_eq!(bench.batch(step()).batch, 3);
    let held = Held { stored: bench.stored(), is_over: true, is_start: false };
    assert_eq!(held.differences(&bench.bench.stored()), [""; 0]);

    // A new tab finds it, and can go back to what was before the branch.
    let mut again = Bench::open(Some(bench.stored()));
    let text = again.script();
    again.run(Command::Run { text });
    assert_eq!(again.batch(step()).batch, 4);
    let events = replay(&mut again, ReplayCommand::Goto { moment: 1 });
    assert_eq!(second_batches(&events).iter().map(|batch| batch.batch).collect::<Vec<_>>(), [0]);
}

#[test]
fn the_past_is_there_after_a_reload() {
    let bench = six_batches();
    let recorder = recorded(&bench);
    let mut again = Bench::open(Some(bench.stored()));
    let known = again.said.borrow().iter().any(|output| {
        matches!(output, Output::Event(Event::Replay(ReplayEvent::Moments { first: 0, moments, lost: false })) if moments.len() == 7)
    });
    assert!(known);
    for number in [6, 3] {
        replay(&mut again, ReplayCommand::Goto { moment: number });
        let second = again.bench.second_stored().unwrap();
        assert_eq!(recorder.moments()[number].differences(&second), [""; 0], "moment {number}");
    }
    // Without a journal the past begins at the reload.
    let mut stored = bench.stored();
    stored.records.retain(|(key, _)| !key.starts_with("journal/"));
    let mut without = Bench::open(Some(stored));
    let refused = replay(&mut without, ReplayCommand::Goto { moment: 0 });
    assert!(matches!(refused[0], Event::Refused { .. }));
}

#[test]
fn another_watermark_drops_other_rows_and_a_refusal_is_sparks() {
    let mut bench = six_batches();
    let what_if = |changes| ReplayCommand::WhatIf { changes };
    let dropped = |events: &[Event]| second_batches(events).iter().map(|batch| batch.dropped_rows).sum::<i64>();
    let short = Changes { watermark_delay_ms: Some(10_000), ..Changes::default() };
    let long = Changes { watermark_delay_ms: Some(300_000), ..Changes::default() };
    let short = dropped(&replay(&mut bench, what_if(short)));
    let long = dropped(&replay(&mut bench, what_if(long)));
    assert!(short > long && long == 0, "{short} {long}");

    let at_once = Changes { max_files: Some(0), ..Changes::default() };
    let events = replay(&mut bench, what_if(at_once));
    assert_eq!(second_batches(&events)[0].input_rows, 10);

    // A query without an aggregation has no complete mode.
    let plain = AT_ONCE.replace(".groupBy('user').sum('amount')", "").replace("'complete'", "'append'");
    bench.run(Command::Run { text: plain });
    let complete = Changes { output_mode: Some("complete".to_owned()), ..Changes::default() };
    let events = replay(&mut bench, what_if(complete));
    assert!(format!("{events:?}").contains("STREAMING_OUTPUT_MODE"), "{events:?}");
    let now = Changes { trigger: Some(crate::messages::TriggerChange::AvailableNow), ..Changes::default() };
    let events = replay(&mut bench, what_if(now));
    assert!(format!("{events:?}").contains("QueryTerminated"));
}

#[test]
fn borders_between_batches_can_be_moved() {
    let mut bench = six_batches();
    let query = bench.bench.shared.ledger.borrow().restored().queries[0].id.clone();
    let events = replay(&mut bench, ReplayCommand::Cuts { query: query.clone() });
    let units = replayed(&events).into_iter().find_map(|event| match event {
        ReplayEvent::Cuts { units, .. } => Some(units.clone()),
        _ => None,
    });
    let units = units.unwrap();
    assert_eq!(units.iter().map(|unit| unit.batch).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 5]);
    let events = replay(&mut bench, ReplayCommand::Recut { query, sizes: vec![1, 9, 1] });
    let data: Vec<i64> =
        second_batches(&events).iter().map(|batch| batch.input_rows).filter(|rows| *rows > 0).collect();
    assert_eq!(data, [1, 9, 1]);
}

#[test]
fn a_verdict_says_where_a_restart_goes_on_or_why_not() {
    let mut bench = six_batches();
    let before = bench.bench.stored();
    let script = bench.script();
    let mut ask = |text: String| {
        let events = replay(&mut bench, ReplayCommand::Verdict { text });
        let verdict = replayed(&events).into_iter().find_map(|event| match event {
            ReplayEvent::Verdict(verdict) => Some(verdict.clone()),
            _ => None,
        });
        verdict.unwrap()
    };
    let Verdict::Queries(queries) = ask(script.clone()) else { panic!() };
    assert_eq!((queries[0].next_batch, queries[0].again, &queries[0].error), (6, false, &None));
    let edited = script.replace("F.sum(\"amount\").alias(\"total\")", "F.collect_list(\"user\").alias(\"total\")");
    let Verdict::Queries(queries) = ask(edited) else { panic!() };
    let error = queries[0].error.clone().unwrap_or_default();
    assert!(error.contains("STATE_STORE_"), "{error}");
    let Verdict::Fails { message, line } = ask("import pyspark\n1 / 0\n".to_owned()) else { panic!() };
    assert!(message.contains("ZeroDivisionError") && line == Some(2), "{message} {line:?}");
    assert_eq!(ask("print(1)\n".to_owned()), Verdict::NoQuery);
    assert!(bench.bench.stored() == before);
}

#[test]
fn the_account_says_what_a_sink_was_given_twice() {
    let sinks = [("format('console')", 2), ("format('json').option('path', 'out')", 1)];
    for (sink, times) in sinks {
        let mut bench = Bench::open(None);
        let text = AT_ONCE
            .replace(".groupBy('user').sum('amount')", "")
            .replace("'complete'", "'append'")
            .replace("query.processAllAvailable()\n", "")
            .replace("format('console')", &format!("{sink}.option('checkpointLocation', 'cp')"));
        bench.run(Command::Run { text: text.clone() });
        bench.batch(step());
        bench.run(Command::Crash { point: Some(CrashPoint::SinkDone) });
        bench.run(step());
        bench.run(Command::Run { text });
        let events = bench.run(step());
        let attempts = events.iter().find_map(|event| match event {
            Event::Replay(ReplayEvent::Account(attempts)) => Some(attempts.clone()),
            _ => None,
        });
        let attempts = attempts.unwrap_or_else(|| panic!("{events:?}"));
        assert_eq!(attempts.len(), 2, "{attempts:?}");
        assert_eq!((attempts[0].batch, attempts[0].crashed), (1, Some(CrashPoint::SinkDone)));
        let took = attempts.iter().filter(|attempt| attempt.rows.is_some()).count();
        assert_eq!(took, times, "{attempts:?}");
    }
}

#[test]
fn a_replay_can_be_stopped() {
    let mut bench = six_batches();
    bench.bench.handle(Command::Replay(ReplayCommand::Goto { moment: 6 }));
    bench.bench.proceed();
    assert!(bench.bench.is_replaying());
    let events = bench.run(Command::Replay(ReplayCommand::Stop));
    assert!(replayed(&events).contains(&&ReplayEvent::Closed));
    let settled = events.iter().filter(|event| matches!(event, Event::Settled { .. })).count();
    assert_eq!(settled, 2);
    bench.run(put("later.json", LATER));
    assert_eq!(bench.batch(step()).batch, 6);
}

#[test]
fn a_laid_workspace_has_no_past() {
    let mut bench = six_batches();
    let laid = bench.run(Command::Lay { layout: None });
    let forgotten =
        |event: &&ReplayEvent| matches!(event, ReplayEvent::Moments { first: 0, moments, .. } if moments.is_empty());
    assert!(replayed(&laid).iter().any(forgotten), "{laid:?}");
    let said = bench.said.borrow();
    let records: Vec<&Record> = said
        .iter()
        .rev()
        .filter_map(|output| if let Output::Commit(commit) = output { Some(&commit.records) } else { None })
        .flatten()
        .collect();
    assert!(!records.is_empty());
}
