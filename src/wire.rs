//! How messages cross between the page and the worker: each `postMessage` carries one [`Command`] or one [`Event`].
//!
//! The worker posts the string [`LISTENING`] once its message handler is installed. The page keeps its commands
//! until then: a worker's module starts asynchronously, and messages that arrive before it listens are lost.
//!
//! [`Command`]: tidemark_protocol::Command
//! [`Event`]: tidemark_protocol::Event

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use tidemark_protocol::messages::ReplayEvent;
use tidemark_protocol::{Command, Event};
use wasm_bindgen::JsValue;

/// The worker's first message, a plain string: "commands are heard from now on".
pub const LISTENING: &str = "tidemark:listening";

/// What may be posted: one type in each direction.
pub trait Message: Serialize + DeserializeOwned {
    /// Many small values: as one text they are read in a fraction of the time that objects take, property by property.
    fn is_large(&self) -> bool {
        false
    }
}

impl Message for Command {}
impl Message for Event {
    fn is_large(&self) -> bool {
        match self {
            Event::Replay(ReplayEvent::Said(event)) => event.is_large(),
            Event::Batch(_) | Event::BatchRows { .. } | Event::Inspect(_) | Event::Files(_) | Event::Ready { .. } => {
                true
            }
            _ => false,
        }
    }
}

/// A message as a value for `postMessage`: a large one as JSON text, others as plain objects with 64-bit integers as BigInt
/// and file contents as Uint8Array.
pub fn encode<M: Message>(message: &M) -> Result<JsValue, String> {
    if message.is_large() {
        return serde_json::to_string(message).map(JsValue::from).map_err(|error| error.to_string());
    }
    let serializer = Serializer::new().serialize_large_number_types_as_bigints(true);
    message.serialize(&serializer).map_err(|error| error.to_string())
}

/// The message in the `data` of a `MessageEvent`.
pub fn decode<M: Message>(value: JsValue) -> Result<M, String> {
    match value.as_string() {
        Some(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
        None => serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string()),
    }
}

/// True for the worker's first message.
pub fn is_listening(value: &JsValue) -> bool {
    value.as_string().is_some_and(|text| text == LISTENING)
}
