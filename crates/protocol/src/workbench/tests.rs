mod inspect;

use std::cell::RefCell;
use std::rc::Rc;

use super::*;
use crate::messages::{
    AssistCommand, AssistEvent, BatchKind, BatchReport, Before, Fate, KafkaMessage, LaidFile, LaidMessage, MadeUp,
    ParcelFile, ResultFormat, RunOutcome, ScriptsCommand, ScriptsEvent, ShareCommand, ShareEvent,
};

/// A workbench and all it said, with the commits summed up as a store would.
pub(super) struct Bench {
    pub(super) bench: Workbench,
    pub(super) said: Rc<RefCell<Vec<Output>>>,
}

const NOW_MS: i64 = 1_772_442_000_000;

impl Bench {
    pub(super) fn open(stored: Option<Stored>) -> Self {
        let said = Rc::new(RefCell::new(Vec::new()));
        let out = said.clone();
        let options = Options { now_ms: NOW_MS, seed: 3, stopwatch: None };
        let bench = Workbench::open(options, stored, Rc::new(move |output| out.borrow_mut().push(output)));
        Self { bench, said }
    }

    /// The events of one command.
    pub(super) fn run(&mut self, command: Command) -> Vec<Event> {
        let before = self.said.borrow().len();
        self.bench.handle(command);
        self.said.borrow()[before..]
            .iter()
            .filter_map(|output| match output {
                Output::Event(event) => Some(event.clone()),
                Output::Commit(_) => None,
            })
            .collect()
    }

    /// The same, and those that come later without another command.
    pub(super) fn run_through(&mut self, command: Command) -> Vec<Event> {
        let before = self.said.borrow().len();
        self.bench.handle(command);
        while self.bench.is_replaying() {
            self.bench.proceed();
        }
        let said = self.said.borrow();
        let events = said[before..].iter().filter_map(|output| match output {
            Output::Event(event) => Some(event.clone()),
            Output::Commit(_) => None,
        });
        events.collect()
    }

    pub(super) fn batch(&mut self, command: Command) -> BatchReport {
        let events = self.run(command);
        let report = events.iter().find_map(|event| match event {
            Event::Batch(report) => Some((**report).clone()),
            _ => None,
        });
        report.unwrap_or_else(|| panic!("no batch: {events:?}"))
    }

    pub(super) fn script(&self) -> String {
        self.bench.shared.ledger.borrow().script.clone()
    }

    /// The sum of the commits.
    pub(super) fn stored(&self) -> Stored {
        let mut stored = Stored::default();
        for output in self.said.borrow().iter() {
            if let Output::Commit(commit) = output {
                stored.take(commit);
            }
        }
        stored
    }
}

pub(super) fn step() -> Command {
    Command::Step { query: None }
}

#[test]
fn files_are_written_named_and_refused() {
    let mut bench = Bench::open(None);
    let write = |path: &str| Command::WriteFile { path: path.to_owned(), content: b"x".to_vec() };
    assert!(matches!(&bench.run(write("/workspace/a/b"))[..], [Event::Files(_), Event::Settled { command: 1, .. }]));
    assert!(matches!(&bench.run(write("/workspace/a"))[..], [Event::Refused { .. }, Event::Settled { .. }]));
    let rename =
        Command::Rename { from: "/workspace/a/b".into(), to: "/workspace/data/stream_in/1-morning.json".into() };
    assert!(matches!(&bench.run(rename)[..], [Event::Refused { .. }, ..]));
    assert!(matches!(&bench.run(Command::Remove { path: "/workspace/a".into() })[..], [Event::Files(_), ..]));
    assert!(matches!(&bench.run(step())[..], [Event::Refused { .. }, ..]));
    let reset = bench.run(Command::Lay { layout: None });
    assert!(matches!(&reset[..], [Event::Ready { restored: None, .. }, .., Event::Settled { .. }]));
}

#[test]
fn a_laid_workspace_has_its_script_files_and_messages_and_nothing_else() {
    let mut bench = Bench::open(None);
    let file = |path: &str| LaidFile { path: path.to_owned(), content: b"{}".to_vec() };
    let message = KafkaMessage { value: Some("hello".to_owned()), ..KafkaMessage::default() };
    let layout = Layout {
        script: "print(1)".to_owned(),
        files: vec![file("b.json"), file("/workspace/a.json")],
        messages: vec![LaidMessage { topic: "orders".to_owned(), message }],
    };
    let said = bench.run(Command::Lay { layout: Some(layout) });
    let [Event::Ready { script, files, .. }, .., Event::Topics(topics), Event::Settled { .. }] = &said[..] else {
        panic!("{said:?}")
    };
    assert_eq!(script, "print(1)");
    let time = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.modified_ms);
    assert!(time("/workspace/b.json") < time("/workspace/a.json"), "{files:?}");
    assert_eq!(time("/workspace/data/stream_in/1-morning.json"), None);
    let ends = topics.iter().map(|topic| (topic.name.as_str(), topic.partitions[0].latest)).collect::<Vec<_>>();
    assert_eq!(ends, [("events", 0), ("orders", 1)]);
}

