//! Tidemark's page: the Yew app, the client of the engine's worker, and what the page and the worker share.
//!
//! The app knows the protocol's messages only. [`state`] and [`strip`] hold what can be tested without a browser:
//! the reducer and the geometry of the event-time strip.

pub mod format;
pub mod state;
pub mod strip;
pub mod wire;
