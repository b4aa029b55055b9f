//! Tidemark's page: the Yew app, the client of the engine's worker, and what the page and the worker share.
//!
//! The app knows the protocol's messages only. [`state`] and [`strip`] hold what can be tested without a browser:
//! the reducer and the geometry of the event-time strip.

pub mod app;
pub mod browser;
pub mod checkpoint;
pub mod desk;
pub mod editor;
pub mod engine;
pub mod event_form;
pub mod fate;
pub mod format;
pub mod host;
pub mod keys;
pub mod offline;
pub mod page;
pub mod panels;
pub mod plan;
pub mod share;
pub mod state;
pub mod storage;
pub mod strip;
pub mod tree;
pub mod ui;
pub mod wire;
pub mod zone;
