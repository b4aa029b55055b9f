//! Every streaming case that passes, with its rows followed: that must not change what it prints, and what is told of the
//! rows must agree with what the operators count.
#![allow(clippy::panic, clippy::expect_used, reason = "a test runner of its own, outside #[test]")]

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use std::time::Duration;

    use libtest_mimic::{Arguments, Trial};
    use tidemark_conformance::{Passing, all, folder_names, is_streaming, run_witnessed, unified};

    /// Far above what a case takes, even on a machine that stands still for a while: only an endless loop meets it.
    const LIMIT: Duration = Duration::from_secs(300);

    let arguments = Arguments::from_args();
    let (folders, cases) = match (folder_names(), all()) {
        (Ok(folders), Ok(cases)) => (folders, cases),
        (Err(error), _) | (_, Err(error)) => panic!("tests/conformance: {error}"),
    };
    let passing = Passing::load(&folders).expect("the passing lists can be read");
    let trials = cases
        .into_iter()
        .filter(|case| is_streaming(case) && (case.folder == "tutorial" || passing.contains(&case.folder, &case.name)));
    let trials = trials.map(|case| {
        Trial::test(case.id(), move || {
            let printed = run_witnessed(&case, LIMIT)?;
            if printed.stdout == case.expected {
                return Ok(());
            }
            Err(format!("{}\n{}", unified(&case.expected, &printed.stdout, 60), printed.stderr).into())
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
