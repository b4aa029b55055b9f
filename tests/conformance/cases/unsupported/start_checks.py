# What start() refuses first: real-time triggers, asynchronous progress, names by option, clustering.
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


rate = spark.readStream.format("rate").load()
def start(df=rate, fmt="noop", mode="update", **kw):
    options = kw.pop("options", {})
    confs = kw.pop("confs", {})
    for k, v in confs.items():
        spark.conf.set(k, v)
    try:
        w = df.writeStream.outputMode(mode).options(**options)
        if fmt == "batch":
            w = w.foreachBatch(lambda d, n: d.count())
        elif fmt == "each":
            w = w.foreach(lambda r: None)
        else:
            w = w.format(fmt)
        if fmt == "memory":
            w = w.queryName("mem")
        if kw:
            w = w.trigger(**kw)
        q = w.start()
        try:
            q.awaitTermination(2)
            if q.exception():
                raise q.exception()
            return "runs"
        finally:
            q.stop()
    finally:
        for k in confs:
            spark.conf.unset(k)
RT = {"realTime": "5 seconds"}
for fmt in ("noop", "memory", "console", "batch", "each", "csv"):
    ask(f"real {fmt}", lambda: start(fmt=fmt, **RT, options={"path": "o1", "checkpointLocation": f"cr{fmt}"}))
ask("real append", lambda: start(fmt="each", mode="append", **RT))
ask("real short", lambda: start(fmt="each", realTime="1 second"))
ask("real short and append", lambda: start(fmt="each", mode="append", realTime="1 second"))
ask("real short noop", lambda: start(realTime="1 second"))
ask("real negative", lambda: start(realTime="-1 second"))
ask("real month", lambda: start(realTime="1 month"))
ask("real allow off", lambda: start(**RT, confs={"spark.sql.streaming.realTimeMode.allowlistCheck": "false"}))
ask("real batch allow off", lambda: start(fmt="batch", **RT, confs={"spark.sql.streaming.realTimeMode.allowlistCheck": "false"}))
ask("real min", lambda: start(fmt="each", realTime="1 second", confs={"spark.sql.streaming.realTimeMode.minBatchDuration": "500"}))
ask("real provider", lambda: start(fmt="each", **RT, confs={"spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider", "spark.sql.execution.sortBeforeRepartition": "true"}))
ask("real version", lambda: start(fmt="each", **RT, confs={"spark.sql.streaming.stateStore.checkpointFormatVersion": "1"}))
ask("real union", lambda: start(rate.union(rate), fmt="each", **RT))
ask("real agg union", lambda: start(rate.groupBy("value").count().union(rate.groupBy("value").count()), fmt="each", **RT))
ask("real sort", lambda: start(rate.sort("value"), fmt="each", **RT))
A = {"asyncProgressTrackingEnabled": "true"}
os.makedirs("in"); drop("in", "1.csv", "1,a\n2,b\n")
s = spark.readStream.schema("k int, v string").csv("in")
for fmt in ("noop", "memory", "console", "batch", "each", "csv"):
    ask(f"async {fmt}", lambda: start(s, fmt=fmt, mode="append", options={**A, "path": "o2", "checkpointLocation": f"ca{fmt}"}))
ask("async once", lambda: start(s, options=A, mode="append", once=True))
ask("async available", lambda: start(s, options=A, mode="append", availableNow=True))
ask("async continuous", lambda: start(options=A, continuous="1 second"))
ask("async bad", lambda: start(s, mode="append", options={"asyncProgressTrackingEnabled": "si"}))
ask("async bad interval", lambda: start(s, mode="append", options={**A, "asyncProgressTrackingCheckpointIntervalMs": "x"}))
ask("async lower case", lambda: start(s, mode="append", fmt="batch", options={"asyncprogresstrackingenabled": "true"}))
def named(w):
    q = w.start()
    try:
        return q.name
    finally:
        q.stop()
W = lambda: s.writeStream.format("noop")
ask("name by option", lambda: named(W().option("queryName", "one")))
ask("name by option lower", lambda: named(W().option("queryname", "one")))
ask("name both", lambda: named(W().option("queryName", "one").queryName("two")))
ask("name both turned", lambda: named(W().queryName("two").option("queryName", "one")))
ask("empty name by option", lambda: named(W().option("queryName", "")))
ask("memory named by option", lambda: named(s.writeStream.format("memory").option("queryName", "mo")))
ask("cluster", lambda: named(W().clusterBy("k")))
ask("cluster and partition", lambda: named(W().clusterBy("k").partitionBy("v")))
ask("partition and cluster", lambda: W().partitionBy("v").clusterBy("k") is not None)
ask("cluster csv", lambda: named(s.writeStream.format("csv").option("checkpointLocation", "cc").clusterBy("k").option("path", "oc")))
ask("cluster csv unknown", lambda: named(s.writeStream.format("csv").option("checkpointLocation", "cc2").clusterBy("zz").option("path", "oc2")))
ask("cluster memory", lambda: named(s.writeStream.format("memory").queryName("cm").clusterBy("k")))
ask("cluster empty", lambda: named(W().clusterBy()))
ask("partition empty", lambda: named(s.writeStream.format("memory").queryName("pe").partitionBy()))
ask("partition number", lambda: W().partitionBy(3) is not None)
ask("table with path", lambda: (s.writeStream.option("checkpointLocation", "ct").option("path", "tp").toTable("tt").stop(), sorted(os.listdir("tp")), os.path.exists("spark-warehouse/tt")))
