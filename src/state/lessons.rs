//! Lessons and example queries: which one is open, what the workspace was laid from, how far a person has come.

#[cfg(test)]
mod tests;

use super::{Action, App, Effect, Life, View};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::rc::Rc;
use tidemark_lessons::{Lesson, Move, Press, QueryRun, QueryState, Run};
use tidemark_protocol::messages::{Command, KafkaCommand, Layout};
use tidemark_protocol::workbench::{CWD, opening_example};

/// Text of the console that conditions see, from its end (bytes).
const CONSOLE_SEEN: usize = 256 * 1024;

/// Where a script and its inputs come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// The example that a new workspace opens on.
    Opening,
    Lesson(String),
    Example(String),
}

/// What the panel shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    #[default]
    List,
    Gallery,
    Lesson(String),
}

/// How far a person has come in one lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The answer chosen or typed.
    pub answer: String,
    pub revealed: bool,
    pub solution: bool,
    /// All goals of the task were met, once.
    pub done: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonsState {
    /// The panel stands beside the script (a wide screen).
    pub open: bool,
    pub place: Place,
    /// By the lesson's name.
    pub progress: BTreeMap<String, Progress>,
    /// None: the workspace is the person's own.
    pub laid: Option<Origin>,
    /// Files, messages or lines came in by hand since it was laid.
    pub own_inputs: bool,
    /// The script as the lesson's own buttons have made it; None: they have not touched it.
    pub made: Option<String>,
    /// Waits for the word that the present work may go.
    #[serde(skip)]
    pub pending: Option<Origin>,
    /// Which goals of the lesson that is laid are met, as of the last command.
    #[serde(skip)]
    pub met: Vec<bool>,
    /// The answer that the run has shown to be the right one.
    #[serde(skip)]
    pub shown: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LessonsAction {
    Toggle,
    Show(Place),
    /// The part of the page's address after `#`.
    Address(String),
    /// What an earlier visit kept.
    Restore(String),
    Load(Origin),
    /// The present work may go, or not.
    Confirm(bool),
    Answer(String),
    Reveal,
    ShowSolution,
    /// The script as the lesson has it.
    ResetScript,
    Do(Move),
}

impl Origin {
    pub fn layout(&self) -> Option<Layout> {
        match self {
            Origin::Opening => Some(opening_example()),
            Origin::Lesson(name) => tidemark_lessons::lesson(name).map(|lesson| lesson.layout.clone()),
            Origin::Example(name) => tidemark_lessons::example(name).map(|example| example.layout.clone()),
        }
    }

    pub fn title(&self) -> &str {
        match self {
            Origin::Opening => "the opening example",
            Origin::Lesson(name) => tidemark_lessons::lesson(name).map_or(name, |lesson| &lesson.title),
            Origin::Example(name) => tidemark_lessons::example(name).map_or(name, |example| &example.title),
        }
    }
}

impl Place {
    /// As the address names it.
    fn fragment(&self) -> String {
        match self {
            Place::List => "lessons".to_owned(),
            Place::Gallery => "gallery".to_owned(),
            Place::Lesson(name) => format!("lesson={name}"),
        }
    }

    fn of_fragment(fragment: &str) -> Option<Place> {
        match fragment.trim_start_matches('#') {
            "lessons" => Some(Place::List),
            "gallery" => Some(Place::Gallery),
            other => {
                let name = other.strip_prefix("lesson=")?;
                tidemark_lessons::lesson(name).map(|lesson| Place::Lesson(lesson.name.clone()))
            }
        }
    }
}

impl LessonsState {
    /// The lesson that the panel shows.
    pub fn lesson(&self) -> Option<&'static Lesson> {
        match &self.place {
            Place::Lesson(name) => tidemark_lessons::lesson(name),
            _ => None,
        }
    }

    pub fn progress(&self, name: &str) -> Progress {
        self.progress.get(name).cloned().unwrap_or_default()
    }

    pub fn is_laid(&self, lesson: &Lesson) -> bool {
        matches!(&self.laid, Some(Origin::Lesson(name)) if *name == lesson.name)
    }

    /// Takes note of what a person puts into the workspace; true: of the first.
    pub(super) fn heed(&mut self, command: &Command) -> bool {
        let input = matches!(
            command,
            Command::WriteFile { .. }
                | Command::AppendFile { .. }
                | Command::MakeDir { .. }
                | Command::Remove { .. }
                | Command::Rename { .. }
                | Command::Socket(_)
        ) || matches!(command, Command::Kafka(kafka) if !matches!(kafka, KafkaCommand::Read { .. }));
        let first = input && !self.own_inputs;
        self.own_inputs |= input;
        first
    }

    /// A workspace is there that nobody has worked in: the opening example, or one that came from elsewhere.
    pub(super) fn laid_anew(&mut self, opening: bool) {
        self.laid = opening.then_some(Origin::Opening);
        self.own_inputs = false;
        self.made = None;
    }

    fn of_lesson(&mut self, act: impl FnOnce(&mut Progress)) {
        if let Place::Lesson(name) = &self.place {
            act(self.progress.entry(name.clone()).or_default());
        }
    }
}

