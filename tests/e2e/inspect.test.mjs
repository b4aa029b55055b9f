// State inspector, plan view and strip, as a person uses them.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { start, stateAfter, stepTo, test, type } from "./site.mjs";

let site;
before(async () => (site = await start()));
after(() => site.stop());

const tab = (page, name) => page.getByRole("tab", { name, exact: true }).click();

/** On a narrow screen one panel is seen at a time. */
const view = async (page, name) => {
  const button = page.locator(".views").getByRole("button", { name, exact: true });
  if (await button.isVisible()) await button.click();
};

for (const width of [1440, 390]) {
  test(`state, its changes and when it leaves, at ${width} px`, async () => {
    const page = await site.open({ viewport: { width, height: width === 390 ? 844 : 900 } });
    await stepTo(page, 1);
    await stepTo(page, 2);
    await view(page, "Detail");
    await tab(page, "State");
    const rows = page.locator(".state-rows tbody tr");
    await page.locator(".state-head", { hasText: "added" }).waitFor();
    await stateAfter(page, 1);
    assert.ok((await rows.count()) >= 3);
    await rows.filter({ hasText: "evicted when the watermark reaches 2026-03-02 09:01:00" }).first().waitFor();

    await page.getByLabel("changes only").check();
    await page.waitForFunction(() => [...document.querySelectorAll(".state-rows tbody tr")].every((row) => row.className));
    assert.match(await rows.first().innerText(), /added|changed|removed/);

    await page.getByLabel("changes only").uncheck();
    await page.getByLabel("Filter rows of state").fill("ana");
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".state-rows tbody tr")].every((row) => row.innerText.includes("ana")),
    );
    await page.getByLabel("Filter rows of state").fill("");

    await page.getByRole("button", { name: "State after the batch before" }).click();
    await stateAfter(page, 0);
    await page.locator(".state-head", { hasText: "0 changed" }).waitFor();
    await page.context().close();
  });

  test(`the plan traces the event time, at ${width} px`, async () => {
    const page = await site.open({ viewport: { width, height: width === 390 ? 844 : 900 } });
    await stepTo(page, 1);
    await view(page, "Detail");
    await tab(page, "Plan");
    const aggregate = page.locator(".plan-node.stateful");
    await aggregate.waitFor();
    if (width > 760) {
      // The graph gets the room of strip and batches, and gives it back.
      const enlarge = page.getByRole("button", { name: "Enlarge the details" });
      await enlarge.click();
      await page.locator("#pane-time").waitFor({ state: "hidden" });
      await enlarge.click();
      await page.locator("#pane-time").waitFor();
    }
    await page.locator(".plan-trace text", { hasText: "event_time" }).first().waitFor();
    assert.match(await aggregate.getAttribute("aria-description"), /Aggregate.*stateful operator 0.*event time window/);
    await aggregate.click();
    await page.locator(".plan-about h3", { hasText: "Aggregate" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator('.plan-node[aria-pressed="true"]:not(.stateful)').waitFor();
    assert.match(await page.locator(".plan-text pre").innerText(), /== Physical Plan ==/);
    await aggregate.click();
    await page.getByRole("button", { name: "Show its state" }).click();
    await page.locator(".state-rows").waitFor();
    await page.context().close();
  });
}

const JOIN = `
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 1)
import os
for name, ts in [("clicks", "10:00:01"), ("buys", "10:00:30")]:
    os.makedirs(name, exist_ok=True)
    with open(name + "/1.json", "w") as file:
        file.write('{"ts": "2026-02-14 ' + ts + '", "who": "ann"}')
def read(name):
    rows = spark.readStream.schema("ts timestamp, who string").json(name)
    return rows.select(F.col("ts").alias(name + "_ts"), F.col("who").alias(name + "_who")).withWatermark(name + "_ts", "10 seconds")
on = F.expr("clicks_who = buys_who AND buys_ts >= clicks_ts AND buys_ts <= clicks_ts + interval 1 minute")
joined = read("clicks").join(read("buys"), on)
joined.writeStream.format("noop").option("checkpointLocation", "cp").start().awaitTermination()
`;

test("a join has two lanes, two sides, and says which rows can match", async () => {
  const page = await site.open();
  await type(page, JOIN);
  await stepTo(page, 1);
  const strip = page.locator(".timeline");
  await strip.focus();
  await page.keyboard.press("Home");
  await page.locator("#timeline-told", { hasText: "partners are rows of buys from 10:00:01 to 10:01:01" }).waitFor();
  assert.match(await page.locator("#timeline-spot").getAttribute("aria-label"), /Event of clicks/);
  await page.keyboard.press("End");
  await page.locator("#timeline-told", { hasText: "partners are rows of clicks from 09:59:30 to 10:00:30" }).waitFor();

  await tab(page, "State");
  await page.locator(".state-section", { hasText: "left side" }).waitFor();
  await page.locator(".state-section", { hasText: "right side" }).waitFor();
  const left = page.locator(".state-section").first();
  assert.match(await left.locator("thead").innerText(), /matched/);
  await left.locator("tbody tr", { hasText: "evicted when the watermark reaches 2026-02-14 10:01:01.001" }).waitFor();
  await page.context().close();
});

const LOST = `
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
rows = spark.readStream.schema("event_time timestamp, user string").json("data/stream_in").withWatermark("event_time", "10 seconds")
rows.groupBy("user").count().writeStream.format("noop").outputMode("update").start().awaitTermination()
`;

test("a watermark that reaches no key is pointed out, and its state is called unbounded", async () => {
  const page = await site.open();
  await type(page, LOST);
  await stepTo(page, 1);
  await tab(page, "Plan");
  await page.locator(".plan-node", { hasText: "EventTimeWatermark" }).click();
  await page.locator(".plan-hint", { hasText: "reaches no key" }).waitFor();
  await tab(page, "State");
  await page.locator(".rule.warn", { hasText: "Unbounded" }).first().waitFor();
  await page.context().close();
});
