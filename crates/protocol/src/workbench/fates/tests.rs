//! Stories of rows through real queries, held against what the operators count.

use super::super::tests::{Bench, step};
use crate::messages::*;

/// 2026-02-14 10:00:00 UTC, µs.
const TEN: i64 = 1_771_063_200_000_000;
const SECOND: i64 = 1_000_000;

struct Story {
    bench: Bench,
    files: usize,
    query: String,
    reports: Vec<BatchReport>,
}

/// "10:02:03" from seconds after ten.
fn clock(seconds: i64) -> String {
    let all = 36_000 + seconds;
    format!("2026-02-14T{:02}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60)
}

impl Story {
    /// A query over `e`, events with a watermark of one minute, two partitions.
    fn new(query: &str, mode: &str) -> Self {
        Self::with("", query, mode)
    }

    /// `before`: lines of the script before the query.
    fn with(before: &str, query: &str, mode: &str) -> Self {
        let script = format!(
            "from pyspark.sql import SparkSession\n\
             from pyspark.sql.functions import *\n\
             spark = SparkSession.builder.getOrCreate()\n\
             spark.conf.set('spark.sql.shuffle.partitions', '2')\n\
             def source(path):\n    return spark.readStream.schema('at timestamp, user string, n long').json(path)\n\
             e = source('in').withWatermark('at', '1 minute')\n\
             other = source('other').withWatermark('at', '1 minute')\n\
             {before}\n\
             out = {query}\n\
             out.writeStream.format('noop').outputMode('{mode}').start().awaitTermination()\n"
        );
        let mut bench = Bench::open(None);
        for folder in ["in", "other"] {
            bench.run(Command::MakeDir { path: format!("/workspace/{folder}") });
        }
        let events = bench.run(Command::Run { text: script });
        let query = events.iter().find_map(|event| match event {
            Event::QueryStarted(info) => Some(info.id.clone()),
            _ => None,
        });
        let query = query.unwrap_or_else(|| panic!("no query: {events:?}"));
        Self { bench, files: 0, query, reports: Vec::new() }
    }

    /// Writes a file of events (seconds after ten, user) and steps until no batch comes.
    fn events(&mut self, rows: &[(i64, &str)]) -> Vec<BatchReport> {
        self.events_in("in", rows)
    }

    fn events_in(&mut self, folder: &str, rows: &[(i64, &str)]) -> Vec<BatchReport> {
        let lines: Vec<String> = rows
            .iter()
            .enumerate()
            .map(|(n, (at, user))| format!("{{\"at\": \"{}\", \"user\": \"{user}\", \"n\": {n}}}\n", clock(*at)))
            .collect();
        self.files += 1;
        let path = format!("/workspace/{folder}/{}.json", self.files);
        self.bench.run(Command::WriteFile { path, content: lines.concat().into_bytes() });
        let mut made = Vec::new();
        loop {
            let events = self.bench.run(step());
            let report = events.into_iter().find_map(|event| match event {
                Event::Batch(report) => Some(*report),
                _ => None,
            });
            let Some(report) = report else { break };
            made.push(report);
        }
        self.reports.extend(made.clone());
        made
    }

    fn told(&mut self, pick: Pick) -> Told {
        let query = self.query.clone();
        let events = self.bench.run_through(Command::Fates(FatesCommand::Tell { query, pick }));
        let told = events.into_iter().find_map(|event| match event {
            Event::Fates(FatesEvent::Told { told, .. }) => Some(told),
            _ => None,
        });
        told.unwrap_or_else(|| panic!("not told"))
    }

    /// The story of the event that arrived as number `arrival`.
    fn story(&mut self, arrival: u64) -> crate::messages::Story {
        let of = |report: &&BatchReport| report.events.iter().any(|event| event.arrival == arrival);
        let batch = self.reports.iter().find(of).unwrap_or_else(|| panic!("no event {arrival}")).batch;
        match self.told(Pick::Event { batch, arrival }) {
            Told::Event(story) => *story,
            other => panic!("{other:?}"),
        }
    }

    fn tray(&mut self) -> Vec<DroppedEvent> {
        let query = self.query.clone();
        let events = self.bench.run_through(Command::Fates(FatesCommand::Dropped { query }));
        let tray = events.into_iter().find_map(|event| match event {
            Event::Fates(FatesEvent::Dropped { rows, .. }) => Some(rows),
            _ => None,
        });
        tray.unwrap_or_else(|| panic!("no tray"))
    }

    /// Every row that an operator says it dropped is in the tray, and no other.
    fn counts_agree(&mut self, aggregated: bool) {
        let tray = self.tray();
        for report in &self.reports {
            for operator in &report.operators {
                let told =
                    tray.iter().filter(|row| row.operator == operator.id && row.batch == report.batch).count() as i64;
                assert_eq!(operator.input_rows_dropped, Some(told), "{operator:?}");
                if aggregated {
                    assert!(operator.rows_dropped <= told && (operator.rows_dropped > 0) == (told > 0), "{operator:?}");
                } else {
                    assert_eq!(operator.rows_dropped, told, "{operator:?}");
                }
            }
        }
    }
}

fn facts(story: &crate::messages::Story) -> Vec<&Fact> {
    story.steps.iter().map(|step| &step.fact).collect()
}

/// The batch in which a row came out, and its place there.
fn came_out(story: &crate::messages::Story) -> Vec<(i64, Option<u64>)> {
    let out = story.steps.iter().filter_map(|step| match step.fact {
        Fact::Out { row } => Some((step.batch, row)),
        _ => None,
    });
    out.collect()
}

fn waiting(story: &crate::messages::Story) -> (Option<i64>, Vec<Need>) {
    let found = story.steps.iter().find_map(|step| match &step.fact {
        Fact::Waiting { due_ms, needs, .. } => Some((*due_ms, needs.clone())),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("waits for nothing: {story:?}"))
}

const WINDOWS: &str = "e.filter('user != \"x\"').groupBy(window('at', '1 minute'), 'user').count()";

#[test]
fn a_row_in_a_tumbling_window_waits_comes_out_or_is_late() {
    let mut story = Story::new(WINDOWS, "append");
    story.events(&[(10, "ann"), (20, "ann"), (30, "x")]);
    let first = story.story(0);
    assert_eq!(first.outcome, Outcome::Waiting, "{first:?}");
    assert_eq!(first.event.place, Place::File { name: "1.json".into(), row: 1 });
    let (due, needs) = waiting(&first);
    assert_eq!(due, Some((TEN + 60 * SECOND) / 1000));
    // The end of the window and the delay: exactly there is enough.
    assert_eq!((needs.len(), needs[0].at_us, &needs[0].sources[..]), (1, TEN + 120 * SECOND, &[0][..]));
    assert!(facts(&first).iter().any(|fact| matches!(fact, Fact::Filter { kept: true, .. })));
    let filtered = story.story(2);
    assert_eq!(filtered.outcome, Outcome::Filtered);
    assert!(matches!(filtered.steps[1].fact, Fact::Filter { kept: false, .. }), "{filtered:?}");

    let batches = story.events(&[(120, "bob")]);
    assert_eq!(batches.last().unwrap().output.total, 1);
    let last = batches.last().unwrap().batch;
    let first = story.story(0);
    assert_eq!((first.outcome, came_out(&first)), (Outcome::Out, vec![(last, Some(0))]));
    let Told::Behind(behind) = story.told(Pick::Output { batch: last, row: 0 }) else { panic!("nothing behind") };
    assert_eq!(behind.events.iter().map(|event| event.arrival).collect::<Vec<_>>(), [0, 1]);

    story.events(&[(58, "ann"), (59, "ann"), (125, "ann")]);
    let late = story.story(4);
    assert_eq!(late.outcome, Outcome::Dropped);
    let boundary = facts(&late).into_iter().find_map(|fact| match fact {
        Fact::Late { boundary_us, watermark_us, window } => Some((*boundary_us, *watermark_us, *window)),
        _ => None,
    });
    assert_eq!(boundary, Some((TEN + 60 * SECOND, TEN + 60 * SECOND, true)));
    let report = story.reports.iter().find(|report| report.dropped_rows > 0).unwrap();
    let operator = &report.operators[0];
    assert_eq!((operator.rows_dropped, operator.input_rows_dropped), (1, Some(2)));
    assert_eq!(operator.late_watermark_ms, Some((TEN + 60 * SECOND) / 1000));
    story.counts_agree(true);

    let key = first.steps.iter().find_map(|step| match &step.fact {
        Fact::Met { entry, .. } => Some(entry.clone()),
        _ => None,
    });
    let bob = story.story(3);
    let entry = bob.steps.iter().find_map(|step| match &step.fact {
        Fact::Met { entry, .. } => Some(entry.clone()),
        _ => None,
    });
    let entry = entry.unwrap();
    assert_ne!(Some(&entry), key.as_ref());
    let pick = Pick::State {
        operator: 0,
        partition: entry.partition,
        key: entry.key.iter().map(|(_, text)| text.clone()).collect(),
    };
    let Told::Behind(behind) = story.told(pick) else { panic!("nothing behind the state") };
    assert_eq!(behind.events.len(), 1);
    assert!(matches!(behind.waiting, Some(Fact::Waiting { emits: true, .. })));
}

#[test]
fn a_row_in_two_windows_can_be_late_for_one() {
    let mut story = Story::new("e.groupBy(window('at', '2 minutes', '1 minute')).count()", "append");
    story.events(&[(240, "ann")]);
    // The watermark is 10:03:00: the window to 10:03 is closed, that to 10:04 is open.
    story.events(&[(150, "bob")]);
    let told = story.story(1);
    assert_eq!(told.outcome, Outcome::PartlyDropped, "{told:?}");
    let branches = told.steps.iter().filter(|step| matches!(step.fact, Fact::Met { .. })).count();
    assert_eq!(branches, 2);
    assert_eq!(waiting(&told).0, Some((TEN + 240 * SECOND) / 1000));
    story.counts_agree(true);
}

#[test]
fn sessions_grow_merge_and_come_out() {
    let mut story = Story::new("e.groupBy(session_window('at', '30 seconds'), 'user').count()", "append");
    story.events(&[(10, "ann"), (60, "ann")]);
    story.events(&[(35, "ann")]);
    let first = story.story(0);
    let mut merged = facts(&first).into_iter().filter_map(|fact| match fact {
        Fact::Merged { window } => Some(*window),
        _ => None,
    });
    assert_eq!(merged.next_back(), Some((TEN + 10 * SECOND, TEN + 90 * SECOND)), "{first:?}");
    assert_eq!(waiting(&first).0, Some((TEN + 90 * SECOND) / 1000));
    let closing = story.events(&[(400, "bob")]);
    let last = closing.last().unwrap().batch;
    for arrival in 0..3 {
        assert_eq!(came_out(&story.story(arrival)), [(last, Some(0))], "{arrival}");
    }
    story.events(&[(20, "ann")]);
    assert_eq!(story.story(4).outcome, Outcome::Dropped);
    story.counts_agree(true);
}

#[test]
fn duplicates_are_told_from_first_rows() {
    let mut story = Story::new("e.dropDuplicates(['user', 'at'])", "append");
    story.events(&[(10, "ann"), (10, "ann"), (70, "bob")]);
    let (first, second) = (story.story(0), story.story(1));
    assert_eq!((first.outcome, came_out(&first).len()), (Outcome::Out, 1), "{first:?}");
    assert_eq!(second.outcome, Outcome::Duplicate);
    story.events(&[(10, "ann"), (200, "ann")]);
    assert_eq!(story.story(3).outcome, Outcome::Dropped);
    story.counts_agree(false);
}

#[test]
fn rows_of_a_left_outer_join_match_wait_or_come_out_with_nulls() {
    let query = "e.alias('l').join(other.alias('r'), expr('l.user = r.user and r.at >= l.at and r.at <= l.at + interval 1 minute'), 'leftOuter')";
    let mut story = Story::new(query, "append");
    story.events(&[(10, "ann"), (20, "bob")]);
    let ann = story.story(0);
    assert_eq!(ann.outcome, Outcome::Waiting, "{ann:?}");
    let (_, needs) = waiting(&ann);
    assert_eq!(needs.iter().map(|need| need.sources.clone()).collect::<Vec<_>>(), [vec![0], vec![1]]);
    let matching = story.events_in("other", &[(30, "ann")]);
    let ann = story.story(0);
    assert_eq!((ann.outcome, came_out(&ann)), (Outcome::Out, vec![(matching[0].batch, Some(0))]), "{ann:?}");
    assert!(
        facts(&ann).iter().any(|fact| matches!(fact, Fact::Matched { partner: Some(row) } if row.contains("10:00:30")))
    );
    story.events(&[(600, "eve")]);
    let nulls = story.events_in("other", &[(600, "eve")]);
    let bob = story.story(1);
    assert!(facts(&bob).iter().any(|fact| matches!(fact, Fact::NullRow)), "{bob:?}");
    assert_eq!(came_out(&bob).first().map(|out| out.0), nulls.last().map(|report| report.batch));
    story.events(&[(5, "old")]);
    story.counts_agree(false);
    assert_eq!(story.tray().len(), 1);
}

#[test]
fn a_row_is_followed_through_two_aggregations() {
    let query = "e.groupBy(window('at', '1 minute'), 'user').count().groupBy(window('window', '2 minutes')).count()";
    let mut story = Story::new(query, "append");
    story.events(&[(10, "ann")]);
    let batches = story.events(&[(600, "bob")]);
    let ann = story.story(0);
    let met = ann.steps.iter().filter(|step| matches!(step.fact, Fact::Met { .. })).count();
    assert_eq!(met, 2, "{ann:?}");
    assert_eq!(ann.outcome, Outcome::Out, "{ann:?}");
    let operators: Vec<usize> = batches[0].operators.iter().map(|operator| operator.id).collect();
    assert_eq!(operators, [0, 1]);
    assert!(batches.iter().all(|report| report.operators.iter().all(|o| o.eviction_watermark_ms.is_some())));
}

#[test]
fn updates_limits_and_functions_of_the_script_are_told_honestly() {
    let mut story = Story::new("e.groupBy('user').count()", "update");
    story.events(&[(10, "ann")]);
    let told = story.story(0);
    assert_eq!((told.outcome, waiting(&told).0), (Outcome::Out, None), "{told:?}");
    assert_eq!(came_out(&told).len(), 1);

    let mut story = Story::new("e.limit(1)", "append");
    story.events(&[(10, "ann"), (20, "bob")]);
    assert_eq!((story.story(0).outcome, story.story(1).outcome), (Outcome::Out, Outcome::Gone));

    let called = "e.withColumn('k', udf(lambda u: print('called', u) or u)('user')).groupBy('k', window('at', '1 minute')).count()";
    let mut story = Story::new(called, "append");
    let before = story.bench.run(step()).len();
    assert!(before > 0);
    story.events(&[(10, "ann")]);
    let told = story.story(0);
    assert_eq!(told.outcome, Outcome::Unknown);
    assert!(matches!(told.steps.last().unwrap().fact, Fact::Unknown { .. }), "{told:?}");
}

#[test]
fn after_a_reload_and_after_an_unfollowed_batch_every_row_has_the_same_story() {
    let mut story = Story::new("e.groupBy(window('at', '1 minute'), 'user').count()", "append");
    story.events(&[(10, "ann"), (20, "bob")]);
    story.events(&[(200, "ann")]);
    story.events(&[(5, "late")]);
    let stories = |story: &mut Story| (0..4).map(|arrival| story.story(arrival)).collect::<Vec<_>>();
    let out = Pick::Output { batch: 2, row: 0 };
    let (told, tray, behind) = (stories(&mut story), story.tray(), story.told(out.clone()));
    assert_eq!(tray.len(), 1);
    story.bench = Bench::open(Some(story.bench.stored()));
    assert_eq!((stories(&mut story), story.tray(), story.told(out.clone())), (told, tray, behind));
    let asked = FatesCommand::Tell { query: story.query.clone(), pick: out };
    let again = story.bench.run(Command::Fates(asked));
    assert!(matches!(&again[..], [Event::Fates(FatesEvent::Told { .. }), Event::Settled { .. }]), "{again:?}");

    let mut story = Story::new("e.dropDuplicates(['user'])", "append");
    story.bench.run(Command::Fates(FatesCommand::Follow { on: false }));
    let reports = story.events(&[(10, "ann")]);
    assert!(reports[0].events.is_empty() && reports[0].operators[0].input_rows_dropped.is_none(), "{reports:?}");
    story.bench.run(Command::Fates(FatesCommand::Follow { on: true }));
    story.events(&[(20, "ann")]);
    let Told::Event(first) = story.told(Pick::Event { batch: 0, arrival: 0 }) else { panic!("not told") };
    assert_eq!(first.outcome, Outcome::Out);
}

#[test]
fn rows_that_an_operator_made_are_in_the_tray_of_the_one_that_refused_them() {
    let query = "e.join(other.select(col('user').alias('u'), col('at').alias('t')), expr('user = u'))\
                 .groupBy(window('at', '1 minute')).count()";
    let mut story = Story::new(query, "append");
    story.events(&[(10, "ann")]);
    story.events(&[(600, "bob")]);
    story.events_in("other", &[(600, "eve")]);
    let last = story.events_in("other", &[(610, "ann")]);
    story.counts_agree(true);
    let tray = story.tray();
    let [row] = &tray[..] else { panic!("{tray:?}") };
    let made = row.made.as_ref().unwrap();
    assert_eq!((row.batch, made.events, made.entry.name.as_str()), (last[0].batch, 2, "symmetricHashJoin"), "{row:?}");
    assert_eq!((row.event.event_time_us, row.boundary_us), (Some(TEN + 610 * SECOND), TEN + 60 * SECOND));
}

const COUNTER: &str = "\
from pyspark.sql import Row
from pyspark.sql.streaming import StatefulProcessor
spark.conf.set('spark.sql.streaming.stateStore.providerClass',
               'org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider')
class Counter(StatefulProcessor):
    def init(self, handle):
        self.n = handle.getValueState('n', 'n long')
    def handleInputRows(self, key, rows, timerValues):
        n = (self.n.get()[0] if self.n.exists() else 0) + len(list(rows))
        self.n.update((n,))
        for at in range(n):
            yield Row(user=key[0], n=at)
    def close(self):
        pass";

#[test]
fn rows_of_a_processor_belong_to_their_key_and_its_events() {
    let query = "e.groupBy('user').transformWithState(Counter(), 'user string, n long', 'Update', 'None')";
    let mut story = Story::with(COUNTER, query, "update");
    story.events(&[(10, "ann"), (20, "bob")]);
    let second = story.events(&[(30, "ann"), (40, "cid")]).remove(0);
    let rows = &second.output.rows;
    assert_eq!(rows.len(), 3, "{rows:?}");
    for (at, row) in rows.iter().enumerate() {
        let Told::Behind(behind) = story.told(Pick::Output { batch: second.batch, row: at }) else { panic!("{row:?}") };
        let user = row[0].clone();
        assert_eq!(behind.entry.as_ref().unwrap().key, [("user".to_owned(), user.clone())]);
        let arrivals: Vec<u64> = behind.events.iter().map(|event| event.arrival).collect();
        assert_eq!(arrivals, if user.as_deref() == Some("ann") { vec![0, 2] } else { vec![3] });
    }
    let ann = story.story(2);
    assert!(
        facts(&ann).contains(&&Fact::Called { rows: Some(2) }) && facts(&ann).contains(&&Fact::ByScript),
        "{ann:?}"
    );
    assert_eq!((ann.outcome, came_out(&ann).len()), (Outcome::Out, 2));
}
