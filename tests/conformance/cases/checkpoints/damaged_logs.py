# Logs of a checkpoint that are gone, cut or of another version.
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
        # py4j names its object by a number of the run.
        print("   ", *[line for line in lines[:1] if "An error occurred while calling" not in line], *inner[-1:], sep="\n    ")

import json, re
def show(p): return open(p).read().replace(os.getcwd(), "<cwd>")
def src(w, **o): return spark.readStream.schema("k int, v string").options(**o).csv(w + "/in")
def run(w, make=lambda s: s, sink=None, **o):
    got = []
    x = make(src(w, **o)).writeStream.option("checkpointLocation", w + "/cp")
    x = sink(x) if sink else x.foreachBatch(lambda d, b: got.append((b, sorted(str(tuple(r)) for r in d.collect()))))
    q = x.start()
    try:
        q.processAllAvailable()
        if q.exception(): raise q.exception()
    finally:
        q.stop()
    return got
n = [0]
def fresh(batches=3):
    n[0] += 1
    w = f"w{n[0]}"
    for i in range(batches):
        drop(w + "/in", f"{i}.csv", f"{i},a\n")
        run(w)
    return w
def after(label, damage, batches=3, **o):
    w = fresh(batches)
    damage(w)
    drop(w + "/in", "z.csv", "9,z\n")
    ask(label, lambda: run(w, **o))
    return w
rm = lambda *names: (lambda w: [os.remove(f"{w}/cp/{x}") for n in names for x in (n, os.path.join(os.path.dirname(n), "." + os.path.basename(n) + ".crc")) if os.path.exists(f"{w}/cp/{x}")])
def put(name, text):
    def act(w):
        rm(name)(w)
        open(f"{w}/cp/{name}", "w").write(text)
    return act
after("nothing", lambda w: None)
after("no commits/2", rm("commits/2"))
after("no commits/1 and 2", rm("commits/1", "commits/2"))
after("no commits", rm("commits/0", "commits/1", "commits/2"))
after("no offsets/2", rm("offsets/2"))
after("no offsets/2 commits/2", rm("offsets/2", "commits/2"))
after("no offsets/1", rm("offsets/1"))
after("no sources/0/2", rm("sources/0/2"))
after("no sources/0/1 and commits/2", rm("sources/0/1", "commits/2"))
after("no metadata", rm("metadata"))
after("bad metadata", put("metadata", "{}"))
after("other id", put("metadata", '{"id":"00000000-0000-0000-0000-000000000001"}'))
after("empty offsets/2", put("offsets/2", ""))
after("version", put("offsets/2", "v3\n{}\n{}"))
after("no version", put("offsets/2", "x\n{}\n{}"))
after("offsets only version", put("offsets/2", "v1"))
after("offsets no source", put("offsets/2", 'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}'))
after("offsets two sources", put("offsets/2", 'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}\n{"logOffset":2}\n{"logOffset":2}'))
after("offsets bad json", put("offsets/2", 'v1\n{"batchWatermarkMs":0\n{"logOffset":2}'))
after("offset not file", put("offsets/2", 'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}\n{"x":2}'))
after("offset ahead", put("offsets/2", 'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}\n{"logOffset":7}'))
after("commit bad", put("commits/2", "v9\n{}"))
after("commit empty", put("commits/2", ""))
after("commit v1 bad json", put("commits/2", "v1\n{"))
after("source log bad", put("sources/0/2", "v1\nxx"))
after("source log version", put("sources/0/2", "v7\n{}"))
after("strange names", lambda w: (open(w + "/cp/offsets/x.tmp", "w").write("?"), open(w + "/cp/offsets/9.compact", "w").write("?")))
w = fresh(1)
print(re.sub(r"\d{13}", "<ms>", show(w + "/cp/offsets/0"))); print(show(w + "/cp/commits/0")); print(re.sub(r"\d{13}", "<ms>", show(w + "/cp/sources/0/0")))
ask("input file gone", lambda: (os.remove(w + "/in/0.csv"), rm("commits/0")(w), run(w))[2])
w = fresh(1)
ask("source order", lambda: run(w, lambda s: s.union(src(w))))
