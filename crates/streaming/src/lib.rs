//! Structured Streaming: sources, sinks, state store, watermarks, micro-batch execution, checkpoint logs, progress, queries.
//!
//! Must not: read a clock other than the session's, do I/O other than through `tidemark_vfs::FileSystem`, know of Python
//! (functions come in through [`api::ScriptHost`]) or of a browser.

pub mod api;
pub mod operators;
pub mod state;
