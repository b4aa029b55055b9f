# distinct, dropDuplicates and dropDuplicatesWithinWatermark, sort, limit and offset: rows and operators in each mode.
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
S = "k string, v int, ts timestamp"
T = ["a,1,2026-01-01 10:00:00\na,1,2026-01-01 10:00:00\nb,3,2026-01-01 10:03:00\n,9,2026-01-01 10:00:03\na,2,2026-01-01 10:01:00\n,9,\n", "a,1,2026-01-01 10:00:00\na,5,2026-01-01 10:06:00\nb,6,2026-01-01 10:04:15\n,9,\n", "c,7,2026-01-01 10:20:00\na,8,2026-01-01 09:58:00\na,1,2026-01-01 10:20:00\n", "d,1,2026-01-01 10:40:00\na,8,2026-01-01 10:19:50\n"]
def go(make, mode, wm="1 minute", full=False, sort=True):
    d = f"in{clock[0]}"
    os.makedirs(d)
    s = spark.readStream.schema(S).csv(d)
    if wm: s = s.withWatermark("ts", wm)
    out = []
    q = make(s).writeStream.outputMode(mode).foreachBatch(lambda x, n: out.extend((n, [str(c) for c in r]) for r in x.collect())).start()
    try:
        for i, t in enumerate(T):
            drop(d, f"{i}.csv", t); q.processAllAvailable()
        for n, r in out: print("  ", n, r)
        for p in q.recentProgress:
            if "addBatch" in p["durationMs"]:
                print("   ", p["batchId"], p["numInputRows"], sorted(p["eventTime"].items()))
                for o in p["stateOperators"]:
                    o = dict(o)
                    for t in list(o):
                        if t.endswith("Ms") or t == "memoryUsedBytes": o[t] = "n"
                    cm = o.get("customMetrics", {})
                    for t in cm:
                        if "Size" in t: cm[t] = "n"
                    print("     ", o if full else (o["operatorName"], o["numRowsTotal"], o["numRowsUpdated"], o["numRowsRemoved"], o["numRowsDroppedByWatermark"]))
    finally:
        q.stop()
ask("distinct", lambda: go(lambda s: s.distinct(), "append", full=True))
ask("distinct no wm", lambda: go(lambda s: s.distinct(), "append", wm=None))
ask("dd all", lambda: go(lambda s: s.dropDuplicates(), "update"))
ask("dd key", lambda: go(lambda s: s.dropDuplicates(["k"]), "append", full=True))
ask("dd key time", lambda: go(lambda s: s.dropDuplicates(["k", "ts"]), "append"))
ask("dd within", lambda: go(lambda s: s.dropDuplicatesWithinWatermark(["k"]), "append", full=True))
ask("dd within all", lambda: go(lambda s: s.dropDuplicatesWithinWatermark(), "append"))
ask("dd within no wm", lambda: go(lambda s: s.dropDuplicatesWithinWatermark(["k"]), "append", wm=None))
ask("dd within update", lambda: go(lambda s: s.dropDuplicatesWithinWatermark(["k"]), "update"))
ask("dd complete", lambda: go(lambda s: s.dropDuplicates(["k"]), "complete"))
ask("dd then count complete", lambda: go(lambda s: s.dropDuplicates(["k"]).groupBy().count(), "complete"))
ask("dd then count update", lambda: go(lambda s: s.dropDuplicates(["k"]).groupBy("v").count(), "update"))
ask("dd then window append", lambda: go(lambda s: s.dropDuplicates(["k", "ts"]).groupBy(F.window("ts", "5 minutes")).count(), "append"))
ask("dd unknown", lambda: go(lambda s: s.dropDuplicates(["zz"]), "append"))
ask("dd string", lambda: go(lambda s: s.dropDuplicates("k"), "append"))
ask("dd empty", lambda: go(lambda s: s.dropDuplicates([]), "append"))
ask("select distinct one", lambda: go(lambda s: s.select("k").distinct(), "append"))
ask("sort complete", lambda: go(lambda s: s.groupBy("k").count().orderBy(F.desc("count"), "k"), "complete"))
ask("sort limit complete", lambda: go(lambda s: s.groupBy("k").agg(F.sum("v").alias("n")).orderBy(F.desc("n")).limit(2), "complete"))
ask("limit complete", lambda: go(lambda s: s.groupBy("k").count().limit(2), "complete"))
ask("offset complete", lambda: go(lambda s: s.groupBy("k").count().orderBy("k").offset(1), "complete"))
ask("limit append", lambda: go(lambda s: s.limit(4), "append", full=True))
ask("limit update", lambda: go(lambda s: s.limit(4), "update"))
ask("limit update agg", lambda: go(lambda s: s.groupBy("k").count().limit(4), "update"))
ask("tail", lambda: go(lambda s: s.groupBy("k").count().sort("k").where("count > 1"), "complete"))
ask("two limits", lambda: go(lambda s: s.limit(5).limit(3), "append"))
ask("having complete", lambda: go(lambda s: s.groupBy("k").count().where("count > 1"), "complete"))
ask("rank complete", lambda: go(lambda s: s.groupBy("k").count().selectExpr("k", "count", "rank() over (order by count desc) r"), "complete"))
ask("agg rank distinct", lambda: go(lambda s: s.groupBy("k").count().distinct(), "complete"))
