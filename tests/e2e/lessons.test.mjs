// A lesson as a person takes it: open, load, predict, step, reveal, do the task, go on; and an example of the gallery.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { batches, press, ready, start, stepTo, test, type, visit } from "./site.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

const panel = (page) => page.locator("#pane-lessons");
const button = (page, name) => panel(page).getByRole("button", { name, exact: true });
const script = (page) => page.locator("#pane-script .cm-content").innerText();

test("a lesson is loaded, predicted, run, revealed, and its task checks itself", async () => {
  const page = await site.open();
  await page.getByRole("button", { name: "Lessons", exact: true }).click();
  await panel(page).getByText(/^0 of \d+ tasks done/).waitFor();
  await panel(page).getByRole("button", { name: /A first stream/ }).click();
  await page.waitForURL(/#lesson=first-stream$/);
  await panel(page).filter({ hasText: /1 of \d+\s*Spark 4\.3\.0/ }).waitFor();
  // An untouched workspace gives way without a question.
  await button(page, "Load into the workspace").click();
  await ready(page);
  await panel(page).getByText("loaded", { exact: true }).waitFor();
  assert.match(await script(page), /first stream/);

  assert.ok(await button(page, "Reveal the answer").isDisabled(), "the answer is hidden until there is a prediction");
  await panel(page).getByLabel(/^Three: those of both/).check();
  await button(page, "Reveal the answer").click();
  await panel(page).getByText("Not as you said:").waitFor();
  await stepTo(page, 1);
  await panel(page).getByText("Your run shows it.").waitFor();
  await stepTo(page, 2);
  const goals = panel(page).getByRole("list", { name: "Goals of the task" });
  assert.match(await goals.innerText(), /A third batch has run\s*not yet/);

  await button(page, "Show a solution").click();
  await button(page, "Add this file").click();
  await stepTo(page, 3);
  await panel(page).getByText("Task done.").waitFor();
  assert.doesNotMatch(await goals.innerText(), /not yet/);

  // The next one; going back shows what is done.
  await button(page, "Next: A stream needs a schema").click();
  await page.waitForURL(/#lesson=schema$/);
  await page.goBack();
  await page.waitForURL(/#lesson=first-stream$/);
  await panel(page).getByText("Task done.").waitFor();

  // A reload brings the place, the progress and what was loaded back.
  await page.reload();
  await ready(page);
  await panel(page).getByText("Task done.").waitFor();
  await panel(page).getByText("loaded", { exact: true }).waitFor();
});

test("own work is asked for, an edited script is marked and goes back to its original", async () => {
  const page = await site.open();
  await type(page, "print('mine')\n");
  await page.keyboard.press("Alt+0");
  await panel(page).getByRole("button", { name: /Output modes/ }).click();
  await button(page, "Load into the workspace").click();
  const dialog = page.getByRole("dialog", { name: "Replace what you have?" });
  await dialog.getByRole("button", { name: "Keep" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.match(await script(page), /mine/);
  await button(page, "Load into the workspace").click();
  await dialog.getByRole("button", { name: "Replace" }).click();
  await ready(page);
  await panel(page).getByText("loaded", { exact: true }).waitFor();

  // A number instead of a choice; the lesson's own change marks the script, and it can be taken back.
  await panel(page).getByLabel("Your answer").fill("3");
  await button(page, "Reveal the answer").click();
  await panel(page).getByText("As you said:").waitFor();
  await button(page, "Show a solution").click();
  await button(page, "Make this change").click();
  await panel(page).getByText("modified", { exact: true }).waitFor();
  assert.match(await script(page), /outputMode\("update"\)/);
  await button(page, "Reset the script to the original").click();
  await panel(page).getByText("loaded", { exact: true }).waitFor();
  assert.match(await script(page), /outputMode\("complete"\)/);
});

test("an example of the gallery loads with one click and runs", async () => {
  const page = await site.open();
  await visit(page, `${site.address}#gallery`);
  await button(page, "Load Words of text files").click();
  await page.locator("#pane-script .cm-line", { hasText: "# Words of text files" }).waitFor();
  await ready(page);
  assert.match(await script(page), /^# Words of text files/);
  await stepTo(page, 1);
  assert.equal((await batches(page))[0].output, "6");
});

test("a narrow screen has the lessons as a view of its own", async () => {
  const page = await site.open({ viewport: { width: 390, height: 844 } });
  const views = page.getByRole("navigation", { name: "Panels" });
  await views.getByRole("button", { name: "Lessons" }).click();
  await panel(page).getByRole("button", { name: /Windows of event time/ }).click();
  await button(page, "Load into the workspace").click();
  await ready(page);
  await panel(page).getByLabel(/its first moment/).check();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await press(page, "Step");
  await button(page, "Reveal the answer").click();
  await panel(page).getByText("Your run shows it.").waitFor();
  await views.getByRole("button", { name: "Batches" }).click();
  assert.equal((await batches(page)).length, 1);
});
