# explain() in its modes, and EXPLAIN in SQL, over batch plans of the usual operators.
import contextlib
import io
import re
from pyspark.sql import SparkSession, Window, functions as F
from pyspark.errors import PySparkException

spark = SparkSession.builder.appName("explain-modes").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

spark.range(6).selectExpr("id", "cast(id % 2 as string) as k", "id / 2 as v").write.json("facts")
df = spark.read.schema("id long, k string, v double").json("facts")
dim = spark.range(2).selectExpr("cast(id as string) as k", "concat('n', id) as name")
spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
plans = {
    "range": spark.range(10),
    "filter": df.filter("id > 1").select("id", (F.col("v") * 2).alias("twice")),
    "aggregate": df.groupBy("k").agg(F.count("*").alias("n"), F.sum("v")),
    "string aggregate": df.groupBy("k").agg(F.max("k").alias("last")),
    "join": df.join(dim, "k"),
    "broadcast": df.join(F.broadcast(dim), "k", "left"),
    "sort": df.orderBy(F.desc("v")),
    "limit": df.limit(2),
    "top": df.orderBy("id").limit(2),
    "window": df.select("k", F.row_number().over(Window.partitionBy("k").orderBy("v")).alias("rn")),
    "outer join": df.join(dim, df.k == dim.k, "left"),
    "semi join": df.join(dim, df.k == dim.k, "left_semi"),
    "join with more": df.join(dim, (df.k == dim.k) & (df.id > F.length(dim.name))),
    "cross join": spark.range(2).crossJoin(spark.range(3)),
    "global aggregate": spark.range(9).agg(F.sum("id"), F.avg("id"), F.min("id")),
    "count distinct": spark.range(9).groupBy((F.col("id") % 2).alias("g")).agg(F.countDistinct("id")),
    "cube": df.cube("k").count(),
    "range sort": spark.range(9).orderBy(F.desc("id")),
    "range filter": spark.range(9).filter("id > 3").selectExpr("id * 2 as twice"),
    "distinct": df.select("k").distinct(),
    "explode": df.select("id", F.explode(F.split("k", ","))),
    "repartition": df.repartition(3, "k"),
    "coalesce": df.coalesce(1),
    "values": spark.sql("select * from values (1, 'x'), (2, 'y') as t(a, b)"),
    "one row": spark.sql("select 1 as one"),
}


def explain(plan, *args, **kwargs):
    """Numbers of plans and sizes of files differ from run to run."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        plan.explain(*args, **kwargs)
    print(re.sub(r"plan_id=\d+", "plan_id=n", text.getvalue()))


for name, plan in plans.items():
    print("########", name)
    explain(plan, mode="formatted")
print("######## modes")
explain(plans["global aggregate"])
explain(plans["join"], mode="simple")
for mode in ("simple", "FORMATTED", "nothing"):
    try:
        explain(spark.range(3), mode=mode)
    except PySparkException as e:
        print(type(e).__name__, e.getCondition(), str(e).splitlines()[0])
df.createOrReplaceTempView("t")
print("######## SQL")
for statement in ("explain select k from t", "explain formatted select k, count(*) from t group by k"):
    result = spark.sql(statement)
    print(statement, result.columns)
    print(re.sub(r"plan_id=\d+|sizeInBytes=[0-9.]+ \w+", "n", result.first()[0]))
