//! The row whose fate is told, and the tray of dropped rows.

use super::{App, Effect, Tab, View};
use std::rc::Rc;
use tidemark_protocol::Command;
use tidemark_protocol::messages::{
    BatchReport, DroppedEvent, EventRef, Fate, FatesCommand, FatesEvent, Pick, Place, Told,
};

/// Rows that the way back remembers.
const TRAIL: usize = 20;

#[derive(Clone, Debug, PartialEq)]
pub enum FatesAction {
    /// Tell the fate of this row of the shown query: opens the Fate tab.
    Select(Pick),
    /// The same without leaving the panel at hand on a narrow screen.
    Mark(Pick),
    /// No row.
    Clear,
    /// The row that was selected before.
    Back,
    /// Ask again: a batch has run.
    Refresh,
    /// Ask for the tray of dropped rows.
    ReadTray,
    /// Save the tray as JSON lines.
    ExportTray,
    /// Whether rows of the batches from now on are followed.
    Follow(bool),
}

/// What the Fate tab shows.
#[derive(Clone, Debug, PartialEq)]
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
    /// The engine goes through the session again to find answers: commands done, of how many.
    pub recalling: Option<(usize, usize)>,
    /// Rows of the batches from now on are followed.
    pub follow: bool,
}

impl Default for FatesState {
    fn default() -> Self {
        let (tray, trail) = (Rc::default(), Vec::new());
        Self { pick: None, told: None, trail, tray, lost: 0, recalling: None, follow: true }
    }
}

impl FatesState {
    /// Another query is shown.
    pub(super) fn turn_away(&mut self) {
        *self = Self { recalling: self.recalling, follow: self.follow, ..Self::default() };
    }
}

impl App {
    pub(super) fn act_fates(&mut self, action: FatesAction) -> Vec<Effect> {
        if let FatesAction::Follow(on) = action {
            self.fates.follow = on;
            return self.ask(Command::Fates(FatesCommand::Follow { on }));
        }
        let Some(query) = self.shown_query().map(|view| view.info.id.clone()) else { return Vec::new() };
        match action {
            FatesAction::Follow(_) => Vec::new(),
            FatesAction::Select(pick) => {
                self.view = View::Detail;
                self.act_fates(FatesAction::Mark(pick))
            }
            FatesAction::Mark(pick) => {
                self.tab = Tab::Fate;
                if self.fates.pick.as_ref() != Some(&pick) {
                    self.fates.told = None;
                    if let Some(before) = self.fates.pick.replace(pick.clone()) {
                        self.fates.trail.push(before);
                        let over = self.fates.trail.len().saturating_sub(TRAIL);
                        self.fates.trail.drain(..over);
                    }
                }
                self.ask(Command::Fates(FatesCommand::Tell { query, pick }))
            }
            FatesAction::Clear => {
                self.fates.pick = None;
                self.fates.told = None;
                self.fates.trail.clear();
                Vec::new()
            }
            FatesAction::Back => match self.fates.trail.pop() {
                Some(pick) => {
                    self.fates.told = None;
                    self.fates.pick = Some(pick.clone());
                    self.ask(Command::Fates(FatesCommand::Tell { query, pick }))
                }
                None => Vec::new(),
            },
            FatesAction::Refresh => match self.fates.pick.clone() {
                Some(pick) => self.ask(Command::Fates(FatesCommand::Tell { query, pick })),
                None => Vec::new(),
            },
            FatesAction::ReadTray => self.ask(Command::Fates(FatesCommand::Dropped { query })),
            FatesAction::ExportTray => {
                let content = crate::fate::json_lines(&self.fates.tray).into_bytes();
                vec![Effect::Download { path: "dropped-rows.jsonl".to_owned(), content }]
            }
        }
    }

    pub(super) fn hear_fates(&mut self, event: FatesEvent) -> Vec<Effect> {
        let shown = self.shown_query().map(|view| view.info.id.clone());
        match event {
            FatesEvent::Recalling { done, total } => {
                self.fates.recalling = (done < total).then_some((done, total));
                // More is known now than when the tray was asked for.
                if self.fates.recalling.is_none() && self.tab == Tab::Fate {
                    return self.act_fates(FatesAction::ReadTray);
                }
            }
            FatesEvent::Told { query, pick, told } => {
                if Some(query) == shown && self.fates.pick.as_ref() == Some(&pick) {
                    self.fates.told = Some(Rc::new(told));
                }
            }
            FatesEvent::Dropped { query, rows, lost } => {
                if Some(query) == shown {
                    let view = self.shown_query();
                    let mut all = view.map(|view| remembered(&view.batches, &rows)).unwrap_or_default();
                    all.extend(rows);
                    all.sort_by_key(|row| (row.batch, row.event.arrival));
                    self.fates.tray = Rc::new(all);
                    self.fates.lost = lost;
                }
            }
        }
        Vec::new()
    }
}

