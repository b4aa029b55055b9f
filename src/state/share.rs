//! What leaves the page and what comes to it: links, files, the version of the page itself.

use super::{Action, App, Effect, Engine, Life};
use crate::share::{checkpoint, link, markdown, paths, pytest, submit, workspace};
use std::rc::Rc;
use tidemark_protocol::Command;
use tidemark_protocol::messages::{Parcel, ParcelFile, ShareCommand, ShareEvent};

/// Bytes of files that a workspace may have to leave in one piece.
pub const PARCEL_LIMIT: u64 = 128 << 20;
/// Bytes of input files above which no link is tried.
const LINK_TRY: u64 = 4 << 20;

/// What the person or the browser did.
#[derive(Clone, Debug, PartialEq)]
pub enum ShareAction {
    /// The page begins: its address without query and fragment, the fragment, and whether it stands inside another page.
    Here {
        address: String,
        fragment: String,
        embed: bool,
    },
    /// The address has another fragment.
    Arrived(String),
    Show(Option<ShareDialog>),
    CopyLink,
    /// HTML that shows the workspace inside another page.
    CopyEmbed,
    CopyMarkdown,
    /// The clipboard has it, or the browser has refused.
    Copied {
        what: &'static str,
        done: bool,
    },
    SaveWorkspace,
    /// For a machine where the script runs in the folder `there`.
    SaveCheckpoint {
        folder: String,
        there: String,
    },
    SaveSubmit,
    SavePytest,
    /// A workspace as a file.
    OpenFile(Rc<[u8]>),
    /// Take what came in place of the present workspace.
    Replace,
    /// Take what came as a workspace of its own.
    Beside,
    /// A checkpoint as a zip, or as the files of a folder.
    OpenCheckpoint(Rc<[u8]>),
    OpenCheckpointFolder(Vec<(String, Vec<u8>)>),
    /// Lay it in this folder; the files that it has read lie in `here`.
    LayCheckpoint {
        folder: String,
        here: Option<String>,
    },
    /// The browser has the whole page: it opens without a network.
    Kept,
    /// Another version of the page waits.
    NewVersion,
    /// Load it.
    Update,
    /// Not now: it comes with the next reload.
    Later,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ShareEffect {
    Copy {
        text: String,
        what: &'static str,
    },
    /// Take the fragment out of the address, so that a reload does not bring it again.
    ForgetFragment,
    /// Go to another workspace.
    OpenWorkspace(String),
    /// Have the browser keep the page.
    KeepPage,
    /// Load the page's new version.
    Update,
}

/// A dialog of this part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareDialog {
    /// Which Spark is followed, and what the page is.
    About,
    Share,
    /// A workspace has come.
    Offer,
    /// A checkpoint has come.
    Checkpoint,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShareState {
    pub dialog: Option<ShareDialog>,
    /// Of the page, without query and fragment.
    pub address: String,
    /// The page stands inside another one: editor, steps and tables only, nothing is kept.
    pub embed: bool,
    /// The fragment that the page was opened with, for the link of an embedded page.
    pub fragment: String,
    /// The workspace as it was when the dialog was opened.
    pub parcel: Option<Rc<Parcel>>,
    /// Its link's fragment, or the length that is too much.
    pub link: Option<Result<String, usize>>,
    /// What went wrong in the open dialog.
    pub problem: Option<String>,
    /// A workspace that has come and waits for an answer.
    pub offer: Option<Rc<Parcel>>,
    /// A checkpoint that has come.
    pub found: Option<Rc<checkpoint::Found>>,
    /// A link that waits for the engine.
    arriving: Option<String>,
    /// The workspace that is being opened is to hold this.
    pending: Option<Rc<Parcel>>,
    /// The pending one is opened once this one is saved.
    pub(super) leaving: bool,
    /// The page opens without a network.
    pub kept: bool,
    /// Another version waits, and the person has not put it off.
    pub new_version: bool,
    /// The browser was asked to keep the page.
    keeping: bool,
}

impl ShareState {
    /// The whole address of the link.
    pub fn link_address(&self) -> Option<String> {
        let fragment = self.link.as_ref()?.as_ref().ok()?;
        Some(format!("{}#{fragment}", self.address))
    }
}

impl App {
    pub(super) fn share(&mut self, action: ShareAction) -> Vec<Effect> {
        match action {
            ShareAction::Here { address, fragment, embed } => {
                self.share.address = address;
                self.share.embed = embed;
                self.share.fragment.clone_from(&fragment);
                self.share.arriving = Some(fragment);
            }
            ShareAction::Arrived(fragment) if self.is_ready() => return self.arrived(&fragment, false),
            ShareAction::Arrived(fragment) => self.share.arriving = Some(fragment),
            ShareAction::Show(dialog) => return self.show_share(dialog),
            ShareAction::CopyLink => {
                let link = self.share.link_address();
                return self.copy(link, "Link");
            }
            ShareAction::CopyEmbed => {
                let fragment = self.share.link.clone().and_then(Result::ok);
                let html = fragment.map(|fragment| embed_html(&self.share.address, &fragment));
                return self.copy(html, "HTML");
            }
            ShareAction::CopyMarkdown => {
                let text = self.share.parcel.clone().map(|parcel| {
                    let query = self.shown_query().map(|query| (query.label(), query.batches.as_slice()));
                    markdown::text(&parcel, query, self.share.link_address().as_deref())
                });
                return self.copy(text, "Markdown");
            }
            ShareAction::Copied { what, done } => self.say(match done {
                true => format!("{what} copied"),
                false => format!("The browser lets nothing be copied: take the {what} from the field by hand."),
            }),
            ShareAction::SaveWorkspace => {
                return self.save(|_, parcel| {
                    let bytes = workspace::pack(parcel).map_err(|error| error.to_string())?;
                    Ok(("tidemark-workspace.zip".to_owned(), bytes))
                });
            }
            ShareAction::SaveCheckpoint { folder, there } => {
                return self.save(|_, parcel| {
                    let bytes = checkpoint::pack(parcel, &folder, &there).map_err(|error| error.to_string())?;
                    Ok((format!("{}.zip", folder.rsplit('/').next().unwrap_or("checkpoint")), bytes))
                });
            }
            ShareAction::SaveSubmit => {
                return self.save(|_, parcel| {
                    let name = parcel.script().map_or("script.py", |script| script.name.as_str()).to_owned();
                    Ok((name, submit::source(parcel)?.into_bytes()))
                });
            }
            ShareAction::SavePytest => return self.save(App::pytest),
            ShareAction::OpenFile(bytes) => match workspace::unpack(&bytes) {
                Ok(parcel) => {
                    self.share.offer = Some(Rc::new(parcel));
                    self.share.dialog = Some(ShareDialog::Offer);
                }
                Err(error) => self.problem(error.to_string()),
            },
            ShareAction::Replace => {
                self.share.dialog = None;
                if let Some(parcel) = self.share.offer.take() {
                    return self.lay_parcel(&parcel);
                }
            }
            ShareAction::Beside => {
                self.share.dialog = None;
                if let Some(parcel) = self.share.offer.take() {
                    self.share.pending = Some(parcel);
                    // The editor's text is saved first; a script that holds the engine was saved when it was run.
                    let text = self.script.to_string();
                    let save = if self.is_busy() { Vec::new() } else { self.ask(Command::SetScript { text }) };
                    self.share.leaving = !save.is_empty();
                    return if save.is_empty() { self.leave() } else { save };
                }
            }
            ShareAction::OpenCheckpoint(bytes) => self.found(checkpoint::unzip(&bytes)),
            ShareAction::OpenCheckpointFolder(entries) => self.found(checkpoint::find(entries)),
            ShareAction::LayCheckpoint { folder, here } => return self.lay_checkpoint(&folder, here.as_deref()),
            ShareAction::Kept => self.share.kept = true,
            ShareAction::NewVersion => {
                self.share.new_version = true;
                self.say("A new version of Tidemark is there. Reload takes it.".to_owned());
            }
            ShareAction::Later => self.share.new_version = false,
            ShareAction::Update => return vec![Effect::Share(ShareEffect::Update)],
        }
        Vec::new()
    }

