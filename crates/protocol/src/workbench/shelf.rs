//! The named scripts of a workspace beside the one that is shown, and its past runs, as records of the store.

use std::collections::BTreeMap;

use super::SCRIPT_NAME;
use crate::messages::{NamedScript, PastRun, RunOutcome};

const CURRENT: &str = "current";
const SCRIPTS: &str = "scripts/";
const RUN: &str = "run/";

/// Runs that are remembered; the oldest go first.
const RUN_LIMIT: usize = 50;
/// Letters that a script's name may have.
const NAME_LIMIT: usize = 80;

/// Changes to records: a value, or None for one that goes.
pub(super) type Unsaved = BTreeMap<String, Option<String>>;

#[derive(Clone, Debug)]
pub(super) struct Shelf {
    /// Name of the script that is shown; its text is the ledger's.
    current: String,
    /// The other ones, by name.
    others: BTreeMap<String, String>,
    runs: Vec<PastRun>,
    unsaved: Unsaved,
}

impl Default for Shelf {
    /// A workspace from before there were names: one script.
    fn default() -> Self {
        Self { current: SCRIPT_NAME.to_owned(), others: BTreeMap::new(), runs: Vec::new(), unsaved: Unsaved::new() }
    }
}

fn run_key(number: u64) -> String {
    format!("{RUN}{number:012}")
}

impl Shelf {
    /// Takes a record that is one of its own.
    pub(super) fn restore(&mut self, key: &str, value: &str) -> bool {
        if key == CURRENT {
            value.clone_into(&mut self.current);
        } else if let Some(name) = key.strip_prefix(SCRIPTS) {
            self.others.insert(name.to_owned(), value.to_owned());
        } else if key.starts_with(RUN) {
            if let Ok(mut run) = serde_json::from_str::<PastRun>(value) {
                if run.outcome.is_open() {
                    run.outcome = RunOutcome::CutOff;
                }
                self.runs.push(run);
                self.runs.sort_by_key(|run| run.number);
            }
        } else {
            return false;
        }
        true
    }

    /// Everything as records.
    pub(super) fn records(&self) -> Vec<(String, String)> {
        let mut records = vec![(CURRENT.to_owned(), self.current.clone())];
        records.extend(self.others.iter().map(|(name, text)| (format!("{SCRIPTS}{name}"), text.clone())));
        let json = |run: &PastRun| Some((run_key(run.number), serde_json::to_string(run).ok()?));
        records.extend(self.runs.iter().filter_map(json));
        records
    }

    pub(super) fn take_unsaved(&mut self) -> Unsaved {
        std::mem::take(&mut self.unsaved)
    }

    pub(super) fn current(&self) -> &str {
        &self.current
    }

    pub(super) fn others(&self) -> &BTreeMap<String, String> {
        &self.others
    }