/// Dropped rows of batches that the engine knows nothing of any more (they ran before a reload), as their reports tell them.
fn remembered(batches: &[Rc<BatchReport>], known: &[DroppedEvent]) -> Vec<DroppedEvent> {
    let oldest = known.first().map(|row| row.batch);
    let mut rows = Vec::new();
    for report in batches {
        if known.iter().any(|row| row.batch == report.batch) || oldest.is_some_and(|oldest| report.batch >= oldest) {
            continue;
        }
        let operator = report.operators.iter().find(|operator| operator.rows_dropped > 0);
        for event in &report.events {
            let Fate::Dropped { boundary_us, watermark_us } = event.fate else { continue };
            rows.push(DroppedEvent {
                batch: report.batch,
                made: None,
                event: EventRef {
                    batch: report.batch,
                    arrival: event.arrival,
                    event_time_us: event.event_time_us,
                    place: Place::File { name: event.origin.clone(), row: 0 },
                    row: event.row.clone(),
                },
                operator: operator.map_or(0, |operator| operator.id),
                operator_name: operator.map(|operator| operator.name.clone()).unwrap_or_default(),
                window: None,
                boundary_us,
                watermark_us,
            });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::tests::{commands, hear, info, ready};
    use super::*;
    use crate::state::Action;
    use tidemark_protocol::messages::Event;

    fn event(arrival: u64) -> Pick {
        Pick::Event { batch: 0, arrival }
    }

    #[test]
    fn a_selected_row_is_asked_for_and_only_its_answer_counts() {
        let mut app = ready();
        hear(&mut app, Event::QueryStarted(info("q")));
        let effects = app.apply(Action::Fates(FatesAction::Select(event(1))));
        let asked = Command::Fates(FatesCommand::Tell { query: "q".to_owned(), pick: event(1) });
        assert_eq!(commands(&effects), [&asked]);
        assert_eq!((app.tab, app.view), (Tab::Fate, View::Detail));
        let answer = |query: &str, arrival: u64| {
            let told = Told::Unknown { reason: arrival.to_string() };
            Event::Fates(FatesEvent::Told { query: query.to_owned(), pick: event(arrival), told })
        };
        hear(&mut app, answer("q", 2));
        hear(&mut app, answer("other", 1));
        assert_eq!(app.fates.told, None);
        hear(&mut app, answer("q", 1));
        assert!(app.fates.told.is_some());
        app.apply(Action::Fates(FatesAction::Mark(event(5))));
        assert_eq!(app.fates.told, None);
        app.apply(Action::Fates(FatesAction::Back));
        assert_eq!(app.fates.pick, Some(event(1)));
    }

    #[test]
    fn the_tray_keeps_what_the_reports_of_an_earlier_load_say() {
        let mut app = ready();
        hear(&mut app, Event::QueryStarted(info("q")));
        let mut report = super::super::tests::batch("q", 0);
        report.events.push(tidemark_protocol::messages::EventMark {
            arrival: 3,
            event_time_us: Some(5),
            origin: "a.json".to_owned(),
            row: "{}".to_owned(),
            fate: Fate::Dropped { boundary_us: 5, watermark_us: 9 },
            source: 0,
        });
        hear(&mut app, Event::Batch(Box::new(report)));
        hear(&mut app, Event::Fates(FatesEvent::Dropped { query: "q".to_owned(), rows: Vec::new(), lost: 0 }));
        assert_eq!(app.fates.tray.iter().map(|row| row.event.arrival).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn what_is_looked_up_again_is_told_and_the_tray_read_anew() {
        let mut app = ready();
        hear(&mut app, Event::QueryStarted(info("q")));
        app.apply(Action::Fates(FatesAction::Select(event(1))));
        hear(&mut app, Event::Fates(FatesEvent::Recalling { done: 1, total: 2 }));
        assert_eq!(app.fates.recalling, Some((1, 2)));
        let done = Event::Fates(FatesEvent::Recalling { done: 2, total: 2 });
        let effects = app.apply(Action::Heard(Box::new(done)));
        let asked = Command::Fates(FatesCommand::Dropped { query: "q".to_owned() });
        assert_eq!((commands(&effects), app.fates.recalling), (vec![&asked], None));
    }

    #[test]
    fn the_switch_stays_when_another_query_is_shown() {
        let mut app = ready();
        hear(&mut app, Event::QueryStarted(info("q")));
        let effects = app.apply(Action::Fates(FatesAction::Follow(false)));
        assert_eq!(commands(&effects), [&Command::Fates(FatesCommand::Follow { on: false })]);
        hear(&mut app, Event::QueryStarted(info("r")));
        assert!(!app.fates.follow);
    }

    #[test]
    fn the_tray_is_saved_as_a_file() {
        let mut app = ready();
        hear(&mut app, Event::QueryStarted(info("q")));
        let effects = app.apply(Action::Fates(FatesAction::ExportTray));
        assert!(matches!(&effects[..], [Effect::Download { path, .. }] if path == "dropped-rows.jsonl"));
    }
}
