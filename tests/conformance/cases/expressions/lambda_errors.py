# Higher-order functions: names of their columns, the identity that finishes an aggregate, and lambdas that do not fit.
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("lambdas").master("local[2]").getOrCreate()
df = spark.createDataFrame([([1, 2, 3], {"a": 1, "b": 2}, "x")], "xs array<int>, m map<string, int>, s string")
df.createOrReplaceTempView("t")
for column in [F.aggregate("xs", F.lit(0), lambda a, x: a + x), F.reduce("xs", F.lit(0), lambda a, x: a + x, lambda a: a * 10), F.transform("xs", lambda x: x + 1), F.transform("xs", lambda x, i: x * i), F.filter("xs", lambda x: x > 1), F.zip_with("xs", "xs", lambda x, y: x * y), F.map_filter("m", lambda k, v: v > 1), F.transform_values("m", lambda k, v: v + 1),
               F.from_json(F.lit('{"k": 1}'), "map<string, int>"), F.from_json(F.lit('{"k": 1}'), "k int")]:
    made = df.select(column)
    print(made.columns[0], "->", made.first()[0])
df.select(F.aggregate("xs", F.lit(0).cast("long"), lambda a, x: a + x).alias("s")).printSchema()


def attempt(what, make):
    try:
        print(what, "->", make().first())
    except Exception as e:
        print(what, "->", type(e).__name__, e.getCondition(), "|", str(e).strip().splitlines()[0].split("; line")[0].strip(";"))


for sql in ["transform(5, x -> x)", "transform(xs, (a, b, c) -> a)", "filter(s, x -> x)", "aggregate(xs, 0, (a, x) -> a + x + 0.5)", "aggregate(xs, 0, (a, x) -> CAST(a + x AS BIGINT))", "aggregate(xs, 0L, (a, x) -> CAST(a + x AS INT))", "aggregate(xs, '', (a, x) -> a || x)", "aggregate(xs, 0, x -> x)", "exists(xs, (x, y) -> true)", "map_filter(xs, (k, v) -> true)", "transform_keys(m, k -> k)", "zip_with(xs, 5, (x, y) -> x)", "upper(x -> x)", "filter(xs, x -> x + 1)"]:
    attempt(sql, lambda: spark.sql(f"SELECT {sql} FROM t"))
attempt("three parameters", lambda: df.select(F.transform("xs", lambda x, y, z: x)))
for sql in ["format_string('%d %s %x', 5, 'a', 255)", "format_string('%.2f', CAST(1.005 AS DOUBLE))", "format_string('%.2f', 1.005)", "format_string('%d', 'x')", "format_string('%d', 1.5D)", "format_string('%f', 1)", "format_string('%s %s', 1.50, true)", "printf('%5s|%-5s|', 'a', 'b')"]:
    attempt(sql, lambda: spark.sql(f"SELECT {sql}"))
