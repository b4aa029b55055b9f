# A file sink: folders, its log, reading it back, compaction, formats and options, refusals.
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

import json, re, glob
def run(w, make=lambda s: s, fmt="json", opts={}, part=None, sopts={}, trigger=None):
    x = make(spark.readStream.schema("k int, v string, d date").options(**sopts).csv(w + "/in")).writeStream.format(fmt).option("checkpointLocation", w + "/cp").options(**opts)
    if part: x = x.partitionBy(*part)
    q = x.start(w + "/out")
    try:
        q.processAllAvailable()
        if q.exception(): raise q.exception()
        return len([p for p in q.recentProgress if "addBatch" in p["durationMs"]])
    finally:
        q.stop()
def tree(d):
    return sorted(re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "<u>", os.path.relpath(os.path.join(b, f), d)) for b, _, fs in os.walk(d) for f in fs if not f.endswith(".crc"))
def log(p): return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "<u>", re.sub(r'"modificationTime":\d+', '"modificationTime":0', open(p).read())).replace(os.getcwd(), "<cwd>").splitlines()
drop("a/in", "0.csv", "1,x,2026-01-01\n2,,2026-01-02\n3,x,\n")
ask("json", lambda: (run("a", part=["v"]), tree("a/out"), log("a/out/_spark_metadata/0")))
drop("a/in", "1.csv", "4,y,2026-01-01\n")
ask("json again", lambda: (run("a", part=["v"]), tree("a/out")))
ask("read back", lambda: (spark.read.json("a/out").schema.simpleString(), sorted(str(tuple(r)) for r in spark.read.json("a/out").collect())))
ask("read one folder", lambda: (spark.read.json("a/out/v=x").schema.simpleString(), spark.read.json("a/out/v=x").count()))
ask("read glob", lambda: (spark.read.json("a/out/*").schema.simpleString(), spark.read.json("a/out/*").count()))
open("a/out/v=x/stray.json", "w").write('{"k": 77}\n')
ask("stray not read", lambda: spark.read.json("a/out").count())
ask("stream back", lambda: spark.readStream.schema("k int, v string, d date").json("a/out").schema.simpleString())
os.remove(glob.glob("a/out/v=y/*.json")[0])
ask("file gone", lambda: spark.read.json("a/out").count())
ask("file gone ignored", lambda: spark.read.option("ignoreMissingFiles", True).json("a/out").count())
ask("other checkpoint", lambda: run("a", opts={"checkpointLocation": "a/cp2"}))
drop("c/in", "0.csv", "1,x,2026-01-01\n")
for i, (fmt, o) in enumerate([("csv", dict(header=True, sep="|")), ("csv", dict(compression="gzip")), ("text", {}), ("parquet", {}), ("json", dict(dateFormat="dd/MM/yyyy", ignoreNullFields=False)), ("json", dict(compression="foo")), ("csv", dict(encoding="zz")), ("foo", {}), ("avro", {}), ("delta", {}), ("jdbc", {})]):
    w = f"f{i}"
    drop(w + "/in", "0.csv", "1,x,2026-01-01\n2,,2026-01-02\n")
    ask(f"{fmt} {o}", lambda: (run(w, fmt=fmt, opts=o, make=(lambda s: s.select("v")) if fmt == "text" else (lambda s: s.coalesce(1))), tree(w + "/out")))
    for f in sorted(glob.glob(w + "/out/part*")):
        if f.endswith((".csv", ".json", ".txt")): print("     ", repr(open(f).read()))
ask("part missing", lambda: run("f0", part=["zz"], opts={"checkpointLocation": "x1"}))
ask("part all", lambda: run("f0", make=lambda s: s.select("v"), part=["v"], opts={"checkpointLocation": "x2"}))
ask("part case", lambda: (run("f0", part=["V"], opts={"checkpointLocation": "x3", "path": "q"})))
for mode in ("complete", "update"):
    ask("mode " + mode, lambda: spark.readStream.schema("k int").csv("f0/in").groupBy("k").count().writeStream.outputMode(mode).format("json").option("checkpointLocation", "x4").start("x4o"))
ask("no path", lambda: spark.readStream.schema("k int").csv("f0/in").writeStream.format("json").option("checkpointLocation", "x5").start())
ask("no checkpoint", lambda: spark.readStream.schema("k int").csv("f0/in").writeStream.format("json").start("x6"))
ask("watermark append", lambda: (drop("wm/in", "0.csv", "1,x,2026-01-01\n"), run("wm", make=lambda s: s.withWatermark("ts", "1 day").groupBy(F.window("ts", "1 day")).count() if False else s.selectExpr("cast(d as timestamp) ts").withWatermark("ts", "1 day").groupBy(F.window("ts", "1 day")).count()), tree("wm/out")))
spark.conf.set("spark.sql.streaming.fileSink.log.compactInterval", 3); spark.conf.set("spark.sql.streaming.fileSink.log.cleanupDelay", "0"); spark.conf.set("spark.sql.streaming.fileSource.log.compactInterval", 2)
for i in range(7): drop("l/in", f"{i}.csv", f"{i},x,2026-01-01\n")
ask("compaction", lambda: (run("l", sopts=dict(maxFilesPerTrigger=1)), [t for t in tree("l/out") if "_spark" in t], tree("l/cp/sources"), len(log("l/out/_spark_metadata/5.compact")), spark.read.json("l/out").count()))
