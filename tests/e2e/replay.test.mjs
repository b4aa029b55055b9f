// The past and the second run: back and forward, branches, what-if runs, the account after a crash, the verdict on a restart.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before } from "node:test";
import { addEvent, batches, press, ready, start, stateAfter, stepTo, test, type } from "./site.mjs";

const EXAMPLE = new URL("../../crates/protocol/examples/windowed_totals/script.py", import.meta.url);

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** A narrow screen shows one panel at a time. */
async function show(page, panel) {
  const button = page.getByRole("navigation", { name: "Panels" }).getByText(panel, { exact: true });
  if (await button.isVisible()) await button.click();
}

async function tab(page, name) {
  await show(page, "Detail");
  await page.getByRole("tab", { name, exact: true }).click();
}

const moment = async (page, number) => {
  await page.locator(`.scrub-words[data-moment="${number}"]`).waitFor();
  await ready(page);
};
const scrub = (page, name) => page.locator(".scrubber").getByRole("button", { name, exact: true }).click();
const numbers = async (page) => (await batches(page)).map((batch) => batch.number);
/** Rows of state after a batch: how many there are. */
const stateRows = async (page, batch) => {
  await tab(page, "State");
  await stateAfter(page, batch);
  await page.locator(".state-rows tbody tr").first().waitFor();
  return page.locator(".state-rows tbody tr").count();
};

for (const viewport of SIZES) {
  test(`batch by batch back and forward again, at ${viewport.width} px`, async () => {
    const page = await site.open({ viewport });
    const states = [];
    for (const count of [1, 2, 3, 4]) {
      await stepTo(page, count);
      states.push(await stateRows(page, count - 1));
    }
    // The moments are the start of the script and the four batches; now is after the last.
    await scrub(page, "Back one batch");
    await moment(page, 3);
    await page.keyboard.press("Alt+Comma");
    await moment(page, 2);
    assert.deepEqual(await numbers(page), [0, 1]);
    assert.equal(await stateRows(page, 1), states[1]);
    await tab(page, "Checkpoint");
    assert.equal(await page.getByText("commits/1", { exact: true }).count(), 1);
    assert.equal(await page.getByText("commits/2", { exact: true }).count(), 0);
    const step = page.getByRole("toolbar").getByRole("button", { name: "Step", exact: true });
    assert.equal(await step.getAttribute("aria-disabled"), "true");
    assert.match(await page.locator(".scrub-words").innerText(), /past.*after batch 1/s);
    await page.keyboard.press("Alt+Period");
    await moment(page, 3);
    assert.deepEqual(await numbers(page), [0, 1, 2]);
    assert.equal(await stateRows(page, 2), states[2]);
    await scrub(page, "Back to now");
    await moment(page, "now");
    assert.deepEqual(await numbers(page), [0, 1, 2, 3]);
    await stepTo(page, 5);
  });

  test(`another watermark drops other rows, at ${viewport.width} px`, async () => {
    const page = await site.open({ viewport });
    for (const count of [1, 2, 3, 4]) await stepTo(page, count);
    await show(page, "Files");
    await addEvent(page, { fill: { event_time: "2026-03-02T09:00:30", user: "dee" } });
    await stepTo(page, 5);
    assert.equal((await batches(page))[4].dropped, "1");
    await tab(page, "Compare");
    const dropped = async (place, delay) => {
      await page.getByLabel("Watermark delay").fill(String(place));
      await page.getByRole("button", { name: "Run it beside" }).click();
      const caption = page.locator(".runs .caption", { hasText: `delay ${delay}` });
      await caption.waitFor();
      await ready(page);
      return (await caption.innerText()).match(/\d+ dropped/g).join(", ");
    };
    assert.equal(await dropped(8, "5 min"), "1 dropped, 0 dropped");
    assert.equal(await dropped(3, "10 s"), "1 dropped, 1 dropped");
    // What differs is marked in words too.
    assert.ok((await page.locator(".both .mark", { hasText: "≠" }).count()) > 0);
    await page.locator(".scrubber").getByRole("button", { name: "What-if run" }).click();
    await page.locator('.app[data-time="second"]').waitFor();
    assert.equal((await batches(page)).reduce((sum, batch) => sum + Number(batch.dropped), 0), 1);
    await scrub(page, "Discard");
    await page.locator('.app[data-time="now"]').waitFor();
  });
}

test("a branch takes another event and becomes the workspace, over a reload too", async () => {
  const page = await site.open();
  for (const count of [1, 2, 3]) await stepTo(page, count);
  await page.locator(".scrub").fill("2");
  await moment(page, 2);
  await scrub(page, "Branch from here");
  await page.locator('.app[data-time="second"]').waitFor();
  await stepTo(page, 3);
  await stepTo(page, 4);
  await scrub(page, "Workspace");
  assert.deepEqual(await numbers(page), [0, 1, 2]);
  await scrub(page, "Make it the workspace");
  await page.locator(".scrubber").getByText("now, after 4 batches").waitFor();
  assert.deepEqual(await numbers(page), [0, 1, 2, 3]);
  await ready(page);
  await page.reload();
  await ready(page);
  assert.deepEqual(await numbers(page), [0, 1, 2, 3]);
  await scrub(page, "Back one batch");
  await moment(page, 3);
  assert.deepEqual(await numbers(page), [0, 1, 2]);
});

test("borders between batches are moved by keyboard and the other batches run beside", async () => {
  const page = await site.open();
  for (const count of [1, 2, 3, 4]) await stepTo(page, count);
  await tab(page, "Compare");
  await page.getByRole("button", { name: "Cut the input into other batches" }).click();
  await page.locator(".cuts").getByRole("separator").first().press("ArrowUp");
  await page.locator(".cuts").getByRole("separator").last().press("Delete");
  await page.getByRole("button", { name: "Run 3 batches beside" }).click();
  await page.locator(".runs .caption", { hasText: "in 3 batches" }).waitFor();
  const inputs = await page.locator(".both tbody tr td:nth-child(3)").allInnerTexts();
  assert.deepEqual(inputs.slice(0, 3).map((text) => text.replace("≠", "").trim()), ["2", "4", "4"]);
});

test("after a crash the account says what the sink got, and the verdict whether a restart goes on", async () => {
  const page = await site.open();
  for (const count of [1, 2]) await stepTo(page, count);
  await page.getByRole("toolbar").getByRole("button", { name: "Crash", exact: true }).click();
  await page.getByRole("menuitem", { name: /Sink done/ }).click();
  await press(page, "Step");
  await page.locator(".torn").waitFor();
  await press(page, "May I restart?");
  const dialog = page.getByRole("dialog", { name: "May I restart with this script?" });
  await dialog.locator('[data-verdict="yes"]').waitFor();
  assert.match(await dialog.innerText(), /runs batch 2 again/);
  await dialog.getByRole("button", { name: "Restart" }).click();
  await ready(page);
  await stepTo(page, 3);
  await tab(page, "Compare");
  const account = page.getByRole("region", { name: "Exactly-once account" });
  assert.match(await account.innerText(), /Doubled: a console cannot take back/);

  const script = await readFile(EXAMPLE, "utf8");
  await type(page, script.replace('F.sum("amount")', 'F.collect_list("user")'));
  await press(page, "May I restart?");
  await dialog.locator('[data-verdict="no"]').waitFor();
  assert.match(await dialog.innerText(), /STATE_STORE_/);
});
