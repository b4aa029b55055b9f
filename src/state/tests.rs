use super::*;
use tidemark_protocol::messages::{BatchKind, BatchTable, Restored, Stream};

pub(super) fn info(id: &str) -> QueryInfo {
    QueryInfo {
        id: id.to_owned(),
        run_id: "run".to_owned(),
        name: None,
        output_mode: "append".to_owned(),
        trigger: "ProcessingTimeTrigger(5000)".to_owned(),
        sink: "console".to_owned(),
        checkpoint: "/workspace/checkpoint".to_owned(),
        sources: Vec::new(),
        output: Vec::new(),
        operators: Vec::new(),
        watermark_delay_ms: None,
        event_time_column: None,
    }
}

pub(super) fn batch(query: &str, number: i64) -> BatchReport {
    BatchReport {
        query: query.to_owned(),
        batch: number,
        kind: BatchKind::Data,
        clock_ms: 1000 * number,
        input_rows: 2,
        output_rows: None,
        output: BatchTable { columns: Vec::new(), rows: Vec::new(), total: 0 },
        watermark_ms: None,
        late_watermark_ms: None,
        next_watermark_ms: None,
        max_event_time_ms: None,
        dropped_rows: 0,
        state_rows: 0,
        state_bytes: 0,
        progress_json: String::new(),
        events: Vec::new(),
        windows: Vec::new(),
        operators: Vec::new(),
    }
}

pub(super) fn hear(app: &mut App, event: Event) -> Vec<Effect> {
    app.apply(Action::Heard(Box::new(event)))
}

pub(super) fn settled(app: &mut App, command: u64) -> Vec<Effect> {
    hear(app, Event::Settled { command, clock_ms: 0, next_due_ms: None })
}

pub(super) fn ready() -> App {
    let mut app = App::default();
    app.ask(Command::Open { protocol: 1, workspace: "w".to_owned(), now_ms: 0 });
    hear(
        &mut app,
        Event::Ready {
            engine_version: "0.1".to_owned(),
            spark_version: "4.3.0".to_owned(),
            script: "print(1)".to_owned(),
            restored: None,
            files: Vec::new(),
        },
    );
    settled(&mut app, 0);
    app
}

fn parked(app: &mut App) {
    hear(app, Event::Script(ScriptState::Parked { line: 3, call: "awaitTermination()".to_owned() }));
}

pub(super) fn commands(effects: &[Effect]) -> Vec<&Command> {
    effects.iter().filter_map(|effect| if let Effect::Send(command) = effect { Some(command) } else { None }).collect()
}

/// Runs the script by Step and goes on to the first trigger; command numbers 1 and 2.
pub(super) fn stepping() -> App {
    let mut app = ready();
    app.apply(Action::Step);
    hear(&mut app, Event::QueryStarted(info("q")));
    parked(&mut app);
    settled(&mut app, 1);
    app
}

#[test]
fn the_first_step_runs_the_script_and_then_one_trigger() {
    let mut app = ready();
    let effects = app.apply(Action::Step);
    assert_eq!(commands(&effects), [&Command::Run { text: "print(1)".to_owned() }]);
    hear(&mut app, Event::QueryStarted(info("q")));
    parked(&mut app);
    let effects = settled(&mut app, 1);
    assert_eq!(commands(&effects), [&Command::Step { query: None }]);
    settled(&mut app, 2);
    assert_eq!(commands(&app.apply(Action::Step)), [&Command::Step { query: None }]);
}

#[test]
fn a_script_that_fails_is_not_stepped() {
    let mut app = ready();
    app.apply(Action::Step);
    let traceback = "Traceback\nNameError: x".to_owned();
    let effects = hear(&mut app, Event::Script(ScriptState::Failed { traceback, line: Some(1) }));
    assert_eq!(effects, [Effect::RevealLine(1)]);
    assert_eq!(settled(&mut app, 1), []);
    assert!(app.announcement.contains("NameError: x"));
}

#[test]
fn nothing_can_be_pressed_while_a_trigger_runs_but_interrupt() {
    let app = stepping();
    let gates = app.gates();
    assert!(!gates.step.is_open() && !gates.run.is_open() && gates.interrupt.is_open());
    assert_eq!(gates.step.reason(), Some("A script or a trigger is running"));
}

#[test]
fn a_continuous_run_waits_between_triggers_and_ends_with_the_query() {
    let mut app = stepping();
    settled(&mut app, 2);
    app.apply(Action::ToggleContinuous);
    assert_eq!(settled(&mut app, 3), [Effect::StepAfter { ms: 1000 }]);
    assert_eq!(commands(&app.apply(Action::NextStep)), [&Command::Step { query: None }]);
    hear(&mut app, Event::QueryTerminated { query: "q".to_owned(), error: None });
    assert_eq!(settled(&mut app, 4), []);
    assert!(!app.continuous);
}

#[test]
fn a_restart_keeps_the_batches_of_a_query_with_the_same_checkpoint() {
    let mut app = stepping();
    hear(&mut app, Event::Batch(Box::new(batch("q", 0))));
    settled(&mut app, 2);
    assert_eq!(commands(&app.apply(Action::Restart)).len(), 2);
    hear(&mut app, Event::QueryStarted(info("q")));
    hear(&mut app, Event::Batch(Box::new(batch("q", 1))));
    parked(&mut app);
    let numbers: Vec<i64> = app.queries[0].batches.iter().map(|batch| batch.batch).collect();
    assert_eq!(numbers, [0, 1]);
    assert!(app.queries[0].replayed.is_empty());
}

