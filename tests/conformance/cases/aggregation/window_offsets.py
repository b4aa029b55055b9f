# Sliding windows, start offsets (negative too) and slides that do not divide the window, with every field of the operator.
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
T = ["a,1,2026-01-01 10:00:00\na,2,2026-01-01 10:00:12\nb,3,2026-01-01 10:03:00\n,9,2026-01-01 10:00:03\nx,1,\n", "a,4,2026-01-01 10:06:00\na,5,2026-01-01 10:00:40\nb,6,2026-01-01 10:04:15\n", "c,7,2026-01-01 10:20:00\na,8,2026-01-01 09:58:00\n", "d,1,2026-01-01 10:40:00\na,8,2026-01-01 10:01:50\n"]
def go(make, mode, wm="1 minute", full=False):
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
W = F.window
for label, make in {"slide": lambda s: s.groupBy(W("ts", "10 minutes", "5 minutes"), "k").count(), "slide3": lambda s: s.groupBy(W("ts", "3 minutes", "1 minute")).agg(F.sum("v")), "offset": lambda s: s.groupBy(W("ts", "5 minutes", "5 minutes", "2 minutes")).count(), "neg offset": lambda s: s.groupBy(W("ts", "5 minutes", "5 minutes", "-90 seconds")).count(), "uneven": lambda s: s.groupBy(W("ts", "5 minutes", "2 minutes", "30 seconds")).count()}.items():
    for mode in ("append", "update") if label in ("slide", "uneven") else ("append",):
        ask(f"{label} {mode}", lambda: go(make, mode, full=(label == "slide")))
