//! `tidemark run SCRIPT.py`: the engine headless, on real files. `tidemark doctest PATH...`: pyspark's docstring examples.
//!
//! Standard output is exactly what the script and its sinks print; tracebacks and everything of ours go to standard error.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod arguments;
mod doctest;
mod functions;
mod run;

use std::env;
use std::process::ExitCode;

use arguments::Request;

/// Batches come and go in large pieces, which the system's allocator gives back and asks for again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Wrong usage, as getopt-style programs report it.
const USAGE_ERROR: u8 = 2;

fn main() -> ExitCode {
    match arguments::parse(env::args_os().skip(1)) {
        Ok(Request::Help) => {
            print!("{}", arguments::HELP);
            ExitCode::SUCCESS
        }
        Ok(Request::Version) => {
            println!(
                "tidemark {} (follows Apache Spark {})",
                env!("CARGO_PKG_VERSION"),
                tidemark_protocol::SPARK_VERSION
            );
            ExitCode::SUCCESS
        }
        Ok(Request::Run(request)) => status(run::run(request)),
        Ok(Request::Doctest(request)) => status(doctest::run(&request)),
        Ok(Request::Functions(request)) => status(functions::run(&request)),
        Err(message) => {
            eprintln!("tidemark: {message}\n\n{}", arguments::HELP);
            ExitCode::from(USAGE_ERROR)
        }
    }
}

fn status(result: Result<u8, String>) -> ExitCode {
    match result {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            eprintln!("tidemark: {message}");
            ExitCode::from(USAGE_ERROR)
        }
    }
}
