from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("query mistakes").getOrCreate()
df = spark.createDataFrame(
    [(1, "a", 2.5, None), (2, "b", None, [1, 2]), (3, None, 1.0, [])], "id int, name string, v double, xs array<int>"
)
df.createOrReplaceTempView("t")


def ask(label, act):
    print("--", label)
    try:
        print(act())
    except Exception as error:
        print(type(error).__name__, error.getCondition() if hasattr(error, "getCondition") else None)
        print(str(error).strip())


for query in [
    "select id, count(*) from t",
    "select id, sum(v) from t group by name",
    "select name from t where sum(v) > 1",
    "select id from t where id",
    "select id, nam from t",
    "select id + 1 as j from t where Nmae = 'a'",
    "select upper(xs) from t",
    "select id, sum(xs) from t",
    "select id + xs from t where id > 1",
    "select row_number() from t",
    "select * from values (1, 2), (3)",
    "select * from values (1), ('a')",
    "with c as (select 1 as x), c as (select 2) select * from c",
    "select id from t order by nocol",
    "select greatest(1), coalesce()",
]:
    ask(query, lambda: spark.sql(query).collect())

ask("unknown column in a sum", lambda: df.select(F.col("nam") + 1))
ask("aggregate beside a column", lambda: df.select(F.sum("id"), "name"))
ask("aggregate in filter", lambda: df.filter(F.sum("id") > 1))
ask("filter by a number", lambda: df.filter(F.col("id")))
ask("wrong type", lambda: df.select("id", F.upper(F.col("xs"))))
ask("sum of unlike types", lambda: df.select(F.col("id") + F.col("xs")))
ask("renamed and unknown", lambda: df.selectExpr("id as x", "nope"))
ask("sample", lambda: df.sample(2.0))
ask("partitions", lambda: df.repartition(0))
ask("statistic", lambda: df.summary("count", "foo"))
ask("corr of text", lambda: df.stat.corr("id", "name"))
ask("corr with a null", lambda: (df.stat.corr("id", "v"), df.stat.cov("id", "v")))
ask("dict order", lambda: df.agg({"id": "sum", "v": "avg", "name": "max"}).columns)
ask("dict of five", lambda: df.groupBy().agg({c: "count" for c in ["id", "v", "name", "xs", "*"]}).columns)
