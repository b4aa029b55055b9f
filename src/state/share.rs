//! What leaves the page and what comes to it: the version of the page itself, so far.

use super::{App, Effect};

/// What the person or the browser did.
#[derive(Clone, Debug, PartialEq)]
pub enum ShareAction {
    Show(Option<ShareDialog>),
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
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShareState {
    pub dialog: Option<ShareDialog>,
    /// The page opens without a network.
    pub kept: bool,
    /// Another version waits, and the person has not put it off.
    pub new_version: bool,
    /// The browser was asked to keep the page.
    keeping: bool,
}

impl App {
    pub(super) fn share(&mut self, action: ShareAction) -> Vec<Effect> {
        match action {
            ShareAction::Show(dialog) => self.share.dialog = dialog,
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

    /// A workspace is open: the engine has been loaded, and the page may be fetched once more to be kept.
    pub(super) fn share_ready(&mut self) -> Vec<Effect> {
        if std::mem::replace(&mut self.share.keeping, true) {
            return Vec::new();
        }
        vec![Effect::Share(ShareEffect::KeepPage)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Action;

    fn share(app: &mut App, action: ShareAction) -> Vec<Effect> {
        app.apply(Action::Share(action))
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
}
