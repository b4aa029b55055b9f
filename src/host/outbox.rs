//! What the workbench said and the page has not heard yet: events wait behind the commits before them.

use std::cell::RefCell;
use std::collections::VecDeque;

use tidemark_protocol::Event;
use tidemark_protocol::workbench::{Commit, Output};

use super::post;
use crate::storage::Store;

#[derive(Default)]
pub(super) struct Outbox {
    queue: RefCell<VecDeque<Output>>,
    store: RefCell<Option<Store>>,
}

impl Outbox {
    pub(super) fn set_store(&self, store: Store) {
        *self.store.borrow_mut() = Some(store);
    }

    /// Posts an event at once if nothing waits before it (the console of a long run), else queues it.
    pub(super) fn put(&self, output: Output) {
        let mut queue = self.queue.borrow_mut();
        match output {
            Output::Event(event) if queue.is_empty() => post(&event),
            Output::Commit(_) if self.store.borrow().is_none() => {}
            output => queue.push_back(output),
        }
    }

    /// Writes the commits and posts the events, in order. Called between commands only.
    pub(super) async fn flush(&self) {
        loop {
            let next = self.queue.borrow_mut().pop_front();
            match next {
                None => return,
                Some(Output::Event(event)) => post(&event),
                Some(Output::Commit(commit)) => self.commit(commit).await,
            }
        }
    }

    /// A commit that fails ends storing: what is stored stays the last whole state, and the page is told.
    async fn commit(&self, commit: Commit) {
        let Some(mut store) = self.store.borrow_mut().take() else { return };
        match store.commit(&commit).await {
            Ok(()) => self.set_store(store),
            Err(error) => {
                store.close();
                post(&Event::Storage(error.state()));
            }
        }
    }
}
