// The page's figures in headless Chromium on dist/ (./dev build): time to the first batch on a cold load, frames while a query
// runs and while a long table is scrolled, then the scripts of this folder in the page's engine (Wasm), storage in IndexedDB included.
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { press, start, type } from "../tests/e2e/site.mjs";
import { frames } from "./frames.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
// A benchmark generates its input first: minutes, not seconds.
const LIMIT_MS = 20 * 60_000;

const site = await start();
try {
  await firstBatch();
  await frames();
  for (const name of (await readdir(HERE)).filter((name) => name.endsWith(".py")).sort()) await run(name);
} finally {
  await site.stop();
}

/** A cold load: nothing cached, nothing compiled. */
async function firstBatch() {
  const context = await site.context();
  const page = await context.newPage();
  const from = performance.now();
  await page.goto(site.address);
  await page.locator("#pane-script .cm-content").waitFor();
  const editor = performance.now();
  await page.waitForSelector(".app[data-engine=ready][data-busy=false]");
  const engine = performance.now();
  await page.getByRole("toolbar").getByRole("button", { name: "Step", exact: true }).click();
  await page.locator(".rows .row-button").first().waitFor();
  const batch = performance.now();
  const ms = (to) => `${Math.round(to - from)} ms`;
  console.log(`cold load: editor ${ms(editor)}, engine ready ${ms(engine)}, first batch ${ms(batch)} (figures: editor 1000 ms, engine 3000 ms)`);
  await context.close();
}

/** Runs a script to its end, as fast as the page can, and prints what it printed. */
async function run(name) {
  const page = await site.open();
  page.setDefaultTimeout(LIMIT_MS);
  await type(page, await readFile(`${HERE}${name}`, "utf8"));
  await page.getByLabel("Triggers a second of a continuous run").selectOption({ label: "max" });
  await page.getByRole("tab", { name: "Console" }).click();
  const console_ = page.locator("pre[aria-label=Console]");
  await press(page, "Run");
  // A script that waits for processAllAvailable runs through at once; one that waits for a termination wants triggers.
  if (!/finished/.test(await page.locator(".app > .status").innerText())) {
    await page.getByRole("toolbar").getByRole("button", { name: "Run continuously" }).click();
  }
  await console_.filter({ hasText: "done" }).waitFor();
  console.log(`· ${name}, Tidemark in Chromium\n${(await console_.innerText()).trim()}`);
  await page.context().close();
}
