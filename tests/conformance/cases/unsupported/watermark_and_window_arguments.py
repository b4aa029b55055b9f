# withWatermark and window arguments: every bad value, and what the good ones give.
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


os.makedirs("in"); drop("in", "1.csv", "1,2026-01-01 10:00:00,2026-01-01\n2,2026-01-01 10:06:30,2026-01-02\n")
s = spark.readStream.schema("k int, ts timestamp, d date").csv("in")
def run(df, mode="update"):
    got = []
    q = df.writeStream.outputMode(mode).foreachBatch(lambda x, i: got.append(sorted(str(tuple(r)) for r in x.collect()))).start()
    try:
        q.processAllAvailable()
        return got, [p["eventTime"].get("watermark") for p in q.recentProgress if "addBatch" in p["durationMs"]]
    finally:
        q.stop()
for delay in ("0", "0 seconds", "1 minute", "1.5 minutes", "-1 second", "1 month", "1 year", "1 day 2 hours", "interval 5 minutes", "soon", "", " ", "10", "1 fortnight", "5 MINUTES", "1 week", "1 millisecond", "1 microsecond", 5, None):
    ask(f"delay {delay!r}", lambda: run(s.withWatermark("ts", delay).groupBy(F.window("ts", "1 minute")).count()))
for col in ("ts", "k", "d", "zz", "", "TS", None, 3):
    ask(f"column {col!r}", lambda: run(s.withWatermark(col, "1 minute")))
ask("nested", lambda: s.select(F.struct("ts").alias("x")).withWatermark("x.ts", "1 minute"))
ask("ntz", lambda: s.select(F.expr("cast(ts as timestamp_ntz) n")).withWatermark("n", "1 minute"))
ask("date", lambda: run(s.withWatermark("d", "1 minute")))
ask("window column", lambda: run(s.withWatermark("ts", "1 minute").select(F.window("ts", "1 minute").alias("w"), "k")))
ask("twice same", lambda: run(s.withWatermark("ts", "1 minute").withWatermark("ts", "2 minutes").groupBy(F.window("ts", "1 minute")).count()))
ask("twice other", lambda: run(s.withColumn("t2", F.col("ts")).withWatermark("ts", "1 minute").withWatermark("t2", "2 minutes").groupBy(F.window("ts", "1 minute")).count()))
ask("after agg", lambda: run(s.groupBy("ts").count().withWatermark("ts", "1 minute")))
ask("renamed", lambda: run(s.withWatermark("ts", "1 minute").withColumnRenamed("ts", "t").groupBy(F.window("t", "1 minute")).count(), "append"))
ask("expression", lambda: run(s.withWatermark("ts", "1 minute").withColumn("t", F.expr("ts + interval 1 minute")).groupBy(F.window("t", "1 minute")).count(), "append"))
ask("cast", lambda: run(s.withWatermark("ts", "1 minute").withColumn("t", F.col("ts").cast("timestamp")).groupBy(F.window("t", "1 minute")).count(), "append"))
ask("batch frame", lambda: spark.sql("select timestamp'2026-01-01' t").withWatermark("t", "1 minute").groupBy(F.window("t", "1 minute")).count().collect())
for args in (("1 minute",), ("1 minute", "30 seconds"), ("1 minute", "2 minutes"), ("1 minute", None, "10 seconds"), ("1 minute", "30 seconds", "40 seconds"), ("1 minute", "30 seconds", "-10 seconds"), ("0 seconds",), ("-1 minute",), ("1 month",), ("1 year",), ("x",), ("",), ("1 minute", "x"), ("1 minute", "0 seconds"), ("1 minute", "30 seconds", "x"), ("1 day",), ("1 week",), ("1.5 minutes",), ("interval 2 minutes",), ("1 microsecond",), ("1 minute", "1 month"), (5,), (None,)):
    ask(f"window {args}", lambda: run(s.groupBy(F.window("ts", *args)).count()))
ask("window of int", lambda: run(s.groupBy(F.window("k", "1 minute")).count()))
ask("window of date", lambda: run(s.groupBy(F.window("d", "1 day")).count()))
ask("window of string", lambda: run(s.groupBy(F.window(F.col("ts").cast("string"), "1 day")).count()))
ask("two windows", lambda: run(s.groupBy(F.window("ts", "1 minute"), F.window("ts", "2 minutes")).count()))
ask("same window twice", lambda: run(s.groupBy(F.window("ts", "1 minute"), F.window("ts", "1 minute").alias("w2")).count()))
ask("window in where", lambda: run(s.where(F.window("ts", "1 minute").getField("start") > "2026-01-01 10:01:00")))
ask("window in agg", lambda: run(s.groupBy("k").agg(F.max(F.window("ts", "1 minute").getField("start")))))
ask("window of window", lambda: run(s.groupBy(F.window(F.window("ts", "1 minute"), "2 minutes")).count()))
ask("window_time", lambda: run(s.select(F.window("ts", "1 minute").alias("w")).select(F.window_time("w"))))
ask("window expr slide", lambda: run(s.groupBy(F.expr("window(ts, '1 minute', '20 seconds')")).count()))
ask("window interval literal", lambda: run(s.groupBy(F.expr("window(ts, interval 1 minute)")).count()))
ask("window column duration", lambda: run(s.groupBy(F.expr("window(ts, k)")).count()))
ask("alias", lambda: run(s.groupBy(F.window("ts", "1 minute").alias("w")).count().select("w.start", "count")))
ask("now", lambda: s.select(F.expr("window(current_timestamp(), '1 minute') is not null")).schema.simpleString())
