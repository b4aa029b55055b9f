// Bundles the editor into www/generated/, where index.html takes it from. Trunk runs this before each build.
import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

// CodeMirror writes its styles into a <style> element, which the page's policy forbids, or, inside shadow trees only, into a
// constructed sheet, which it allows. Here it takes the constructed sheet everywhere.
const constructedSheets = {
  name: "constructed sheets",
  setup(bundler) {
    bundler.onLoad({ filter: /style-mod\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = text.replace("!root.head && root.adoptedStyleSheets", "root.adoptedStyleSheets");
      if (contents === text) throw new Error("style-mod has changed: find its choice of sheets again");
      return { contents, loader: "js" };
    });
  },
};

await build({
  entryPoints: [at("./editor.js")],
  outfile: at("../generated/editor.js"),
  bundle: true,
  format: "iife",
  minify: true,
  target: ["es2022"],
  legalComments: "eof",
  logLevel: "warning",
  plugins: [constructedSheets],
});
