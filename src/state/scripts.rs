//! The named scripts of the workspace, and its past runs.

use super::{App, Effect};
use std::rc::Rc;
use tidemark_protocol::Command;
use tidemark_protocol::messages::{PastRun, RunOutcome, ScriptsCommand, ScriptsEvent};

#[derive(Clone, Debug, PartialEq)]
pub enum ScriptsAction {
    Show(Option<ScriptsDialog>),
    /// Show another script.
    Open(String),
    /// Make one: empty, or with the text of the present one.
    New {
        name: String,
        copy: bool,
    },
    Rename(String),
    /// The present one.
    Delete,
    /// Put the text of a past run into the editor.
    Restore(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptsDialog {
    New,
    Rename,
    Delete,
    History,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptsState {
    pub dialog: Option<ScriptsDialog>,
    pub current: String,
    /// Sorted.
    pub names: Vec<String>,
    /// Oldest first.
    pub runs: Rc<Vec<PastRun>>,
    /// Another script was asked for and is not there yet: the editor's text is none of its.
    switching: bool,
}

impl App {
    pub(super) fn act_scripts(&mut self, action: ScriptsAction) -> Vec<Effect> {
        match action {
            ScriptsAction::Show(dialog) => self.scripts.dialog = dialog,
            ScriptsAction::Open(name) => return self.switch(ScriptsCommand::Open { name }),
            ScriptsAction::New { name, copy } => {
                self.scripts.dialog = None;
                let text = if copy { self.script.to_string() } else { String::new() };
                return self.switch(ScriptsCommand::New { name: with_ending(&name), text });
            }
            ScriptsAction::Rename(to) => {
                self.scripts.dialog = None;
                let from = self.scripts.current.clone();
                return self.ask(Command::Scripts(ScriptsCommand::Rename { from, to: with_ending(&to) }));
            }
            ScriptsAction::Delete => {
                self.scripts.dialog = None;
                let name = self.scripts.current.clone();
                return self.switch(ScriptsCommand::Delete { name });
            }
            ScriptsAction::Restore(number) => {
                let Some(run) = self.scripts.runs.iter().find(|run| run.number == number) else { return Vec::new() };
                self.script = Rc::from(run.text.as_str());
                self.scripts.dialog = None;
                self.say(format!("The text of run {number} is in the editor. Run or Restart takes it."));
                return vec![Effect::ShowScript(self.script.clone()), Effect::SaveSoon];
            }
        }
        Vec::new()
    }

    /// The text of the present script is saved first: the editor is about to show another.
    fn switch(&mut self, command: ScriptsCommand) -> Vec<Effect> {
        if self.scripts.switching {
            return Vec::new();
        }
        self.scripts.switching = true;
        let mut effects = self.ask(Command::SetScript { text: self.script.to_string() });
        effects.extend(self.ask(Command::Scripts(command)));
        effects
    }

    /// False while the editor's text belongs to a script that was left.
    pub(super) fn may_save_script(&self) -> bool {
        !self.scripts.switching
    }

    pub(super) fn scripts_event(&mut self, event: ScriptsEvent) -> Vec<Effect> {
        match event {
            ScriptsEvent::Names { current, names, text } => {
                self.scripts.switching = false;
                let other = self.scripts.current != current;
                self.scripts.current = current;
                self.scripts.names = names;
                if let Some(text) = text {
                    self.script = Rc::from(text);
                    if other {
                        // What is marked and what ran last are of another script.
                        self.script_state = None;
                        self.ran = None;
                        self.say(format!("{} is in the editor.", self.scripts.current));
                    }
                    return vec![Effect::ShowScript(self.script.clone())];
                }
            }
            ScriptsEvent::Runs(runs) => self.scripts.runs = Rc::new(runs),
            ScriptsEvent::Ran(run) => {
                let runs = Rc::make_mut(&mut self.scripts.runs);
                match runs.iter_mut().find(|old| old.number == run.number) {
                    Some(old) => *old = run,
                    None => {
                        cut_off(runs);
                        runs.push(run);
                    }
                }
            }
        }
        Vec::new()
    }

    /// The session is gone: an interrupt, a panic.
    pub(super) fn lose_run(&mut self) {
        self.scripts.switching = false;
        let runs: &mut Vec<PastRun> = Rc::make_mut(&mut self.scripts.runs);
        cut_off(runs);
    }
}

fn cut_off(runs: &mut [PastRun]) {
    for run in runs.iter_mut().filter(|run| run.outcome.is_open()) {
        run.outcome = RunOutcome::CutOff;
    }
}

/// A name as it is typed, with the ending of scripts.
fn with_ending(name: &str) -> String {
    let name = name.trim();
    if name.is_empty() || name.ends_with(".py") { name.to_owned() } else { format!("{name}.py") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Action;
    use tidemark_protocol::Event;

    fn hear(app: &mut App, event: ScriptsEvent) -> Vec<Effect> {
        app.apply(Action::Heard(Box::new(Event::Scripts(event))))
    }

    fn names(current: &str, text: Option<&str>) -> ScriptsEvent {
        let names = vec!["a.py".to_owned(), "b.py".to_owned()];
        ScriptsEvent::Names { current: current.to_owned(), names, text: text.map(str::to_owned) }
    }

    #[test]
    fn a_switch_saves_what_it_leaves_and_nothing_of_it_goes_to_the_other() {
        let mut app = App { script: Rc::from("old"), ..App::default() };
        hear(&mut app, names("a.py", None));
        let effects = app.apply(Action::Scripts(ScriptsAction::Open("b.py".to_owned())));
        let open = Command::Scripts(ScriptsCommand::Open { name: "b.py".to_owned() });
        let save = Command::SetScript { text: "old".to_owned() };
        assert_eq!(effects, [Effect::Send(save.clone()), Effect::Send(open)]);
        assert_eq!(app.apply(Action::SaveScript), []);
        assert_eq!(hear(&mut app, names("b.py", Some("new"))), [Effect::ShowScript(Rc::from("new"))]);
        assert_eq!(app.apply(Action::SaveScript), [Effect::Send(Command::SetScript { text: "new".to_owned() })]);
    }

    #[test]
    fn a_past_run_s_text_comes_back() {
        let run = |number, outcome| PastRun {
            number,
            clock_ms: 0,
            script: "a.py".to_owned(),
            text: format!("text {number}"),
            outcome,
        };
        let mut app = App::default();
        hear(&mut app, ScriptsEvent::Ran(run(1, RunOutcome::Running)));
        hear(&mut app, ScriptsEvent::Ran(run(1, RunOutcome::Finished)));
        hear(&mut app, ScriptsEvent::Ran(run(2, RunOutcome::Running)));
        app.apply(Action::Interrupt);
        let outcomes: Vec<&RunOutcome> = app.scripts.runs.iter().map(|run| &run.outcome).collect();
        assert_eq!(outcomes, [&RunOutcome::Finished, &RunOutcome::CutOff]);
        let effects = app.apply(Action::Scripts(ScriptsAction::Restore(1)));
        assert_eq!(effects, [Effect::ShowScript(Rc::from("text 1")), Effect::SaveSoon]);
    }
}
