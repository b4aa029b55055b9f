# Stream-stream joins of every kind with watermarks on both sides, on one and on none: rows, the batch they come in, and the
# state's counts.
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


K = {"a": "k int, v int, ts timestamp", "b": "j int, x int, u timestamp"}
import json
count = [0]
def clean(o):
    o = dict(o)
    for t in list(o):
        if t.endswith("Ms") or t == "memoryUsedBytes": o[t] = "n"
    cm = o.get("customMetrics", {})
    for t in cm:
        if "Size" in t: cm[t] = "n"
    return o
def run(label, make, steps, wa="1 minute", wb="2 minutes", mode="append", full=False, sort=True):
    count[0] += 1
    w = f"w{count[0]}"
    os.makedirs(f"{w}/a"); os.makedirs(f"{w}/b")
    a = spark.readStream.schema(K["a"]).csv(f"{w}/a"); b = spark.readStream.schema(K["b"]).csv(f"{w}/b")
    if wa: a = a.withWatermark("ts", wa)
    if wb: b = b.withWatermark("u", wb)
    out = []
    def each(df, n):
        rows = [str(tuple(str(c) for c in r)) for r in df.collect()]
        out.extend((n, r) for r in (sorted(rows) if sort else rows))
    def act():
        q = make(a, b).writeStream.outputMode(mode).foreachBatch(each).start()
        try:
            for n, (side, text) in enumerate(steps):
                drop(f"{w}/{side}", f"{n}.csv", text)
                q.processAllAvailable()
            for x in out: print("  ", *x)
            for p in q.recentProgress:
                if "addBatch" in p["durationMs"]:
                    print("     ", p["batchId"], p["numInputRows"], p["eventTime"].get("watermark"), [(o["operatorName"], o["numRowsTotal"], o["numRowsUpdated"], o["numRowsRemoved"], o["numRowsDroppedByWatermark"]) for o in p["stateOperators"]])
            if full:
                for o in q.recentProgress[-1]["stateOperators"]: print("     ", clean(o))
        finally:
            q.stop()
    ask("== " + label, act)
STEPS = [("a", "1,1,2026-01-01 10:00:00\n1,2,2026-01-01 10:00:30\n2,3,2026-01-01 10:01:00\n,4,2026-01-01 10:01:00\n5,5,\n"), ("b", "1,1,2026-01-01 10:00:10\n2,9,2026-01-01 10:03:00\n,1,2026-01-01 10:01:10\n7,7,2026-01-01 10:00:50\n"), ("a", "9,1,2026-01-01 11:00:00\n1,4,2026-01-01 09:50:00\n"), ("b", "9,5,2026-01-01 11:02:00\n3,1,2026-01-01 09:40:00\n1,8,2026-01-01 10:00:20\n")]
R = "k = j and u between ts and ts + interval 5 minutes"
for how in ("left", "right", "full", "leftsemi", "leftanti"):
    run(how, lambda a, b: a.join(b, F.expr(R), how), STEPS)
run("inner no watermark", lambda a, b: a.join(b, F.expr("k = j")), STEPS[:4], wa=None, wb=None)
run("left one watermark a", lambda a, b: a.join(b, F.expr(R), "left"), STEPS[:4], wb=None)
run("left one watermark b", lambda a, b: a.join(b, F.expr(R), "left"), STEPS, wa=None)
run("right one watermark a", lambda a, b: a.join(b, F.expr(R), "right"), STEPS, wb=None)
run("left no range", lambda a, b: a.join(b, F.expr("k = j"), "left"), STEPS)
run("left time key", lambda a, b: a.join(b, F.expr("k = j and ts = u"), "left"), STEPS)
