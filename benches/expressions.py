# Filter, projection, from_json, dates and strings over 1,000,000 lines in 10 files, one file a trigger; no state. Runs unchanged
# on Spark and on Tidemark, headless and in the page; prints rows per second of the batches after the first two (warm).
import os
from pyspark.sql import SparkSession, functions as F

FILES, ROWS = 10, 100_000
spark = SparkSession.builder.getOrCreate()
os.makedirs("bench/lines", exist_ok=True)
for n in range(FILES):
    lines = ['{"at": "2026-02-%02dT%02d:%02d:%02d", "user": "user%04d", "amount": %d.5, "tags": ["a%d", "b"], "place": {"city": "c%d"}}' %
             (1 + i % 28, i % 24, i % 60, (i + n) % 60, i * 7919 % 1_000, i % 100, i % 7, i % 50) for i in range(ROWS)]
    with open(f"bench/lines/{n:02}.txt", "w") as f:
        f.write("\n".join(lines) + "\n")
    os.utime(f"bench/lines/{n:02}.txt", (1770000000 + n, 1770000000 + n))
schema = "at timestamp, user string, amount double, tags array<string>, place struct<city: string>"
event = spark.readStream.option("maxFilesPerTrigger", 1).text("bench/lines").select(F.from_json("value", schema).alias("e"))
rows = (event.select("e.*").where((F.col("amount") > 9) & (F.col("user") != "user0007") & F.col("place.city").isNotNull())
        .select(
            F.upper("user").alias("name"), F.concat_ws("-", "user", "place.city").alias("key"), F.substring("user", 5, 4).cast("int").alias("number"),
            F.round(F.col("amount") * 1.2 + 1, 2).alias("price"), F.when(F.col("amount") > 50, "high").otherwise("low").alias("band"),
            F.date_trunc("hour", "at").alias("hour"), F.date_format("at", "yyyy-MM-dd HH:mm").alias("shown"), F.to_date("at").alias("day"),
            F.hour("at").alias("h"), F.dayofweek("at").alias("dow"), F.date_add(F.to_date("at"), 3).alias("due"), F.unix_timestamp("at").alias("epoch"),
            F.datediff(F.lit("2026-03-01").cast("date"), F.to_date("at")).alias("left"), F.col("tags")[0].alias("tag"), F.size("tags").alias("tags")))
query = rows.writeStream.format("noop").trigger(availableNow=True).start()
query.awaitTermination()
batches = [p for p in query.recentProgress if p["numInputRows"]]
ms = [p["durationMs"]["triggerExecution"] for p in batches]
print("trigger ms", ms)
print("rows per second, warm", round(sum(p["numInputRows"] for p in batches[2:]) * 1000 / max(1, sum(ms[2:]))))
print("done")
