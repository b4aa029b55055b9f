# toTable and file sinks: partitions, formats, options, existing tables, and what each refuses.
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


os.makedirs("in")
drop("in", "1.csv", "1,a,2026-01-01\n2,b,2026-01-02\n")
s = spark.readStream.schema("k int, v string, d date").csv("in")
n = [0]
def go(w, table, **kw):
    n[0] += 1
    q = w.option("checkpointLocation", f"cp{n[0]}").toTable(table, **kw)
    try:
        q.processAllAvailable()
    finally:
        q.stop()
    return sorted(str(tuple(r)) for r in spark.table(table).collect()), spark.table(table).dtypes
W = lambda df=s: df.writeStream
ask("new", lambda: go(W(), "t1"))
ask("again", lambda: go(W(), "t1"))
ask("format", lambda: go(W(), "t2", format="json"))
ask("other format", lambda: go(W(), "t2", format="csv"))
ask("partition", lambda: go(W(), "t3", format="parquet", partitionBy="d"))
ask("partition list", lambda: go(W(), "t4", format="parquet", partitionBy=["d", "v"]))
ask("partition unknown", lambda: go(W(), "t5", partitionBy="zz"))
ask("partition all", lambda: go(W(), "t6", partitionBy=["k", "v", "d"]))
ask("mode complete", lambda: go(W(s.groupBy("k").count()), "t7", outputMode="complete"))
ask("mode update", lambda: go(W(s), "t8", outputMode="update"))
ask("options", lambda: go(W(), "t9", format="csv", header="true"))
ask("fewer columns", lambda: go(W(s.select("k")), "t1"))
ask("other types", lambda: go(W(s.select(F.col("v").alias("k"), "v", "d")), "t1"))
ask("other order", lambda: go(W(s.select("v", "k", "d")), "t1"))
spark.createDataFrame([(9, "z")], "k int, v string").write.saveAsTable("batch")
ask("batch table", lambda: go(W(s.select("k", "v")), "batch"))
spark.createDataFrame([(9, "z")], "k int, v string").createOrReplaceTempView("view")
ask("temp view", lambda: go(W(s.select("k", "v")), "view"))
ask("bad name", lambda: go(W(), "a.b.c.d"))
ask("unknown db", lambda: go(W(), "nodb.t"))
ask("default db", lambda: go(W(), "default.t10"))
ask("no checkpoint", lambda: W().toTable("t11"))
ask("empty name", lambda: W().option("checkpointLocation", "x").toTable(""))
ask("read table", lambda: (spark.readStream.table("t1").isStreaming, spark.readStream.table("t1").columns))
def read():
    q = spark.readStream.table("t1").writeStream.format("memory").queryName("mt").start()
    q.processAllAvailable(); q.stop()
    return sorted(str(tuple(r)) for r in spark.table("mt").collect())
ask("stream of table", read)
ask("stream of view", lambda: spark.readStream.table("view"))
ask("stream of nothing", lambda: spark.readStream.table("nothing"))
ask("stream table with schema", lambda: spark.readStream.schema("k int").table("t1").columns)
m = [0]
def out(df=s, fmt="csv", part=None, mode="append", **options):
    m[0] += 1
    w = df.writeStream.format(fmt).outputMode(mode).options(**options).option("checkpointLocation", f"cq{m[0]}")
    if part is not None:
        w = w.partitionBy(*part)
    q = w.start(f"out{m[0]}")
    try:
        q.processAllAvailable()
    finally:
        q.stop()
    files = sorted(os.path.relpath(os.path.join(r, f), f"out{m[0]}").split("part-")[0] + f.split("-c000")[-1] if f.startswith("part-") else f for r, _, fs in os.walk(f"out{m[0]}") for f in fs if not f.startswith(".") and "_spark_metadata" not in r)
    return files, [open(os.path.join(r, f)).read() for r, _, fs in os.walk(f"out{m[0]}") for f in sorted(fs) if f.startswith("part-") and fmt in ("csv", "json", "text") and f.endswith(fmt.replace("text", "txt"))]
ask("csv", lambda: out())
ask("csv header", lambda: out(header=True, sep=";", nullValue="-", quoteAll=True))
ask("csv dates", lambda: out(dateFormat="dd.MM.yyyy"))
ask("json", lambda: out(fmt="json"))
ask("json nulls", lambda: out(s.select("k", F.lit(None).cast("string").alias("n")), fmt="json", ignoreNullFields=False))
ask("text", lambda: out(s.select("v"), fmt="text"))
ask("text two", lambda: out(s.select("k", "v"), fmt="text"))
ask("text int", lambda: out(s.select("k"), fmt="text"))
ask("gzip", lambda: out(compression="gzip"))
ask("partition by", lambda: out(part=["d"]))
ask("partition two", lambda: out(part=["d", "v"]))
ask("partition all", lambda: out(s.select("k"), part=["k"]))
ask("partition unknown", lambda: out(part=["q"]))
ask("update", lambda: out(mode="update"))
ask("complete", lambda: out(s.groupBy("k").count(), mode="complete"))
ask("nested csv", lambda: out(s.select(F.struct("k").alias("s"))))
ask("nested json", lambda: out(s.select(F.struct("k", F.array("v")).alias("s"), F.expr("map('a', k)").alias("m")), fmt="json"))
ask("interval csv", lambda: out(s.select(F.expr("interval 1 day").alias("i"))))
ask("null type", lambda: out(s.select(F.lit(None).alias("n"))))
ask("duplicate columns", lambda: out(s.select("k", F.col("v").alias("k"))))
ask("no columns", lambda: out(s.select()))
ask("partition by noop", lambda: s.writeStream.format("noop").partitionBy("k").start().stop())
ask("partition by console", lambda: s.writeStream.format("memory").queryName("pbm").partitionBy("k").start().stop())
ask("retention", lambda: out(retention="1 hour"))
ask("retention bad", lambda: out(retention="x"))
ask("read back", lambda: sorted(str(tuple(r)) for r in spark.read.schema("k int, v string, d date").csv("out1").collect()))
ask("maxRecordsPerFile", lambda: [sorted(part) for part in out(maxRecordsPerFile=1)])
