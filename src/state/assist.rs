//! Help beside the session: problems of the script before it runs, the zone of times, results as files.

use super::{App, Effect};
use crate::zone::Times;
use std::rc::Rc;
use tidemark_protocol::messages::{AssistCommand, AssistEvent, Column, Command, Problem, ResultFormat};

#[derive(Clone, Debug, PartialEq)]
pub struct AssistState {
    /// What is certainly wrong with the script, and in which edit of it.
    pub problems: Rc<Vec<Problem>>,
    pub checked: u64,
    /// Counts the edits.
    edit: u64,
    /// A check is under way: the next one waits for it.
    asked: bool,
    /// A check waits for the engine to be free.
    waits: bool,
    /// spark.sql.session.timeZone.
    pub session_zone: Rc<str>,
    pub times: Times,
}

impl Default for AssistState {
    fn default() -> AssistState {
        AssistState {
            problems: Rc::default(),
            checked: 0,
            edit: 0,
            asked: false,
            waits: false,
            session_zone: Rc::from("UTC"),
            times: Times::default(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum AssistAction {
    /// The pause after an edit is over.
    Check,
    /// Show times in another zone.
    Times(Times),
    /// The shown batch's rows as a file.
    Export(ResultFormat),
}

impl App {
    pub(super) fn assist(&mut self, action: AssistAction) -> Vec<Effect> {
        match action {
            AssistAction::Check => {
                // Nothing is urgent about it, and behind a long run checks would only pile up.
                if self.assist.asked || !self.is_ready() || self.is_busy() {
                    self.assist.waits = true;
                    return Vec::new();
                }
                (self.assist.asked, self.assist.waits) = (true, false);
                let check = AssistCommand::Check { edit: self.assist.edit, text: self.script.to_string() };
                self.ask(Command::Assist(check))
            }
            AssistAction::Times(times) => {
                self.assist.times = times;
                Vec::new()
            }
            AssistAction::Export(format) => {
                let Some(batch) = self.shown_batch() else { return Vec::new() };
                let export = AssistCommand::Export { query: batch.query.clone(), batch: batch.batch, format };
                self.ask(Command::Assist(export))
            }
        }
    }

    /// The text is another one: what was found speaks of the old one.
    pub(super) fn text_is_new(&mut self) {
        self.assist.edit += 1;
    }

    /// The engine is free: a check that waited for it.
    pub(super) fn check_if_wanted(&self) -> Vec<Effect> {
        if self.assist.waits && !self.assist.asked { vec![Effect::CheckSoon] } else { Vec::new() }
    }

    pub(super) fn hear_assist(&mut self, event: AssistEvent) -> Vec<Effect> {
        match event {
            AssistEvent::Checked { edit, problems } => {
                self.assist.asked = false;
                if edit == self.assist.edit {
                    self.assist.checked = edit;
                    self.assist.problems = Rc::new(problems);
                }
                self.check_if_wanted()
            }
            AssistEvent::Exported { name, content } => {
                self.say(format!("{name} is downloaded."));
                vec![Effect::Download { path: name, content }]
            }
            AssistEvent::Zone(zone) => {
                self.assist.session_zone = Rc::from(zone);
                Vec::new()
            }
        }
    }

    /// The worker is gone, and with it the answer to a check.
    pub(super) fn forget_checks(&mut self) {
        self.assist.asked = false;
    }

    /// Columns that the editor can complete: of the sources and outputs of the queries, each name once.
    pub fn known_columns(&self) -> Vec<Column> {
        let mut known: Vec<Column> = Vec::new();
        for view in &self.queries {
            let sources = view.info.sources.iter().flat_map(|source| &source.schema);
            for column in sources.chain(&view.info.output) {
                if !known.iter().any(|other| other.name == column.name) {
                    known.push(column.clone());
                }
            }
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Action, Engine};
    use super::*;
    use tidemark_protocol::messages::Event;

    fn app() -> App {
        let engine = Engine::Ready { engine_version: String::new(), spark_version: "4.3.0".to_owned() };
        App { engine, ..App::default() }
    }

    fn checked(edit: u64, message: &str) -> Action {
        let problems = vec![Problem { from: 0, to: 1, message: message.to_owned() }];
        Action::Heard(Box::new(Event::Assist(AssistEvent::Checked { edit, problems })))
    }

    #[test]
    fn an_edit_is_checked_once_and_an_old_answer_does_not_count() {
        let mut app = app();
        assert!(app.apply(Action::Edited(Rc::from("a"))).contains(&Effect::CheckSoon));
        let effects = app.apply(Action::Assist(AssistAction::Check));
        let check = Command::Assist(AssistCommand::Check { edit: 1, text: "a".to_owned() });
        assert_eq!(effects, [Effect::Send(check)]);
        app.apply(Action::Edited(Rc::from("ab")));
        // The first check is not back: the second waits.
        assert_eq!(app.apply(Action::Assist(AssistAction::Check)), []);
        assert_eq!(app.apply(checked(1, "old")), [Effect::CheckSoon]);
        assert!(app.assist.problems.is_empty());
        app.apply(Action::Assist(AssistAction::Check));
        app.apply(checked(2, "new"));
        assert_eq!((app.assist.problems[0].message.as_str(), app.assist.checked), ("new", 2));
    }

    #[test]
    fn an_export_is_downloaded_under_its_name() {
        let mut app = app();
        let event = AssistEvent::Exported { name: "q-batch-1.csv".to_owned(), content: vec![1] };
        let effects = app.apply(Action::Heard(Box::new(Event::Assist(event))));
        assert_eq!(effects, [Effect::Download { path: "q-batch-1.csv".to_owned(), content: vec![1] }]);
        assert!(app.announcement.contains("q-batch-1.csv"));
    }
}
