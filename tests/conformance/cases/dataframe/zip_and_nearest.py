"""DataFrame.zip, nearestByJoin (and its SQL), repartitionById: results, schemas and refusals."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def tried(title, make):
    print("--", title)
    try:
        made = make()
        made.show(truncate=False)
    except Exception as error:
        print(type(error).__name__, str(error).split("\n\nJVM stacktrace")[0])
        if hasattr(error, "getCondition"):
            print(error.getCondition(), error.getSqlState())


# ---- zip ------------------------------------------------------------------------------------------
abc = spark.createDataFrame([(1, 2, 3), (4, 5, 6), (7, 8, 9)], ["a", "b", "c"])
other = spark.createDataFrame([(1, 2, 3), (4, 5, 6), (7, 8, 9)], ["a", "b", "c"])
ids = spark.range(4)
tried("two columns", lambda: abc.select("a").zip(abc.select("b")))
tried("a column and all", lambda: abc.select("a").zip(abc))
tried("the same column", lambda: abc.select("a").zip(abc.select("a")))
tried("values", lambda: abc.select((F.col("a") + 1).alias("x")).zip(abc.select((F.col("b") * 2).alias("y"), "c")))
deep = abc.withColumn("d", F.col("a") + 1).withColumn("e", F.col("d") * 2)
tried("chains", lambda: deep.zip(abc.withColumn("g", F.col("c") - 1).select("g")))
tried("with itself", lambda: deep.zip(deep))
tried("the same filter", lambda: abc.filter("a > 1").select("a").zip(abc.filter("a > 1").select("b")))
tried("two filters", lambda: abc.filter("a > 1").select("a").zip(abc.filter("a > 2").select("b")))
tried("one filter", lambda: abc.select("a").zip(abc.filter("a > 1").select("b")))
tried("equal rows, two frames", lambda: abc.zip(other))
tried("equal ranges", lambda: ids.zip(spark.range(4).select((F.col("id") * 10).alias("t"))))
tried("two ranges", lambda: ids.zip(spark.range(5)))
tried("a generator", lambda: ids.select(F.explode(F.array("id", "id"))).zip(ids))
tried("a total and rows", lambda: ids.select(F.sum("id")).zip(ids))
tried("two totals", lambda: ids.select(F.sum("id")).zip(ids.select(F.sum("id"))))
tried("sorted", lambda: ids.orderBy("id").zip(ids.orderBy("id").select((F.col("id") + 1).alias("p"))))
tried("udf", lambda: ids.select(F.udf(lambda v: v + 1, "long")("id").alias("u")).zip(ids))
tried("no frame", lambda: ids.zip(1))
tried("below a filter", lambda: ids.withColumnRenamed("id", "left").zip(ids).where("left > 1"))
tried("aliases", lambda: ids.alias("p").zip(ids.alias("q")))
ids.withColumnRenamed("id", "left").zip(ids).printSchema()
stream = spark.readStream.format("rate").load()
print(stream.select("value").zip(stream.select("timestamp")).isStreaming)

# ---- repartitionById --------------------------------------------------------------------------------
ten = spark.range(10)
where = F.spark_partition_id().alias("p")
tried("an int", lambda: ten.repartitionById(3, F.col("id").cast("int")).select("id", where))
tried("negative", lambda: ten.repartitionById(4, (F.col("id") - 5).cast("int")).select("id", where))
tried("a constant", lambda: ten.repartitionById(2, F.lit(1)).select("id", where))
odd = F.when(F.col("id") % 2 == 0, F.col("id").cast("int"))
tried("nulls", lambda: ten.repartitionById(3, odd).select("id", where))
tried("a long", lambda: ten.repartitionById(3, "id"))
tried("an expression", lambda: ten.repartitionById(3, F.col("id") % 3))
tried("a string", lambda: ten.repartitionById(3, F.col("id").cast("string")))
tried("no column", lambda: ten.repartitionById(3, "nope"))
tried("count as text", lambda: ten.repartitionById("3", "id"))
tried("no partitions", lambda: ten.repartitionById(0, "id"))
tried("a number", lambda: ten.repartitionById(3, 1))
print(ten.repartitionById(3, F.lit(2)).rdd.getNumPartitions())
keyed = ten.withColumn("k", (F.col("id") % 5).cast("int"))
tried("grouped", lambda: keyed.repartitionById(3, "k").groupBy("k").count())
print(stream.repartitionById(3, F.col("value").cast("int")).isStreaming)

# ---- nearestByJoin ----------------------------------------------------------------------------------
users = spark.createDataFrame([(1, 10.0), (2, 20.0), (3, 30.0)], ["user_id", "score"])
products = spark.createDataFrame([("A", 11.0), ("B", 22.0), ("C", 5.0)], ["product", "pscore"])
users.createOrReplaceTempView("users")
products.createOrReplaceTempView("products")
apart = F.abs(users.score - products.pscore)
none = products.where("false")
order = ("user_id", "pscore")
tried("similarity", lambda: users.nearestByJoin(products, -apart, 1, "exact", "similarity").orderBy("user_id"))
tried("distance", lambda: users.nearestByJoin(products, apart, 2, "approx", "distance").orderBy(*order))
tried("any case", lambda: users.nearestByJoin(products, apart, "2", "EXACT", "Distance").orderBy(*order))
for kind in "inner", "leftouter", "left_outer", "left":
    tried(kind, lambda: users.nearestByJoin(none, apart, 2, "exact", "distance", joinType=kind).orderBy("user_id"))
for kind in "right", "cross", "x":
    tried(kind, lambda: users.nearestByJoin(products, apart, 2, "exact", "distance", joinType=kind))
tried("mode", lambda: users.nearestByJoin(products, apart, 2, "approximately", "distance"))
tried("direction", lambda: users.nearestByJoin(products, apart, 2, "exact", "dist"))
tried("none", lambda: users.nearestByJoin(products, apart, 0, "exact", "distance"))
tried("too many", lambda: users.nearestByJoin(products, apart, 100001, "exact", "distance"))
random = F.rand(1) * 0 + apart
tried("random", lambda: users.nearestByJoin(products, random, 1, "approx", "distance").orderBy("user_id"))
pair = F.create_map(users.score, products.pscore)
tried("a map", lambda: users.nearestByJoin(products, pair, 1, "exact", "distance"))
tried("no column", lambda: users.nearestByJoin(products, F.col("nope"), 1, "exact", "distance"))
tried("an aggregate", lambda: users.nearestByJoin(products, F.sum(apart), 1, "exact", "distance"))
tried("a name", lambda: users.nearestByJoin(products, "score", 1, "exact", "distance"))
some = F.when(products.pscore > 6, apart)
tried("nulls", lambda: users.nearestByJoin(products, some, 3, "exact", "distance").orderBy(*order))
one, two = users.alias("one"), users.alias("two")
self_join = one.nearestByJoin(two, F.abs(F.col("one.score") - F.col("two.score")), 1, "exact", "distance")
tried("itself", lambda: self_join.select("one.user_id", F.col("two.score")).orderBy("user_id"))
users.nearestByJoin(products, apart, 2, "approx", "distance", joinType="left").printSchema()
tried("a stream", lambda: stream.nearestByJoin(products, stream.value - products.pscore, 1, "exact", "distance"))

head = "SELECT u.user_id, p.product FROM users u"
for query in (
    f"{head} JOIN products p APPROX NEAREST 1 BY SIMILARITY -abs(u.score - p.pscore) ORDER BY 1",
    f"{head} JOIN products p APPROX NEAREST 2 BY DISTANCE abs(u.score - p.pscore) ORDER BY 1, 2",
    f"{head} INNER JOIN products p EXACT NEAREST BY SIMILARITY -abs(u.score - p.pscore) ORDER BY 1",
    f"{head} LEFT JOIN (SELECT * FROM products WHERE false) p EXACT NEAREST BY DISTANCE p.pscore ORDER BY 1",
    f"{head} RIGHT OUTER JOIN products p APPROX NEAREST 1 BY SIMILARITY -abs(u.score - p.pscore)",
    f"{head} CROSS JOIN products p EXACT NEAREST 1 BY DISTANCE p.pscore",
    f"{head} LEFT SEMI JOIN products p EXACT NEAREST 1 BY DISTANCE p.pscore",
    f"{head} NATURAL JOIN products p EXACT NEAREST 1 BY DISTANCE p.pscore",
    f"{head} JOIN LATERAL (SELECT * FROM products) p EXACT NEAREST 1 BY DISTANCE p.pscore",
    f"{head} JOIN products p APPROX NEAREST 0 BY DISTANCE p.pscore",
    f"{head} JOIN products p APPROX NEAREST 99999999999 BY DISTANCE p.pscore",
    f"{head} JOIN products p APPROX NEAREST 1 BY SIMILARITY map(u.score, p.pscore)",
    f"{head} JOIN products p NEAREST 1 BY SIMILARITY p.pscore",
    f"{head} JOIN products p EXACT NEAREST 1 BY p.pscore",
    f"{head} JOIN products p EXACT NEAREST 1 BY DISTANCE p.pscore + u.nope",
    "FROM users |> JOIN products EXACT NEAREST 1 BY DISTANCE abs(score - pscore) |> SELECT user_id, product |> ORDER BY 1",
    "SELECT exact, approx, distance, similarity, nearest FROM VALUES (1, 2, 3, 4, 5) AS t(exact, approx, distance, similarity, nearest)",
    "SELECT * FROM users exact JOIN products nearest ORDER BY 1, 3",
):
    tried(query, lambda: spark.sql(query))
spark.conf.set("spark.sql.crossJoin.enabled", "false")
tried("no cross joins", lambda: users.nearestByJoin(products, apart, 1, "exact", "distance"))