#[test]
fn the_example_steps_to_a_closed_window_and_drops_a_late_event() {
    let mut bench = Bench::open(None);
    let text = bench.script();
    let events = bench.run(Command::Run { text });
    assert!(events.iter().any(|event| matches!(event, Event::Script(ScriptState::Parked { .. }))), "{events:?}");
    for number in 0..3 {
        let report = bench.batch(step());
        assert_eq!((report.batch, report.output.total, &report.kind), (number, 0, &BatchKind::Data));
    }
    let closing = bench.batch(step());
    let said = bench.said.borrow();
    let files = said.iter().rev().find_map(|output| match output {
        Output::Event(Event::Files(files)) => Some(files.clone()),
        _ => None,
    });
    drop(said);
    assert!(files.unwrap().iter().any(|file| file.path == "/workspace/data/checkpoint/commits/3"));
    assert_eq!(closing.output.total, 3);
    assert!(closing.windows.iter().any(|window| window.closed));
    let no_data = bench.batch(step());
    assert!(matches!(no_data.kind, BatchKind::NoData { .. }));
    assert_eq!(no_data.output.total, 1);

    let late = br#"{"event_time": "2026-03-02T09:00:30", "user": "dee", "action": "buy", "amount": 99.0}"#.to_vec();
    bench.run(Command::WriteFile { path: "/workspace/data/stream_in/late.json".into(), content: late });
    let report = bench.batch(step());
    assert_eq!((report.dropped_rows, report.input_rows), (1, 1));
    let Fate::Dropped { boundary_us, watermark_us } = report.events[0].fate else { panic!("{:?}", report.events) };
    assert!(boundary_us <= watermark_us);
    assert_eq!(report.events[0].arrival, 10);

    // A new tab has the batches, and a new run goes on after them.
    let mut again = Bench::open(Some(bench.stored()));
    let ready = again.said.borrow()[0].clone();
    let Output::Event(Event::Ready { restored: Some(restored), .. }) = ready else { panic!("{ready:?}") };
    assert_eq!(restored.batches.iter().map(|batch| batch.batch).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    let text = again.script();
    again.run(Command::Run { text });
    let more = br#"{"event_time": "2026-03-02T09:30:00", "user": "dee", "action": "buy", "amount": 1.0}"#.to_vec();
    again.run(Command::WriteFile { path: "/workspace/data/stream_in/more.json".into(), content: more });
    assert_eq!(again.batch(step()).batch, 6);
}

#[test]
fn a_crash_in_mid_batch_loses_and_doubles_nothing() {
    let straight = {
        let mut bench = Bench::open(None);
        let text = bench.script();
        bench.run(Command::Run { text });
        (0..5).map(|_| bench.batch(step()).output).collect::<Vec<_>>()
    };
    for point in [CrashPoint::OffsetsWritten, CrashPoint::SinkDone, CrashPoint::CommitWritten] {
        let mut bench = Bench::open(None);
        let text = bench.script();
        bench.run(Command::Run { text: text.clone() });
        for _ in 0..3 {
            bench.batch(step());
        }
        bench.run(Command::Crash { point: Some(point) });
        let events = bench.run(step());
        let crashed = Event::Crashed { point: Some(point), batch: Some(3) };
        assert!(events.contains(&crashed), "{events:?}");
        assert!(matches!(&bench.run(step())[..], [Event::Refused { .. }, ..]));
        bench.run(Command::Run { text });
        if point != CrashPoint::CommitWritten {
            let next = bench.batch(step());
            assert_eq!((next.batch, &next.output), (3, &straight[3]), "{point:?}");
            continue;
        }
        // The commit is there: the batch is done, though nobody heard of it. Its no-data batch does not run after a restart
        // (Spark makes none either); the next file brings the rows that it would have.
        assert!(bench.run(step()).iter().any(|event| matches!(event, Event::Idle { .. })));
        let more = br#"{"event_time": "2026-03-02T09:04:20", "user": "dee", "action": "buy", "amount": 1.0}"#.to_vec();
        bench.run(Command::WriteFile { path: "/workspace/data/stream_in/more.json".into(), content: more });
        let next = bench.batch(step());
        assert_eq!((next.batch, &next.output), (4, &straight[4]));
    }
}

#[test]
fn messages_and_typed_lines_reach_the_queries_and_survive_a_reload() {
    let mut bench = Bench::open(None);
    let make = KafkaCommand::CreateTopic { name: "orders".into(), partitions: 2 };
    let made = bench.run(Command::Kafka(make.clone()));
    assert!(matches!(&made[..], [Event::Files(_), Event::Topics(topics), Event::Settled { .. }] if topics.len() == 2));
    assert!(matches!(&bench.run(Command::Kafka(make))[..], [Event::Refused { .. }, ..]));
    let script = "from pyspark.sql import SparkSession\n\
                  spark = SparkSession.builder.getOrCreate()\n\
                  options = {'kafka.bootstrap.servers': 'localhost:9092', 'subscribe': 'orders'}\n\
                  values = spark.readStream.format('kafka').options(**options).load().selectExpr('cast(value as string)')\n\
                  lines = spark.readStream.format('socket').option('host', 'localhost').option('port', 9999).load()\n\
                  values.union(lines).writeStream.format('console').start().awaitTermination()\n";
    bench.run(Command::Socket(SocketCommand::Listen { port: 9999 }));
    bench.run(Command::Run { text: script.into() });
    assert_eq!(bench.batch(step()).output.total, 0);
    let message = crate::messages::KafkaMessage { value: Some("hello".into()), ..Default::default() };
    bench.run(Command::Kafka(KafkaCommand::Produce { topic: "orders".into(), message }));
    bench.run(Command::Kafka(KafkaCommand::Generate { topic: "orders".into(), made: made_up(3) }));
    let typed = bench.run(Command::Socket(SocketCommand::Send { port: 9999, text: "world\n".into() }));
    assert!(typed.iter().any(|event| matches!(event, Event::Ports(ports) if ports[0].waiting == 1)), "{typed:?}");
    let report = bench.batch(step());
    assert_eq!((report.output.total, report.input_rows), (5, 5));

    let mut again = Bench::open(Some(bench.stored()));
    let read = again.run(Command::Kafka(KafkaCommand::Read { topic: "orders".into(), limit: 3 }));
    let Some(Event::KafkaRecords { records, .. }) = read.first() else { panic!("{read:?}") };
    assert_eq!(records.len(), 3);
    assert!(records.iter().all(|record| record.key.is_some()));
}

fn made_up(count: u32) -> MadeUp {
    MadeUp {
        seed: 7,
        count,
        start_ms: NOW_MS,
        per_second: 1.0,
        disorder_ms: 2_000,
        late_percent: 10,
        late_ms: 60_000,
        keys: 3,
        skew: 1.0,
    }
}

#[test]
fn a_retention_deletes_what_is_older() {
    let mut bench = Bench::open(None);
    let topic = || "events".to_owned();
    for timestamp_ms in [1_000, 2_000, 3_000] {
        let message = crate::messages::KafkaMessage {
            value: Some("x".into()),
            timestamp_ms: Some(timestamp_ms),
            ..Default::default()
        };
        bench.run(Command::Kafka(KafkaCommand::Produce { topic: topic(), message }));
    }
    let mut earliest = |before: Before| {
        let command = KafkaCommand::DeleteRecords { topic: topic(), partition: Some(0), before };
        let events = bench.run(Command::Kafka(command));
        events.iter().find_map(|event| match event {
            Event::Topics(topics) => Some((topics[0].partitions[0].earliest, topics[0].partitions[0].latest)),
            _ => None,
        })
    };
    assert_eq!(earliest(Before::Time(500)), None);
    assert_eq!(earliest(Before::Time(1_500)), Some((1, 3)));
    assert_eq!(earliest(Before::Offset(2)), Some((2, 3)));
    assert_eq!(earliest(Before::Offset(2)), None);
    assert_eq!(earliest(Before::All), Some((3, 3)));
}

#[test]
fn made_up_events_are_read_and_results_come_as_files() {
    let mut bench = Bench::open(None);
    let script = bench.script();
    bench.run(Command::Run { text: script });
    let first = bench.batch(step());
    let source = bench.run(Command::Run { text: bench.script() }).into_iter().find_map(|event| match event {
        Event::QueryStarted(info) => info.sources.first().cloned(),
        _ => None,
    });
    let source = source.expect("a source");
    let folder = source.folder.expect("a folder").replace("file:", "");
    let wanted = Generate {
        folder: folder.clone(),
        columns: source.schema,
        event_time: Some("event_time".into()),
        made: made_up(10),
        files: 2,
    };
    let events = bench.run(Command::Generate(wanted));
    let Some(Event::Files(files)) = events.first() else { panic!("{events:?}") };
    assert!(files.iter().any(|file| file.path == format!("{folder}/made-0002.json") && file.len > 0));

    let mut export = |format, batch| {
        let query = first.query.clone();
        let events = bench.run(Command::Assist(AssistCommand::Export { query, batch, format }));
        match events.first() {
            Some(Event::Assist(AssistEvent::Exported { name, content })) => {
                (name.clone(), String::from_utf8(content.clone()).expect("text"))
            }
            other => panic!("{other:?}"),
        }
    };
    let (name, text) = export(ResultFormat::Csv, 0);
    assert!(name.ends_with("-batch-0.csv"), "{name}");
    assert_eq!(text.lines().count(), first.output.total + 1);
    let (name, text) = export(ResultFormat::Json, 0);
    assert!(name.ends_with("-batch-0.json"), "{name}");
    assert_eq!(text.lines().count(), first.output.total);
}

#[test]
fn a_script_is_checked_and_the_zone_of_its_session_is_told() {
    let mut bench = Bench::open(None);
    let checked = bench.run(Command::Assist(AssistCommand::Check { edit: 4, text: "x = (".into() }));
    let Some(Event::Assist(AssistEvent::Checked { edit: 4, problems })) = checked.first() else {
        panic!("{checked:?}")
    };
    assert!(problems[0].message.starts_with("SyntaxError: "), "{problems:?}");
    let script = "from pyspark.sql import SparkSession\n\
                  SparkSession.builder.config('spark.sql.session.timeZone', 'Asia/Tokyo').getOrCreate()\n";
    let ran = bench.run(Command::Run { text: script.into() });
    assert!(ran.contains(&Event::Assist(AssistEvent::Zone("Asia/Tokyo".into()))), "{ran:?}");
}

#[test]
fn a_workspace_is_packed_and_laid_elsewhere_with_its_batches_and_scripts() {
    let mut bench = Bench::open(None);
    bench.run(Command::Run { text: bench.script() });
    let batch = bench.batch(step());
    // A run that still waits would be one that was cut off, elsewhere.
    bench.run(Command::StopQueries);
    bench.run(Command::Scripts(ScriptsCommand::New { name: "more.py".to_owned(), text: "print(2)".to_owned() }));
    let pack = |bench: &mut Bench| match &bench.run(Command::Share(ShareCommand::Pack))[..] {
        [Event::Share(ShareEvent::Packed(parcel)), Event::Settled { .. }] => parcel.clone(),
        said => panic!("{said:?}"),
    };
    let parcel = pack(&mut bench);
    assert_eq!(parcel.script().map(|script| script.text.as_str()), Some("print(2)"));

    let mut other = Bench::open(None);
    let said = other.run(Command::Share(ShareCommand::Lay(parcel.clone())));
    let [Event::Share(ShareEvent::Laid), Event::Ready { restored: Some(restored), .. }, ..] = &said[..] else {
        panic!("{said:?}")
    };
    assert_eq!(restored.batches, [batch]);
    assert_eq!(pack(&mut other), parcel);
    // What was stored before is gone, what was laid is stored.
    let mut again = Bench::open(Some(other.stored()));
    assert_eq!(pack(&mut again), parcel);

    let bad = ParcelFile { path: "/workspace/data/stream_in/1-morning.json/x".to_owned(), ..ParcelFile::default() };
    let mut broken = parcel.clone();
    broken.files.push(bad);
    assert!(matches!(&other.run(Command::Share(ShareCommand::Lay(broken)))[..], [Event::Refused { .. }, ..]));
    assert_eq!(pack(&mut other), parcel);
}

#[test]
fn runs_are_remembered_with_their_outcome() {
    let mut bench = Bench::open(None);
    bench.run(Command::Run { text: "print(1)".to_owned() });
    let said = bench.run(Command::Run { text: "1 / 0".to_owned() });
    let outcomes: Vec<&RunOutcome> = said
        .iter()
        .filter_map(|event| match event {
            Event::Scripts(ScriptsEvent::Ran(run)) => Some(&run.outcome),
            _ => None,
        })
        .collect();
    let failed = RunOutcome::Failed { message: "ZeroDivisionError: division by zero".to_owned() };
    assert_eq!(outcomes, [&RunOutcome::Running, &failed]);
    let again = Bench::open(Some(bench.stored()));
    let ledger = again.bench.shared.ledger.borrow();
    let runs: Vec<(&str, &RunOutcome)> =
        ledger.shelf.runs().iter().map(|run| (run.text.as_str(), &run.outcome)).collect();
    assert_eq!(runs, [("print(1)", &RunOutcome::Finished), ("1 / 0", &failed)]);
}
