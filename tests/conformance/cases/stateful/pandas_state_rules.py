# applyInPandasWithState: state and timeouts over batches, with late rows; what its state object refuses; rows that do not fit.
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


import pandas as pd
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
S = "k string, v int, ts timestamp"
n = [0]
def go(f, texts, mode="update", timeout=GroupStateTimeout.NoTimeout, out="k string, what string", st="n int, last string", wm="10 seconds", keys=("k",), df=None):
    n[0] += 1; d = f"in{n[0]}"; os.makedirs(d)
    s = spark.readStream.schema(S).csv(d)
    if wm: s = s.withWatermark("ts", wm)
    if df: s = df(s)
    got = []
    q = s.groupBy(*keys).applyInPandasWithState(f, out, st, mode, timeout).writeStream.outputMode(mode).foreachBatch(lambda x, i: got.extend((i, tuple(r)) for r in x.collect())).start()
    try:
        for i, t in enumerate(texts):
            drop(d, f"{i}.csv", t); q.processAllAvailable()
        for r in got: print("    ", *r)
        for p in q.recentProgress:
            if "addBatch" in p["durationMs"]:
                o = p["stateOperators"][0]
                print("    ", p["batchId"], p["eventTime"].get("watermark"), o["operatorName"], o["numRowsTotal"], o["numRowsUpdated"], o["numRowsRemoved"], o["numRowsDroppedByWatermark"], o["numStateStoreInstances"])
    finally:
        q.stop()
T = ["a,1,2026-01-01 10:00:00\nb,2,2026-01-01 10:00:05\na,3,2026-01-01 10:00:01\n,4,2026-01-01 10:00:01\n", "a,7,2026-01-01 10:01:00\nb,-1,2026-01-01 09:00:00\n", "c,5,2026-01-01 10:05:00\n"]
def count(key, dfs, state):
    total = 0; last = ""
    if state.exists: total, last = state.get
    for df in dfs:
        total += len(df); last = str(list(df["v"]))
    state.update((total, last))
    yield pd.DataFrame({"k": [key[0]], "what": [f"{total} {last} {state.hasTimedOut} {state.getOption}"]})
ask("count", lambda: go(count, T))
ask("count append", lambda: go(count, T, mode="append"))
def timed(key, dfs, state):
    if state.hasTimedOut:
        what = f"timed out {state.get} {state.getCurrentWatermarkMs()}"; state.remove()
    else:
        total = sum(int(df["v"].sum()) for df in dfs) + (state.get[0] if state.exists else 0)
        state.update((total, "x")); state.setTimeoutTimestamp(state.getCurrentWatermarkMs() + 30000 if state.getCurrentWatermarkMs() else 1767261650000)
        what = f"{total} {state.getCurrentWatermarkMs()}"
    yield pd.DataFrame({"k": [key[0]], "what": [what]})
ask("event timeout", lambda: go(timed, T, timeout=GroupStateTimeout.EventTimeTimeout))
ask("event timeout without watermark", lambda: go(timed, T[:1], timeout=GroupStateTimeout.EventTimeTimeout, wm=None))
def bad(act):
    def f(key, dfs, state):
        list(dfs)
        act(state)
        yield pd.DataFrame({"k": [key[0]], "what": ["y"]})
    return f
for label, act in {"get": lambda s: s.get, "duration": lambda s: s.setTimeoutDuration(1000), "timestamp": lambda s: s.setTimeoutTimestamp(1000), "update none": lambda s: s.update(None), "update wrong": lambda s: s.update(("x", "y")), "remove": lambda s: s.remove(), "raise": lambda s: 1 / 0}.items():
    ask(f"bad {label}", lambda: go(bad(act), T[:1]))
ask("timestamp in past", lambda: go(bad(lambda s: s.setTimeoutTimestamp(-1)), T[:1], timeout=GroupStateTimeout.EventTimeTimeout))
ask("timestamp before watermark", lambda: go(bad(lambda s: s.setTimeoutTimestamp(1000)), T, timeout=GroupStateTimeout.EventTimeTimeout))
def rows(key, dfs, state):
    for df in dfs:
        yield df[["k", "v"]]
ask("rows through", lambda: go(rows, T[:1], out="k string, v int"))
ask("wrong columns", lambda: go(rows, T[:1], out="k string, z int"))
ask("wrong type", lambda: go(rows, T[:1], out="k int, v int"))
def nothing(key, dfs, state):
    list(dfs)
    return iter([])
ask("no rows", lambda: go(nothing, T[:2]))
ask("not a frame", lambda: go(lambda key, dfs, state: iter([1]), T[:1]))
ask("returns frame", lambda: go(lambda key, dfs, state: pd.DataFrame({"k": ["a"], "what": ["b"]}), T[:1]))
