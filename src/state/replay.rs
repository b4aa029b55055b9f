//! The past and the second run: what the page shows instead of the workspace, or beside it.
//!
//! The second run has a state of its own, of the same kind as the page's: the panels draw either. Actions go to the one
//! that is shown; commands of the second run travel wrapped.

mod cuts;
#[cfg(test)]
mod tests;

pub use cuts::Cuts;

use super::{Action, App, Effect, Tab, View};
use std::rc::Rc;
use tidemark_protocol::Command;
use tidemark_protocol::messages::{
    Attempt, Changes, CrashPoint, Event, Moment, MomentKind, ReplayCommand, ReplayEvent, Second, Verdict,
};

/// What the gates say while the past is shown.
pub const PAST: &str = "This is the past: branch from here, or go back to now";

#[derive(Clone, Debug, PartialEq)]
pub enum ReplayAction {
    /// Shows the session after this moment, by its number.
    Goto(usize),
    Back,
    Forward,
    /// Shows the workspace again; the past goes, a run that was branched off stays beside it.
    Now,
    /// Shows the second run, or the workspace beside it.
    Look(bool),
    Branch,
    /// Ends a replay that is under way.
    Stop,
    Adopt,
    Discard,
    SetChanges(Changes),
    RunWhatIf,
    ReadCuts,
    SetCuts(Cuts),
    RunCuts,
    AskVerdict,
    CloseVerdict,
    CloseAccount,
    /// Opens the tab in which runs are compared.
    Open,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayState {
    /// Number of the first moment.
    pub first: usize,
    pub moments: Rc<Vec<Moment>>,
    /// Earlier ones are forgotten.
    pub lost: bool,
    pub second: Option<Rc<App>>,
    pub kind: Option<Second>,
    /// The second run can only be looked at.
    pub past: bool,
    /// The panels show the second run.
    pub looking: bool,
    /// Commands replayed, of how many.
    pub progress: Option<(usize, usize)>,
    /// The form of the what-if run.
    pub changes: Changes,
    pub cuts: Option<Cuts>,
    pub verdict: Option<Verdict>,
    /// The verdict is on its way.
    pub judging: bool,
    pub account: Option<Rc<Vec<Attempt>>>,
    /// The second run that a replay is building; it is shown when it stands.
    building: Option<Rc<App>>,
    /// Why there will be one.
    coming: Option<Second>,
    /// A moment that was asked for while another was on its way.
    next: Option<usize>,
}

impl ReplayState {
    /// The worker is gone, and the second run with it.
    pub(super) fn without_session(&self) -> ReplayState {
        let (first, moments, lost) = (self.first, self.moments.clone(), self.lost);
        ReplayState { first, moments, lost, changes: self.changes.clone(), ..ReplayState::default() }
    }

    /// The number of the newest moment.
    pub fn newest(&self) -> Option<usize> {
        (self.first + self.moments.len()).checked_sub(1).filter(|_| !self.moments.is_empty())
    }

    pub fn moment(&self, number: usize) -> Option<&Moment> {
        self.moments.get(number.checked_sub(self.first)?)
    }

    /// The moment that is shown; None: now.
    pub fn shown(&self) -> Option<usize> {
        match &self.kind {
            Some(Second::Past { moment }) if self.looking && self.past => Some(*moment),
            _ => None,
        }
    }

    /// The run beside the workspace that may be compared with it.
    pub fn beside(&self) -> Option<&Rc<App>> {
        self.second.as_ref().filter(|_| !self.past && self.progress.is_none())
    }
}

/// A moment in words.
pub fn moment_name(moment: &Moment) -> String {
    match &moment.kind {
        MomentKind::Started => "script started".to_owned(),
        MomentKind::Batch { batch, .. } => format!("batch {batch}"),
        MomentKind::Crashed { batch: Some(batch), .. } => format!("crash in batch {batch}"),
        MomentKind::Crashed { batch: None, .. } => "crash".to_owned(),
    }
}

/// Commands that may take long: the page is busy until they are settled.
pub(super) fn is_long(command: &ReplayCommand) -> bool {
    match command {
        ReplayCommand::Goto { .. }
        | ReplayCommand::WhatIf { .. }
        | ReplayCommand::Recut { .. }
        | ReplayCommand::Verdict { .. } => true,
        ReplayCommand::Ask(command) => {
            matches!(**command, Command::Run { .. } | Command::Step { .. } | Command::StopQueries)
        }
        _ => false,
    }
}

impl App {
    /// The state that the panels show: this one, or the second run's.
    pub fn shown(self: &Rc<Self>) -> Rc<App> {
        self.replay.second.clone().filter(|_| self.replay.looking).unwrap_or_else(|| self.clone())
    }

