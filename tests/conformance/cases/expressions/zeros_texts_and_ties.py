"""Negative zeros in arrays as sets, texts of nested values, schema texts with mistakes, ties of max_by, aliases in lambdas."""
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()


def show(sql):
    print("--", sql)
    try:
        df = spark.sql(sql)
        df.show(truncate=False)
        print(df.schema.simpleString())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n\tat ")[0].split("JVM stacktrace")[0])


for sql in [
    "select array_union(array(0.0D, -0.0D), array(-0.0D)), array_union(array(-0.0f), array(0.0f, 1f))",
    "select array_distinct(array(0.0D, -0.0D)), array_distinct(array(-0.0D, 0.0D, double('NaN'), double('NaN')))",
    "select array_intersect(array(-0.0D), array(0.0D)), array_except(array(-0.0D), array(0.0D))",
    "select array_except(array(-0.0D, 0.0D), array(1D)), array_intersect(array(-0.0D, 0.0D), array(0.0D))",
    "select array_distinct(array(array(0.0D), array(-0.0D))), array_union(array(struct(-0.0D)), array(struct(0.0D)))",
    "select arrays_overlap(array(-0.0D), array(0.0D)), array_position(array(-0.0D), 0.0D)",
    "select format_string('%s %s', array(1, 2), map('a', 1))",
    "select format_string('%s', struct('a', 2, null, array(1)))",
    "select format_string('%10s|%-8s|%S', array(1), struct(1), struct('a', 1))",
    "select format_string('%s', struct(date'2020-01-01', timestamp'2020-01-01', interval 1 day))",
    "select format_string('%s', a) from values (array(1, 2)), (array()), (null) t(a)",
    "select format_string('%s', s) from values (1, struct(1L, 1.5D, 2.50)) t(i, s)",
    "select raise_error('boo') where false",
    "select raise_error(cast(id as string)) from range(1) where id > 3",
    "select from_json('{\"a\":1}', 'a itn')",
    "select from_json('{\"a\":1}', 'a')",
    "select from_json('{\"a\":1}', '')",
    "select from_json('[1]', 'array<in>')",
    "select from_json('{\"a\":1}', 'a int,')",
    "select from_csv('1', 'a itn')",
    "select from_csv('1', 'a int b')",
]:
    show(sql)

rows = spark.createDataFrame(
    [(1, "a"), (1, "b"), (2, "c"), (2, "d"), (1, "e"), (3, "f"), (3, "g"), (2, "h")], "o int, v string"
).coalesce(1)
for k in (2, 3, 4, 10):
    rows.selectExpr(f"max_by(v, o, {k})", f"min_by(v, o, {k})").show(truncate=False)

one = spark.range(1)
items = F.array(F.lit(1), F.lit(2))
one.select(F.transform(items, lambda x: (x + 1).alias("y"))).show(truncate=False)
one.select(F.filter(items, lambda x: (x > 1).alias("y"))).show(truncate=False)
one.select(F.transform(items, lambda x: F.struct((x + 1).alias("y")).alias("z"))).show(truncate=False)
one.select(F.aggregate(items, F.lit(0), lambda a, x: (a + x).alias("s"), lambda a: (a * 2).alias("m"))).show(truncate=False)

letters = spark.createDataFrame([(i, c) for i, c in enumerate("aabbccddeeaab")], "i int, c string").coalesce(1)
letters.freqItems(["c"], 0.3).show()
letters.stat.freqItems(["c", "i"], 0.2).show()
letters.freqItems(["c"]).show()