#[test]
fn a_query_of_an_earlier_run_goes_when_the_next_run_has_its_own() {
    let mut app = stepping();
    settled(&mut app, 2);
    app.apply(Action::Restart);
    hear(&mut app, Event::QueryStarted(info("other")));
    parked(&mut app);
    assert_eq!(app.queries.len(), 1);
    assert_eq!(app.shown_query().map(|view| view.info.id.as_str()), Some("other"));
}

#[test]
fn a_crash_tears_the_batch_and_the_replay_mends_it() {
    let mut app = stepping();
    hear(&mut app, Event::Batch(Box::new(batch("q", 0))));
    settled(&mut app, 2);
    app.apply(Action::Crash(Some(CrashPoint::SinkDone)));
    assert_eq!(app.armed, Some(CrashPoint::SinkDone));
    app.apply(Action::Step);
    hear(&mut app, Event::Crashed { point: Some(CrashPoint::SinkDone), batch: Some(1) });
    assert_eq!(app.queries[0].torn, Some((1, Some(CrashPoint::SinkDone))));
    assert_eq!((app.queries[0].life.clone(), app.armed), (Life::Gone, None));
    settled(&mut app, 3);
    settled(&mut app, 4);
    app.apply(Action::Restart);
    hear(&mut app, Event::QueryStarted(info("q")));
    hear(&mut app, Event::Batch(Box::new(batch("q", 1))));
    assert_eq!(app.queries[0].torn, None);
    assert_eq!(app.queries[0].replayed, [1]);
    assert_eq!(app.queries[0].batches.len(), 2);
}

#[test]
fn a_batch_that_was_committed_before_the_crash_is_not_run_again() {
    let mut app = stepping();
    app.apply(Action::Crash(Some(CrashPoint::CommitWritten)));
    hear(&mut app, Event::Crashed { point: Some(CrashPoint::CommitWritten), batch: Some(0) });
    hear(&mut app, Event::QueryStarted(info("q")));
    hear(&mut app, Event::Batch(Box::new(batch("q", 1))));
    assert_eq!(app.queries[0].torn, None);
    assert!(app.queries[0].replayed.is_empty());
}

#[test]
fn a_reload_brings_the_batches_back_without_a_running_query() {
    let mut app = App::default();
    let restored =
        Restored { batches: vec![batch("q", 0), batch("q", 1)], queries: vec![info("q")], console: "x\n".to_owned() };
    let ready = Event::Ready {
        engine_version: String::new(),
        spark_version: String::new(),
        script: "s".to_owned(),
        restored: Some(restored),
        files: Vec::new(),
    };
    assert!(hear(&mut app, ready).contains(&Effect::ShowScript(Rc::from("s"))));
    assert_eq!(app.shown_batch().map(|batch| batch.batch), Some(1));
    assert!(app.is_broken_off() && app.gates().restart.is_open());
    assert_eq!(app.gates().step_plan, StepPlan::RunFirst);
}

#[test]
fn a_panic_ends_the_session_and_closes_every_gate_but_the_restart() {
    let mut app = stepping();
    hear(&mut app, Event::Panicked { report: "boom".to_owned() });
    assert!(!app.is_busy() && !app.gates().run.is_open() && app.gates().interrupt.is_open());
    assert_eq!(app.apply(Action::Interrupt), [Effect::RestartWorker]);
    assert_eq!(app.engine, Engine::Starting);
}

#[test]
fn console_pieces_of_one_stream_are_joined() {
    let mut app = ready();
    for (stream, text) in [(Stream::Stdout, "a"), (Stream::Stdout, "b\n"), (Stream::Stderr, "c")] {
        hear(&mut app, Event::Console { stream, text: text.to_owned() });
    }
    let texts: Vec<&str> = app.console.iter().map(|piece| &*piece.text).collect();
    assert_eq!(texts, ["ab\n", "c"]);
}

#[test]
fn a_download_is_not_an_opened_file() {
    let mut app = ready();
    app.apply(Action::Download("/a".to_owned()));
    let effects = hear(&mut app, Event::FileContent { path: "/a".to_owned(), content: vec![1], text: None });
    assert_eq!(effects, [Effect::Download { path: "/a".to_owned(), content: vec![1] }]);
    assert_eq!(app.open, None);
}

#[test]
fn a_script_that_prints_without_end_leaves_its_newest_part() {
    let mut app = App::default();
    let print = |app: &mut App, text: String| {
        hear(app, Event::Console { stream: Stream::Stdout, text });
    };
    for number in 0..200_000 {
        print(&mut app, format!("line {number}\n"));
    }
    let length = |app: &App| app.console.iter().map(|piece| piece.text.len()).sum::<usize>();
    assert!(app.console_cut && length(&app) <= 1 << 20, "{}", length(&app));
    assert!(app.console.last().is_some_and(|piece| piece.text.ends_with("line 199999\n")));
    print(&mut app, "ü".repeat(2_000_000));
    assert!(length(&app) <= 1 << 20);
}