    /// Whether an action is about the run that is shown, and not about the page.
    pub(super) fn is_of_second(&self, action: &Action) -> bool {
        let of_page = matches!(
            action,
            Action::Heard(_)
                | Action::EngineFailed(_)
                | Action::Interrupt
                | Action::Replay(_)
                | Action::Share(_)
                | Action::Enlarge
                | Action::Reset
        );
        self.replay.looking && self.replay.second.is_some() && !of_page
    }

    pub(super) fn act_second(&mut self, action: Action) -> Vec<Effect> {
        let Some(second) = &mut self.replay.second else { return Vec::new() };
        let effects = Rc::make_mut(second).act(action);
        self.of_second(effects)
    }

    /// Effects of the second run as the page's.
    fn of_second(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let mut mine = Vec::new();
        for effect in effects {
            match effect {
                Effect::Send(command) => mine.extend(self.replay(ReplayCommand::Ask(Box::new(command)))),
                Effect::CheckBusy(_) | Effect::RestartWorker | Effect::Share(_) => {}
                Effect::ShowScript(_) | Effect::RevealLine(_) | Effect::StepAfter { .. } if !self.replay.looking => {}
                other => mine.push(other),
            }
        }
        mine
    }

    fn replay(&mut self, command: ReplayCommand) -> Vec<Effect> {
        self.ask(Command::Replay(command))
    }

    pub(super) fn act_replay(&mut self, action: ReplayAction) -> Vec<Effect> {
        let here = self.replay.shown();
        match action {
            ReplayAction::Goto(number) => return self.go_to(number),
            ReplayAction::Back => match (here, self.replay.newest()) {
                (Some(here), _) if here > self.replay.first => return self.go_to(here - 1),
                // Now and the newest moment mostly look the same: one step back is the batch before it.
                (None, Some(newest)) => return self.go_to(newest.saturating_sub(1).max(self.replay.first)),
                _ => self.say("There is nothing before this.".to_owned()),
            },
            ReplayAction::Forward => match (here, self.replay.newest()) {
                (Some(here), Some(newest)) if here < newest => return self.go_to(here + 1),
                (Some(_), _) => return self.now(),
                _ => self.say("This is now.".to_owned()),
            },
            ReplayAction::Now => return self.now(),
            ReplayAction::Look(second) => {
                self.replay.looking = second && self.replay.second.is_some();
                return self.show_script();
            }
            ReplayAction::Branch => return self.replay(ReplayCommand::Branch),
            ReplayAction::Stop => {
                self.replay.next = None;
                return self.replay(ReplayCommand::Stop);
            }
            ReplayAction::Adopt => return self.replay(ReplayCommand::Adopt),
            ReplayAction::Discard => return self.replay(ReplayCommand::Discard),
            ReplayAction::SetChanges(changes) => self.replay.changes = changes,
            ReplayAction::RunWhatIf => {
                let changes = self.replay.changes.clone();
                self.begin();
                return self.replay(ReplayCommand::WhatIf { changes });
            }
            ReplayAction::ReadCuts => {
                if let Some(query) = self.shown_query().map(|view| view.info.id.clone()) {
                    return self.replay(ReplayCommand::Cuts { query });
                }
                self.say("Nothing has run yet.".to_owned());
            }
            ReplayAction::SetCuts(cuts) => self.replay.cuts = Some(cuts),
            ReplayAction::RunCuts => {
                if let Some(cuts) = &self.replay.cuts {
                    let (query, sizes) = (cuts.query.clone(), cuts.sizes());
                    self.begin();
                    return self.replay(ReplayCommand::Recut { query, sizes });
                }
            }
            ReplayAction::AskVerdict => {
                (self.replay.verdict, self.replay.judging) = (None, true);
                let text = self.script.to_string();
                return self.replay(ReplayCommand::Verdict { text });
            }
            ReplayAction::CloseVerdict => (self.replay.verdict, self.replay.judging) = (None, false),
            ReplayAction::CloseAccount => self.replay.account = None,
            ReplayAction::Open => {
                self.tab = Tab::Compare;
                self.view = View::Detail;
            }
        }
        Vec::new()
    }

