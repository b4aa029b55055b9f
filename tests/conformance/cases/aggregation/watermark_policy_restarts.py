# Two watermarks under each policy over restarts, unions of three, and a policy that changes with a checkpoint.
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


for policy in ("min", "max", "MIN", "other"):
    ask(f"set {policy}", lambda: spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", policy))
    os.makedirs(f"{policy}/a", exist_ok=True); os.makedirs(f"{policy}/b", exist_ok=True)
    def go():
        a = spark.readStream.schema("k int, ts timestamp").csv(f"{policy}/a").withWatermark("ts", "1 minute")
        b = spark.readStream.schema("k int, ts timestamp").csv(f"{policy}/b").withWatermark("ts", "10 minutes")
        q = a.union(b).groupBy(F.window("ts", "5 minutes")).count().writeStream.format("noop").option("checkpointLocation", f"{policy}/cp").start()
        n = len(os.listdir(f"{policy}/a"))
        drop(f"{policy}/a", f"{n}.csv", f"1,2026-01-01 1{n}:00:00\n")
        q.processAllAvailable()
        drop(f"{policy}/b", f"{n}.csv", f"1,2026-01-01 1{n}:30:00\n2,2026-01-01 09:00:00\n")
        q.processAllAvailable()
        q.stop()
        return [(p["batchId"], p["numInputRows"], p["eventTime"].get("watermark"), p["stateOperators"][0]["numRowsTotal"], p["stateOperators"][0]["numRowsDroppedByWatermark"]) for p in q.recentProgress if "addBatch" in p["durationMs"]]
    ask("first", go)
    ask("again", go)
spark.conf.unset("spark.sql.streaming.multipleWatermarkPolicy")
spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
policy = "min"
ask("changed", go)
