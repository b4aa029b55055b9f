# The benchmarks of benches/: the same scripts on Tidemark natively and, where pip's pyspark is present, on Spark local[2].

need_rust

say "building the command line (release)"
cargo build --quiet --release --package tidemark-cli || fail "the build failed"
tidemark=$(realpath "${CARGO_TARGET_DIR:-target}/release/tidemark")

# Runs a command in an empty folder.
bench() {
  local work
  work=$(mktemp -d)
  (cd "$work" && "$@")
  rm -rf "$work"
}

for script in benches/*.py; do
  script=$(realpath "$script")
  say "$(basename "$script"), Tidemark"
  bench "$tidemark" run "$script"
  if python3 -c 'import pyspark' 2>/dev/null; then
    say "$(basename "$script"), Spark local[2]"
    bench env PYSPARK_SUBMIT_ARGS="--master local[2] pyspark-shell" python3 "$script" 2>/dev/null
  fi
done
