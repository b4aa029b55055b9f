# Options of the rate sources and of the socket, console and memory sinks: what each accepts and refuses.
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


def rate(fmt="rate", **o):
    return spark.readStream.format(fmt).options(**o).load()
def run(df, fmt="noop", batches=1, **o):
    q = df.writeStream.format(fmt).options(**o).trigger(availableNow=True).start() if fmt != "rate" else None
    try:
        q.awaitTermination(20)
        return [(p["batchId"], p["numInputRows"] if "micro" in str(df.columns) else None) for p in q.recentProgress][:batches], q.exception() and str(q.exception()).splitlines()[0][:200]
    finally:
        q.stop()
for o in ({}, {"rowsPerSecond": "0"}, {"rowsPerSecond": "-1"}, {"rowsPerSecond": "x"}, {"rowsPerSecond": "1.5"}, {"rampUpTime": "-1"}, {"rampUpTime": "x"}, {"rampUpTime": "1s"}, {"numPartitions": "0"}, {"numPartitions": "-2"}, {"numPartitions": "x"}, {"ROWSPERSECOND": "3"}, {"rowsPerMicrobatch": "3"}, {"rowsPerSecond": "99999999999"}):
    ask(f"rate {o}", lambda: (rate(**o).schema.simpleString(), run(rate(**o))[1]))
for o in ({}, {"rowsPerBatch": "0"}, {"rowsPerBatch": "-1"}, {"rowsPerBatch": "x"}, {"rowsPerBatch": "5"}, {"rowsPerBatch": "5", "startTimestamp": "1000"}, {"rowsPerBatch": "5", "startTimestamp": "-1"}, {"rowsPerBatch": "5", "startTimestamp": "x"}, {"rowsPerBatch": "5", "advanceMillisPerBatch": "-5"}, {"rowsPerBatch": "5", "advanceMillisPerBatch": "0"}, {"rowsPerBatch": "5", "numPartitions": "0"}, {"rowsPerBatch": "5", "numPartitions": "3", "advanceMillisPerBatch": "500"}):
    def act():
        q = rate("rate-micro-batch", **o).writeStream.format("memory").queryName("rm").trigger(availableNow=True).start()
        try:
            q.awaitTermination(20)
            if q.exception():
                raise q.exception()
            return [(r.timestamp.timestamp(), r.value) for r in spark.table("rm").sort("value").collect()], q.lastProgress["sources"][0]["endOffset"]
        finally:
            q.stop()
    ask(f"micro {o}", act)
ask("rate schema", lambda: spark.readStream.schema("a int").format("rate").load())
ask("rate path", lambda: spark.readStream.format("rate").load("x").columns)
ask("rate batch", lambda: spark.read.format("rate").load())
ask("micro batch", lambda: spark.read.format("rate-micro-batch").load())
for o in ({}, {"host": "localhost"}, {"port": "1"}, {"host": "localhost", "port": "x"}, {"host": "localhost", "port": "1", "includeTimestamp": "x"}):
    ask(f"socket {o}", lambda: rate("socket", **o).schema.simpleString())
ask("socket timestamp", lambda: rate("socket", host="localhost", port="1", includeTimestamp="true").schema.simpleString())
ask("socket schema", lambda: spark.readStream.schema("a int").format("socket").option("host", "localhost").option("port", 1).load())
os.makedirs("in"); drop("in", "1.csv", "1,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n2,b\n3,c\n")
s = spark.readStream.schema("k int, v string").csv("in")
def console(mode="append", df=s, **o):
    q = df.writeStream.format("console").outputMode(mode).options(**o).start()
    try:
        q.processAllAvailable()
    finally:
        q.stop()
    return q.lastProgress["sink"]
for o in ({}, {"numRows": "1"}, {"numRows": "0"}, {"numRows": "-1"}, {"numRows": "x"}, {"truncate": "false"}, {"truncate": "5"}, {"truncate": "x"}, {"numRows": "2", "truncate": "FALSE"}, {"vertical": "true"}):
    ask(f"console {o}", lambda: console(**o))
ask("console types", lambda: console(df=s.selectExpr("cast(k as double) d", "null n", "array(k, null) a", "map('x', v) m", "struct(k, v) s", "date'2026-01-01' dt", "timestamp'2026-01-01 00:00:00.5' ts", "cast('ab' as binary) b", "interval 1 day i", "1.50 dec", "cast('nan' as double) nan", "true t"), truncate=False))
ask("console no columns", lambda: console(df=s.select()))
ask("console wide", lambda: console(df=s.selectExpr("'日本語' w", "'a\tb\nc' x", "'e\u0301' y")))
ask("console complete", lambda: console("complete", s.groupBy("k").count()))
ask("console path", lambda: s.writeStream.format("console").start("x").stop())
