// Finishes what Trunk has built, before it replaces dist/: no script stays inline (the page's policy forbids it), what
// nothing reads is blanked, and the service worker gets its list of files. Trunk runs this after each build.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { blankUnread } from "./unread.mjs";

const dist = process.env.TRUNK_STAGING_DIR ?? fileURLToPath(new URL("../dist", import.meta.url));
const base = process.env.TRUNK_PUBLIC_URL ?? "/";
const source = (name) => readFileSync(fileURLToPath(new URL(`./offline/${name}`, import.meta.url)), "utf8");
const hash = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);

// Inline scripts (Trunk's loader of the app, its reload while developing) become files.
const index = join(dist, "index.html");
const html = readFileSync(index, "utf8").replace(
  /<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/g,
  (whole, attributes, body) => {
    if (!body.trim()) return whole;
    const name = `boot-${hash(body)}.js`;
    writeFileSync(join(dist, name), body);
    return `<script${attributes.replace(/\s+nonce="[^"]*"/, "")} src="${base}${name}"></script>`;
  },
);
writeFileSync(index, html);

for (const name of readdirSync(dist).filter((name) => /^worker.*\.wasm$/.test(name))) {
  const wasm = readFileSync(join(dist, name));
  const { blanked, known } = blankUnread(wasm);
  writeFileSync(join(dist, name), wasm);
  if (blanked < known) console.warn(`${name} has only ${blanked} of the ${known} pieces that unread.mjs knows`);
}

// A page that is served by `trunk serve` reloads itself at every change: nothing of it may be kept.
const reloads = readdirSync(dist).some(
  (name) => name.startsWith("boot-") && readFileSync(join(dist, name), "utf8").includes(".well-known/trunk/ws"),
);
if (reloads) {
  writeFileSync(join(dist, "sw.js"), source("none.js"));
} else {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "sw.js")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [relative(dist, path).split(sep).join("/"), hash(readFileSync(path))]);
  const list = JSON.stringify(files);
  const version = hash(list);
  writeFileSync(join(dist, "sw.js"), source("sw.js").replace("%VERSION%", () => version).replace("%FILES%", () => list));
}
