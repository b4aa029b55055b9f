//! The client of the engine's worker: starts it, posts commands once it listens, hands its events on.

use crate::wire;
use std::cell::RefCell;
use std::rc::Rc;
use tidemark_protocol::{Command, Event};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker};
use yew::Callback;

/// The script that loads the worker's module, as the bundler names it; beside the page.
const LOADER: &str = "worker_loader.js";

/// What reaches the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    Event(Box<Event>),
    /// The worker could not be loaded, died, or said something that cannot be read.
    Failed(String),
}

/// Messages that wait until the other side listens.
#[derive(Debug)]
pub struct Outbox<T> {
    /// None once the other side listens.
    waiting: Option<Vec<T>>,
}

impl<T> Default for Outbox<T> {
    fn default() -> Outbox<T> {
        Outbox { waiting: Some(Vec::new()) }
    }
}

impl<T> Outbox<T> {
    /// The message, if it can be posted now.
    pub fn offer(&mut self, message: T) -> Option<T> {
        match &mut self.waiting {
            Some(waiting) => {
                waiting.push(message);
                None
            }
            None => Some(message),
        }
    }

    /// The other side listens: what has waited, in order.
    pub fn open(&mut self) -> Vec<T> {
        self.waiting.take().unwrap_or_default()
    }
}

/// One worker. Dropping it terminates the worker.
pub struct EngineClient {
    worker: Worker,
    outbox: Rc<RefCell<Outbox<Command>>>,
    heard: Callback<Heard>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl EngineClient {
    pub fn start(heard: Callback<Heard>) -> Result<EngineClient, String> {
        let worker = Worker::new(LOADER).map_err(|error| describe(&error))?;
        let outbox = Rc::new(RefCell::new(Outbox::default()));
        let on_message = {
            let (worker, outbox, heard) = (worker.clone(), outbox.clone(), heard.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
                let data = message.data();
                if wire::is_listening(&data) {
                    let waiting = outbox.borrow_mut().open();
                    for command in &waiting {
                        post(&worker, command, &heard);
                    }
                    return;
                }
                heard.emit(match wire::decode::<Event>(data) {
                    Ok(event) => Heard::Event(Box::new(event)),
                    Err(error) => Heard::Failed(format!("A message of the engine cannot be read: {error}")),
                });
            })
        };
        let on_error = {
            let heard = heard.clone();
            Closure::<dyn FnMut(ErrorEvent)>::new(move |error: ErrorEvent| {
                error.prevent_default();
                let message = error.message();
                let message = if message.is_empty() { format!("{LOADER} could not be loaded") } else { message };
                heard.emit(Heard::Failed(message));
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(EngineClient { worker, outbox, heard, _on_message: on_message, _on_error: on_error })
    }

    /// Posts a command, or keeps it until the worker listens.
    pub fn send(&self, command: Command) {
        let now = self.outbox.borrow_mut().offer(command);
        if let Some(command) = now {
            post(&self.worker, &command, &self.heard);
        }
    }
}

impl Drop for EngineClient {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn post(worker: &Worker, command: &Command, heard: &Callback<Heard>) {
    let posted = wire::encode(command).and_then(|value| worker.post_message(&value).map_err(|error| describe(&error)));
    if let Err(error) = posted {
        heard.emit(Heard::Failed(format!("A command could not be sent: {error}")));
    }
}

fn describe(error: &JsValue) -> String {
    js_sys::Error::from(error.clone()).message().into()
}

#[cfg(test)]
mod tests {
    use super::Outbox;

    #[test]
    fn messages_wait_for_the_listener_in_order() {
        let mut outbox = Outbox::default();
        assert_eq!((outbox.offer(1), outbox.offer(2)), (None, None));
        assert_eq!(outbox.open(), [1, 2]);
        assert_eq!(outbox.offer(3), Some(3));
        assert_eq!(outbox.open(), [0; 0]);
    }
}