    /// A second run is asked for: the workspace stands still meanwhile.
    fn begin(&mut self) {
        self.continuous = false;
        self.replay.looking = false;
    }

    fn go_to(&mut self, number: usize) -> Vec<Effect> {
        if self.replay.moment(number).is_none() {
            return Vec::new();
        }
        if self.replay.progress.is_some() {
            self.replay.next = Some(number);
            return Vec::new();
        }
        if self.replay.second.is_some() && !self.replay.past {
            self.tell(
                "A second run stands beside the workspace. Make it the workspace or discard it first.".to_owned(),
            );
            return Vec::new();
        }
        self.continuous = false;
        self.replay(ReplayCommand::Goto { moment: number })
    }

    fn now(&mut self) -> Vec<Effect> {
        self.replay.next = None;
        self.replay.looking = false;
        self.say("This is now.".to_owned());
        let mut effects = self.show_script();
        if self.replay.past && self.replay.second.is_some() {
            let command = if self.replay.progress.is_some() { ReplayCommand::Stop } else { ReplayCommand::Discard };
            effects.extend(self.replay(command));
        }
        effects
    }

    fn show_script(&self) -> Vec<Effect> {
        let second = self.replay.second.as_ref().filter(|_| self.replay.looking);
        vec![Effect::ShowScript(second.map_or_else(|| self.script.clone(), |second| second.script.clone()))]
    }

    pub(super) fn hear_replay(&mut self, event: ReplayEvent) -> Vec<Effect> {
        match event {
            ReplayEvent::Moments { first, moments, lost } => {
                let known = Rc::make_mut(&mut self.replay.moments);
                match first.checked_sub(self.replay.first).filter(|at| *at > 0 && *at <= known.len()) {
                    Some(at) => known.truncate(at),
                    None => {
                        known.clear();
                        self.replay.first = first;
                    }
                }
                known.extend(moments);
                self.replay.lost = lost;
            }
            ReplayEvent::Opened(kind) => self.open_second(kind),
            ReplayEvent::Forward(kind) => {
                self.replay.coming = Some(kind);
                self.replay.progress = Some((0, 1));
            }
            ReplayEvent::Did { script, armed } => self.second_did(script, armed),
            ReplayEvent::Said(event) => return self.hear_second(*event),
            ReplayEvent::Progress { done, total } => self.replay.progress = Some((done, total)),
            ReplayEvent::Arrived => return self.replay_arrived(),
            ReplayEvent::Branched => {
                self.replay.past = false;
                if let Some(second) = &mut self.replay.second {
                    Rc::make_mut(second).frozen = false;
                }
                self.say("This is a run of its own now, beside the workspace.".to_owned());
            }
            ReplayEvent::Closed => {
                let looked = std::mem::take(&mut self.replay.looking);
                (self.replay.second, self.replay.kind, self.replay.progress) = (None, None, None);
                (self.replay.building, self.replay.coming) = (None, None);
                if looked {
                    return self.show_script();
                }
            }
            ReplayEvent::Adopted => return self.adopted(),
            ReplayEvent::Cuts { query, units } => self.replay.cuts = Some(Cuts::new(query, units)),
            ReplayEvent::Verdict(verdict) => {
                self.say(verdict_words(&verdict));
                self.replay.verdict = Some(verdict);
                self.replay.judging = false;
            }
            ReplayEvent::Account(attempts) => self.replay.account = Some(Rc::new(attempts)),
        }
        Vec::new()
    }

