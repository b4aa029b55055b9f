# Session windows with fixed, computed and looked-up gaps, with several keys and none, in every output mode: rows and the
# operator's counts, batch by batch.
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


S = "k string, v int, g string, ts timestamp"
T = ["a,1,5 seconds,2026-01-01 10:00:00\na,2,5 seconds,2026-01-01 10:00:12\nb,3,20 seconds,2026-01-01 10:00:00\n,9,5 seconds,2026-01-01 10:00:03\n", "a,4,5 seconds,2026-01-01 10:00:06\na,5,1 minute,2026-01-01 10:00:40\nb,6,20 seconds,2026-01-01 10:00:15\n", "c,7,5 seconds,2026-01-01 10:02:00\na,8,5 seconds,2026-01-01 09:58:00\n", "d,1,5 seconds,2026-01-01 10:10:00\na,8,5 seconds,2026-01-01 10:01:50\n"]
OPS = ("operatorName", "numRowsTotal", "numRowsUpdated", "numRowsRemoved", "numRowsDroppedByWatermark")
def go(make, mode, wm="10 seconds", show=False):
    d = f"in{clock[0]}"
    os.makedirs(d)
    s = spark.readStream.schema(S).csv(d)
    if wm: s = s.withWatermark("ts", wm)
    out = []
    q = make(s).writeStream.outputMode(mode).foreachBatch(lambda x, n: (x.show(20, False) if show else None, out.extend((n, [str(c) for c in r]) for r in x.collect()))).start()
    try:
        for i, t in enumerate(T):
            drop(d, f"{i}.csv", t); q.processAllAvailable()
        for n, r in out: print("  ", n, r)
        return [(p["batchId"], p["eventTime"].get("watermark"), [tuple(o[x] for x in OPS) for o in p["stateOperators"]]) for p in q.recentProgress if "addBatch" in p["durationMs"]]
    finally:
        q.stop()
fixed = lambda s: s.groupBy("k", F.session_window("ts", "5 seconds")).agg(F.sum("v"), F.collect_list("v"))
dyn = lambda s: s.groupBy(F.session_window("ts", F.expr("cast(g as interval)")), "k").agg(F.sum("v"), F.count("*"))
case = lambda s: s.groupBy(F.session_window("ts", F.when(F.col("k") == "a", "5 seconds").when(F.col("k") == "b", "20 seconds").otherwise("0 seconds")), "k").count()
two = lambda s: s.groupBy("k", "g", F.session_window("ts", "10 seconds")).agg(F.max("v").alias("m"))
noKey = lambda s: s.groupBy(F.session_window("ts", "10 seconds")).count()
for mode in ("append", "update", "complete"):
    for n, m in (("fixed", fixed), ("dyn", dyn), ("case", case), ("two", two), ("noKey", noKey)):
        if (mode == "append") or n in ("fixed", "noKey"):
            ask(f"{n} {mode}", lambda: go(m, mode, show=(n == "fixed")))
spark.conf.set("spark.sql.streaming.sessionWindow.merge.sessions.in.local.partition", "true")
ask("fixed local merge", lambda: go(fixed, "append"))
ask("no watermark complete", lambda: go(fixed, "complete", wm=None))
ask("no watermark append", lambda: go(fixed, "append", wm=None))
ask("select start", lambda: go(lambda s: fixed(s).select("session_window.start", F.col("session_window.end").alias("e"), "k"), "append"))
ask("distinct agg", lambda: go(lambda s: s.groupBy("k", F.session_window("ts", "5 seconds")).agg(F.countDistinct("v")), "append"))
ask("having", lambda: go(lambda s: fixed(s).where("`sum(v)` > 3"), "append"))
