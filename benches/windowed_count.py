# Windowed sum and count per user over 1,000,000 JSON events in 10 files, one file a trigger. Runs unchanged on Spark and on
# Tidemark, headless and in the page; prints rows per second of the batches after the first (warm), from the progress.
import os
from pyspark.sql import SparkSession, functions as F

FILES, ROWS, USERS = 10, 100_000, 1_000
spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 4)
os.makedirs("bench/in", exist_ok=True)
# One block of lines per file: the times go up by a minute from file to file, users and amounts repeat.
users = ["user%04d" % (i * 7919 % USERS) for i in range(ROWS)]
size = 0
for n in range(FILES):
    lines = ['{"event_time": "2026-02-14T%02d:%02d:%02d", "user": "%s", "amount": %d.5}' %
             (10 + n // 2, i * 30 // ROWS + 30 * (n % 2), i % 60, users[i], i % 100) for i in range(ROWS)]
    text = "\n".join(lines) + "\n"
    size += len(text)
    with open(f"bench/in/{n:02}.json", "w") as f:
        f.write(text)
    os.utime(f"bench/in/{n:02}.json", (1770000000 + n, 1770000000 + n))
stream = (spark.readStream.schema("event_time timestamp, user string, amount double")
          .option("maxFilesPerTrigger", 1).json("bench/in"))
query = (stream.withWatermark("event_time", "2 minutes").groupBy(F.window("event_time", "1 minute"), "user")
         .agg(F.sum("amount").alias("total"), F.count("*").alias("events"))
         .writeStream.outputMode("append").format("noop").trigger(availableNow=True).start())
query.awaitTermination()
batches = [p for p in query.recentProgress if p["numInputRows"]]
ms = [p["durationMs"]["triggerExecution"] for p in batches]
warm = batches[2:]
print("bytes", size)
print("trigger ms", ms)
print("rows per second, warm", round(sum(p["numInputRows"] for p in warm) * 1000 / max(1, sum(ms[2:]))))
print("done")