    /// The workspace is saved: the one that waits is opened beside it.
    pub(super) fn leave(&mut self) -> Vec<Effect> {
        self.share.leaving = false;
        let Some(parcel) = self.share.pending.clone() else { return Vec::new() };
        let name = format!("shared-{:08x}", fingerprint(&parcel));
        self.lose_session();
        self.begin_anew();
        self.engine = Engine::Starting;
        vec![Effect::Share(ShareEffect::OpenWorkspace(name))]
    }

    fn show_share(&mut self, dialog: Option<ShareDialog>) -> Vec<Effect> {
        // A dialog that was replaced by another says that it closed afterwards.
        if dialog.is_none() {
            self.share.offer = None;
            self.share.found = None;
        }
        self.share.dialog = dialog;
        self.share.problem = None;
        if dialog != Some(ShareDialog::Share) {
            return Vec::new();
        }
        self.share.parcel = None;
        self.share.link = None;
        let size: u64 = self.files.iter().map(|file| file.len).sum();
        if size > PARCEL_LIMIT {
            let (size, limit) = (crate::format::bytes(size), PARCEL_LIMIT >> 20);
            self.problem(format!("The workspace has {size} in its files; up to {limit} MB can leave in one piece. Delete files that are not needed."));
            return Vec::new();
        }
        let mut effects = self.ask(Command::SetScript { text: self.script.to_string() });
        effects.extend(self.ask(Command::Share(ShareCommand::Pack)));
        effects
    }

