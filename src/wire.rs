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
use tidemark_protocol::{Command, Event};
use wasm_bindgen::JsValue;

/// The worker's first message, a plain string: "commands are heard from now on".
pub const LISTENING: &str = "tidemark:listening";

/// What may be posted: one type in each direction.
pub trait Message: Serialize + DeserializeOwned {}

impl Message for Command {}
impl Message for Event {}

/// A message as a value for `postMessage`: plain objects, 64-bit integers as BigInt, file contents as Uint8Array.
pub fn encode<M: Message>(message: &M) -> Result<JsValue, String> {
    let serializer = Serializer::new().serialize_large_number_types_as_bigints(true);
    message.serialize(&serializer).map_err(|error| error.to_string())
}

/// The message in the `data` of a `MessageEvent`.
pub fn decode<M: Message>(value: JsValue) -> Result<M, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}

/// True for the worker's first message.
pub fn is_listening(value: &JsValue) -> bool {
    value.as_string().is_some_and(|text| text == LISTENING)
}
