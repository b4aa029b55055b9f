# transformWithState over rows: event-time timers in both modes, what fails on the driver and what in a batch.
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


from pyspark.sql import Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import *
spark.conf.set("spark.sql.streaming.stateStore.providerClass", "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
spark.conf.set("spark.sql.shuffle.partitions", 1)
os.makedirs("in")
S = "k string, v int, ts timestamp"
OUT = "k string, what string"
import shutil
def go(proc, texts, mode="update", timeMode="none", df=None, initial=None, out=OUT, watermark="10 seconds", pandas=False, **kw):
    shutil.rmtree("in"); os.makedirs("in")
    d = df if df is not None else spark.readStream.schema(S).csv("in").withWatermark("ts", watermark)
    g = d.groupBy("k")
    r = (g.transformWithStateInPandas if pandas else g.transformWithState)(proc, out, mode, timeMode, initial, **kw)
    got = []
    q = r.writeStream.outputMode(mode).foreachBatch(lambda x, n: got.append((n, [tuple(y) for y in x.collect()]))).start()
    try:
        for i, text in enumerate(texts):
            drop("in", f"{i}.csv", text)
            q.processAllAvailable()
        for n, rows in got:
            for row in rows: print("    ", n, row)
        for p in q.recentProgress:
            if "addBatch" in p["durationMs"] and p["stateOperators"]:
                o = p["stateOperators"][0]
                c = o["customMetrics"]
                print("    ", p["batchId"], o["operatorName"], o["numRowsTotal"], o["numRowsUpdated"], o["numRowsRemoved"], o["numRowsDroppedByWatermark"], {k: v for k, v in sorted(c.items()) if v and not k.startswith("rocksdb") and "Ms" not in k and "Snapshot" not in k})
    finally:
        q.stop()
class Timers(StatefulProcessor):
    def init(self, handle):
        self.h = handle
        self.n = handle.getValueState("n", StructType().add("n", "integer"))
    def handleInputRows(self, key, rows, timer):
        for r in rows:
            at = int(r.ts.timestamp() * 1000) + 30000
            self.h.registerTimer(at)
            if r.v == 9:
                self.h.deleteTimer(at)
            self.n.update((r.v,))
        yield Row(k=key[0], what=f"timers {list(self.h.listTimers())} wm {timer.getCurrentWatermarkInMs()}")
    def handleExpiredTimer(self, key, timer, info):
        self.n.clear()
        yield Row(k=key[0], what=f"expired {info.getExpiryTimeInMs()} wm {timer.getCurrentWatermarkInMs()} left {list(self.h.listTimers())}")
TT = ["a,1,2026-01-01 10:00:00\nb,2,2026-01-01 10:00:20\n", "a,4,2026-01-01 10:01:00\nc,9,2026-01-01 10:01:00\nb,1,2026-01-01 09:00:00\n", "d,5,2026-01-01 10:05:00\n"]
ask("event timers", lambda: go(Timers(), TT, timeMode="eventTime"))
ask("event timers append", lambda: go(Timers(), TT, mode="append", timeMode="eventTime"))
ask("timers in none", lambda: go(Timers(), TT[:1]))
ask("event without watermark", lambda: go(Timers(), TT[:1], timeMode="eventTime", df=spark.readStream.schema(S).csv("in")))

T = ["a,1,2026-01-01 10:00:00\n"]
class Bad(StatefulProcessor):
    def __init__(self, act):
        self.act = act
    def init(self, handle):
        self.h = handle
        if self.act == "twice":
            handle.getValueState("n", "n int"); handle.getValueState("n", "n int")
        if self.act == "init raises":
            raise ValueError("in init")
        self.n = handle.getValueState("ok", "n int")
    def handleInputRows(self, key, rows, timer):
        if self.act == "late state":
            self.h.getValueState("late", "n int")
        if self.act == "update none":
            self.n.update(None)
        if self.act == "update wrong":
            self.n.update(("x",))
        if self.act == "update many":
            self.n.update((1, 2))
        if self.act == "update scalar":
            self.n.update(5)
        if self.act == "raises":
            raise ValueError("in rows")
        if self.act == "wrong out":
            yield Row(z=1)
        if self.act == "tuple out":
            yield (key[0], "t")
        yield Row(k=key[0], what=str(self.n.get()))
    def close(self):
        if self.act == "close raises":
            raise ValueError("in close")
for act in ("twice", "init raises", "late state", "update none", "update wrong", "update many", "update scalar", "raises", "wrong out", "tuple out", "close raises"):
    ask(f"bad {act}", lambda: go(Bad(act), T))
