// The page itself: keyboard, errors, interruption, two tabs, a narrow screen.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { batches, focused, press, ready, start, stepTo, test, type, visit } from "./site.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

test("the keyboard alone steps, goes round the panels and shows the shortcuts", async () => {
  const page = await site.open();
  await page.keyboard.press("F10");
  await page.locator(".rows .row-button").first().waitFor();
  for (const [key, selector] of [
    ["Alt+1", "#pane-script .cm-content"],
    ["Alt+3", ".timeline"],
    ["Alt+4", "#pane-batches .pane-body"],
    ["Alt+5", "#tab-output"],
  ]) {
    await page.keyboard.press(key);
    await focused(page, selector);
  }
  await page.keyboard.press("F1");
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("an error stands at the script's line with Spark's text", async () => {
  const page = await site.open();
  await type(
    page,
    'from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\ndf = spark.createDataFrame([(1,)], ["a"])\ndf.select("b").show()\n',
  );
  await press(page, "Run");
  const card = page.getByRole("alert").filter({ hasText: "failed at line 4" });
  await card.waitFor();
  assert.match(await card.innerText(), /UNRESOLVED_COLUMN/);
  assert.equal(await page.locator(".tm-mark-error").innerText(), 'df.select("b").show()');
});

test("a script that never ends is interrupted, and the workspace is there again", async () => {
  const page = await site.open();
  await type(page, "while True:\n    pass\n");
  await page.getByRole("toolbar").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Interrupt" }).click();
  await ready(page);
  assert.match(await page.locator("#pane-script .cm-content").innerText(), /while True/);
  await type(page, 'print("again")\n');
  await press(page, "Run");
  await page.getByRole("tab", { name: "Console" }).click();
  await page.locator(".console", { hasText: /^again\n$/ }).waitFor();
});

test("a second tab on the same workspace is told so and kept apart", async () => {
  const context = await site.context();
  const first = await context.newPage();
  await visit(first, site.address);
  const second = await context.newPage();
  await visit(second, site.address);
  await second.getByRole("alert").filter({ hasText: "open in another tab" }).waitFor();
  await stepTo(second, 1);
  assert.deepEqual(await batches(first), []);
});

test("files are made, edited, renamed and deleted", async () => {
  const page = await site.open();
  const files = page.locator("#pane-files");
  await files.getByRole("button", { name: "New folder" }).click();
  await files.getByLabel("Folder", { exact: true }).fill("data/more");
  await files.getByRole("button", { name: "Create" }).click();
  await files.getByRole("button", { name: "more", exact: true }).waitFor();
  await files.getByRole("button", { name: "New file" }).click();
  await files.getByLabel("File", { exact: true }).fill("data/more/a.json");
  await files.getByLabel("Content", { exact: true }).fill('{"user": "ana"}\nnot json');
  await files.getByText("Line 2 is no JSON object").waitFor();
  await files.getByRole("button", { name: "Create" }).click();
  await files.getByRole("button", { name: /^a\.json/ }).click();
  await files.locator(".cm-content", { hasText: "not json" }).waitFor();
  await files.getByRole("button", { name: "Back to the files" }).click();
  await files.getByRole("button", { name: /^a\.json/ }).hover();
  await files.getByRole("button", { name: "Rename a.json" }).click();
  await files.getByLabel("New path of a.json").fill("data/more/b.json");
  await page.keyboard.press("Enter");
  await files.getByRole("button", { name: /^b\.json/ }).hover();
  await files.getByRole("button", { name: "Delete b.json" }).click();
  await files.getByRole("button", { name: "Delete", exact: true }).click();
  await files.getByRole("button", { name: /^b\.json/ }).waitFor({ state: "detached" });
});

test("a narrow screen shows one panel at a time and nothing spills over", async () => {
  const page = await site.open({ viewport: { width: 390, height: 844 } });
  await stepTo(page, 1);
  for (const name of ["Files", "Time", "Batches", "Detail", "Script"]) {
    await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name }).click();
    const shown = await page.locator(".pane").evaluateAll((panes) => panes.filter((pane) => pane.offsetHeight > 0).length);
    assert.equal(shown, 1, name);
  }
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});

test("every control has a name, in light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await site.open({ colorScheme });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
    const nameless = await page.locator("button, input:not([hidden]), select").evaluateAll(
      (controls) =>
        controls.filter((control) => !control.getAttribute("aria-label") && !control.innerText?.trim() && !control.labels?.length).length,
    );
    assert.equal(nameless, 0);
  }
});
