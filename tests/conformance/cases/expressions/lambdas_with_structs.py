# Structs inside lambdas, what aggregate() gathers, lambdas as grouping keys; the order of a dict's entries; nulls inside sort keys.
from pyspark.sql import Row, SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)


def show(df):
    df.printSchema()
    df.show(truncate=False)


df = spark.createDataFrame([(1, [1, 2, 3], {"a": 1})], "i int, xs array<int>, m map<string,int>")
df.createOrReplaceTempView("t")
pair = lambda acc, x: F.struct((acc["s"] + x).alias("s"), (acc["n"] + 1).alias("n"))
start = F.struct(F.lit(0).alias("s"), F.lit(0).alias("n"))
show(df.select(F.aggregate("xs", start, pair, lambda acc: acc["s"] / acc["n"])))
show(df.select(F.aggregate("xs", start, pair).alias("r")))
show(df.selectExpr("aggregate(xs, struct(0L AS s, 0L AS n), (acc, x) -> struct(acc.s + x, acc.n + 1)) AS r"))
show(df.selectExpr("aggregate(xs, array(0), (acc, x) -> array_append(acc, x)) AS r"))
show(df.select(F.transform("xs", lambda x: F.struct(x.alias("v"), (x * 2).alias("w")))))
show(df.select(F.zip_with("xs", "xs", lambda a, b: F.struct(a.alias("l"), b.alias("r")))))
show(df.select(F.filter(F.transform("xs", lambda x: F.struct(x.alias("v"))), lambda s: s.v > 1).alias("z")))
show(df.groupBy(F.transform("xs", lambda x: F.struct(x.alias("v")))).count())
show(spark.sql("SELECT transform(xs, x -> transform(xs, y -> x + y)) r, count(*) FROM t GROUP BY transform(xs, z -> transform(xs, w -> z + w))"))

for keys in ["ab", "kl", "lk", "cba", "klmn", "edcba", "hgfedcba", "zyxwvutsrqponm"]:
    d = {k: i for i, k in enumerate(keys)}
    print(keys, spark.createDataFrame([(d,)], "m map<string,int>").select(F.map_keys("m")).first()[0])
for keys in [[2, 1], [5, 17, 3], [100, 7, 33, 64], [10, 20, 30, 40, 50]]:
    d = {k: i for i, k in enumerate(keys)}
    print(keys, spark.createDataFrame([(d,)], "m map<int,int>").select(F.map_keys("m")).first()[0])
print(spark.createDataFrame([Row(m={"k": {"z": 1, "a": 2}, "l": None})]).first()[0])
print(spark.createDataFrame([(1, {"one": 1, "two": 2, "three": 3})], "i int, m map<string,int>").collect())

rows = "VALUES (array(1, null)), (array(1, 2)), (array()), (null), (array(null, 3)) AS t(s)"
structs = "SELECT struct(a, b) AS s FROM VALUES (1, null), (1, 2), (null, 3) AS t(a, b) UNION ALL SELECT null"
for order in ["s", "s NULLS LAST", "s DESC", "s DESC NULLS FIRST"]:
    print(order, [r.s for r in spark.sql(f"SELECT s FROM {rows} ORDER BY {order}").collect()])
    print(order, [r.s and tuple(r.s) for r in spark.sql(f"SELECT s FROM ({structs}) ORDER BY {order}").collect()])
