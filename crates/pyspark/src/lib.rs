//! The Python side: RustPython, our own `pyspark` package, and the modules by which scripts reach files, time and threads.
//!
//! Hosts make a [`PythonSession`] over the engine's sessions, run a script in it, and resume it where it parked.
//!
//! Must not: touch the host (no clock, no files, no threads: everything goes through the session given by the host), or
//! know of a browser. User errors are Python exceptions, never panics.

mod arrow_rows;
mod check;
mod convert;
mod errors;
mod host;
mod interpreter;
mod library;
mod native;
mod objects;
mod park;
mod session;
mod state;
mod table_functions;
mod traceback;

pub use check::{Problem, check};
pub use session::{Failure, Options, ParkedCall, Printer, PythonSession, RunState};
pub use state::Output;
