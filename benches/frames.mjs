// Frames of the page at work: how long they take while a query runs and while a long table is scrolled. The browser draws as
// fast as it can: at a display's 60 a second every frame would last 16.7 ms, however little of it is work.
import { press, start, type } from "../tests/e2e/site.mjs";

const UNBOUND = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

const HEAD = `from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.config("spark.sql.shuffle.partitions", 2).getOrCreate()
def rows(count):
    reader = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", count)
    return reader.option("startTimestamp", 1_772_442_000_000).option("advanceMillisPerBatch", 30_000).load()
`;
const BUSY = `${HEAD}
counts = (rows(100_000).withWatermark("timestamp", "1 minute")
          .groupBy(F.window("timestamp", "1 minute"), (F.col("value") % 100).alias("key")).count())
counts.writeStream.outputMode("update").format("noop").queryName("busy").start().awaitTermination()
`;
const LONG = `${HEAD}
rows(1_000_000).writeStream.format("noop").queryName("long").start().awaitTermination()
`;
/** Batches that are watched. */
const BATCHES = 20;

/** Counts frames in the page until `stop` is called; milliseconds between them. */
async function watch(page) {
  await page.evaluate(() => {
    const frames = [];
    let last = null;
    let on = true;
    const tick = (now) => {
      if (last !== null) frames.push(now - last);
      last = now;
      if (on) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    globalThis.stopFrames = () => {
      on = false;
      return frames;
    };
  });
  return () => page.evaluate(() => globalThis.stopFrames());
}

function summary(frames) {
  const sorted = [...frames].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  return `${frames.length} frames, half within ${at(0.5)} ms, 95 % within ${at(0.95)} ms, the longest ${at(1)} ms`;
}

/** Frames of the page left alone: what this machine can do. */
async function idle(page) {
  const stop = await watch(page);
  await page.waitForTimeout(3000);
  return stop();
}

async function busy(site) {
  const page = await site.open();
  page.setDefaultTimeout(10 * 60_000);
  console.log(`frames, page at rest: ${summary(await idle(page))}`);
  await type(page, BUSY);
  await page.getByLabel("Triggers a second of a continuous run").selectOption({ label: "max" });
  await press(page, "Step");
  const stop = await watch(page);
  const from = performance.now();
  await page.getByRole("toolbar").getByRole("button", { name: "Run continuously" }).click();
  await page.waitForFunction((count) => document.querySelectorAll(".rows .row-button").length > count, BATCHES);
  const frames = await stop();
  const batch = Math.round((performance.now() - from) / BATCHES);
  console.log(`frames, 100,000 rows a batch (${batch} ms each): ${summary(frames)} (figure: 95 % within 16 ms)`);
  await page.context().close();
}

async function long(site) {
  const page = await site.open();
  page.setDefaultTimeout(10 * 60_000);
  await type(page, LONG);
  await press(page, "Step");
  await page.locator(".rows .row-button").first().waitFor();
  await page.getByRole("tab", { name: "Output" }).click();
  const table = page.getByRole("region", { name: "Output of batch 0" });
  await table.locator("tbody tr").nth(5).waitFor();
  const stop = await watch(page);
  await table.evaluate(async (scroller) => {
    const frame = () => new Promise((next) => requestAnimationFrame(next));
    for (let at = 0; at < 180; at++) {
      scroller.scrollTop += 400;
      await frame();
    }
    for (let at = 0; at < 60; at++) {
      scroller.scrollTop = (scroller.scrollHeight / 60) * at;
      await frame();
    }
  });
  const frames = await stop();
  await table.evaluate((scroller) => (scroller.scrollTop = scroller.scrollHeight));
  await table.locator("tbody tr", { hasText: "999999" }).first().waitFor();
  console.log(`frames, a table of 1,000,000 rows scrolled: ${summary(frames)} (figure: 95 % within 16 ms)`);
  await page.context().close();
}

export async function frames() {
  const site = await start({ args: UNBOUND });
  try {
    await busy(site);
    await long(site);
  } finally {
    await site.stop();
  }
}
