//! Answers to questions about rows: for now what the batch reports say.

use super::Workbench;
use crate::messages::{Event, FatesCommand, FatesEvent, Told};

impl Workbench {
    pub(super) fn fates(&self, command: FatesCommand) {
        match command {
            FatesCommand::Tell { query, pick } => {
                let told = Told::Unknown { reason: "The rows of this batch were not followed.".to_owned() };
                self.shared.event(Event::Fates(FatesEvent::Told { query, pick, told }));
            }
            FatesCommand::Dropped { query } => {
                self.shared.event(Event::Fates(FatesEvent::Dropped { query, rows: Vec::new(), lost: 0 }));
            }
            FatesCommand::Follow { .. } => {}
        }
    }
}
