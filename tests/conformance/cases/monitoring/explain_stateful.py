"""explain() of streams with state: before the start, where nothing is known of the query, and of the query that runs: operators
by generated stage, what the stateful ones know, how their rows are laid out."""
import contextlib
import io
import os
import re

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

os.makedirs("in", exist_ok=True)
with open("staging", "w") as f:
    f.write('{"k":"a","v":1,"ts":"2026-01-01 10:00:00"}\n{"k":"b","v":2,"ts":"2026-01-01 10:00:05"}\n')
os.replace("staging", "in/a.json")

events = spark.readStream.schema("k string, v int, ts timestamp").json("in")
timed = events.withWatermark("ts", "10 minutes")
other = spark.readStream.schema("k2 string, w int, us timestamp").json("in").withWatermark("us", "20 minutes")
names = spark.createDataFrame([("a", "Anna")], "k string, name string")


def explain(what, *mode):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        what.explain(*mode)
    print(re.sub(r"plan_id=\d+", "plan_id=n", text.getvalue()).replace(os.getcwd(), "<cwd>"))


def both(label, df, mode="append"):
    print("=====", label)
    explain(df)
    query = (
        df.writeStream.format("noop").outputMode(mode).option("checkpointLocation", f"checkpoint/{label}").start()
    )
    query.processAllAvailable()
    explain(query)
    query.stop()


both("window", timed.groupBy(F.window("ts", "5 minutes"), "k").agg(F.count("*"), F.sum("v")))
both("sorted", events.groupBy("k").count().orderBy("k"), "complete")
both("objects", timed.groupBy("k").agg(F.avg("v"), F.collect_list("v")), "update")
both("global", events.agg(F.sum("v")), "complete")
both("duplicates", timed.dropDuplicates(["k", "ts"]))
both("session", timed.groupBy(F.session_window("ts", "5 minutes"), "k").count())
both("join", timed.join(other, F.expr("k = k2 AND us >= ts AND us <= ts + INTERVAL 1 HOUR"), "left"))
both("limit", events.limit(3))
both("names", events.join(names, "k"))
both("outer names", events.join(names, "k", "left"))
explain(timed.groupBy(F.window("ts", "10 minutes", "5 minutes")).agg(F.approx_count_distinct("v")))
explain(timed.join(other, F.expr("k = k2 AND ts = us")))
explain(events.groupBy("k").count().filter("count > 1").limit(2))
explain(events.repartition(3, "k"))
