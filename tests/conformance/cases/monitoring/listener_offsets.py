# Progress as listeners get it (offsets are texts of the source, None where there is none) beside that of recentProgress, with
# observed metrics of several types.
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
clock = [1770000000]


def drop(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open("staging", "w") as f:
        f.write(text)
    clock[0] += 1
    os.utime("staging", (clock[0], clock[0]))
    os.replace("staging", f"{folder}/{name}")


def ask(label, act):
    try:
        print(label, "->", act())
    except Exception as e:
        print(label, "->", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        lines = [line.replace(os.getcwd(), "<cwd>")[:400] for line in str(e).splitlines() if line] or [""]
        inner = [line for line in lines[1:] if "Error: " in line or "Exception: " in line]
        print("   ", lines[0], *inner[-1:], sep="\n    ")


import json
import time
from pyspark.sql.streaming import StreamingQueryListener

seen = []


class Listener(StreamingQueryListener):
    def onQueryStarted(self, event):
        pass

    def onQueryProgress(self, event):
        seen.append(event.progress)

    def onQueryTerminated(self, event):
        pass


listener = Listener()
spark.streams.addListener(listener)
os.makedirs("in")
s = spark.readStream.schema("k string, v int, ts timestamp").csv("in").withWatermark("ts", "1 minute")
observed = s.observe("m", F.count("*").alias("n"), F.max("v"), F.avg("v").alias("a"), F.max("ts").alias("t"), F.collect_list("k").alias("l"), F.sum(F.col("v").cast("decimal(10,2)")).alias("d"), F.max(F.to_date("ts")).alias("day"), F.max(F.struct("k", "v")).alias("s")).observe("second", F.lit(1).alias("one"))
q = observed.writeStream.format("noop").queryName("observed").start()
for i, text in enumerate(("a,1,2026-01-01 10:00:00\nb,2,2026-01-01 10:01:00.5\n", "a,3,2026-01-01 11:00:00\n")):
    drop("in", f"{i}.csv", text)
    q.processAllAvailable()
for p in q.recentProgress:
    if "addBatch" in p["durationMs"]:
        print(p["batchId"], p["numInputRows"], p["eventTime"], type(p["id"]).__name__, p.id == q.id)
        print(json.dumps(json.loads(p.json)["observedMetrics"]))
        for source in p["sources"]:
            print(source["startOffset"], source["endOffset"], source["latestOffset"], source["numInputRows"])
ask("json of progress", lambda: json.dumps(q.lastProgress))
q.stop()
time.sleep(1)
for p in seen:
    if p.numInputRows:
        source = p.sources[0]
        print(p.batchId, p.name, p.numInputRows, source.startOffset, source.endOffset, source.latestOffset, p.sink.description, p.sink.numOutputRows, sorted(p.observedMetrics))
        print(p.observedMetrics["m"].n, p.observedMetrics["m"]["max(v)"], p.observedMetrics["second"].one)
spark.streams.removeListener(listener)
