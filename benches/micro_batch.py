# Small micro-batches: one row a batch through a windowed aggregation; prints the mean duration of a trigger in ms, warm.
import os
from pyspark.sql import SparkSession, functions as F

BATCHES = int(os.environ.get("BATCHES", "40"))
spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 4)
os.makedirs("bench/small", exist_ok=True)
for n in range(BATCHES):
    with open(f"bench/small/{n:04}.json", "w") as f:
        f.write('{"event_time": "2026-02-14T10:%02d:%02d", "user": "ann", "amount": 1.5}\n' % (n // 60 % 60, n % 60))
    os.utime(f"bench/small/{n:04}.json", (1770000000 + n, 1770000000 + n))
query = (spark.readStream.schema("event_time timestamp, user string, amount double").option("maxFilesPerTrigger", 1)
         .json("bench/small").withWatermark("event_time", "1 hour").groupBy(F.window("event_time", "1 minute"), "user").count()
         .writeStream.outputMode("update").format("noop").trigger(availableNow=True).start())
query.awaitTermination()
ms = [p["durationMs"]["triggerExecution"] for p in query.recentProgress if p["numInputRows"]][BATCHES // 4:]
print("mean trigger ms, warm", round(sum(ms) / len(ms), 2))
print("done")
