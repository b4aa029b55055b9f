# Stateful operators one after the other: dedup within the watermark, session windows, windows over their ends.
import json
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("chained").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
os.makedirs("data/in")


def drop(name, *rows):
    with open("staging.json", "w") as f:
        f.writelines(json.dumps({"id": i, "user": u, "ts": f"2026-06-06T{t}"}) + "\n" for i, u, t in rows)
    os.replace("staging.json", f"data/in/{name}.json")


def tell(query):
    for p in query.recentProgress:
        if "addBatch" in p["durationMs"]:
            ops = [(o["operatorName"], o["numRowsTotal"], o["numRowsUpdated"], o["numRowsRemoved"],
                    o["numRowsDroppedByWatermark"]) for o in p["stateOperators"]]
            print(p["batchId"], p["numInputRows"], p["eventTime"].get("watermark"), ops)


batches = [
    ("1", (1, "ann", "09:00:00"), (1, "ann", "09:00:05"), (2, "ann", "09:02:00"), (3, "bob", "09:01:00")),
    ("2", (2, "ann", "09:02:30"), (4, "ann", "09:20:00"), (5, "bob", "09:19:00")),
    ("3", (6, "ann", "09:03:00"), (7, "bob", "09:21:00"), (1, "ann", "09:22:00")),
    ("4", (8, "cat", "09:50:00"),),
    ("5", (9, "cat", "10:30:00"),),
]
events = spark.readStream.schema("id int, user string, ts timestamp").json("data/in").withWatermark("ts", "5 minutes")
once = events.dropDuplicatesWithinWatermark(["id"])
sessions = once.groupBy(F.session_window("ts", "4 minutes"), "user").agg(F.count("*").alias("n"))
per_window = (sessions.groupBy(F.window(F.window_time("session_window"), "15 minutes"))
              .agg(F.count("*").alias("sessions"), F.sum("n").alias("events")))
for name, frame in (("sessions", sessions), ("per_window", per_window)):
    print("==", name)
    query = (frame.writeStream.outputMode("append").format("console").option("truncate", False)
             .option("checkpointLocation", f"data/cp_{name}").start())
    for batch in batches:
        drop(*batch)
        query.processAllAvailable()
    tell(query)
    query.stop()
    for batch in batches:
        os.remove(f"data/in/{batch[0]}.json")
