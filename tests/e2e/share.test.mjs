// What leaves the page and comes to it: links, files, embedding; named scripts, former runs, endless output.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { after, before } from "node:test";
import { batches, press, ready, start, stepTo, test, type, visit, watch } from "./site.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

const NARROW = { viewport: { width: 390, height: 844 } };
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

const script = (page) => page.locator("#pane-script .cm-content").innerText();
const status = (page, text) => page.locator(".app > .status", { hasText: text }).waitFor();

/** Opens the dialog by its key and waits until the workspace is packed. */
async function share(page) {
  await page.keyboard.press("Alt+s");
  const dialog = page.getByRole("dialog", { name: "Share and save" });
  await dialog.getByLabel("Link to this workspace").or(dialog.getByText("Too large for a link")).waitFor();
  return dialog;
}

async function link(page) {
  const dialog = await share(page);
  const address = await dialog.getByLabel("Link to this workspace").inputValue();
  await page.keyboard.press("Escape");
  return address;
}

async function saved(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), path: await download.path() };
}

/** Lays the files of a zip into a folder of the disk. */
async function unpacked(zip) {
  const folder = await mkdtemp(join(tmpdir(), "checkpoint-"));
  // The list at the end of a zip: for each file its method, sizes, name, and where it begins.
  let at = zip.readUInt32LE(zip.length - 22 + 16);
  for (let left = zip.readUInt16LE(zip.length - 22 + 10); left > 0; left--) {
    const [method, size, name, extra, comment] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), ...[28, 30, 32].map((by) => zip.readUInt16LE(at + by))];
    const start = zip.readUInt32LE(at + 42);
    const data = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
    const path = join(folder, zip.toString("utf8", at + 46, at + 46 + name));
    if (!path.endsWith("/")) {
      await mkdir(dirname(path), { recursive: true });
      const packed = zip.subarray(data, data + size);
      await writeFile(path, method === 8 ? inflateRawSync(packed) : packed);
    }
    at += 46 + name + extra + comment;
  }
  return folder;
}