    /// Sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.others.keys().cloned().collect();
        names.push(self.current.clone());
        names.sort();
        names
    }

    pub(super) fn runs(&self) -> &[PastRun] {
        &self.runs
    }

    fn put_script(&mut self, name: &str, text: String) {
        self.unsaved.insert(format!("{SCRIPTS}{name}"), Some(text.clone()));
        self.others.insert(name.to_owned(), text);
    }

    fn take_script(&mut self, name: &str) -> Option<String> {
        self.unsaved.insert(format!("{SCRIPTS}{name}"), None);
        self.others.remove(name)
    }

    fn set_current(&mut self, name: &str) {
        name.clone_into(&mut self.current);
        self.unsaved.insert(CURRENT.to_owned(), Some(name.to_owned()));
    }

    /// Shows another script; `text` is that of the shown one. Gives the new one's text.
    pub(super) fn open(&mut self, name: &str, text: &str) -> Result<String, String> {
        if name == self.current {
            return Ok(text.to_owned());
        }
        if !self.others.contains_key(name) {
            return Err(format!("there is no script {name}"));
        }
        let opened = self.take_script(name).unwrap_or_default();
        let old = self.current.clone();
        self.put_script(&old, text.to_owned());
        self.set_current(name);
        Ok(opened)
    }

    /// Makes a script and shows it; `text` is that of the shown one.
    pub(super) fn add(&mut self, name: &str, text: &str) -> Result<(), String> {
        self.check_new(name)?;
        let old = self.current.clone();
        self.put_script(&old, text.to_owned());
        self.set_current(name);
        Ok(())
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), String> {
        if from == to {
            return Ok(());
        }
        self.check_new(to)?;
        if from == self.current {
            self.set_current(to);
            return Ok(());
        }
        let text = self.take_script(from).ok_or_else(|| format!("there is no script {from}"))?;
        self.put_script(to, text);
        Ok(())
    }

    /// Gives the text of the script that is shown now, if the shown one went.
    pub(super) fn delete(&mut self, name: &str) -> Result<Option<String>, String> {
        if name != self.current {
            return match self.take_script(name) {
                Some(_) => Ok(None),
                None => Err(format!("there is no script {name}")),
            };
        }
        let Some(next) = self.others.keys().next().cloned() else {
            return Err("a workspace keeps one script; rename it, or make another first".to_owned());
        };
        let text = self.take_script(&next).unwrap_or_default();
        self.set_current(&next);
        Ok(Some(text))
    }

    /// The scripts of a laid workspace take the place of those there are; one with a name that is taken or none is left out.
    pub(super) fn lay(&mut self, current: &str, others: impl Iterator<Item = NamedScript>) {
        for name in self.others.keys().cloned().collect::<Vec<_>>() {
            self.take_script(&name);
        }
        self.current.clear();
        let current = if self.check_new(current).is_ok() { current } else { SCRIPT_NAME };
        self.set_current(current);
        for script in others {
            if self.check_new(&script.name).is_ok() {
                self.put_script(&script.name, script.text);
            }
        }
    }

    fn check_new(&self, name: &str) -> Result<(), String> {
        let letters = name.chars().count();
        if letters == 0 || letters > NAME_LIMIT || name.contains(['/', '\\']) || name.chars().any(char::is_control) {
            return Err(format!("{name:?} is no name for a script: up to {NAME_LIMIT} letters, no slashes"));
        }
        if name == self.current || self.others.contains_key(name) {
            return Err(format!("there is a script {name} already"));
        }
        Ok(())
    }

    /// A run begins.
    pub(super) fn start_run(&mut self, text: &str, clock_ms: i64) {
        self.end_run(RunOutcome::CutOff);
        let number = self.runs.last().map_or(1, |run| run.number + 1);
        let script = self.current.clone();
        self.runs.push(PastRun { number, clock_ms, script, text: text.to_owned(), outcome: RunOutcome::Running });
        if self.runs.len() > RUN_LIMIT {
            let gone = self.runs.remove(0);
            self.unsaved.insert(run_key(gone.number), None);
        }
        self.save_last_run();
    }

    /// The newest run went on. False: it is over already.
    pub(super) fn end_run(&mut self, outcome: RunOutcome) -> bool {
        match self.runs.last_mut() {
            Some(run) if run.outcome.is_open() => run.outcome = outcome,
            _ => return false,
        }
        self.save_last_run();
        true
    }

    fn save_last_run(&mut self) {
        if let Some(run) = self.runs.last()
            && let Ok(json) = serde_json::to_string(run)
        {
            self.unsaved.insert(run_key(run.number), Some(json));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_made_shown_renamed_and_deleted() {
        let mut shelf = Shelf::default();
        assert_eq!(shelf.names(), ["script.py"]);
        assert!(shelf.delete("script.py").is_err());
        shelf.add("b.py", "one").unwrap();
        assert_eq!((shelf.current(), shelf.names()), ("b.py", vec!["b.py".to_owned(), "script.py".to_owned()]));
        for bad in ["", "b.py", "script.py", "a/b.py", "a\nb"] {
            assert!(shelf.add(bad, "").is_err(), "{bad:?}");
        }
        assert_eq!(shelf.open("script.py", "two").unwrap(), "one");
        assert!(shelf.open("c.py", "").is_err());
        shelf.rename("b.py", "c.py").unwrap();
        assert_eq!(shelf.delete("script.py").unwrap().as_deref(), Some("two"));
        assert_eq!(shelf.names(), ["c.py"]);
    }

    #[test]
    fn records_bring_it_back_and_a_run_that_was_open_is_cut_off() {
        let mut shelf = Shelf::default();
        shelf.add("b.py", "one").unwrap();
        for number in 0..60 {
            shelf.start_run(&format!("run {number}"), number);
        }
        shelf.end_run(RunOutcome::Finished);
        shelf.start_run("last", 60);
        let mut store: BTreeMap<String, String> = BTreeMap::new();
        for (key, value) in shelf.take_unsaved() {
            match value {
                Some(value) => drop(store.insert(key, value)),
                None => drop(store.remove(&key)),
            }
        }
        assert_eq!(store.clone().into_iter().collect::<BTreeMap<_, _>>(), shelf.records().into_iter().collect());
        let mut back = Shelf::default();
        assert!(store.iter().all(|(key, value)| back.restore(key, value)));
        assert!(!back.restore("script", "x"));
        assert_eq!((back.current(), back.runs().len()), ("b.py", RUN_LIMIT));
        let last = &back.runs()[RUN_LIMIT - 2..];
        assert_eq!((&last[0].outcome, &last[1].outcome), (&RunOutcome::Finished, &RunOutcome::CutOff));
        assert_eq!((last[1].number, last[1].text.as_str()), (61, "last"));
    }
}
