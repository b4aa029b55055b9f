# dropDuplicatesWithinWatermark over restarts: the time that counts is the first row's, late rows, nulls, other keys.
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


os.makedirs("in")
def go(label, texts, **kw):
    s = spark.readStream.schema("k string, v int, ts timestamp").csv("in").withWatermark("ts", "10 minutes")
    d = s.dropDuplicatesWithinWatermark(kw.get("keys", ["k"]))
    def each(df, n):
        print(label, n, sorted(str(r.k) + ":" + str(r.v) for r in df.collect()))
    q = d.writeStream.foreachBatch(each).option("checkpointLocation", "cp").start()
    try:
        for text in texts:
            drop("in", f"{clock[0]}.csv", text)
            q.processAllAvailable()
        for p in q.recentProgress:
            if "addBatch" in p["durationMs"]:
                o = p["stateOperators"][0]
                print("  ", p["batchId"], o["operatorName"], o["numRowsTotal"], o["numRowsUpdated"], o["numRowsRemoved"], o["numRowsDroppedByWatermark"], o["customMetrics"].get("numDroppedDuplicateRows"), p["eventTime"].get("watermark"))
    finally:
        q.stop()
go("one", ["a,1,2026-01-01 10:00:00\na,2,2026-01-01 10:05:00\n,3,2026-01-01 10:00:00\n", "a,4,2026-01-01 10:09:00\n,5,2026-01-01 10:01:00\nb,6,2026-01-01 10:25:00\n"])
go("two", ["a,7,2026-01-01 10:16:00\na,8,2026-01-01 10:20:00\nb,9,2026-01-01 10:30:00\n", "c,10,2026-01-01 11:00:00\n", "b,11,2026-01-01 10:51:00\nb,12,\n"])
ask("other keys", lambda: go("three", ["a,1,2026-01-01 11:00:00\n"], keys=["k", "v"]))
ask("no arguments", lambda: spark.readStream.schema("k string, ts timestamp").csv("in").withWatermark("ts", "1 minute").dropDuplicatesWithinWatermark().writeStream.format("noop").start().stop())
ask("unknown column", lambda: spark.readStream.schema("k string, ts timestamp").csv("in").dropDuplicatesWithinWatermark(["zz"]))
ask("string", lambda: spark.readStream.schema("k string, ts timestamp").csv("in").dropDuplicatesWithinWatermark("k"))
ask("batch", lambda: spark.createDataFrame([(1,)], "k int").dropDuplicatesWithinWatermark(["k"]).collect())
ask("batch with watermark", lambda: spark.sql("select 1 k, current_timestamp() ts").withWatermark("ts", "1 minute").dropDuplicatesWithinWatermark(["k"]).count())
print(spark.read.format("statestore").load("cp").schema.simpleString())
ask("state", lambda: sorted(str(r.key) + str(r.value) for r in spark.read.format("statestore").load("cp").collect()))