    fn problem(&mut self, text: String) {
        self.say(text.clone());
        self.share.problem = Some(text);
    }

    fn copy(&mut self, text: Option<String>, what: &'static str) -> Vec<Effect> {
        self.share.problem = None;
        text.map(|text| Effect::Share(ShareEffect::Copy { text, what })).into_iter().collect()
    }

    fn save(&mut self, make: impl FnOnce(&App, &Parcel) -> Result<(String, Vec<u8>), String>) -> Vec<Effect> {
        let Some(parcel) = self.share.parcel.clone() else { return Vec::new() };
        self.share.problem = None;
        match make(self, &parcel) {
            Ok((path, content)) => {
                self.say(format!("{path} saved"));
                vec![Effect::Download { path, content }]
            }
            Err(text) => {
                self.problem(text);
                Vec::new()
            }
        }
    }

    fn pytest(&self, parcel: &Parcel) -> Result<(String, Vec<u8>), String> {
        let view = self.shown_query().ok_or("No query has run yet: step first.")?;
        let together: Vec<_> = self.queries.iter().filter(|other| other.started_in == view.started_in).collect();
        let shown = together.iter().take_while(|other| other.info.id != view.info.id).count();
        let queries = together.iter().map(|one| (&*one.info, one.batches.as_slice())).collect();
        let script = self.ran.as_deref().unwrap_or(&self.script);
        let started_ms = self.scripts.runs.last().map_or(i64::MAX, |run| run.clock_ms);
        let seen = pytest::Seen { parcel, script, queries, shown, started_ms };
        let stem = parcel.script().map_or("script", |script| script.name.trim_end_matches(".py"));
        let stem: String = stem.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect();
        Ok((format!("test_{stem}.py"), pytest::source(&seen)?.into_bytes()))
    }

    /// The checkpoints that a dialog can offer, and the query of each, if one is on show.
    pub fn checkpoints(&self) -> Vec<(String, Option<String>)> {
        let Some(parcel) = &self.share.parcel else { return Vec::new() };
        let query = |folder: &str| {
            let view = self.queries.iter().find(|view| view.info.checkpoint.trim_end_matches('/').ends_with(folder))?;
            Some(view.label().to_owned())
        };
        paths::checkpoints(parcel).into_iter().map(|folder| (folder.clone(), query(&folder))).collect()
    }

    /// A workspace is open: the engine has been loaded, and the page may be fetched once more to be kept. `fresh`: nothing
    /// was stored of it.
    pub(super) fn share_ready(&mut self, fresh: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        if !std::mem::replace(&mut self.share.keeping, true) && !self.share.embed {
            effects.push(Effect::Share(ShareEffect::KeepPage));
        }
        if let Some(parcel) = self.share.pending.take() {
            if fresh {
                effects.extend(self.lay_parcel(&parcel));
            } else {
                self.say("This was opened before: its workspace is as it was left.".to_owned());
            }
        } else if let Some(fragment) = self.share.arriving.take() {
            effects.extend(self.arrived(&fragment, fresh || self.share.embed));
        }
        effects
    }

    /// `free`: there is nothing that could be lost.
    fn arrived(&mut self, fragment: &str, free: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        let Some(opened) = link::decode(fragment) else { return effects };
        if !self.share.embed {
            effects.push(Effect::Share(ShareEffect::ForgetFragment));
        }
        match opened {
            Err(error) => self.tell(format!("{error} The workspace here is as it was.")),
            Ok(parcel) if free => effects.extend(self.lay_parcel(&parcel)),
            Ok(parcel) => {
                self.share.offer = Some(Rc::new(parcel));
                self.share.dialog = Some(ShareDialog::Offer);
            }
        }
        effects
    }

    fn lay_parcel(&mut self, parcel: &Parcel) -> Vec<Effect> {
        self.ask(Command::Share(ShareCommand::Lay(parcel.clone())))
    }

    fn found(&mut self, found: Result<checkpoint::Found, checkpoint::CheckpointError>) {
        match found {
            Ok(found) => {
                self.share.found = Some(Rc::new(found));
                self.share.dialog = Some(ShareDialog::Checkpoint);
                self.share.problem = None;
            }
            Err(error) => self.problem(error.to_string()),
        }
    }

