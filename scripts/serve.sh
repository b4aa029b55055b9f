# Builds the page and serves it on localhost, rebuilding when sources change.

need_rust
need_wasm_bindgen
need_trunk
need_node

# Trunk wants every path that it is told to ignore to be there.
mkdir -p target dist www/generated
port=${PORT:-8080}
say "building the playground; it will be at http://127.0.0.1:$port/"
exec trunk serve --offline --skip-version-check --cargo-profile serve --address 127.0.0.1 --port "$port" "${@:2}"
