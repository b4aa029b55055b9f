// The editor's help: completion, cards, underlined errors; results as files; times in another zone.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { readFile } from "node:fs/promises";
import { paste, press, start, stepTo, test, type } from "./site.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

const completions = (page) => page.locator(".cm-tooltip-autocomplete li");

/** Types at the end of the script and asks for completions; gives the labels. */
async function complete(page, text) {
  await page.locator("#pane-script .cm-content").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+End");
  await paste(page, `\n${text}`);
  // Completions that the typing itself asked for may come and go first.
  for (let tries = 0; tries < 5 && !(await completions(page).count()); tries++) {
    await page.keyboard.press("Control+Space");
    await completions(page).first().waitFor({ timeout: 10_000 }).catch(() => {});
  }
  return completions(page).locator(".cm-completionLabel").allInnerTexts();
}

test("names, options, modes and columns are completed and explained", async () => {
  const page = await site.open();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await type(
    page,
    'from pyspark.sql import SparkSession, functions as F\nfrom pyspark.sql.functions import window, col\nspark = SparkSession.builder.getOrCreate()\nevents = spark.readStream.schema("user STRING, amount DOUBLE, event_time TIMESTAMP").json("in")\n',
  );
  assert.ok((await complete(page, "events.withW")).includes("withWatermark"));
  assert.match(await page.locator(".cm-completionInfo").innerText(), /withWatermark\(eventTime, delayThreshold\)[^]*late/);
  // The list takes no key in its first moments, nor while it is being asked again.
  const script = page.locator("#pane-script .cm-content");
  for (let tries = 0; tries < 5 && !/events\.withWatermark/.test(await script.innerText()); tries++) {
    if (tries > 0) await complete(page, "events.withW");
    await page.waitForTimeout(300);
    await page.keyboard.press("Enter");
  }
  assert.match(await script.innerText(), /events\.withWatermark/);
  assert.ok((await complete(page, "F.session_")).includes("session_window"));
  assert.ok((await complete(page, "windo")).includes("window"));
  assert.deepEqual(await complete(page, 'events.writeStream.outputMode("'), ["append", "complete", "update"]);
  assert.ok((await complete(page, 'spark.readStream.format("kafka").option("starting')).includes("startingOffsets"));
  assert.ok((await complete(page, 'events.groupBy("us')).includes("user"));
  assert.ok((await complete(page, "events.writeStream.trigger(")).includes("availableNow"));
  // The table of names came from this origin, once, and only now.
  assert.equal(asked.filter((address) => address.endsWith("help.json")).length, 1);
  assert.ok(asked.every((address) => address.startsWith(site.address)));

  // A card for the name under the pointer, and for the one at the cursor.
  await page.keyboard.press("Escape");
  await type(page, "from pyspark.sql.functions import window\nwindow");
  await page.mouse.move(2, 2);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Alt+h");
  const card = page.locator(".tm-help");
  await card.waitFor();
  assert.match(await card.innerText(), /^window\(timeColumn, windowDuration/);
  await page.locator(".app > .status", { hasText: /^window\(timeColumn/ }).waitFor();
  for (let tries = 0; tries < 3 && (await card.count()); tries++) {
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached", timeout: 5_000 }).catch(() => {});
  }
  assert.equal(await card.count(), 0);
  await page.locator("#pane-script .cm-line").last().hover({ position: { x: 20, y: 8 } });
  await card.waitFor();
});

test("columns of a running query are completed", async () => {
  const page = await site.open();
  await stepTo(page, 1);
  assert.ok((await complete(page, 'anything.select("acti')).includes("action"));
});

test("what is certainly wrong is underlined before it runs", async () => {
  const page = await site.open();
  const marks = page.locator("#pane-script .cm-lintRange-error");
  await type(page, "print('a')\nif True\n    print('b')\n");
  await marks.first().waitFor();
  await page.keyboard.press("F8");
  assert.match(await page.locator(".cm-diagnostic").innerText(), /SyntaxError/);
  await type(page, "print('a')\n");
  await marks.first().waitFor({ state: "detached" });
  await type(page, 'df.withWatermark("t", "10 minuts").writeStream.outputMode("appendix").start()\n');
  await page.waitForFunction(() => document.querySelectorAll("#pane-script .cm-lintRange-error").length === 2);
  assert.deepEqual(await marks.allInnerTexts(), ['"10 minuts"', '"appendix"']);
});

test("results are downloaded as JSON and CSV", async () => {
  const page = await site.open();
  for (let count = 1; count <= 4; count++) await stepTo(page, count);
  for (const [name, first] of [["JSON", /^\{"start":"2026-03-02T09:00:00\.000Z"/], ["CSV", /^start,end,user,total,events/]]) {
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: `Download these rows as ${name}` }).click();
    const file = await coming;
    assert.match(file.suggestedFilename(), new RegExp(`batch-3\\.${name.toLowerCase()}$`));
    const text = await readFile(await file.path(), "utf8");
    assert.match(text, first);
    assert.equal(text.trimEnd().split("\n").length, name === "CSV" ? 4 : 3);
  }
});

test("times are shown in the session's zone, in UTC or in the browser's", async () => {
  const page = await site.open({ timezoneId: "Asia/Kolkata" });
  await type(
    page,
    'from pyspark.sql import SparkSession\nspark = SparkSession.builder.config("spark.sql.session.timeZone", "America/New_York").getOrCreate()\nspark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).option("startTimestamp", 1772442000000).load().writeStream.format("noop").start()\n',
  );
  await press(page, "Step");
  const clock = page.locator(".fact", { hasText: "Clock" }).locator("dd");
  const times = page.getByLabel("Times");
  const minutes = async () => {
    const [, hour, minute] = (await clock.innerText()).match(/ (\d\d):(\d\d):/);
    return Number(hour) * 60 + Number(minute);
  };
  const session = await minutes();
  await times.selectOption({ label: "UTC" });
  const utc = await minutes();
  await times.selectOption({ label: "local" });
  const local = await minutes();
  assert.equal((local - utc + 1440) % 1440, 330);
  // Summer or winter time, as New York has it on the day of the test.
  assert.ok([240, 300].includes((utc - session + 1440) % 1440), `${session} ${utc}`);
  assert.ok(await times.locator("option", { hasText: "session (America/New_York)" }).count());
});
