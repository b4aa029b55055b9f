// Serves the built page and drives Chromium: what the end-to-end tests share.
import { chromium } from "playwright-core";
import { test as once } from "node:test";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// The engine is large and, in a debug build, slow to start.
const PATIENCE = 90_000;

/** The policy that the page states in its head; the server states it too, so that it holds in the worker. */
async function policy() {
  const html = await readFile(join(DIST, "index.html"), "utf8");
  return html.match(/http-equiv="Content-Security-Policy"\s+content="([^"]+)"/)[1];
}

/** `change(path, body)` may answer with another body, or null for none: how another version of the page is served. */
export async function serve({ change = (_, body) => body } = {}) {
  const csp = await policy();
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const file = join(DIST, path.endsWith("/") ? `${path}index.html` : path);
    try {
      const body = change(path, await readFile(file));
      response.writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        "content-security-policy": csp,
      });
      response.end(body);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const close = () => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  };
  return { address: `http://127.0.0.1:${server.address().port}/`, close };
}

// Of every site of this file, until they are closed.
const contexts = new Set();

/** A test with a second chance: a browser on a busy machine misses a beat at times. The first failure is told; what fails twice is broken. */
export function test(name, act) {
  once(name, async (t) => {
    try {
      await act(t);
    } catch (error) {
      t.diagnostic(`tried again after: ${error.stack}`);
      await Promise.all([...contexts].map((context) => context.close().catch(() => {})));
      await act(t);
    }
  });
}

/** A server and a browser (`args` are arguments of its own); `open` gives a page whose engine is ready, in a context of its own. */
export async function start({ args = [], ...options } = {}) {
  const site = await serve(options);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...ARGS, ...args] });
  return {
    browser,
    address: site.address,
    closeServer: site.close,
    async context(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      context.setDefaultTimeout(PATIENCE);
      contexts.add(context);
      context.on("close", () => contexts.delete(context));
      return context;
    },
    async open(options) {
      const page = await (await this.context(options)).newPage();
      await visit(page, site.address);
      return page;
    },
    async stop() {
      await browser.close();
      await site.close();
      if (faults.length > 0) throw new Error(faults.splice(0).join("\n"));
    },
  };
}

// What went wrong on pages beside what a test waits for. An error that is thrown in a handler belongs to no test: `stop` throws it.
const faults = [];

/** Notes when the page throws, breaks its policy, or asks another origin for anything. */
export async function watch(page, address) {
  page.on("pageerror", (error) => faults.push(error.stack));
  page.on("console", (message) => {
    const text = message.text();
    if (text.startsWith("policy: ") || (/Content Security Policy/.test(text) && !/inline style/.test(text))) faults.push(text);
  });
  // Text that is inserted into the editor gets a style by the browser itself, which the policy stops; CodeMirror draws it anew.
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      const inEditor = event.target instanceof Element && event.target.closest(".cm-line, .cm-content");
      if (!inEditor) console.error(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.target?.outerHTML?.slice(0, 200)}`);
    });
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(blob|data):/.test(url)) faults.push(`a request leaves the origin: ${url}`);
  });
}

export async function visit(page, address) {
  await watch(page, new URL("/", address).href);
  await page.goto(address);
  await ready(page);
}

export async function ready(page) {
  await page.waitForSelector(".app[data-engine=ready][data-busy=false]", { timeout: PATIENCE });
}

const idle = (page) => page.waitForSelector(".app[data-busy=false]", { timeout: PATIENCE });

export async function press(page, name) {
  await page.getByRole("toolbar").getByRole("button", { name, exact: true }).click();
  await idle(page);
}

/** Presses Step and waits until the list of batches has `count` of them. */
export async function stepTo(page, count) {
  await press(page, "Step");
  await page.waitForFunction((count) => document.querySelectorAll(".rows .row-button").length === count, count);
  await idle(page);
}

/** The batches as objects of the table's cells. */
export async function batches(page) {
  return page.locator(".rows tbody tr:not(.torn, .unheard)").evaluateAll((rows) =>
    rows.map((row) => {
      const [number, kind, input, output, dropped, state, watermark] = [...row.cells].map((cell) => cell.innerText.trim());
      return { number: Number(number), kind: kind.replace(/\s+/g, " "), input, output, dropped, state, watermark };
    }),
  );
}

/** Selects a batch and reads its output table: rows of texts. */
export async function output(page, number) {
  await page.locator(".rows .row-button", { hasText: new RegExp(`^${number}$`) }).click();
  return shownOutput(page, number);
}

/** The output table of a batch that is selected, or comes to be. */
export async function shownOutput(page, number) {
  await page.getByRole("tab", { name: "Output" }).click();
  const caption = page.locator(".detail .caption", { hasText: new RegExp(`^Batch ${number}\\b`) });
  await caption.waitFor();
  const [, total] = (await caption.innerText()).match(/· (\d+) rows?/);
  const rows = page.locator(".detail .grid tbody tr:not(.spacer)");
  if (total !== "0") await rows.first().waitFor();
  return rows.evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText)));
}

/** Waits until the state inspector shows what the batch left. */
export async function stateAfter(page, number) {
  await page.locator(`.inspector[data-batch="${number}"]`).waitFor();
}

/** Waits until the focus is on an element, or within it. */
export async function focused(page, selector) {
  await page.waitForFunction((selector) => document.activeElement?.closest(selector), selector);
}

/** Adds an event through the form; `fill` sets fields by their names, `preset` is one of the buttons for the time. */
export async function addEvent(page, { preset, fill = {} } = {}) {
  await page.getByRole("tab", { name: "Add event" }).click();
  if (preset) await page.getByRole("button", { name: preset, exact: true }).click();
  for (const [name, value] of Object.entries(fill)) await page.locator(".event-form").getByLabel(name).fill(value);
  const time = await page.locator(".event-form").getByLabel("event_time").inputValue();
  await page.locator(".event-form").getByRole("button", { name: "Add event" }).click();
  await page.locator(".status", { hasText: "Written to" }).waitFor();
  return time;
}

/** Replaces the script. */
export async function type(page, text) {
  await page.locator("#pane-script .cm-content").click();
  await page.keyboard.press("Control+a");
  await paste(page, text);
}

/** Puts text at the script's cursor. Chromium's own insertion styles what it inserts, which the page's policy refuses aloud. */
export async function paste(page, text) {
  await page.locator("#pane-script .cm-content").evaluate((content, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
