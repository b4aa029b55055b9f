# What Spark says of plans that a stream does not allow, whole: with the tree of the plan, the marks of streaming nodes, and how sources name themselves.
import os
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
os.makedirs("in"); os.makedirs("st")
with open("st/a.json", "w") as f: f.write('{"k": "a", "n": 1}\n')
S = "k string, v int, ts timestamp"
d = spark.readStream.schema(S).json("in")
w = d.withWatermark("ts", "10 seconds")
r = spark.readStream.format("rate").load()
rm = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 3).load()
so = spark.readStream.format("socket").option("host", "localhost").option("port", 9999).load()
st = spark.read.schema("k string, n int").json("st")
d.createOrReplaceTempView("events")
def ask(label, act):
    print("==", label)
    try:
        act(); print("ok")
    except Exception as e:
        print(str(e).replace(os.getcwd(), "<cwd>"))
def start(df, mode="append", **k):
    def act():
        q = df().writeStream.outputMode(mode).format("noop").options(**k).start(); q.stop()
    return act
ask("agg append", start(lambda: d.groupBy("k").count()))
ask("agg append view", start(lambda: spark.sql("select k, count(*) c from events group by k")))
ask("complete no agg", start(lambda: d.select("k"), "complete"))
ask("update join", start(lambda: w.alias("a").join(w.alias("b"), F.expr("a.k = b.k and a.ts = b.ts"), "left_outer"), "update"))
ask("sort", start(lambda: w.orderBy("v")))
ask("rate sort", start(lambda: r.orderBy("value")))
ask("rate micro sort", start(lambda: rm.orderBy("value")))
ask("socket sort", start(lambda: so.orderBy("value")))
ask("limit update", start(lambda: d.groupBy("k").count().limit(3), "update"))
ask("union", start(lambda: d.select("k").union(r.select(F.col("value").cast("string"))).distinct().orderBy("k")))
ask("static left", start(lambda: st.join(d, "k", "left_outer")))
ask("static left view", start(lambda: spark.createDataFrame([("a", 1)], "k string, n int").join(d, "k", "left_outer")))
ask("window fn", start(lambda: d.selectExpr("row_number() over (partition by k order by v) as r")))
ask("window agg append", start(lambda: d.groupBy(F.window("ts", "1 minute")).count()))
ask("twice", start(lambda: d.groupBy("k").count().groupBy("count").count(), "update"))
ask("two wm", start(lambda: w.groupBy(F.window("ts", "1 minute")).count().withWatermark("window", "1 minute")))
ask("count", lambda: d.count())
ask("show", lambda: d.filter("v > 1").show())
ask("write", lambda: d.write.parquet("out"))
ask("collect rate", lambda: r.collect())
ask("dedup orderby", start(lambda: w.dropDuplicates(["k"]).orderBy("k")))
ask("within", start(lambda: d.dropDuplicatesWithinWatermark(["k"])))
ask("distinct agg", start(lambda: d.groupBy("k").agg(F.countDistinct("v")), "update"))
ask("rollup", start(lambda: d.rollup("k").count(), "update"))
ask("except", start(lambda: d.select("k").exceptAll(st.select("k"))))
ask("intersect", start(lambda: d.select("k").intersect(d.select("k"))))
