//! Random queries over random rows, and random damage to checkpoints: whatever comes of them, it is no panic, no endless loop
//! and no broken invariant of ours. Every case is a script that its seed makes again.

mod checkpoints;
mod plans;
mod processors;
mod random;
mod sources;

use std::time::{Duration, Instant};

use self::random::Random;
use crate::{Case, run_guarded};

/// How long one script may take: far above what it needs.
const LIMIT: Duration = Duration::from_secs(60);

/// What a seed found.
#[derive(Clone, Debug)]
pub struct Finding {
    pub seed: u64,
    pub script: String,
    /// The panic, the broken invariant, or that it did not end.
    pub what: String,
}

/// The script of a seed: a query, damaged checkpoints, sources with their options, or functions with state.
pub fn script(seed: u64) -> String {
    let mut random = Random::new(seed);
    match seed % 4 {
        0 => plans::script(&mut random),
        1 => checkpoints::script(&mut random),
        2 => sources::script(&mut random),
        _ => processors::script(&mut random),
    }
}

/// Runs one seed.
pub fn run_seed(seed: u64) -> Option<Finding> {
    let script = script(seed);
    let case = Case {
        folder: "fuzz".to_owned(),
        name: format!("seed_{seed}"),
        script: script.clone(),
        expected: String::new(),
    };
    let finding = |what: String| Some(Finding { seed, script: script.clone(), what });
    match run_guarded(&case, None, LIMIT) {
        Err(error) => finding(error),
        Ok(printed) => {
            let text = format!("{}{}", printed.stdout, printed.stderr);
            let broken = text.lines().find(|line| line.contains("INTERNAL_ERROR"));
            // What a query may raise is caught in the script: an error of the script itself hides what it should try.
            let failed = printed.stderr.lines().last().filter(|_| printed.stderr.contains("Traceback"));
            broken.or(failed).and_then(|line| finding(line.to_owned()))
        }
    }
}

/// Runs seeds from `first` for a while; calls `found` with each finding. The number of seeds that ran.
pub fn run(first: u64, time: Duration, found: &mut dyn FnMut(&Finding)) -> u64 {
    let started = Instant::now();
    let mut seed = first;
    while started.elapsed() < time {
        if let Some(finding) = run_seed(seed) {
            found(&finding);
        }
        seed += 1;
    }
    seed - first
}
