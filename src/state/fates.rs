//! The row whose fate is told, and the tray of dropped rows.

use super::{App, Effect, Tab, View};
use std::rc::Rc;
use tidemark_protocol::Command;
use tidemark_protocol::messages::{DroppedEvent, FatesCommand, FatesEvent, Pick, Told};

#[derive(Clone, Debug, PartialEq)]
pub enum FatesAction {
    /// Tell the fate of this row of the shown query: opens the Fate tab.
    Select(Pick),
    /// The same without leaving the panel at hand on a narrow screen.
    Mark(Pick),
    /// No row.
    Clear,
    /// Ask again: a batch has run.
    Refresh,
    /// Ask for the tray of dropped rows.
    ReadTray,
    /// Save the tray as JSON lines.
    ExportTray,
}

/// What the Fate tab shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FatesState {
    pub pick: Option<Pick>,
    /// The answer for `pick`; None: it is on its way.
    pub told: Option<Rc<Told>>,
    /// Rows that were selected before this one, for the way back.
    pub trail: Vec<Pick>,
    /// Dropped rows of the shown query, oldest first.
    pub tray: Rc<Vec<DroppedEvent>>,
    /// Older ones that are not kept any more.
    pub lost: u64,
}

impl App {
    pub(super) fn act_fates(&mut self, action: FatesAction) -> Vec<Effect> {
        let Some(query) = self.shown_query().map(|view| view.info.id.clone()) else { return Vec::new() };
        match action {
            FatesAction::Select(pick) => {
                self.view = View::Detail;
                self.act_fates(FatesAction::Mark(pick))
            }
            FatesAction::Mark(pick) => {
                self.tab = Tab::Fate;
                if self.fates.pick.as_ref() != Some(&pick) {
                    self.fates.told = None;
                }
                self.fates.pick = Some(pick.clone());
                self.ask(Command::Fates(FatesCommand::Tell { query, pick }))
            }
            FatesAction::Clear => {
                self.fates.pick = None;
                self.fates.told = None;
                Vec::new()
            }
            FatesAction::Refresh => match self.fates.pick.clone() {
                Some(pick) => self.ask(Command::Fates(FatesCommand::Tell { query, pick })),
                None => Vec::new(),
            },
            FatesAction::ReadTray => self.ask(Command::Fates(FatesCommand::Dropped { query })),
            FatesAction::ExportTray => Vec::new(),
        }
    }

    pub(super) fn hear_fates(&mut self, event: FatesEvent) {
        let shown = self.shown_query().map(|view| view.info.id.clone());
        match event {
            FatesEvent::Told { query, pick, told } => {
                if Some(query) == shown && self.fates.pick.as_ref() == Some(&pick) {
                    self.fates.told = Some(Rc::new(told));
                }
            }
            FatesEvent::Dropped { query, rows, lost } => {
                if Some(query) == shown {
                    self.fates.tray = Rc::new(rows);
                    self.fates.lost = lost;
                }
            }
        }
    }
}
