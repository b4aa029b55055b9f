//! The tutorial's cases in Wasm in Chromium: the same runner, the same recordings.

#![cfg(target_arch = "wasm32")]
// clippy.toml allows these in tests, but knows only `#[test]`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use tidemark_conformance::{Case, Embedded, run, unified};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// The session's clock starts here, ms: the browser test needs no real time.
const NOW_MS: i64 = 1_790_000_000_000;

fn check(case: &Embedded) {
    let case = Case::from(case);
    let printed = run(&case, NOW_MS, None, drop).unwrap();
    assert!(printed.stdout == case.expected, "{}\n{}", unified(&case.expected, &printed.stdout, 60), printed.stderr);
}

include!(concat!(env!("OUT_DIR"), "/web_cases.rs"));