    fn lay_checkpoint(&mut self, folder: &str, here: Option<&str>) -> Vec<Effect> {
        let Some(found) = self.share.found.clone() else { return Vec::new() };
        let path = |typed: &str| paths::checked(typed.trim().trim_end_matches('/'));
        let Some(folder) = path(folder) else {
            self.problem(format!("{folder:?} is no folder."));
            return Vec::new();
        };
        let here = match here.filter(|here| !here.trim().is_empty()) {
            None => None,
            Some(here) => match path(here) {
                Some(here) => Some(here),
                None => {
                    self.problem(format!("{here:?} is no folder."));
                    return Vec::new();
                }
            },
        };
        let in_use = |view: &&super::QueryView| view.life == Life::Active && view.info.checkpoint.ends_with(&folder);
        if let Some(view) = self.queries.iter().find(in_use) {
            self.problem(format!("Query {} uses this checkpoint: stop it first.", view.label()));
            return Vec::new();
        }
        let files: Option<Vec<ParcelFile>> = (*found).clone().lay(&folder, here.as_deref());
        let Some(files) = files else {
            self.problem("A file of the checkpoint has a name that cannot be used here.".to_owned());
            return Vec::new();
        };
        self.share.found = None;
        self.share.dialog = None;
        self.ask(Command::Share(ShareCommand::Put { replace: Some(folder), files }))
    }

    pub(super) fn share_event(&mut self, event: ShareEvent) {
        match event {
            ShareEvent::Packed(parcel) => {
                let size: u64 = paths::inputs(&parcel).iter().map(|file| file.content.len() as u64).sum();
                let too_much = usize::try_from(size).unwrap_or(usize::MAX);
                self.share.link = Some(if size > LINK_TRY { Err(too_much) } else { link::encode(&parcel) });
                self.share.parcel = Some(Rc::new(parcel));
            }
            ShareEvent::Laid => {
                self.begin_anew();
                self.say("The workspace is here. Step runs it, trigger by trigger.".to_owned());
            }
            ShareEvent::Put { files } => {
                self.say(format!("The checkpoint is here: {files} files. Run or Restart goes on from it."));
            }
        }
    }

