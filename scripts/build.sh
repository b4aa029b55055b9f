# Release build of the page into dist/, and the size of every artefact as it is and compressed.

need_rust
need_wasm_bindgen
need_trunk
need_node
need_brotli

say "building (release)"
trunk --quiet build --offline --skip-version-check --release --cargo-profile web || fail "the build failed"

printf '%-44s %12s %12s\n' file bytes brotli
total=0
while read -r file; do
  bytes=$(stat -c %s "$file")
  compressed=$(brotli -q 11 -w 24 -c "$file" | wc -c)
  total=$((total + compressed))
  printf '%-44s %12d %12d\n' "${file#dist/}" "$bytes" "$compressed"
done < <(find dist -type f | sort)
printf '%-44s %12s %12d\n' "total" "" "$total"
