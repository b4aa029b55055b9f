# transformWithState over rows: value, list and map state in use and cleared, an initial state that is and is not handled.
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
class P(StatefulProcessor):
    def init(self, handle):
        self.n = handle.getValueState("n", "n int, last string")
        self.l = handle.getListState("l", "x int")
        self.m = handle.getMapState("m", "a string", "b int")
    def handleInputRows(self, key, rows, timer):
        rows = list(rows)
        old = self.n.get() if self.n.exists() else (0, "")
        self.n.update((old[0] + len(rows), str(rows[-1].v)))
        for r in rows:
            self.l.appendValue((r.v,))
            self.m.updateValue((str(r.v),), (r.v * 2,))
        yield Row(k=key[0], what=f"{type(key).__name__} {key} {rows[0].v}")
        yield Row(k=key[0], what=f"n={self.n.get()} l={list(self.l.get())} m={list(self.m.iterator())} keys={list(self.m.keys())} values={list(self.m.values())} has={self.m.containsKey(('1',))} get={self.m.getValue(('1',))} none={self.m.getValue(('zz',))}")
        for r in rows:
            if r.v < 0:
                self.n.clear(); self.l.clear(); self.m.clear()
                yield Row(k=key[0], what=f"cleared {self.n.exists()} {self.n.get()} {self.l.exists()} {list(self.l.get())} {self.m.exists()} {list(self.m.iterator())}")
            if r.v == 7:
                self.l.put([(1,), (2,)]); self.l.appendList([(3,)]); self.m.removeKey(("7",))
                yield Row(k=key[0], what=f"put {list(self.l.get())} {self.m.containsKey(('7',))}")
    def close(self):
        pass
TEXTS = ["a,1,2026-01-01 10:00:00\nb,2,2026-01-01 10:00:05\na,3,2026-01-01 10:00:01\n", "a,7,2026-01-01 10:01:00\nb,-1,2026-01-01 10:01:00\n", "c,5,2026-01-01 10:05:00\na,1,2026-01-01 10:05:00\n"]
ask("state", lambda: go(P(), TEXTS))
class Init(P):
    def handleInitialState(self, key, row, timer):
        self.n.update((row.start, str(row)))
init = spark.createDataFrame([("a", 100), ("z", 5)], "k string, start int").groupBy("k")
ask("initial", lambda: go(Init(), TEXTS[:2], initial=init))
ask("initial unhandled", lambda: go(P(), TEXTS[:1], initial=init))
