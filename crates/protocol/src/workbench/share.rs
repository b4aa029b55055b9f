//! A workspace as one value: packed, and laid in place of another; its named scripts.

use tidemark_vfs::{FileSystem, FsError, FsErrorKind, FsResult, MemoryFs};

use super::files::{self, WORKSPACE_LIMIT_BYTES};
use super::ledger::Ledger;
use super::{CWD, SCRIPT_NAME, Workbench};
use crate::messages::{Event, NamedScript, Parcel, ParcelFile, RunOutcome, ScriptsCommand, ScriptsEvent};
use crate::messages::{ShareCommand, ShareEvent};

impl Workbench {
    pub(super) fn share(&mut self, command: ShareCommand) {
        match command {
            ShareCommand::Pack => match self.packed() {
                Ok(parcel) => self.shared.event(Event::Share(ShareEvent::Packed(parcel))),
                Err(error) => self.refuse("pack", error.to_string()),
            },
            ShareCommand::Lay(parcel) => {
                if let Err(error) = self.lay_parcel(parcel) {
                    self.refuse("open", error.to_string());
                }
            }
            ShareCommand::Put { replace, files } => {
                self.tick();
                match self.put(replace.as_deref(), &files) {
                    Ok(()) => self.shared.event(Event::Share(ShareEvent::Put { files: files.len() })),
                    Err(error) => self.refuse("import", error.to_string()),
                }
            }
        }
    }

    fn packed(&self) -> FsResult<Parcel> {
        let fs = &self.shared.fs;
        let tree = fs.walk();
        let mut parcel = Parcel { clock_ms: self.clock_ms, ..Parcel::default() };
        for (at, (path, metadata)) in tree.iter().enumerate() {
            if !metadata.is_dir {
                let content = fs.read(path)?.to_vec();
                parcel.files.push(ParcelFile { path: path.clone(), modified_ms: metadata.modified_ms, content });
            } else if !tree.get(at + 1).is_some_and(|(next, _)| next.starts_with(&format!("{path}/"))) {
                parcel.folders.push(path.clone());
            }
        }
        let ledger = self.shared.ledger.borrow();
        parcel.current = ledger.shelf.current().to_owned();
        parcel.scripts = vec![NamedScript { name: parcel.current.clone(), text: ledger.script.clone() }];
        let others = ledger.shelf.others().iter();
        parcel.scripts.extend(others.map(|(name, text)| NamedScript { name: name.clone(), text: text.clone() }));
        parcel.records = ledger.records();
        Ok(parcel)
    }

    /// Everything is laid beside the workspace first, so that what does not fit leaves it as it was.
    fn lay_parcel(&mut self, parcel: Parcel) -> FsResult<()> {
        let clock_ms = self.clock_ms.max(parcel.clock_ms);
        let aside = MemoryFs::new();
        aside.create_dir_all(CWD, clock_ms)?;
        for folder in &parcel.folders {
            aside.create_dir_all(folder, clock_ms)?;
        }
        write_all(&aside, &parcel.files, clock_ms)?;
        let fs = self.shared.fs.clone();
        files::clear(&fs)?;
        fs.restore(&aside.snapshot());
        self.engine = None;
        self.clock_ms = clock_ms;
        self.shared.kept.borrow_mut().clear();
        {
            let mut ledger = self.shared.ledger.borrow_mut();
            *ledger = Ledger::adopt(parcel.records);
            let shown = parcel.scripts.iter().position(|script| script.name == parcel.current).unwrap_or(0);
            let current = parcel
                .scripts
                .get(shown)
                .cloned()
                .unwrap_or_else(|| NamedScript { name: SCRIPT_NAME.to_owned(), text: String::new() });
            let others = parcel.scripts.into_iter().enumerate().filter(|(at, _)| *at != shown);
            ledger.lay_scripts(current, others.map(|(_, script)| script));
            ledger.set_clock(clock_ms);
        }
        self.inputs.renew(fs);
        self.shared.commit_anew();
        self.shared.event(Event::Share(ShareEvent::Laid));
        let restored = self.shared.ledger.borrow().restored();
        self.ready(Some(restored));
        Ok(())
    }

    fn put(&self, replace: Option<&str>, laid: &[ParcelFile]) -> FsResult<()> {
        let fs = &self.shared.fs;
        let before = fs.snapshot();
        let put = || {
            if let Some(folder) = replace.filter(|folder| fs.exists(folder)) {
                files::remove(fs, folder)?;
            }
            write_all(fs, laid, self.clock_ms)
        };
        put().inspect_err(|_| fs.restore(&before))
    }

    pub(super) fn scripts(&mut self, command: ScriptsCommand) {
        let done = {
            let mut ledger = self.shared.ledger.borrow_mut();
            let text = ledger.script.clone();
            let shown = match command {
                ScriptsCommand::Open { name } => ledger.shelf.open(&name, &text).map(Some),
                ScriptsCommand::New { name, text: new } => ledger.shelf.add(&name, &text).map(|()| Some(new)),
                ScriptsCommand::Rename { from, to } => ledger.shelf.rename(&from, &to).map(|()| None),
                ScriptsCommand::Delete { name } => ledger.shelf.delete(&name),
            };
            shown.inspect(|shown| {
                if let Some(text) = shown {
                    ledger.set_script(text);
                }
            })
        };
        match done {
            Ok(text) => self.say_scripts(text),
            Err(message) => {
                self.refuse("script", message);
                // What the page shows is what there is.
                let text = self.shared.ledger.borrow().script.clone();
                self.say_scripts(Some(text));
            }
        }
    }

    pub(super) fn say_scripts(&self, text: Option<String>) {
        let ledger = self.shared.ledger.borrow();
        let names = ledger.shelf.names();
        let current = ledger.shelf.current().to_owned();
        self.shared.event(Event::Scripts(ScriptsEvent::Names { current, names, text }));
    }

    pub(super) fn say_runs(&self) {
        let runs = self.shared.ledger.borrow().shelf.runs().to_vec();
        self.shared.event(Event::Scripts(ScriptsEvent::Runs(runs)));
    }

    fn say_last_run(&self) {
        let last = self.shared.ledger.borrow().shelf.runs().last().cloned();
        if let Some(run) = last {
            self.shared.event(Event::Scripts(ScriptsEvent::Ran(run)));
        }
    }

    /// A run begins: it is in the history from its first moment.
    pub(super) fn note_run(&self, text: &str) {
        self.shared.ledger.borrow_mut().shelf.start_run(text, self.clock_ms);
        self.say_last_run();
    }

    /// The newest run went on, or ended.
    pub(super) fn note_outcome(&self, outcome: RunOutcome) {
        if self.shared.ledger.borrow_mut().shelf.end_run(outcome) {
            self.say_last_run();
        }
    }
}

/// Files without a time get the present one, a millisecond between two of them: a source reads them in this order.
fn write_all(fs: &MemoryFs, laid: &[ParcelFile], now_ms: i64) -> FsResult<()> {
    let total: u64 = laid.iter().map(|file| file.content.len() as u64).sum();
    if total > WORKSPACE_LIMIT_BYTES {
        let mut error = FsError::new(FsErrorKind::Full, "/");
        error.detail = format!("a workspace holds up to {} MB", WORKSPACE_LIMIT_BYTES >> 20);
        return Err(error);
    }
    let count = i64::try_from(laid.len()).unwrap_or(0);
    for (file, age) in laid.iter().zip((0..count).rev()) {
        let modified_ms = if file.modified_ms == 0 { now_ms - age } else { file.modified_ms };
        files::write(fs, &file.path, &file.content, modified_ms)?;
    }
    Ok(())
}