    /// A second run begins: a state as a page's that has just opened.
    fn open_second(&mut self, kind: Second) {
        let past = matches!(kind, Second::Past { .. });
        let before = self.replay.second.clone().filter(|_| past);
        let like = before.as_deref().unwrap_or(self);
        let second = App {
            engine: self.engine.clone(),
            storage: self.storage.clone(),
            share: self.share.clone(),
            lessons: self.lessons.clone(),
            assist: self.assist.clone(),
            scripts: self.scripts.clone(),
            tab: like.tab,
            view: like.view,
            files_tab: like.files_tab,
            speed: self.speed,
            frozen: past,
            sent: 1,
            ..App::default()
        };
        self.replay.building = Some(Rc::new(second));
        self.replay.coming = Some(kind);
        self.replay.progress = Some((0, 1));
    }

    /// The second run that the worker speaks of.
    fn told_second(&mut self) -> Option<&mut App> {
        let replay = &mut self.replay;
        replay.building.as_mut().or(replay.second.as_mut()).map(Rc::make_mut)
    }

    fn second_did(&mut self, script: Option<String>, armed: Option<CrashPoint>) {
        let Some(second) = self.told_second() else { return };
        match script {
            Some(text) => {
                second.script = Rc::from(text);
                // What it would send has been done.
                drop(second.run(false));
            }
            None => second.sent += 1,
        }
        if armed.is_some() {
            second.armed = armed;
        }
    }

    fn hear_second(&mut self, event: Event) -> Vec<Effect> {
        let Some(second) = self.told_second() else { return Vec::new() };
        let effects = second.hear(event);
        if self.replay.progress.is_some() { Vec::new() } else { self.of_second(effects) }
    }

    fn replay_arrived(&mut self) -> Vec<Effect> {
        self.replay.progress = None;
        if let Some(built) = self.replay.building.take() {
            self.replay.second = Some(built);
        }
        if let Some(kind) = self.replay.coming.take() {
            self.replay.past = matches!(kind, Second::Past { .. });
            self.replay.looking = self.replay.past;
            self.replay.kind = Some(kind);
        }
        if let Some(next) = self.replay.next.take() {
            return self.go_to(next);
        }
        let Some(kind) = self.replay.kind.clone() else { return Vec::new() };
        match kind {
            Second::Past { moment } => {
                let name = self.replay.moment(moment).map(moment_name).unwrap_or_default();
                self.say(format!("The past: {name}."));
                self.show_script()
            }
            Second::WhatIf { .. } | Second::Recut { .. } => {
                self.tab = Tab::Compare;
                self.view = View::Detail;
                self.say("The second run is done. It stands beside the first.".to_owned());
                Vec::new()
            }
        }
    }

    /// The second run is the workspace: its state is the page's.
    fn adopted(&mut self) -> Vec<Effect> {
        let Some(second) = self.replay.second.take() else { return Vec::new() };
        let replay = ReplayState { changes: self.replay.changes.clone(), ..ReplayState::default() };
        let kept = App {
            engine: self.engine.clone(),
            storage: self.storage.clone(),
            share: self.share.clone(),
            sent: self.sent,
            settled: self.settled,
            working: std::mem::take(&mut self.working),
            notice_ids: self.notice_ids + second.notice_ids,
            frozen: false,
            enlarged: self.enlarged,
            replay,
            ..(*second).clone()
        };
        *self = kept;
        self.say("The second run is the workspace now.".to_owned());
        self.show_script()
    }
}

/// A verdict as one sentence.
pub fn verdict_words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Fails { .. } => "No: the script fails before its queries run.".to_owned(),
        Verdict::NoQuery => "The script starts no query.".to_owned(),
        Verdict::Queries(queries) => match queries.iter().find(|query| query.error.is_some()) {
            Some(query) => format!("No: query {} would fail.", query.query),
            None => "Yes: every query goes on.".to_owned(),
        },
    }
}
