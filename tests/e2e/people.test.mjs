// Everyone: nothing that axe-core finds, a keyboard alone, a screen reader, large text, a small screen, no motion.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { addEvent, focused, press, start, stepTo, test } from "./site.mjs";
import { panel, throughAll } from "./views.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

/** What axe-core finds, one line a finding. Evaluated, not inserted: the page's policy has no say in it. */
async function findings(page) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} (${node.failureSummary.split("\n").slice(1).join(";").slice(0, 200)})`),
  );
}

for (const viewport of [WIDE, NARROW]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`axe-core finds nothing at ${viewport.width}, ${colorScheme}`, async () => {
      // A colour on its way to another one is nobody's choice.
      const page = await site.open({ viewport, colorScheme, reducedMotion: "reduce" });
      // The same finding on many views is one line.
      const found = {};
      const look = async (name) => {
        for (const finding of await findings(page)) (found[finding] ??= []).push(name);
      };
      await look("before the first run");
      for (let count = 1; count <= 4; count++) await stepTo(page, count);
      await throughAll(page, look);
      assert.deepEqual(found, {});
      await page.context().close();
    });
  }
}

test("a batch is announced, and so is what was dropped", async () => {
  const page = await site.open();
  const status = page.locator(".app > .status");
  assert.equal(await status.getAttribute("aria-live"), "polite");
  await stepTo(page, 1);
  await status.filter({ hasText: /^Batch 0: 3 rows in/ }).waitFor();
  for (let count = 2; count <= 5; count++) await stepTo(page, count);
  await addEvent(page, { preset: "Late" });
  await stepTo(page, 6);
  await status.filter({ hasText: /^Batch 5: .*dropped/ }).waitFor();
});

test("Tab reaches every control in turn and leaves the editor after Escape", async () => {
  const page = await site.open();
  await stepTo(page, 1);
  await page.locator("#pane-script .cm-content").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => !document.activeElement.closest(".cm-editor")));
  // Round the page once: what can be clicked has had the focus, with a ring around it.
  const reached = new Set();
  for (let tries = 0; tries < 120; tries++) {
    const id = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === document.body) return "body";
      const ring = getComputedStyle(element);
      const shown = ring.outlineStyle !== "none" || element.closest(".cm-editor");
      element.dataset.reached = "";
      return `${element.tagName} ${element.getAttribute("aria-label") ?? element.innerText} ${shown ? "" : "NO RING"}`;
    });
    assert.ok(!id.includes("NO RING"), id);
    reached.add(id);
    // The editor takes Tab for itself: Escape first.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
  }
  const missed = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input:not([hidden]), textarea, [tabindex='0']")]
      .filter((element) => element.checkVisibility() && element.tabIndex >= 0 && !("reached" in element.dataset))
      .map((element) => element.getAttribute("aria-label") ?? element.innerText),
  );
  assert.deepEqual(missed, []);
});

test("arrow keys go through tabs, with one of them in the order of Tab", async () => {
  const page = await site.open();
  for (const list of ["Files", "Details"]) {
    const tabs = page.getByRole("tablist", { name: list }).getByRole("tab");
    const names = await tabs.allInnerTexts();
    assert.equal(await page.getByRole("tablist", { name: list }).locator("[tabindex='0']").count(), 1, list);
    await tabs.first().focus();
    // All the way round, which ends where it began.
    for (const name of [...names.slice(1), names[0]]) {
      await page.keyboard.press("ArrowRight");
      await page.locator("[role=tab][aria-selected=true]:focus", { hasText: name }).waitFor();
    }
  }
});

test("a dialog keeps the focus and gives it back", async () => {
  const page = await site.open();
  const help = page.getByRole("banner").getByRole("button", { name: "Help" });
  await help.click();
  await focused(page, "dialog");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForFunction((element) => element === document.activeElement, await help.elementHandle());
});

// A zoom of 400 % on a screen of 1280 leaves 320 px; a browser whose text is twice as large doubles every size that holds text.
for (const [label, viewport, args] of [
  ["the browser's zoom of 400 %", { width: 320, height: 720 }, []],
  ["text at 200 %", WIDE, ["--blink-settings=defaultFontSize=32"]],
]) {
  test(`${label} loses no control`, async () => {
    const large = await start({ args });
    try {
      const page = await large.open({ viewport });
      await stepTo(page, 1);
      await throughAll(page, async (name) => {
        assert.deepEqual(await page.evaluate(clippedControls), [], name);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways`);
      });
      const size = await page.locator("h1").evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
      assert.equal(size, args.length ? 30 : 15);
    } finally {
      await large.stop();
    }
  });
}

/** Controls that cannot be brought onto the screen: cut off by something that does not scroll. Runs in the page. */
function clippedControls() {
  // What is open above the page hides what is under it.
  const within = document.querySelector("dialog[open], .menu") ?? document;
  const lost = [];
  for (const control of within.querySelectorAll("button, select, input:not([hidden]), textarea")) {
    if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || control.closest(".cm-editor")) continue;
    control.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = control.getBoundingClientRect();
    if (box.width === 0) continue;
    const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
    const y = box.top + box.height / 2;
    const there = document.elementFromPoint(x, y);
    if (!there || !(control.contains(there) || there.contains(control) || there.closest("label")?.contains(control))) {
      lost.push(`${control.getAttribute("aria-label") ?? control.innerText} at ${Math.round(x)},${Math.round(y)}`);
    }
  }
  return lost;
}

test("who wants no motion gets none", async () => {
  const page = await site.open({ reducedMotion: "reduce" });
  await press(page, "Run");
  const moving = await page.evaluate(() =>
    document.getAnimations().filter((animation) => animation.effect.getTiming().duration > 1).length,
  );
  assert.equal(moving, 0);
  const timed = await page.locator(".tool, .button").evaluateAll(
    (elements) => elements.filter((element) => parseFloat(getComputedStyle(element).transitionDuration) > 0).length,
  );
  assert.equal(timed, 0);
});

test("a narrow screen does all that a wide one does", async () => {
  const page = await site.open({ viewport: NARROW });
  await stepTo(page, 1);
  await panel(page, "Files");
  const time = await addEvent(page, { preset: "On time" });
  assert.match(time, /^\d{4}-/);
  await stepTo(page, 2);
  await panel(page, "Detail");
  await page.getByRole("tab", { name: "State", exact: true }).click();
  await page.locator(".detail .grid tbody tr").first().waitFor();
  for (const name of ["Stop", "Restart from checkpoint", "Crash", "Reset", "Run continuously"]) {
    await page.getByRole("toolbar").getByRole("button", { name, exact: true }).scrollIntoViewIfNeeded();
    assert.ok(await page.getByRole("toolbar").getByRole("button", { name, exact: true }).isVisible(), name);
  }
});
