# Installs and finds the tools. Every `need_*` is idempotent, silent when nothing is to do, and says what it does otherwise.
# Sourced by ./dev; the repository's root is the current folder.

TRUNK_VERSION=0.21.14
WASM=wasm32-unknown-unknown
DEBIAN_SYSROOT=/usr/lib/rustlib

say() { printf '\033[1m· %s\033[0m\n' "$*" >&2; }
fail() {
  printf '\033[31m✗ %s\033[0m\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# The version of a crate in Cargo.lock: tools that must match a crate take it from there.
locked_version() {
  awk -v want="name = \"$1\"" '$0 == want { getline; gsub(/version = |"/, ""); print; exit }' Cargo.lock
}

APT_UPDATED=
# Debian packages, as root only; elsewhere says what is missing.
need_apt() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  { have apt-get && [ "$(id -u)" = 0 ]; } || fail "please install: ${missing[*]}"
  say "installing ${missing[*]}"
  [ -n "$APT_UPDATED" ] || apt-get update -qq || fail "apt-get update failed"
  APT_UPDATED=1
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get install ${missing[*]} failed"
}

# Whether the compiler in PATH is at least as new as Cargo.toml's rust-version.
new_enough() {
  local wanted found
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  found=$(rustc --version 2>/dev/null | cut -d' ' -f2)
  [ -n "$found" ] && [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1)" = "$wanted" ]
}

# A compiler with the wasm32 target: rustup's where it is new enough and can have the target, else Debian's packages with
# a standard library built from the source they ship.
need_rust() {
  export PATH="$HOME/.cargo/bin:$PATH"
  if have rustup && new_enough; then
    if rustup target list --installed 2>/dev/null | grep -qx $WASM; then return; fi
    say "adding the $WASM target"
    if timeout 300 rustup target add $WASM >/dev/null 2>&1; then return; fi
    say "rustup cannot have it here; using Debian's compiler"
  fi
  if ! have apt-get; then
    fail "no recent compiler for $WASM: install rustup (https://rustup.rs) or run 'rustup update stable', then run this again"
  fi
  need_apt gcc libc6-dev rustc-web cargo-web rust-web-src rust-web-clippy rustfmt-web lld-22
  export PATH="/usr/bin:$PATH"
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=/usr/bin/wasm-ld-22
  local lib=$DEBIAN_SYSROOT/$WASM/lib version
  version=$(/usr/bin/rustc --version)
  if [ "$(cat "$lib/.built-for" 2>/dev/null)" = "$version" ]; then return; fi
  say "building the standard library for $WASM (about a minute)"
  local work
  work=$(mktemp -d)
  cp -r $DEBIAN_SYSROOT/src/rust/library "$work/"
  RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zforce-unstable-if-unmarked -Cembed-bitcode=yes" CARGO_TARGET_DIR="$work/out" \
    /usr/bin/cargo build --quiet --manifest-path "$work/library/sysroot/Cargo.toml" --release --target $WASM \
    --features panic-unwind || fail "building the standard library failed"
  rm -rf "$lib"
  mkdir -p "$lib"
  cp "$work/out/$WASM/release/deps/"*.rlib "$lib/"
  echo "$version" >"$lib/.built-for"
  rm -rf "$work"
}

# A program from crates.io, kept in target/tools: cargo-binstall where it is, else compiled, at the optimisation level given:
# quickly rather than well.
need_crate() {
  # Before every other folder of PATH: another version elsewhere must not hide it.
  case "$PATH" in "$PWD/target/tools/bin:"*) ;; *) export PATH="$PWD/target/tools/bin:$PATH" ;; esac
  local crate=$1 version=$2 program=$3 level=$4
  shift 4
  case "$("$program" --version 2>/dev/null)" in *"$version"*) return ;; esac
  if have cargo-binstall; then
    say "installing $crate $version"
    cargo binstall --no-confirm --quiet --root target/tools "$crate@$version" && return
  fi
  say "compiling $crate $version (some minutes, once)"
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=$level CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    CARGO_PROFILE_RELEASE_DEBUG=false CARGO_TARGET_DIR=target/tools/build \
    env -u RUSTC_WORKSPACE_WRAPPER cargo install --quiet --root target/tools "$crate" --version "$version" "$@" || fail "cargo install $crate $version failed"
  rm -rf target/tools/build
}

need_wasm_bindgen() { need_crate wasm-bindgen-cli "$(locked_version wasm-bindgen)" wasm-bindgen 1 --force; }
# Without TLS and without looking for a newer version: nothing is fetched with it.
need_trunk() { need_crate trunk $TRUNK_VERSION trunk 0 --locked --no-default-features; }

# Node.js and the packages of package-lock.json (the editor's bundle, Playwright's driver).
need_node() {
  have npm || need_apt nodejs npm
  if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    say "installing npm packages"
    npm ci --silent --no-audit --no-fund || fail "npm ci failed"
    touch node_modules/.package-lock.json
  fi
}

# Chromium with its driver: Debian's packages, or what CHROMIUM and CHROMEDRIVER name.
need_chromium() {
  if [ -z "${CHROMIUM:-}" ]; then
    local found
    for found in chromium chromium-browser google-chrome; do
      if have "$found"; then
        CHROMIUM=$(command -v "$found")
        break
      fi
    done
  fi
  if [ -z "${CHROMIUM:-}" ]; then
    need_apt chromium chromium-driver
    CHROMIUM=/usr/bin/chromium
  fi
  if [ -z "${CHROMEDRIVER:-}" ]; then
    have chromedriver || need_apt chromium-driver
    CHROMEDRIVER=$(command -v chromedriver)
  fi
  export CHROMIUM CHROMEDRIVER
}

need_brotli() { have brotli || need_apt brotli; }

# Sets pyspark to the folder of an installed pyspark 4.3.0; installs one below target/ where python3 has none.
find_pyspark() {
  local python
  for python in python3 target/pyspark-venv/bin/python; do
    pyspark=$("$python" -c 'import importlib.util as u; print(u.find_spec("pyspark").submodule_search_locations[0])' 2>/dev/null) || continue
    grep -q '"4\.3\.0"' "$pyspark/version.py" && return 0
  done
  python3 -m venv target/pyspark-venv 2>/dev/null && target/pyspark-venv/bin/pip install --quiet pyspark==4.3.0 2>/dev/null || return 1
  pyspark=$(echo target/pyspark-venv/lib/python3*/site-packages/pyspark)
}
