//! Structured Streaming: sources, sinks, state store, watermarks, micro-batch execution, checkpoint logs, progress, queries.
//!
//! Must not: read a clock other than the session's, do I/O other than through `tidemark_vfs::FileSystem`, know of Python
//! (functions come in through [`api::ScriptHost`]) or of a browser.

pub mod api;
mod batch;
pub mod certain;
mod checkpoint;
pub mod clock;
mod env;
pub mod explain;
pub mod fates;
pub mod ids;
mod inspection;
mod interval;
pub mod kafka;
pub mod operators;
mod progress;
mod query;
mod session;
mod settings;
mod sinks;
pub mod socket;
mod sources;
mod start;
pub mod state;
mod state_reader;
#[cfg(test)]
mod tests;
mod trigger;
mod watermark;

pub use progress::format_ms;
pub use session::StreamingSession;
pub use trigger::Trigger;
