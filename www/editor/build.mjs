// Bundles the editor into www/generated/, where index.html takes it from. Trunk runs this before each build.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: [at("./editor.js")],
  outfile: at("../generated/editor.js"),
  bundle: true,
  format: "iife",
  minify: true,
  target: ["es2022"],
  legalComments: "eof",
  logLevel: "warning",
});
