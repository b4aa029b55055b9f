# Every check and test. Ends with each runner's own summary lines.

need_rust
need_wasm_bindgen
need_trunk
need_node
need_chromium

mkdir -p target
summaries=target/test-summaries.txt
: >"$summaries"

# Runs one stage; its output is shown, and the lines that a runner closes with are kept for the end.
stage() {
  local name=$1 log
  shift
  say "$name"
  log=target/test-stage.log
  if ! "$@" 2>&1 | tee "$log"; then fail "$name failed"; fi
  grep -E '^ *(test result:|Summary \[|# (tests|pass|fail) |[a-z/]+\.py: passed )' "$log" >>"$summaries" || true
}

host_tests() {
  if have cargo-nextest; then
    cargo nextest run --workspace --no-fail-fast
  else
    cargo test --workspace --no-fail-fast
  fi
}

# The docstring examples of pip's own pyspark, where that can be had; see `tidemark doctest`.
doctests() {
  cargo build --quiet --package tidemark-cli
  "${CARGO_TARGET_DIR:-target}/debug/tidemark" doctest --goal 75 "$pyspark"
}

stage "formatting" cargo fmt --all --check
stage "lints, host" cargo clippy --quiet --workspace --all-targets -- -D warnings
stage "tests, host" host_tests
if find_pyspark; then
  stage "pyspark's docstring examples" doctests
else
  say "pyspark's docstring examples: skipped, pyspark 4.3.0 is not installed and cannot be"
fi
stage "tests, headless Wasm in Chromium" cargo test --profile pagedev --package tidemark --target $WASM
stage "the tutorial's recordings, in Chromium" cargo test --profile pagedev --package tidemark-conformance --test web --target $WASM
say "building the page for the end-to-end tests"
trunk --quiet build --offline --skip-version-check --cargo-profile pagedev || fail "the build failed"
stage "tests, end to end in Chromium" node --test --test-reporter=tap tests/e2e/*.test.mjs

printf '\n'
cat "$summaries"
