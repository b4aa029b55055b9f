//! What the person does.

use super::{Action, App, Effect, Engine, Life, Notice, Rows, StepPlan, View};
use std::rc::Rc;
use tidemark_protocol::messages::{Command, Layout};

impl App {
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Heard(_) => Vec::new(),
            Action::EngineFailed(_) if matches!(self.engine, Engine::Panicked(_)) => Vec::new(),
            Action::EngineFailed(message) => {
                self.lose_session();
                self.engine = Engine::Failed(message);
                Vec::new()
            }
            Action::Edited(text) => {
                if self.script == text {
                    return Vec::new();
                }
                self.script = text;
                self.text_is_new();
                vec![Effect::SaveSoon, Effect::CheckSoon]
            }
            Action::SaveScript if !self.may_save_script() => Vec::new(),
            Action::SaveScript => self.ask(Command::SetScript { text: self.script.to_string() }),
            Action::Run if self.gates().run.is_open() => self.run(false),
            Action::Step => match self.gates().step_plan {
                StepPlan::Step => self.ask(Command::Step { query: None }),
                StepPlan::RunFirst => self.run(true),
                StepPlan::Blocked(_) => Vec::new(),
            },
            Action::ToggleContinuous => self.toggle_continuous(),
            Action::SetSpeed(speed) => {
                self.speed = speed;
                Vec::new()
            }
            Action::NextStep => {
                if !self.continuous || self.is_busy() {
                    return Vec::new();
                }
                if !self.is_active() {
                    self.continuous = false;
                    return Vec::new();
                }
                self.ask(Command::Step { query: None })
            }
            Action::Stop if self.gates().stop.is_open() => {
                self.continuous = false;
                self.step_after_run = false;
                self.ask(Command::StopQueries)
            }
            Action::Restart if self.gates().restart.is_open() => {
                self.continuous = false;
                let mut effects = if self.is_active() { self.ask(Command::StopQueries) } else { Vec::new() };
                effects.extend(self.run(false));
                effects
            }
            Action::Crash(point) if self.gates().crash.is_open() => {
                self.continuous = false;
                self.armed = point;
                self.ask(Command::Crash { point })
            }
            Action::Reset if self.gates().reset.is_open() => self.lay(None),
            Action::Run | Action::Stop | Action::Restart | Action::Crash(_) | Action::Reset => Vec::new(),
            Action::Interrupt => {
                self.lose_session();
                self.engine = Engine::Starting;
                self.say("Engine restarted; the script was interrupted.".to_owned());
                vec![Effect::RestartWorker]
            }
            Action::StillBusy(sent) => {
                self.slow = self.working.first().is_some_and(|first| *first < sent);
                Vec::new()
            }
            Action::SelectQuery(index) => {
                self.query = index;
                self.batch = None;
                self.fates.turn_away();
                self.inspect.turn_away();
                Vec::new()
            }
            Action::SelectBatch(number) => {
                let newest = self.shown_query().and_then(|query| query.last()).map(|batch| batch.batch);
                self.batch = if newest == Some(number) { None } else { Some(number) };
                Vec::new()
            }
            Action::SelectTab(tab) => {
                self.tab = tab;
                Vec::new()
            }
            Action::Enlarge => {
                self.enlarged = !self.enlarged;
                Vec::new()
            }
            Action::Inspect(action) => self.act_inspect(action),
            Action::OpenFile(path) => {
                self.open = None;
                self.open_path = Some(path.clone());
                self.ask(Command::ReadFile { path })
            }
            Action::CloseFile => {
                self.open = None;
                self.open_path = None;
                Vec::new()
            }
            Action::Download(path) => {
                self.downloads.push(path.clone());
                self.ask(Command::ReadFile { path })
            }
            Action::ExplainFile(path) => {
                if self.explain_path.as_ref() != Some(&path) {
                    self.explained = None;
                }
                self.explain_path = Some(path.clone());
                self.ask(Command::Explain { path })
            }
            Action::Ask(command) => {
                let first = self.lessons.heed(&command);
                let mut effects = self.ask(command);
                if first {
                    effects.extend(self.keep_lessons(false));
                }
                effects
            }
            Action::Lessons(action) => self.act_on_lessons(action),
            Action::Assist(action) => self.assist(action),
            Action::Tell(text) => {
                self.tell(text);
                Vec::new()
            }
            Action::Show(overlay) => {
                self.overlay = overlay;
                Vec::new()
            }
            Action::ShowFiles(tab) => {
                self.files_tab = tab;
                self.open = None;
                self.open_path = None;
                self.view = View::Files;
                Vec::new()
            }
            Action::SelectView(view) => {
                self.view = view;
                Vec::new()
            }
            Action::Say(text) => {
                self.say(text);
                Vec::new()
            }
            Action::Fates(action) => self.act_fates(action),
            Action::Share(action) => self.share(action),
            Action::Scripts(action) => self.act_scripts(action),
            Action::Replay(action) => self.act_replay(action),
            Action::Dismiss(id) => {
                self.notices.retain(|notice| notice.id != id);
                Vec::new()
            }
        }
    }

    /// Sends a command and counts it.
    pub(super) fn ask(&mut self, command: Command) -> Vec<Effect> {
        if matches!(self.engine, Engine::Failed(_) | Engine::Panicked(_)) {
            return Vec::new();
        }
        let number = self.sent;
        self.sent += 1;
        let long = match &command {
            Command::Replay(command) => super::replay::is_long(command),
            other => matches!(other, Command::Run { .. } | Command::Step { .. } | Command::StopQueries),
        };
        let mut effects = vec![Effect::Send(command)];
        if long {
            self.working.push(number);
            effects.push(Effect::CheckBusy(self.sent));
        }
        effects
    }

    pub(super) fn run(&mut self, then_step: bool) -> Vec<Effect> {
        self.step_after_run = then_step;
        self.armed = None;
        self.runs += 1;
        self.script_state = None;
        self.console = Rc::default();
        self.console_cut = false;
        self.ran = Some(self.script.clone());
        self.batch = None;
        for query in &mut self.queries {
            if query.life == Life::Active {
                query.life = Life::Stopped;
            }
        }
        self.ask(Command::Run { text: self.script.to_string() })
    }

    fn toggle_continuous(&mut self) -> Vec<Effect> {
        if self.continuous {
            self.continuous = false;
            return Vec::new();
        }
        match self.gates().step_plan {
            StepPlan::Blocked(_) => Vec::new(),
            StepPlan::Step => {
                self.continuous = true;
                self.ask(Command::Step { query: None })
            }
            StepPlan::RunFirst => {
                self.continuous = true;
                self.run(true)
            }
        }
    }

    /// Empties the workspace and lays this, or the opening example.
    pub(super) fn lay(&mut self, layout: Option<Layout>) -> Vec<Effect> {
        self.begin_anew();
        self.lessons.laid_anew(layout.is_none());
        self.ask(Command::Lay { layout })
    }

    /// The worker is gone with its session; what it had committed stays on show.
    pub(super) fn lose_session(&mut self) {
        self.continuous = false;
        self.step_after_run = false;
        self.armed = None;
        self.slow = false;
        self.sent = 0;
        self.settled = 0;
        self.working.clear();
        self.downloads.clear();
        self.forget_checks();
        self.next_due_ms = None;
        self.script_state = None;
        self.lose_run();
        self.replay = self.replay.without_session();
        self.fates.recalling = None;
        self.drop_queries();
    }

    /// The session is gone: a crash, an interrupt, a panic.
    pub(super) fn drop_queries(&mut self) {
        for query in &mut self.queries {
            if query.life == Life::Active {
                query.life = Life::Gone;
            }
        }
        self.inspect.state = None;
        self.rows = Rows::default();
    }

    pub(super) fn tell(&mut self, text: String) {
        self.notice_ids += 1;
        self.announcement.clone_from(&text);
        self.notices.push(Notice { id: self.notice_ids, text });
    }

    pub(super) fn say(&mut self, text: String) {
        self.announcement = text;
    }
}
