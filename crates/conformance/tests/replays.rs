//! Time travel over the recorded cases: from the last moment of each back to its first and forward again, by replay. Files,
//! batches, console and clock are the same to the byte each time.
#![allow(clippy::panic, reason = "a test runner of its own, outside #[test]")]

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use std::time::Duration;

    use libtest_mimic::{Arguments, Trial};
    use tidemark_conformance::{all, go_back_guarded, is_streaming};

    /// Far above what a case takes, even on a machine that stands still for a while: only an endless loop meets it.
    const LIMIT: Duration = Duration::from_secs(300);

    let arguments = Arguments::from_args();
    let cases = all().unwrap_or_else(|error| panic!("tests/conformance: {error}"));
    let trials = cases.into_iter().filter(is_streaming).map(|case| {
        Trial::test(format!("{} back", case.id()), move || {
            go_back_guarded(&case, LIMIT)?;
            Ok(())
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
