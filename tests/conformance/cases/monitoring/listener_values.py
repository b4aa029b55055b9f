"""What a listener gets of a progress report: observed metrics as Python values of their types, names in the order of Java's
maps; beside the report of the query, which comes from JSON."""
import json
import os
import time

from pyspark.sql import SparkSession, functions as F
from pyspark.sql.streaming import StreamingQueryListener

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

os.makedirs("in", exist_ok=True)
with open("staging", "w") as f:
    f.write('{"k":"a","v":1,"ts":"2026-01-01 10:00:00"}\n{"k":"b","v":2,"ts":"2026-01-01 10:00:05"}\n')
os.replace("staging", "in/a.json")


seen = []


class Listener(StreamingQueryListener):
    def onQueryStarted(self, event):
        pass

    def onQueryProgress(self, event):
        progress = event.progress
        seen.append(("metrics", progress.observedMetrics))
        seen.append(("times", progress.eventTime))
        seen.append(("durations", list(progress.durationMs)))
        for operator in progress.stateOperators:
            seen.append(("operator", list(operator.customMetrics)))

    def onQueryTerminated(self, event):
        pass


spark.streams.addListener(Listener())
rows = (
    spark.readStream.schema("k string, v int, ts timestamp")
    .json("in")
    .withWatermark("ts", "10 minutes")
    .withColumns(
        {
            "d": F.lit("2026-01-02").cast("date"),
            "price": F.lit("1.25").cast("decimal(10,2)"),
            "pair": F.struct("k", "v"),
            "ntz": F.lit("2026-01-01 10:00:00.123456").cast("timestamp_ntz"),
        }
    )
)
query = (
    rows.observe(
        "typed",
        F.count("*").alias("n"),
        F.max("ts").alias("ts"),
        F.max("d").alias("d"),
        F.sum("price").alias("price"),
        F.max("pair").alias("pair"),
        F.array(F.max("k"), F.min("k")).alias("list"),
        F.max("ntz").alias("ntz"),
        F.avg("v").alias("mean"),
        F.array(F.max("ts")).alias("times"),
        F.struct(F.max("d").alias("x")).alias("nested"),
    )
    .groupBy("k")
    .count()
    .writeStream.format("noop")
    .outputMode("complete")
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
time.sleep(2)
for name, value in seen:
    print(name, value)
for report in query.recentProgress:
    print("report", report["observedMetrics"], report["eventTime"])
    print("json", json.loads(report.json)["observedMetrics"])
