# Every check and test. Ends with each runner's own summary lines.

need_rust
need_wasm_bindgen
need_trunk
need_node
need_chromium

mkdir -p target
summaries=target/test-summaries.txt
: >"$summaries"

# Runs one stage; its output is shown, and its time and the lines that a runner closes with are kept for the end.
stage() {
  local name=$1 log started=$SECONDS
  shift
  say "$name"
  log=target/test-stage.log
  if ! "$@" 2>&1 | tee "$log"; then fail "$name failed"; fi
  echo "$name: $((SECONDS - started)) s" >>"$summaries"
  grep -E '^ *(test result:|Summary \[|# (tests|pass|fail) |[a-z/]+\.py: passed )' "$log" >>"$summaries" || true
}

host_tests() {
  if have cargo-nextest; then
    cargo nextest run --workspace --no-fail-fast
  else
    cargo test --workspace --all-targets --no-fail-fast
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

stage "formatting" cargo fmt --all --check
stage "lints, host" cargo clippy --quiet --workspace --all-targets -- -D warnings
stage "lints, Wasm" cargo clippy --quiet $wasm_packages --lib --bins --tests -- -D warnings
stage "tests, host" host_tests
if find_pyspark; then
  stage "pyspark's docstring examples" doctests
  stage "the table of functions" function_table
else
  say "pyspark's docstring examples: skipped, pyspark 4.3.0 is not installed and cannot be"
fi
stage "tests, headless Wasm in Chromium" cargo test $wasm_packages $wasm_tests
stage "build of the page for the end-to-end tests" build_page
stage "tests, end to end in Chromium" node --test --test-reporter=tap tests/e2e/*.test.mjs

printf '\n'
cat "$summaries"
