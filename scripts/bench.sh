# The benchmarks of benches/: each script on Tidemark natively, in the page (Wasm in headless Chromium) and, where pip's
# pyspark is present (PYSPARK_PYTHON names its interpreter), on Spark local[2]; then the page's start and the compressed sizes.
# `./dev bench native` leaves the page out.

need_rust

python=${PYSPARK_PYTHON:-python3}

# Runs a command in an empty folder.
bench() {
  local work
  work=$(mktemp -d)
  (cd "$work" && "$@") || fail "$* failed"
  rm -rf "$work"
}

say "building the command line (release)"
cargo build --quiet --release --package tidemark-cli || fail "the build failed"
tidemark=$(realpath "${CARGO_TARGET_DIR:-target}/release/tidemark")

for script in benches/*.py; do
  script=$(realpath "$script")
  say "$(basename "$script"), Tidemark natively"
  bench "$tidemark" run "$script"
  if "$python" -c 'import pyspark' 2>/dev/null; then
    say "$(basename "$script"), Spark local[2]"
    bench env PYSPARK_SUBMIT_ARGS="--master local[2] pyspark-shell" "$python" "$script" 2>/dev/null
  fi
done

if [ "${2:-}" != native ]; then
  need_chromium
  . scripts/build.sh
  say "the page, in headless Chromium"
  node benches/page.mjs
fi
