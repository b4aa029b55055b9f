//! The recorded cases as tests, one a case: `cargo nextest run -p tidemark-conformance -E 'test(tutorial/)'`.
//!
//! A case of the passing lists must pass; the others are ignored tests (`--run-ignored all` runs them) and the last test
//! prints the counts. With TIDEMARK_UPDATE_PASSING=1 the lists are rewritten from what passes now.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test runner of its own, outside #[test]"
)]

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use libtest_mimic::{Arguments, Trial};
    use tidemark_conformance::{Passing, all, folder_names};

    let arguments = Arguments::from_args();
    let (folders, cases) = match (folder_names(), all()) {
        (Ok(folders), Ok(cases)) => (folders, cases),
        (Err(error), _) | (_, Err(error)) => panic!("tests/conformance: {error}"),
    };
    let passing = Passing::load(&folders).expect("the passing lists can be read");
    let update = std::env::var_os("TIDEMARK_UPDATE_PASSING").is_some();
    if update && !arguments.list {
        return host::update(&folders, &cases);
    }
    let mut trials: Vec<Trial> = Vec::new();
    for case in &cases {
        let listed = case.folder == "tutorial" || passing.contains(&case.folder, &case.name);
        let id = case.id();
        let case = case.clone();
        trials.push(Trial::test(id, move || host::check(&case)).with_ignored_flag(!listed));
    }
    trials.push(Trial::test("lists", move || host::lists(&folders, &cases, &passing)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

#[cfg(not(target_arch = "wasm32"))]
mod host {
    use std::process::ExitCode;
    use std::time::Duration;

    use libtest_mimic::Failed;
    use tidemark_conformance::{Case, Passing, run_guarded, unified};

    /// Far above what a case takes, even on a machine that stands still for a while: only an endless loop meets it.
    const LIMIT: Duration = Duration::from_secs(300);

    pub(crate) fn check(case: &Case) -> Result<(), Failed> {
        let printed = run_guarded(case, None, LIMIT)?;
        if printed.stdout == case.expected {
            return Ok(());
        }
        Err(format!("{}\n{}", unified(&case.expected, &printed.stdout, 60), printed.stderr).into())
    }

    /// Every listed case exists, and the count per folder is printed.
    pub(crate) fn lists(folders: &[String], cases: &[Case], passing: &Passing) -> Result<(), Failed> {
        let mut total = 0;
        for folder in folders {
            let here: Vec<&Case> = cases.iter().filter(|case| case.folder == *folder).collect();
            let listed = here.iter().filter(|case| passing.contains(folder, &case.name)).count();
            if listed != passing.len(folder) {
                return Err(format!("passing/{folder}.txt names a case that does not exist").into());
            }
            println!("{folder:<14}{listed:>4} of {}", here.len());
            total += listed;
        }
        println!("{:<14}{total:>4} of {}", "all", cases.len());
        Ok(())
    }

    pub(crate) fn update(folders: &[String], cases: &[Case]) -> ExitCode {
        let mut passing = Passing::load(folders).expect("the passing lists can be read");
        for case in cases {
            let passes = check(case).is_ok();
            if passes != passing.contains(&case.folder, &case.name) {
                println!("{} {}", if passes { "passes now:" } else { "FAILS NOW: " }, case.id());
            }
            passing.set(&case.folder, &case.name, passes);
        }
        passing.save().expect("the passing lists can be written");
        ExitCode::SUCCESS
    }
}
