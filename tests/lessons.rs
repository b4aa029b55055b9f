//! Every lesson and every example query on the engine, through the page's own state: what a person would click is what runs.
//!
//! `cargo nextest run -p tidemark -E 'test(lesson/)'`; one lesson: `... -E 'test(lesson/windows)'`.
#![allow(clippy::panic, clippy::expect_used, reason = "a test runner of its own, outside #[test]")]

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use libtest_mimic::{Arguments, Trial};
    let mut trials = vec![Trial::test("files", host::every_file_is_listed)];
    for lesson in tidemark_lessons::lessons() {
        trials.push(Trial::test(format!("lesson/{}", lesson.name), || host::lesson(lesson)));
    }
    for example in tidemark_lessons::gallery() {
        trials.push(Trial::test(format!("gallery/{}", example.name), || host::example(example)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

#[cfg(not(target_arch = "wasm32"))]
mod host {
    use std::cell::RefCell;
    use std::collections::VecDeque;
    use std::fmt::Write;
    use std::path::Path;
    use std::rc::Rc;

    use libtest_mimic::Failed;
    use tidemark::state::lessons::{Origin, Place};
    use tidemark::state::{Action, App, Effect, LessonsAction, Life};
    use tidemark_lessons::{Example, Lesson, Move, Part, Press};
    use tidemark_protocol::messages::{Command, Event, PROTOCOL_VERSION, ScriptState};
    use tidemark_protocol::workbench::{Options, Output, Workbench};

    /// 2026-03-02 09:00 UTC.
    const NOW_MS: i64 = 1_772_442_000_000;
    /// Triggers that an example may take.
    const TRIGGERS: usize = 16;
    /// What a query's thread has on the worker; a test's own is smaller.
    const STACK_BYTES: usize = 64 << 20;

    /// The page without its browser: the state, and a workbench in the worker's place.
    struct Session {
        app: App,
        bench: Option<Workbench>,
        said: Rc<RefCell<VecDeque<Event>>>,
    }

    impl Session {
        fn open() -> Session {
            let mut session = Session { app: App::default(), bench: None, said: Rc::default() };
            let workspace = "test".to_owned();
            session.act(Action::Ask(Command::Open { protocol: PROTOCOL_VERSION, workspace, now_ms: NOW_MS }));
            session
        }

        fn act(&mut self, action: Action) {
            let effects = self.app.apply(action);
            self.perform(effects);
        }

        fn perform(&mut self, effects: Vec<Effect>) {
            for effect in effects {
                let Effect::Send(command) = effect else { continue };
                match &mut self.bench {
                    Some(bench) => bench.handle(command),
                    None => {
                        let said = self.said.clone();
                        let out = Rc::new(move |output| {
                            if let Output::Event(event) = output {
                                said.borrow_mut().push_back(event);
                            }
                        });
                        let options = Options { now_ms: NOW_MS, seed: 7, stopwatch: None };
                        self.bench = Some(Workbench::open(options, None, out));
                    }
                }
                loop {
                    let next = self.said.borrow_mut().pop_front();
                    let Some(event) = next else { break };
                    let effects = self.app.apply(Action::Heard(Box::new(event)));
                    self.perform(effects);
                }
            }
        }

        fn load(&mut self, origin: Origin) -> Result<(), String> {
            self.act(Action::Lessons(LessonsAction::Load(origin.clone())));
            if self.app.lessons.laid != Some(origin) || self.app.is_modified() {
                return Err("it could not be loaded without a question".to_owned());
            }
            Ok(())
        }

        /// Does what a section says.
        fn follow(&mut self, parts: &[Part]) -> Result<(), String> {
            for part in parts {
                match part {
                    Part::Text(_) => {}
                    Part::Move(Move::Press(Press::Step(times))) => {
                        for _ in 0..*times {
                            self.press(Press::Step(1))?;
                        }
                    }
                    Part::Move(Move::Press(press)) => self.press(*press)?,
                    Part::Move(one) => self.act(Action::Lessons(LessonsAction::Do(one.clone()))),
                }
                if let Some(notice) = self.app.notices.first() {
                    return Err(format!("at {part:?}: {}", notice.text));
                }
            }
            Ok(())
        }

        fn press(&mut self, press: Press) -> Result<(), String> {
            let gates = self.app.gates();
            let gate = match press {
                Press::Run => gates.run,
                Press::Step(_) => gates.step,
                Press::Stop => gates.stop,
                Press::Restart => gates.restart,
                Press::Crash(_) => gates.crash,
                Press::Load => gates.reset,
            };
            if let Some(reason) = gate.reason() {
                return Err(format!("{press:?} cannot be pressed: {reason}"));
            }
            self.act(Action::Lessons(LessonsAction::Do(Move::Press(press))));
            Ok(())
        }

        /// What has happened, for a message.
        fn story(&self) -> String {
            let run = self.app.run_so_far();
            let mut text = format!("script: {:?}\n", run.script_state);
            for query in &run.queries {
                let info = query.info;
                let _ = writeln!(
                    text,
                    "query {:?} {} {} {} {:?}",
                    info.name, info.output_mode, info.trigger, info.sink, query.state
                );
                for batch in &query.batches {
                    let _ = writeln!(
                        text,
                        "  batch {} {:?}: in {} out {} dropped {} state {} bytes {} late {:?} watermark {:?} next {:?} windows {} replayed {}",
                        batch.batch,
                        batch.kind,
                        batch.input_rows,
                        batch.output.total,
                        batch.dropped_rows,
                        batch.state_rows,
                        batch.state_bytes,
                        time(batch.late_watermark_ms),
                        time(batch.watermark_ms),
                        time(batch.next_watermark_ms),
                        batch.windows.len(),
                        query.replayed.contains(&batch.batch),
                    );
                    for row in batch.output.rows.iter().take(12) {
                        let cells: Vec<&str> = row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect();
                        let _ = writeln!(text, "    {}", cells.join(" | "));
                    }
                }
            }
            let files = run.files.iter().filter(|file| !file.is_dir).map(|file| file.path.as_str()).collect::<Vec<_>>();
            let _ = writeln!(text, "files: {}", files.join(" "));
            let console: Vec<char> = run.console.chars().collect();
            let from = console.len().saturating_sub(2_500);
            let _ = writeln!(text, "console: {}", console[from..].iter().collect::<String>());
            text
        }
    }

    fn time(ms: Option<i64>) -> Option<String> {
        let ms = ms?;
        Some(format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000 % 24, ms / 60_000 % 60, ms / 1_000 % 60, ms % 1_000))
    }

    /// The engine wants a deep stack.
    fn on_a_deep_stack(test: impl FnOnce() -> Result<(), String> + Send + 'static) -> Result<(), Failed> {
        let thread =
            std::thread::Builder::new().stack_size(STACK_BYTES).spawn(test).map_err(|error| error.to_string())?;
        match thread.join() {
            Ok(result) => result.map_err(Failed::from),
            Err(_) => Err("it panicked".into()),
        }
    }

    /// The check fails before the task is done and passes after; the answer is what happens.
    pub(crate) fn lesson(lesson: &'static Lesson) -> Result<(), Failed> {
        on_a_deep_stack(move || {
            let mut session = Session::open();
            session.act(Action::Lessons(LessonsAction::Show(Place::Lesson(lesson.name.clone()))));
            session.load(Origin::Lesson(lesson.name.clone()))?;
            let all_met = |session: &Session| !session.app.lessons.met.contains(&false);
            if all_met(&session) {
                return Err("the task counts as done before anything has run".to_owned());
            }
            session.follow(&lesson.run).map_err(|error| format!("Run: {error}\n{}", session.story()))?;
            for answer in &lesson.question.answers {
                let holds = answer.condition.holds(&session.app.run_so_far());
                if holds != answer.right {
                    let word = if holds { "has come true" } else { "has not come true" };
                    return Err(format!("the answer {:?} {word}\n{}", answer.text, session.story()));
                }
            }
            if all_met(&session) {
                return Err(format!("the task counts as done before it was done\n{}", session.story()));
            }
            session.follow(&lesson.task).map_err(|error| format!("Task: {error}\n{}", session.story()))?;
            session.follow(&lesson.solution).map_err(|error| format!("Solution: {error}\n{}", session.story()))?;
            let met = &session.app.lessons.met;
            if let Some((goal, _)) = lesson.goals.iter().zip(met).find(|(_, met)| !**met) {
                return Err(format!("the solution does not reach {:?}\n{}", goal.text, session.story()));
            }
            if !session.app.lessons.progress(&lesson.name).done {
                return Err(format!("the task is not marked as done\n{}", session.story()));
            }
            if std::env::var_os("TIDEMARK_STORY").is_some() {
                return Err(session.story());
            }
            Ok(())
        })
    }

    /// It runs without an error, until no trigger is owed, and puts out rows.
    pub(crate) fn example(example: &'static Example) -> Result<(), Failed> {
        on_a_deep_stack(move || {
            let mut session = Session::open();
            session.load(Origin::Example(example.name.clone()))?;
            for _ in 0..TRIGGERS {
                session.press(Press::Step(1)).map_err(|error| format!("{error}\n{}", session.story()))?;
                let idle = session.app.queries.iter().all(|query| query.idle.is_some() || query.life != Life::Active);
                if idle || matches!(session.app.script_state, Some(ScriptState::Finished | ScriptState::Failed { .. }))
                {
                    break;
                }
            }
            let failed = session.app.queries.iter().any(|query| matches!(query.life, Life::Failed(_)))
                || matches!(session.app.script_state, Some(ScriptState::Failed { .. }))
                || !session.app.notices.is_empty();
            let rows: usize =
                session.app.queries.iter().flat_map(|query| &query.batches).map(|batch| batch.output.total).sum();
            if failed || rows == 0 || std::env::var_os("TIDEMARK_STORY").is_some() {
                return Err(format!("{:?}\n{}", session.app.notices, session.story()));
            }
            Ok(())
        })
    }

    /// No file is forgotten in the lists that are built in.
    pub(crate) fn every_file_is_listed() -> Result<(), Failed> {
        let count = |folder: &str, ending: &str| -> Result<usize, Failed> {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www").join(folder);
            let entries = std::fs::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.file_name());
            Ok(entries.filter(|name| name.to_string_lossy().ends_with(ending) && name != "README.md").count())
        };
        let listed = (tidemark_lessons::lessons().len(), tidemark_lessons::gallery().len());
        let found = (count("lessons", ".md")?, count("gallery", ".py")?);
        if listed == found { Ok(()) } else { Err(format!("listed {listed:?}, found {found:?}").into()) }
    }
}
