//! Every streaming case that passes, stopped and resumed after every batch, and crashed and resumed at each of the three points
//! that exactly-once hangs on: the recorded text must come out all the same. tests/conformance/restarts.txt lists what
//! differs, and why; such a trial is an ignored test.
#![allow(clippy::panic, clippy::expect_used, reason = "a test runner of its own, outside #[test]")]

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use std::time::Duration;

    use libtest_mimic::{Arguments, Trial};
    use tidemark_conformance::{
        Passing, REHEARSALS, all, folder_names, is_streaming, known_differences, run_guarded, unified,
    };

    /// Far above what a case takes, even on a machine that stands still for a while: only an endless loop meets it.
    const LIMIT: Duration = Duration::from_secs(300);

    let arguments = Arguments::from_args();
    let (folders, cases) = match (folder_names(), all()) {
        (Ok(folders), Ok(cases)) => (folders, cases),
        (Err(error), _) | (_, Err(error)) => panic!("tests/conformance: {error}"),
    };
    let passing = Passing::load(&folders).expect("the passing lists can be read");
    let differences = known_differences().expect("restarts.txt can be read");
    let mut trials: Vec<Trial> = Vec::new();
    for case in cases {
        let listed = case.folder == "tutorial" || passing.contains(&case.folder, &case.name);
        if !listed || !is_streaming(&case) {
            continue;
        }
        for (name, rehearsal) in REHEARSALS {
            let known = differences.iter().any(|(id, how)| *id == case.id() && (how == "*" || how == name));
            let case = case.clone();
            let trial = Trial::test(format!("{} {name}", case.id()), move || {
                let printed = run_guarded(&case, Some(rehearsal), LIMIT)?;
                if printed.stdout == case.expected {
                    return Ok(());
                }
                Err(format!("{}\n{}", unified(&case.expected, &printed.stdout, 60), printed.stderr).into())
            });
            trials.push(trial.with_ignored_flag(known));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