impl App {
    /// The script is not as the lesson or example has it.
    pub fn is_modified(&self) -> bool {
        let original = self.lessons.laid.as_ref().and_then(Origin::layout);
        original.is_none_or(|original| *original.script != *self.script)
    }

    /// Something would be lost if another workspace were laid.
    pub fn has_own_work(&self) -> bool {
        let made = self.lessons.made.as_deref() == Some(&*self.script);
        self.is_modified() && !made || self.lessons.own_inputs
    }

    /// What has run, as conditions see it.
    pub fn run_so_far(&self) -> Run<'_> {
        let queries = self.queries.iter().map(|view| QueryRun {
            info: &view.info,
            state: match &view.life {
                Life::Active => QueryState::Active,
                Life::Failed(error) => QueryState::Failed(error),
                Life::Stopped | Life::Gone => QueryState::Ended,
            },
            batches: view.batches.iter().map(|batch| &**batch).collect(),
            replayed: &view.replayed,
        });
        Run {
            script: self.ran.as_deref().unwrap_or_default(),
            script_state: self.script_state.as_ref(),
            console: self.console_end(),
            queries: queries.collect(),
            files: &self.files,
        }
    }

    fn console_end(&self) -> String {
        let mut len = 0;
        let pieces = self.console.iter().rev().take_while(|piece| {
            let fits = len < CONSOLE_SEEN;
            len += piece.text.len();
            fits
        });
        let mut pieces: Vec<&str> = pieces.map(|piece| &*piece.text).collect();
        pieces.reverse();
        pieces.concat()
    }

    pub(super) fn act_on_lessons(&mut self, action: LessonsAction) -> Vec<Effect> {
        match action {
            LessonsAction::Toggle => {
                let open = !(self.lessons.open || self.view == View::Lessons);
                self.lessons.open = open;
                self.view = if open { View::Lessons } else { View::Script };
                self.keep_lessons(true)
            }
            LessonsAction::Show(place) => {
                self.lessons.place = place;
                self.lessons.open = true;
                self.view = View::Lessons;
                self.judge_lesson();
                self.keep_lessons(true)
            }
            // Back from the lessons to where there was none.
            LessonsAction::Address(fragment) if fragment.is_empty() => {
                let shown = self.lessons.open || self.view == View::Lessons;
                if shown { self.act_on_lessons(LessonsAction::Toggle) } else { Vec::new() }
            }
            LessonsAction::Address(fragment) => match Place::of_fragment(&fragment) {
                Some(place) if place != self.lessons.place || !self.lessons.open => {
                    self.act_on_lessons(LessonsAction::Show(place))
                }
                _ => Vec::new(),
            },
            LessonsAction::Restore(text) => {
                // What cannot be read was written by another version: a person begins anew.
                self.lessons = serde_json::from_str(&text).unwrap_or_default();
                Vec::new()
            }
            LessonsAction::Load(_) if !self.gates().reset.is_open() => Vec::new(),
            LessonsAction::Load(origin) if self.has_own_work() => {
                self.lessons.pending = Some(origin);
                Vec::new()
            }
            LessonsAction::Load(origin) => self.load(origin),
            LessonsAction::Confirm(go) => match self.lessons.pending.take() {
                Some(origin) if go && self.gates().reset.is_open() => self.load(origin),
                _ => Vec::new(),
            },
            LessonsAction::Answer(text) => {
                self.lessons.of_lesson(|progress| progress.answer = text);
                self.keep_lessons(false)
            }
            LessonsAction::Reveal => {
                self.lessons.of_lesson(|progress| progress.revealed = true);
                self.keep_lessons(false)
            }
            LessonsAction::ShowSolution => {
                self.lessons.of_lesson(|progress| progress.solution = true);
                self.keep_lessons(false)
            }
            LessonsAction::ResetScript => match self.lessons.laid.as_ref().and_then(Origin::layout) {
                Some(original) => self.set_script(&original.script),
                None => Vec::new(),
            },
            LessonsAction::Do(one) => self.make_move(one),
        }
    }

    fn load(&mut self, origin: Origin) -> Vec<Effect> {
        let Some(layout) = origin.layout() else { return Vec::new() };
        let mut effects = self.lay(Some(layout));
        self.say(format!("Loaded: {}", origin.title()));
        self.lessons.laid = Some(origin);
        effects.extend(self.keep_lessons(false));
        effects
    }

    fn set_script(&mut self, text: &str) -> Vec<Effect> {
        if !self.is_modified() || self.lessons.made.as_deref() == Some(&*self.script) {
            self.lessons.made = Some(text.to_owned());
        }
        self.script = Rc::from(text);
        let mut effects = vec![Effect::ShowScript(self.script.clone()), Effect::SaveSoon];
        effects.extend(self.keep_lessons(false));
        effects
    }

    fn make_move(&mut self, one: Move) -> Vec<Effect> {
        match one {
            Move::Script(text) => self.set_script(&text),
            Move::Edit(edit) => match edit.apply(&self.script) {
                Some(text) => self.set_script(&text),
                None => {
                    self.tell(
                        "The script has no longer the lines that this changes. Reset it to the original first."
                            .to_owned(),
                    );
                    Vec::new()
                }
            },
            Move::File(file) => {
                let command = Command::WriteFile { path: format!("{CWD}/{}", file.path), content: file.content };
                self.say(format!("Written to {}", file.path));
                self.ask(command)
            }
            Move::Message(laid) => {
                self.say(format!("Sent to {}", laid.topic));
                self.ask(Command::Kafka(KafkaCommand::Produce { topic: laid.topic, message: laid.message }))
            }
            Move::Press(press) => self.act(match press {
                Press::Run => Action::Run,
                Press::Step(_) => Action::Step,
                Press::Stop => Action::Stop,
                Press::Restart => Action::Restart,
                Press::Crash(point) => Action::Crash(point),
                Press::Load => match self.lessons.laid.clone() {
                    Some(origin) => return self.load(origin),
                    None => return Vec::new(),
                },
            }),
        }
    }

    /// A command is done: what it has led to. Done tasks stay done.
    pub(super) fn lessons_settle(&mut self) -> Vec<Effect> {
        self.judge_lesson();
        let Some(lesson) = self.lessons.lesson().filter(|lesson| self.lessons.is_laid(lesson)) else {
            return Vec::new();
        };
        if self.lessons.met.contains(&false) || self.lessons.progress(&lesson.name).done {
            return Vec::new();
        }
        self.lessons.of_lesson(|progress| progress.done = true);
        self.say(format!("Task done: {}", lesson.title));
        self.keep_lessons(false)
    }

    fn judge_lesson(&mut self) {
        let lesson = self.lessons.lesson().filter(|lesson| self.lessons.is_laid(lesson));
        let (met, shown) = match lesson {
            Some(lesson) => {
                let run = self.run_so_far();
                let met = lesson.goals.iter().map(|goal| goal.condition.holds(&run)).collect();
                (met, lesson.question.answers.iter().position(|answer| answer.condition.holds(&run)))
            }
            None => (Vec::new(), None),
        };
        self.lessons.met = met;
        self.lessons.shown = shown;
    }

    /// Keeps how far a person has come; with `address`, the page's address names the place.
    pub(super) fn keep_lessons(&self, address: bool) -> Vec<Effect> {
        // Plain data: writing it cannot fail.
        let mut effects = vec![Effect::KeepLessons(serde_json::to_string(&self.lessons).unwrap_or_default())];
        if address {
            let shown = self.lessons.open.then(|| self.lessons.place.fragment());
            effects.push(Effect::Address(shown.unwrap_or_default()));
        }
        effects
    }
}