for (const options of [{}, NARROW]) {
  const width = options.viewport?.width ?? 1440;

  test(`a link is copied with the keyboard and opens with script and files (${width})`, async () => {
    const context = await site.context({ ...options, ...CLIPBOARD });
    const page = await context.newPage();
    await visit(page, site.address);
    await type(page, 'print("shared")\n');
    const dialog = await share(page);
    await dialog.getByRole("button", { name: "Copy link" }).press("Enter");
    await dialog.locator(".done", { hasText: "Link copied" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    const address = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(address, /#w1=[\w-]+$/);

    // Where nothing is, it is laid at once, and a reload does not bring it again.
    const other = await (await site.context(options)).newPage();
    await visit(other, address);
    await status(other, "The workspace is here");
    assert.match(await script(other), /print\("shared"\)/);
    assert.equal(new URL(other.url()).hash, "");
    await other.reload();
    await ready(other);
    assert.match(await script(other), /print\("shared"\)/);

    // Where something is, it asks; beside it, the old one stays.
    await other.goto(address.replace("#", "?again#"));
    await ready(other);
    const offer = other.getByRole("dialog", { name: "Open this workspace?" });
    await offer.getByText("4 input files").waitFor();
    await other.keyboard.press("Escape");
    await offer.waitFor({ state: "detached" });
    await type(other, 'print("mine")\n');
    await other.evaluate((hash) => (location.hash = hash), new URL(address).hash);
    await offer.getByRole("button", { name: "Open as a new workspace" }).click();
    await other.waitForFunction(() => location.search.includes("workspace=shared-"));
    await status(other, "The workspace is here");
    assert.match(await script(other), /print\("shared"\)/);
    // The list of workspaces has both: the first is opened, the other renamed and deleted.
    await share(other);
    const list = other.getByRole("region", { name: "Workspaces in this browser" });
    await list.getByRole("link", { name: "First workspace" }).click();
    await other.waitForURL((url) => !url.search);
    await ready(other);
    assert.match(await script(other), /print\("mine"\)/);
    await share(other);
    await list.getByRole("button", { name: /^Rename shared-/ }).click();
    await list.getByLabel(/^New name of shared-/).fill("Borrowed");
    await other.keyboard.press("Enter");
    await list.getByRole("button", { name: "Delete Borrowed" }).click();
    await list.getByRole("button", { name: "Delete", exact: true }).click();
    await list.getByRole("link").waitFor({ state: "detached" });
  });
}

test("a link that cannot be opened says why and changes nothing", async () => {
  const page = await site.open();
  const before = await script(page);
  for (const [hash, words] of [
    ["#w1=AAAA", "The link is broken"],
    ["#w9=AAAA", "of version 9"],
    [`#w1=${"A".repeat(40_000)}`, "The link is too large"],
  ]) {
    await page.evaluate((hash) => (location.hash = hash), hash);
    await page.getByRole("alert").filter({ hasText: words }).waitFor();
  }
  assert.equal(await script(page), before);
});

test("what is too large for a link goes as a file", async () => {
  const page = await site.open();
  const noise = await page.evaluate(() => [...crypto.getRandomValues(new Uint8Array(60_000))].map((byte) => String.fromCharCode(33 + (byte % 90))).join(""));
  await type(page, `# ${noise}`);
  const dialog = await share(page);
  await dialog.getByText("Too large for a link").waitFor();
  const file = await saved(page, () => dialog.getByRole("button", { name: "Save workspace (.zip)" }).click());
  assert.equal(file.name, "tidemark-workspace.zip");
});

test("a workspace travels as a zip with its batches; one that is no workspace is refused", async () => {
  const page = await site.open();
  await stepTo(page, 1);
  await stepTo(page, 2);
  const list = await batches(page);
  let dialog = await share(page);
  const zip = await saved(page, () => dialog.getByRole("button", { name: "Save workspace (.zip)" }).click());
  const checkpoint = await saved(page, () => dialog.getByRole("button", { name: "Save checkpoint (.zip)" }).click());
  assert.equal(checkpoint.name, "checkpoint.zip");

  const other = await site.open(NARROW);
  dialog = await share(other);
  await dialog.getByLabel("Workspace file to open").setInputFiles(checkpoint.path);
  await dialog.getByRole("alert").filter({ hasText: "holds no workspace" }).waitFor();
  const broken = { name: "x.zip", mimeType: "application/zip", buffer: (await readFile(zip.path)).subarray(0, 900) };
  await dialog.getByLabel("Workspace file to open").setInputFiles(broken);
  await dialog.getByRole("alert").filter({ hasText: "no zip file" }).waitFor();
  await dialog.getByLabel("Workspace file to open").setInputFiles(zip.path);
  await other.getByRole("dialog", { name: "Open this workspace?" }).getByRole("button", { name: "Replace this one" }).click();
  await status(other, "Workspace restored with 2 batches");
  await other.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Batches" }).click();
  assert.deepEqual((await batches(other)).map((batch) => batch.input), list.map((batch) => batch.input));
  // It goes on from its checkpoint.
  await press(other, "Restart from checkpoint");
  await stepTo(other, 3);
  await other.reload();
  await ready(other);
  assert.equal(await other.locator(".rows .row-button").count(), 3);

  // The checkpoint alone, into a workspace that has run nothing: the query goes on after batch 1. As a zip it has come as
  // what is in it; as a folder it comes with its own name.
  const third = await site.open();
  dialog = await share(third);
  const folder = await unpacked(await readFile(checkpoint.path));
  await dialog.getByLabel("Checkpoint folder to bring in").setInputFiles(folder);
  await third.getByRole("dialog", { name: "Bring in this checkpoint" }).getByRole("button", { name: "Bring it in" }).click();
  await status(third, "The checkpoint is here");
  await press(third, "Step");
  await third.locator(".rows .row-button", { hasText: /^2$/ }).waitFor();
});

test("Markdown, spark-submit and pytest are made from what was seen", async () => {
  const context = await site.context(CLIPBOARD);
  const page = await context.newPage();
  await visit(page, site.address);
  let dialog = await share(page);
  await dialog.getByRole("button", { name: "pytest of these batches" }).click();
  await dialog.getByRole("alert").filter({ hasText: "step first" }).waitFor();
  await page.keyboard.press("Escape");
  for (let count = 1; count <= 4; count++) await stepTo(page, count);
  dialog = await share(page);
  await dialog.getByRole("button", { name: "Copy as Markdown" }).click();
  await dialog.locator(".done", { hasText: "Markdown copied" }).waitFor();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(markdown, /```python\n# Spending per user/);
  assert.match(markdown, /Batch 3: 2 rows in, 3 out\n\n\| start \| end \|/);
  assert.match(markdown, /\[Open in Tidemark\]\(http.+#w1=/);
  const submit = await saved(page, () => dialog.getByRole("button", { name: "Script for spark-submit" }).click());
  assert.match(await readFile(submit.path, "utf8"), /spark-submit --master "local\[2\]"[^]+_files = \[[^]+query\.awaitTermination\(\)/);
  const pytest = await saved(page, () => dialog.getByRole("button", { name: "pytest of these batches" }).click());
  assert.equal(pytest.name, "test_script.py");
  assert.match(await readFile(pytest.path, "utf8"), /"count": 3,\s+"rows": \[\s+\["2026-03-02 09:00:00"/);
  await page.keyboard.press("Escape");
  await type(page, "from tidemark import kafka\n");
  dialog = await share(page);
  await dialog.getByRole("button", { name: "Script for spark-submit" }).click();
  await dialog.getByRole("alert").filter({ hasText: "Line 1 imports tidemark" }).waitFor();
});

test("inside another page: editor, steps and tables, and a way to the whole page", async () => {
  const page = await site.open();
  await type(page, (await script(page)).replace("Spending per user", "Embedded: spending per user"));
  const address = await link(page);
  const context = await site.context({ viewport: { width: 700, height: 560 } });
  const inner = await context.newPage();
  await watch(inner, site.address);
  await inner.goto(address.replace("#", "?embed#"));
  await ready(inner);
  await inner.locator(".cm-content", { hasText: "Embedded: spending" }).waitFor();
  for (let count = 1; count <= 4; count++) await stepTo(inner, count);
  await inner.locator(".detail .caption", { hasText: "Batch 3" }).waitFor();
  assert.equal(await inner.locator("#pane-time, #pane-files").count(), 0);
  const href = await inner.getByRole("link", { name: "Open in Tidemark" }).getAttribute("href");
  assert.equal(href, address);
  // Nothing is kept.
  assert.deepEqual(await inner.evaluate(async () => (await indexedDB.databases()).map((found) => found.name)), []);
});

test("several scripts: made, switched, renamed, deleted, and there after a reload", async () => {
  const page = await site.open(NARROW);
  const bar = page.locator(".script-bar");
  const first = await script(page);
  await bar.getByRole("button", { name: "New script" }).click();
  const dialog = page.getByRole("dialog", { name: "New script" });
  await dialog.getByLabel("Name").fill("script.py");
  await dialog.getByText("There is a script script.py already").waitFor();
  await dialog.getByLabel("Name").fill("second");
  await page.keyboard.press("Enter");
  await status(page, "second.py is in the editor");
  await type(page, 'print("two")\n');
  await bar.getByLabel("Script shown").selectOption("script.py");
  await status(page, "script.py is in the editor");
  assert.equal(await script(page), first);
  await bar.getByLabel("Script shown").selectOption("second.py");
  await page.locator("#pane-script .cm-content", { hasText: "two" }).waitFor();
  await press(page, "Run");
  await bar.getByRole("button", { name: "Rename script" }).click();
  await page.getByRole("dialog", { name: "Rename script" }).getByLabel("Name").fill("deux.py");
  await page.keyboard.press("Enter");
  await bar.locator("option", { hasText: "deux.py" }).waitFor({ state: "attached" });
  await page.reload();
  await ready(page);
  await bar.locator("option", { hasText: "deux.py" }).waitFor({ state: "attached" });
  assert.deepEqual(await bar.locator("option").allInnerTexts(), ["deux.py", "script.py"]);
  assert.match(await script(page), /two/);
  await bar.getByRole("button", { name: "Delete script" }).click();
  await page.getByRole("dialog", { name: "Delete deux.py?" }).getByRole("button", { name: "Delete", exact: true }).click();
  await status(page, "script.py is in the editor");
  assert.equal(await script(page), first);
});

test("former runs stand with their outcome, and their text comes back", async () => {
  const page = await site.open();
  await type(page, 'print("first")\n');
  await press(page, "Run");
  await type(page, 'print("second")\n1 / 0\n');
  await press(page, "Run");
  await page.keyboard.press("Alt+h");
  const dialog = page.getByRole("dialog", { name: "Runs so far" });
  const runs = dialog.locator(".run");
  await runs.nth(1).waitFor();
  assert.equal(await runs.count(), 2);
  assert.match(await runs.nth(0).innerText(), /Run 2[^]+failed: ZeroDivisionError: division by zero[^]+the text in the editor/);
  assert.match(await runs.nth(1).innerText(), /Run 1[^]+finished[^]+since then \+2 −1 lines/);
  await runs.nth(1).getByRole("button", { name: "Show changes" }).click();
  assert.equal(await runs.nth(1).locator(".diff .removed").innerText(), '− print("first")\n');
  await runs.nth(1).getByRole("button", { name: "Restore the text of run 1" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.match(await script(page), /first/);
  await page.reload();
  await ready(page);
  await page.keyboard.press("Alt+h");
  await runs.nth(1).waitFor();
  assert.equal(await runs.count(), 2);
});

test("a million printed lines leave the page usable, cut with a word", async () => {
  const page = await site.open();
  await type(page, 'for k in range(1000):\n    print("\\n".join(f"line {k * 1000 + i}" for i in range(1000)))\n');
  await press(page, "Run");
  await page.getByRole("tab", { name: "Console", exact: true }).click();
  await page.getByText("Cut: a script has printed very much").waitFor();
  const text = await page.locator(".console").innerText();
  assert.ok(text.endsWith("line 999999\n") && text.length < 2_000_000, `${text.length}`);
  await type(page, 'print("after")\n');
  await press(page, "Run");
  await page.locator(".console", { hasText: /^after\n$/ }).waitFor();
});

test("printing without end can be stopped", async () => {
  const page = await site.open();
  await type(page, 'while True:\n    print("on and on")\n');
  await page.getByRole("toolbar").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("tab", { name: "Console", exact: true }).click();
  await page.locator(".console", { hasText: "on and on" }).waitFor();
  await page.getByRole("button", { name: "Interrupt" }).click();
  await ready(page);
  await type(page, 'print("again")\n');
  await press(page, "Run");
  await page.locator(".console", { hasText: /^again\n$/ }).waitFor();
});