    /// An empty page: another workspace, or another beginning.
    pub(super) fn begin_anew(&mut self) {
        *self = App {
            engine: self.engine.clone(),
            storage: self.storage.clone(),
            speed: self.speed,
            share: self.share.clone(),
            scripts: self.scripts.clone(),
            tab: self.tab,
            enlarged: self.enlarged,
            view: self.view,
            assist: self.assist.clone(),
            fates: super::FatesState { follow: self.fates.follow, ..super::FatesState::default() },
            lessons: std::mem::take(&mut self.lessons),
            files: self.files.clone(),
            sent: self.sent,
            settled: self.settled,
            working: std::mem::take(&mut self.working),
            runs: self.runs,
            notice_ids: self.notice_ids,
            ..App::default()
        };
        self.lessons.laid_anew(false);
    }
}

/// FNV-1a over what a parcel holds: the same link opens the same workspace.
fn fingerprint(parcel: &Parcel) -> u32 {
    let scripts = parcel.scripts.iter().flat_map(|script| [script.name.as_bytes(), script.text.as_bytes()]);
    let files = parcel.files.iter().flat_map(|file| [file.path.as_bytes(), file.content.as_slice()]);
    let mut hash = 0x811c_9dc5u32;
    for byte in scripts.chain(files).flat_map(|part| part.iter().copied().chain([0])) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash
}

fn embed_html(address: &str, fragment: &str) -> String {
    format!(
        "<iframe src=\"{address}?embed#{fragment}\" title=\"A Spark Structured Streaming script, to step through\" \
         width=\"100%\" height=\"560\" style=\"border: 1px solid #ccc\" allow=\"clipboard-write\"></iframe>"
    )
}

/// An action of this part.
impl From<ShareAction> for Action {
    fn from(action: ShareAction) -> Action {
        Action::Share(action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemark_protocol::Event;
    use tidemark_protocol::messages::{NamedScript, Restored};

    fn share(app: &mut App, action: ShareAction) -> Vec<Effect> {
        app.apply(Action::Share(action))
    }

    fn ready(app: &mut App, restored: Option<Restored>) -> Vec<Effect> {
        app.apply(Action::Heard(Box::new(Event::Ready {
            engine_version: "1".to_owned(),
            spark_version: "4.3.0".to_owned(),
            script: "print(1)".to_owned(),
            restored,
            files: Vec::new(),
        })))
    }

    fn restored() -> Option<Restored> {
        Some(Restored { batches: Vec::new(), queries: Vec::new(), console: String::new() })
    }

    fn parcel() -> Parcel {
        Parcel {
            scripts: vec![NamedScript { name: "a.py".to_owned(), text: "print(2)".to_owned() }],
            current: "a.py".to_owned(),
            ..Parcel::default()
        }
    }

    fn here(fragment: &str) -> ShareAction {
        ShareAction::Here { address: "https://x/".to_owned(), fragment: fragment.to_owned(), embed: false }
    }

    fn laid(effects: &[Effect]) -> bool {
        effects.iter().any(|effect| matches!(effect, Effect::Send(Command::Share(ShareCommand::Lay(_)))))
    }

    #[test]
    fn a_new_version_waits_for_the_person() {
        let mut app = App::default();
        assert_eq!(share(&mut app, ShareAction::NewVersion), []);
        assert!(app.share.new_version && app.announcement.contains("new version"));
        share(&mut app, ShareAction::Later);
        assert!(!app.share.new_version);
        assert_eq!(share(&mut app, ShareAction::Update), [Effect::Share(ShareEffect::Update)]);
    }

    #[test]
    fn a_link_fills_a_new_workspace_and_asks_before_it_replaces_one() {
        let link = format!("#{}", link::encode(&parcel()).unwrap());
        let mut app = App::default();
        share(&mut app, here(&link));
        let effects = ready(&mut app, None);
        assert!(laid(&effects) && effects.contains(&Effect::Share(ShareEffect::ForgetFragment)), "{effects:?}");

        let mut app = App::default();
        share(&mut app, here(&link));
        assert!(!laid(&ready(&mut app, restored())));
        assert_eq!(app.share.dialog, Some(ShareDialog::Offer));
        share(&mut app, ShareAction::Show(None));
        assert_eq!((&app.share.offer, app.script.as_ref()), (&None, "print(1)"));

        share(&mut app, ShareAction::Arrived(link.clone()));
        assert!(laid(&share(&mut app, ShareAction::Replace)));
        app.apply(Action::Heard(Box::new(Event::Share(ShareEvent::Laid))));
        assert_eq!(app.script.as_ref(), "");

        ready(&mut app, restored());
        share(&mut app, ShareAction::Arrived(link));
        let save = share(&mut app, ShareAction::Beside);
        assert!(matches!(&save[..], [Effect::Send(Command::SetScript { .. })]), "{save:?}");
        let settled = || Action::Heard(Box::new(Event::Settled { command: 0, clock_ms: 0, next_due_ms: None }));
        let effects = (0..9).map(|_| app.apply(settled())).find(|effects| !effects.is_empty()).unwrap_or_default();
        let [Effect::Share(ShareEffect::OpenWorkspace(name))] = &effects[..] else { panic!("{effects:?}") };
        assert!(name.starts_with("shared-"));
        assert!(laid(&ready(&mut app, None)));
    }

    #[test]
    fn a_broken_link_is_told_and_touches_nothing() {
        for (link, word) in [("#w1=abc", "broken"), ("#w7=abc", "version 7")] {
            let mut app = App::default();
            share(&mut app, here(link));
            assert!(!laid(&ready(&mut app, None)));
            assert!(app.notices[0].text.contains(word), "{:?}", app.notices);
            assert_eq!(app.script.as_ref(), "print(1)");
        }
    }

    #[test]
    fn the_dialog_packs_the_workspace_and_copies_its_link() {
        let mut app = App::default();
        share(&mut app, here(""));
        ready(&mut app, None);
        let effects = share(&mut app, ShareAction::Show(Some(ShareDialog::Share)));
        assert_eq!(effects.last(), Some(&Effect::Send(Command::Share(ShareCommand::Pack))));
        assert_eq!(share(&mut app, ShareAction::CopyLink), []);
        app.apply(Action::Heard(Box::new(Event::Share(ShareEvent::Packed(parcel())))));
        let effects = share(&mut app, ShareAction::CopyLink);
        let [Effect::Share(ShareEffect::Copy { text, .. })] = &effects[..] else { panic!("{effects:?}") };
        assert!(text.starts_with("https://x/#w1="));
        share(&mut app, ShareAction::Copied { what: "Link", done: true });
        assert_eq!(app.announcement, "Link copied");
        assert_eq!(share(&mut app, ShareAction::SavePytest), []);
        assert_eq!(app.share.problem.as_deref(), Some("No query has run yet: step first."));
        share(&mut app, ShareAction::OpenFile(Rc::from(*b"nothing")));
        assert!(app.share.problem.as_deref().is_some_and(|text| text.contains("no zip")));
    }
}
