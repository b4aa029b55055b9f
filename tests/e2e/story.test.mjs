// The story that the first release stands for: step to a closed window, be late, reload, go on, crash, resume.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { addEvent, batches, output, press, ready, start, stateAfter, stepTo, test } from "./site.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

test("a late event is dropped, counted and explained; reload, crash and restart lose and double nothing", async () => {
  const page = await site.open();

  // No typing: Step runs the script and its triggers, up to the first closed window.
  for (let count = 1; count <= 4; count++) await stepTo(page, count);
  let list = await batches(page);
  assert.deepEqual(list.map((batch) => batch.number), [0, 1, 2, 3]);
  assert.deepEqual(list.map((batch) => batch.input), ["3", "3", "2", "2"]);
  const first = await output(page, 3);
  assert.equal(first.length, 3);
  assert.deepEqual(new Set(first.map((row) => row[0])), new Set(["2026-03-02 09:00:00"]));
  assert.deepEqual(await output(page, 2), []);

  // The watermark has moved once more: a batch without data, with its reason.
  await stepTo(page, 5);
  list = await batches(page);
  assert.match(list[4].kind, /^no data\s*No new data, but the watermark has moved/);

  // A late event: dropped, counted, explained.
  await addEvent(page, { preset: "Late", fill: { user: "dee" } });
  await stepTo(page, 6);
  list = await batches(page);
  assert.deepEqual([list[5].input, list[5].dropped], ["1", "1"]);
  await page.locator(".timeline").focus();
  await page.keyboard.press("d");
  const words = await page.locator("#timeline-words").innerText();
  assert.match(words, /Dropped in batch 5/);
  assert.match(words, /late-row watermark: \d\d:\d\d:\d\d <= \d\d:\d\d:\d\d \(.+ too late\)/);
  assert.match(words, /"dee"/);

  // A reload brings everything back; a restart goes on from the checkpoint.
  const script = await page.locator("#pane-script .cm-content").innerText();
  const fate = await fates(page);
  await page.reload();
  await ready(page);
  assert.deepEqual(await batches(page), list);
  assert.equal(await page.locator("#pane-script .cm-content").innerText(), script);
  // What became of each row, the state and the plan too: the session is gone through again where a question needs it.
  await page.getByRole("tab", { name: "State", exact: true }).click();
  await stateAfter(page, 5);
  await page.getByRole("tab", { name: "Plan", exact: true }).click();
  await page.locator(".plan-node.stateful").waitFor();
  assert.deepEqual(await fates(page), fate);
  await press(page, "Restart from checkpoint");
  await addEvent(page, { preset: "On time", fill: { user: "eve" } });
  await stepTo(page, 7);
  list = await batches(page);
  assert.deepEqual([list[6].number, list[6].input], [6, "1"]);

  // A crash before the commit: the batch runs again and is there once.
  for (const point of ["Offsets written", "Sink done"]) {
    await addEvent(page, { preset: "On time" });
    const torn = await crash(page, point);
    await press(page, "Restart from checkpoint");
    await settleTo(page, torn + 1);
    const numbers = (await batches(page)).map((batch) => batch.number);
    assert.deepEqual(numbers, numbers.map((_, index) => index), point);
    await page.locator(".rows tr", { hasText: "replayed" }).nth(point === "Sink done" ? 1 : 0).waitFor();
  }

  // Close all windows: every accepted event is in exactly one row of exactly one batch.
  await addEvent(page, { fill: { event_time: "2026-03-03T00:00:00" } });
  await drain(page);
  list = await batches(page);
  const rows = [];
  for (const batch of list) rows.push(...(await output(page, batch.number)));
  const keys = rows.map((row) => `${row[0]} ${row[2]}`);
  assert.equal(new Set(keys).size, keys.length, "a window came out twice");
  const counted = rows.reduce((sum, row) => sum + Number(row[4]), 0);
  const input = list.reduce((sum, batch) => sum + Number(batch.input), 0);
  const dropped = list.reduce((sum, batch) => sum + Number(batch.dropped), 0);
  assert.equal(counted, input - dropped - 1, "only the event that closed the last windows is still open");

  // A crash after the commit: the batch is done and does not run again.
  await addEvent(page, { preset: "On time" });
  const torn = await crash(page, "Commit written");
  await press(page, "Restart from checkpoint");
  await addEvent(page, { preset: "On time" });
  await press(page, "Step");
  await page.locator(".rows .unheard", { hasText: `${torn}` }).waitFor();
  assert.equal((await batches(page)).at(-1).number, torn + 1);
});

/** The stories of the first event and of the dropped one, and the tray. */
async function fates(page) {
  const told = [];
  const steps = page.getByRole("list", { name: "What happened to this row" });
  for (const [key, words] of [["Home", "of the output of batch 3"], ["d", "Dropped: late by"]]) {
    await page.locator(".timeline").focus();
    await page.keyboard.press(key);
    await page.keyboard.press("Enter");
    await steps.filter({ hasText: words }).waitFor();
    told.push(await steps.innerText());
  }
  const tray = page.getByRole("region", { name: "Dropped rows, newest first" });
  await tray.waitFor();
  return [...told, await tray.innerText()];
}

/** Arms a crash, steps into it and gives the number of the batch that it hit. */
async function crash(page, point) {
  await page.getByRole("button", { name: "Crash", exact: true }).click();
  await page.getByRole("menuitem", { name: point }).click();
  await press(page, "Step");
  const row = page.locator(".rows .torn", { hasText: "crashed" });
  await row.waitFor();
  return Number(await row.locator("td").first().innerText());
}

/** Steps until there are at least `count` batches and no trigger is owed. */
async function settleTo(page, count) {
  for (let tries = 0; tries < 4 && (await batches(page)).length < count; tries++) await press(page, "Step");
  assert.ok((await batches(page)).length >= count);
}

/** Steps until a trigger runs no batch. */
async function drain(page) {
  for (let tries = 0; tries < 12; tries++) {
    await press(page, "Step");
    if ((await page.locator("#pane-batches .note").innerText()).includes("no batch")) return;
  }
  assert.fail("batches do not end");
}
