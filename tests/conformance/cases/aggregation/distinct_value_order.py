# The order of DISTINCT values and of groups as adaptive execution puts shuffle partitions together; count_min_sketch.
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
rows = [(i % 7, f"w{i % 5}", float(i % 4), i) for i in range(20)]
t = spark.createDataFrame(rows, "a int, b string, d double, n int")
t.createOrReplaceTempView("t")
people = spark.createDataFrame([("Alice", 1), ("Alice", 2), ("Bob", 3), (None, 4), ("Bob", 5)], ["name", "value"])
for partitions in (1, 2, 5, 200):
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    print("partitions", partitions)
    for text in (
        "listagg(DISTINCT b, ',')",
        "collect_list(DISTINCT a)",
        "collect_list(DISTINCT d)",
        "collect_set(b)",
        "collect_list(DISTINCT a), sum(n)",
        "string_agg(DISTINCT CAST(a AS STRING), '')",
    ):
        print(text, [tuple(row) for row in spark.sql(f"SELECT {text} FROM t").collect()])
        print("by key", [tuple(row) for row in spark.sql(f"SELECT n % 3 AS k, {text} FROM t GROUP BY n % 3").collect()])
    people.groupBy("name").agg(F.max("value"), F.collect_list("value")).show()
    people.select(F.listagg_distinct("name", F.lit("/")), F.count_distinct("value")).show()
    t.groupBy("b").count().show()
    t.select("b").distinct().show()
spark.range(100).select(F.hex(F.count_min_sketch("id", 3.0, 0.1, 1))).show(truncate=False)
for text in (
    "hex(count_min_sketch(a, 0.5D, 0.5D, 1))",
    "md5(count_min_sketch(b, 0.01D, 0.95D, 42))",
    "md5(count_min_sketch(CAST(n AS SMALLINT), 0.001D, 0.999D, -7))",
    "count_min_sketch(d, 0.5D, 0.5D, 1)",
    "count_min_sketch(a, 0.0D, 0.5D, 1)",
    "count_min_sketch(a, 0.5D, 1.0D, 1)",
    "count_min_sketch(a, NULL, 0.5D, 1)",
):
    try:
        print(text, [row[0] for row in spark.sql(f"SELECT {text} FROM t").collect()])
    except Exception as e:
        print(text, type(e).__name__, str(e).splitlines()[0])
