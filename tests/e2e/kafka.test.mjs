// Topics and ports by hand: create, produce, make up, step, see the rows; retention and what it loses.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { batches, press, shownOutput, start, test, type } from "./site.mjs";
import { panel } from "./views.mjs";

const KAFKA = `from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
records = (spark.readStream.format("kafka").option("kafka.bootstrap.servers", "localhost:9092")
           .option("subscribe", "orders").option("startingOffsets", "earliest").option("failOnDataLoss", "false")
           .option("includeHeaders", "true").load())
(records.selectExpr("CAST(key AS STRING) AS key", "CAST(value AS STRING) AS value", "partition", "offset",
                    "CAST(headers[0].value AS STRING) AS trace")
 .writeStream.format("console").queryName("orders").start().awaitTermination())
`;
const SOCKET = `from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
lines = spark.readStream.format("socket").option("host", "localhost").option("port", 9999).load()
lines.writeStream.format("console").start().awaitTermination()
`;

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

const tab = async (page, name) => {
  await panel(page, "Files");
  await page.getByRole("tab", { name, exact: true }).click();
};

/** Steps once; the rows of the batch that ran. */
async function stepped(page) {
  const before = (await batches(page)).length;
  await press(page, "Step");
  await page.waitForFunction((count) => document.querySelectorAll(".rows .row-button").length > count, before);
  const { number } = (await batches(page)).at(-1);
  await panel(page, "Detail");
  return shownOutput(page, number);
}

for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
  test(`messages go from the panel through a topic into a query, at ${viewport.width}`, async () => {
    const page = await site.open({ viewport });
    await type(page, KAFKA);
    await tab(page, "Kafka");
    await page.getByRole("button", { name: "New topic" }).click();
    await page.getByLabel("Name", { exact: true }).fill("orders");
    await page.getByLabel("Partitions", { exact: true }).fill("2");
    await page.getByRole("button", { name: "Create topic" }).click();
    const partitions = page.getByRole("list", { name: "Partitions of orders" });
    await partitions.getByText("no records").first().waitFor();

    await page.getByLabel("Key", { exact: true }).fill("ana");
    await page.getByLabel("Value").fill("<b>hello</b>");
    await page.getByLabel("Headers").fill("trace: 7");
    await page.getByLabel("Partition", { exact: true }).fill("1");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await partitions.getByText("1 record (offset 0)").waitFor();
    await page.getByRole("button", { name: "Show newest records" }).click();
    const newest = page.getByRole("region", { name: "Newest records of orders" });
    assert.match(await newest.locator("tbody tr").first().innerText(), /1\s+0\s+.*ana\s+<b>hello<\/b>\s+trace: 7/);
    assert.deepEqual(await stepped(page), [["ana", "<b>hello</b>", "1", "0", "7"]]);

    // Made up by a recipe: the same seed sends the same.
    await tab(page, "Kafka");
    await page.getByRole("button", { name: /Made-up messages/ }).click();
    const recipe = page.getByRole("form", { name: "Made-up events" });
    await recipe.getByLabel("Events", { exact: true }).fill("12");
    await recipe.getByRole("button", { name: "Send 12 events" }).click();
    assert.equal(await recipe.getByLabel("Seed").inputValue(), "2");
    const made = await stepped(page);
    assert.equal(made.length, 12);
    assert.ok(made.every(([key, value]) => JSON.parse(value).user === key));

    // A retention deletes what the query has not read: lost, and said so.
    await tab(page, "Kafka");
    await page.getByLabel("Partition", { exact: true }).fill("1");
    await page.getByLabel("Value").fill("gone");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await partitions.getByText("not read yet").waitFor();
    await page.getByRole("form", { name: "Retention" }).getByRole("button", { name: "Delete records" }).click();
    await partitions.getByText(/lost: offset \d+ went before the query read/).waitFor();
    await page.context().close();
  });
}

test("lines typed into a port reach the query", async () => {
  const page = await site.open();
  await type(page, SOCKET);
  await tab(page, "Socket");
  await page.getByRole("button", { name: "Open the port" }).click();
  await page.getByText("0 lines sent").waitFor();
  await press(page, "Step");
  await page.getByLabel("Line to 9999").fill("one\ntwo");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("2 lines sent, 2 not read yet").waitFor();
  assert.deepEqual(await stepped(page), [["one"], ["two"]]);
});

test("events for a file source are made up from its schema", async () => {
  const page = await site.open();
  await press(page, "Run");
  await tab(page, "Add event");
  await page.getByRole("button", { name: "Generate events" }).click();
  const recipe = page.getByRole("form", { name: "Made-up events" });
  await recipe.getByLabel("Events", { exact: true }).fill("9");
  await recipe.getByLabel("Files").fill("3");
  await recipe.getByRole("button", { name: "Write 9 events" }).click();
  await tab(page, "Files");
  await page.getByRole("button", { name: /^made-0003\.json/ }).waitFor();
});
