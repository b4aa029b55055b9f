// The fate of a row: what is still needed, the batch it came out in, the late row with its comparison, the tray.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before } from "node:test";
import { addEvent, start, stepTo, test } from "./site.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`a row's fate is told from its file to the output, at ${viewport.width} px`, async () => {
    const page = await site.open({ viewport });
    // A narrow screen shows one panel at a time.
    const go = async (name) => {
      if (viewport.width < 760) await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name }).click();
    };
    const steps = page.getByRole("list", { name: "What happened to this row" });
    const told = (text) => steps.filter({ hasText: text }).waitFor();
    for (let count = 1; count <= 4; count++) await stepTo(page, count);

    // The first event: read, in a window, out.
    await go("Time");
    await page.locator(".timeline").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await told(/Read by batch 0[^]*Came to the aggregation[^]*Row \d of the output of batch 3/);
    assert.match(await page.locator(".fate-outcome").innerText(), /Came out/);

    // The last one waits; what it needs is said.
    await go("Time");
    await page.locator(".timeline").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await told("Comes out once the watermark reaches");
    const [, needed] = /Needs an event at or after (\d\d:\d\d:\d\d) in source 0 \(json folder data\/stream_in\)/.exec(
      await steps.innerText(),
    );
    // Settle the no-data batch that is owed, then give what is needed: the story goes on by itself.
    await stepTo(page, 5);
    await go("Files");
    await addEvent(page, { fill: { event_time: `2026-03-02T${needed}`, user: "eve" } });
    await stepTo(page, 6);
    await stepTo(page, 7);
    await go("Detail");
    await told(/Row \d of the output of batch 6/);

    // A late event: the watermark, the comparison, by how much.
    await go("Files");
    await addEvent(page, { fill: { event_time: "2026-03-02T09:01:30", user: "dee" } });
    await stepTo(page, 8);
    await go("Detail");
    const tray = page.getByRole("region", { name: "Dropped rows", exact: true });
    await tray.locator("tbody .row-button").click();
    await told(/Dropped: late by \d/);
    assert.match(await steps.innerText(), /\d\d:\d\d:\d\d <= \d\d:\d\d:\d\d/);
    const download = page.waitForEvent("download");
    await tray.getByRole("button", { name: "Export as JSON lines" }).click();
    const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n").map(JSON.parse);
    assert.deepEqual([lines.length, lines[0].row.user, lines[0].operator_name], [1, "dee", "stateStoreSave"]);
    assert.ok(lines[0].late_by_ms > 0 && lines[0].boundary < lines[0].late_row_watermark);

    // Both watermarks of the operator.
    const operator = page.getByRole("region", { name: "Watermarks and counts by operator" }).locator("tbody tr");
    assert.match(await operator.innerText(), /0 · the aggregation\s+\d\d:\d\d:\d\d\s+\d\d:\d\d:\d\d/);

    // From a row of the output to its events, and on to one of them.
    await go("Batches");
    await page.locator(".rows .row-button", { hasText: /^3$/ }).click();
    await go("Detail");
    await page.getByRole("tab", { name: "Output" }).click();
    await page.locator(".detail tr.pick").first().focus();
    await page.keyboard.press("Enter");
    await page.getByText(/Made of \d events?/).waitFor();
    await page.locator(".fate-event").first().click();
    await told("Row 1 of the output of batch 3");
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await page.getByText(/Made of \d events?/).waitFor();
    const spill = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(spill <= 0, "nothing spills over");
    await page.context().close();
  });
}
