# Every check and test. Ends with each runner's own summary lines.

need_rust
need_node
need_chromium

mkdir -p target
summaries=target/test-summaries.txt
: >"$summaries"
tools=
# A stage that fails leaves what was measured before it.
trap 'kill "$tools" 2>/dev/null || true; printf "\n"; cat "$summaries"' EXIT

# Runs one stage; its output is shown, and its time and the lines that a runner closes with are kept for the end.
stage() {
  local name=$1 log=target/test-stage.log started=$SECONDS outcome=0
  shift
  say "$name"
  "$@" 2>&1 | tee "$log" || outcome=$?
  echo "$name: $((SECONDS - started)) s" >>"$summaries"
  grep -E '^ *(test result:|Summary \[|# (tests|pass|fail|tried again) |[a-z/]+\.py: passed )' "$log" >>"$summaries" || true
  [ $outcome = 0 ] || fail "$name failed"
}

# What only later stages want is fetched and compiled beside the first ones, which leave a core idle at times. What fails here
# is tried again, and said, where it is needed.
tools() {
  (need_wasm_bindgen) || true
  (need_trunk) || true
  (find_pyspark) || true
}
wait_for_tools() { while kill -0 "$tools" 2>/dev/null; do sleep 1; done; }

host_tests() {
  if have cargo-nextest; then
    cargo nextest run --workspace "$1"
  else
    cargo test --workspace --all-targets "$1"
  fi
}

# The docstring examples of pip's own pyspark, where that can be had; see `tidemark doctest`. The tests have built the program.
doctests() { "${CARGO_TARGET_DIR:-target}/debug/tidemark" doctest --goal 90 "$pyspark"; }

# docs/functions.md is what `tidemark functions` makes of the same examples.
function_table() { "${CARGO_TARGET_DIR:-target}/debug/tidemark" functions --check docs/functions.md "$pyspark"; }

# One selection of packages for everything in Wasm: another would resolve other features and compile the engine's dependencies again.
wasm_packages="--package tidemark --package tidemark-conformance --target $WASM"
wasm_tests="--test storage --test web_page --test web"

build_page() { trunk --quiet build --offline --skip-version-check; }

tools >target/test-tools.log 2>&1 &
tools=$!

# Nothing is built twice there, and what incremental builds keep fills a disk.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0

# Lints come with the build of the tests: clippy compiles as rustc does, and a second pass over every dependency is saved.
# What is built so is kept apart from what plain cargo builds.
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings
stage "formatting" cargo fmt --all --check
stage "lints and build, host" host_tests --no-run
stage "tests, host" host_tests --no-fail-fast
stage "tools that are still being compiled" wait_for_tools
need_wasm_bindgen
need_trunk
if find_pyspark; then
  stage "pyspark's docstring examples" doctests
  stage "the table of functions" function_table
else
  say "pyspark's docstring examples: skipped, pyspark 4.3.0 is not installed and cannot be"
fi
stage "lints and build, Wasm" cargo test $wasm_packages $wasm_tests --no-run
stage "tests, headless Wasm in Chromium" cargo test $wasm_packages $wasm_tests
stage "build of the page for the end-to-end tests" build_page
stage "tests, end to end in Chromium" node --test --test-reporter=tap tests/e2e/*.test.mjs
