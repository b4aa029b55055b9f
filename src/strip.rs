//! The event-time strip as geometry: what stands where, what is under the pointer, and what is to be said about it.
//!
//! Event time runs to the right, arrival runs down: one lane a batch, in it a mark an event, higher ones earlier.
//! The watermark is a staircase down the lanes. Drawing is in `panels::timeline`.

pub mod explain;
pub mod layout;
pub mod model;
pub mod partners;
pub mod scale;

pub use explain::{Explanation, explain_event, explain_lane, explain_window, pick};
pub use layout::{Hit, Layout, Move, Spot};
pub use model::{Lane, Model, Seat, Window};
pub use partners::Partners;
pub use scale::{Tick, TimeScale};
