//! The messages between the page and the worker, one enum each way, and the workbench that answers them.
//!
//! Messages are plain data in the user's words; engine types stay inside. The Yew app uses [`messages`] only,
//! the worker and the command line drive a [`Workbench`].

pub mod engine;
#[cfg(test)]
mod help;
pub mod messages;
pub mod workbench;

/// The release of Apache Spark whose behaviour this engine follows.
pub const SPARK_VERSION: &str = "4.3.0";

pub use messages::{Command, Event};
pub use workbench::Workbench;
