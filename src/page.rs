//! What every panel gets: the state, and where to send actions.

use crate::desk::Desk;
use crate::state::{Action, App};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Clone, Default)]
pub struct Page {
    /// The state that is shown: the workspace's, or that of the run beside it.
    pub app: Rc<App>,
    /// The workspace's.
    pub main: Rc<App>,
    pub desk: Rc<Desk>,
}

impl PartialEq for Page {
    fn eq(&self, other: &Page) -> bool {
        Rc::ptr_eq(&self.app, &other.app) && Rc::ptr_eq(&self.main, &other.main) && Rc::ptr_eq(&self.desk, &other.desk)
    }
}

impl Page {
    pub fn act(&self, action: Action) {
        self.desk.dispatch(action);
    }

    /// A callback that sends the same action whatever the event is.
    pub fn on<E>(&self, action: Action) -> Callback<E> {
        let desk = self.desk.clone();
        Callback::from(move |_| desk.dispatch(action.clone()))
    }
}

#[hook]
pub fn use_page() -> Page {
    use_context::<Page>().unwrap_or_default()
}
