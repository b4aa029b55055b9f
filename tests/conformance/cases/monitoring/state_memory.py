# memoryUsedBytes and stateOnCurrentVersionSizeBytes of stateful operators, with and without a watermark.
import os, json
from pyspark.sql import SparkSession, functions as F
from pyspark.sql.streaming.state import GroupStateTimeout
spark = SparkSession.builder.appName("p").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.conf.set("spark.sql.shuffle.partitions", 3)
os.makedirs("in", exist_ok=True)
for n in range(3):
    with open(f"in/{n}.json", "w") as f:
        for i in range(3): f.write(json.dumps({"k": "abcde"[(n + i) % 5], "v": i + n, "t": "2026-01-01T10:0%d:00Z" % (n*2)}) + "\n")
    os.utime(f.name, (1.7e9 + 10 * n,) * 2)
s = spark.readStream.schema("k string, v double, t timestamp").option("maxFilesPerTrigger", 1).json("in")
def run(name, df, mode="append", fmt="noop"):
    print("##", name)
    try:
        q = df.writeStream.format(fmt).queryName(name).outputMode(mode).start()
        q.processAllAvailable()
    except Exception as e: print(str(e)[:300]); return
    for p in q.recentProgress:
        print(p.batchId, [(o.operatorName, o.numRowsTotal, o.numRowsUpdated, o.numRowsRemoved, o.memoryUsedBytes, o.customMetrics['loadedMapCacheHitCount'], o.customMetrics['stateOnCurrentVersionSizeBytes']) for o in p.stateOperators])
    q.stop()
w = s.withWatermark("t", "1 minute")
run("a1", s.groupBy("k").count(), "update")
run("a2", s.groupBy().count(), "update")
run("a3", s.groupBy().count(), "complete")
run("a4", w.groupBy(F.window("t", "1 minute")).count(), "update")
run("a5", w.groupBy(F.window("t", "1 minute")).count(), "append")
run("a6", s.groupBy("k", F.window("t", "1 minute")).count(), "update")
run("d1", s.dropDuplicates(["k"]))
run("d2", w.dropDuplicates(["k", "t"]))
run("d3", w.dropDuplicates(["k"]))
run("d4", w.dropDuplicatesWithinWatermark(["k"]))
run("d5", s.distinct(), "update")
run("l1", s.limit(5))
run("l2", s.limit(2), "append")
run("l3", s.groupBy("k").count().limit(2), "complete")
run("s2", w.groupBy(F.session_window("t", "1 minute"), "k").count(), "update")
import pandas as pd
def f(key, pdfs, state):
    n = sum(len(p) for p in pdfs) + (state.get[0] if state.exists else 0)
    state.update((n,))
    yield pd.DataFrame({"k": [key[0]], "n": [n]})
def ft(key, pdfs, state):
    if state.hasTimedOut:
        n = -state.get[0]; state.remove()
    else:
        n = sum(len(p) for p in pdfs) + (state.get[0] if state.exists else 0)
        state.update((n,)); state.setTimeoutTimestamp(state.getCurrentWatermarkMs() + 60000)
    yield pd.DataFrame({"k": [key[0]], "n": [n]})
run("g1", s.groupBy("k").applyInPandasWithState(f, "k string, n long", "n long", "update", GroupStateTimeout.NoTimeout), "update")
run("g2", w.groupBy("k").applyInPandasWithState(ft, "k string, n long", "n long", "update", GroupStateTimeout.EventTimeTimeout), "update")
