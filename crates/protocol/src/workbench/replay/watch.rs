//! What happens within a command: its moments, what reaches the sinks, and the cut of one that is not to go to its end.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use tidemark_vfs::Snapshot;

use super::account::Account;
use crate::engine::Interrupt;
use crate::messages::{Moment, MomentKind};
use crate::workbench::ledger::Ledger;
use crate::workbench::observer::KeptBatch;

/// The workspace at a cut.
pub(in crate::workbench) struct Frozen {
    pub(super) files: Snapshot,
    pub(super) ledger: Ledger,
    pub(super) kept: VecDeque<KeptBatch>,
    pub(super) clock_ms: i64,
}

/// Watches over the command that is carried out.
#[derive(Default)]
pub(in crate::workbench) struct Watch {
    moments: RefCell<Vec<Moment>>,
    /// Batches after which the command is cut off.
    cut: Cell<Option<usize>>,
    interrupt: RefCell<Option<Interrupt>>,
    frozen: RefCell<Option<Frozen>>,
    laid: Cell<bool>,
    pub(super) account: RefCell<Account>,
}

impl Watch {
    pub(super) fn begin(&self, cut: Option<usize>, interrupt: Option<Interrupt>) {
        self.moments.borrow_mut().clear();
        self.cut.set(cut);
        *self.interrupt.borrow_mut() = interrupt;
    }

    /// A session begins within the command.
    pub(in crate::workbench) fn set_interrupt(&self, interrupt: Interrupt) {
        *self.interrupt.borrow_mut() = Some(interrupt);
    }

    pub(super) fn moment(&self, kind: MomentKind, clock_ms: i64) {
        self.moments.borrow_mut().push(Moment { kind, clock_ms });
    }

    /// A batch is committed and told. True: the command is to be cut off here.
    pub(in crate::workbench) fn batch(&self, query: &str, batch: i64, clock_ms: i64) -> bool {
        self.moment(MomentKind::Batch { query: query.to_owned(), batch }, clock_ms);
        self.cut.get() == Some(self.moments.borrow().len())
    }

    /// Nothing that happens from now on counts; the script ends at its next step.
    pub(in crate::workbench) fn freeze(&self, frozen: Frozen) {
        *self.frozen.borrow_mut() = Some(frozen);
        if let Some(interrupt) = &*self.interrupt.borrow() {
            interrupt.interrupt();
        }
    }

    pub(in crate::workbench) fn is_frozen(&self) -> bool {
        self.frozen.borrow().is_some()
    }

    pub(super) fn thaw(&self) -> Option<Frozen> {
        self.cut.set(None);
        self.frozen.borrow_mut().take()
    }

    pub(super) fn is_without_moments(&self) -> bool {
        self.moments.borrow().is_empty()
    }

    pub(super) fn take(&self) -> Vec<Moment> {
        std::mem::take(&mut self.moments.borrow_mut())
    }

    pub(in crate::workbench) fn set_laid(&self) {
        self.laid.set(true);
    }

    pub(super) fn take_laid(&self) -> bool {
        self.laid.take()
    }

    pub(super) fn count_run(&self) {
        self.account.borrow_mut().count_run();
    }
}

impl Frozen {
    pub(in crate::workbench) fn new(files: Snapshot, ledger: Ledger, kept: VecDeque<KeptBatch>, clock_ms: i64) -> Self {
        Self { files, ledger, kept, clock_ms }
    }
}
