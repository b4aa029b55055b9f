# Window functions: range frames of numbers, days, months and over NaN; IGNORE NULLS; what their arguments and frames may be.
from pyspark.sql import SparkSession, Window, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
spark.sql(
    "CREATE OR REPLACE TEMP VIEW v AS SELECT * FROM VALUES "
    "(1, 'a', 10, DATE'2026-01-01', TIMESTAMP'2026-01-01 00:00:00', 1.5D), (2, 'a', NULL, DATE'2026-01-02', TIMESTAMP'2026-01-01 01:00:00', NULL), "
    "(3, 'a', 30, DATE'2026-01-02', TIMESTAMP'2026-01-01 01:00:00', double('nan')), (4, 'a', 30, DATE'2026-01-05', TIMESTAMP'2026-01-02 00:00:00', 0D), "
    "(5, 'b', 5, NULL, NULL, -0.0D), (6, 'b', NULL, DATE'2026-02-01', TIMESTAMP'2026-02-01 00:00:00', 2D), "
    "(7, NULL, 7, DATE'2026-02-28', TIMESTAMP'2026-03-01 00:00:00', 3D) AS t(id, k, v, d, ts, x)"
)


def ask(text):
    try:
        frame = spark.sql(f"SELECT id, {text} AS r FROM v ORDER BY id")
        print(text, "=>", frame.schema["r"].dataType.simpleString(), frame.schema["r"].nullable, [row.r for row in frame.collect()])
    except Exception as e:
        print(text, "=>", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        print("   ", str(e).strip().splitlines()[0])


for order in ("id", "v", "v DESC NULLS LAST", "x", "d"):
    for function in ("rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(3)", "lag(v) IGNORE NULLS", "lead(v, 1, 99) IGNORE NULLS", "first_value(v) IGNORE NULLS", "nth_value(v, 2)", "sum(v)", "count(v)"):
        ask(f"{function} OVER (PARTITION BY k ORDER BY {order}, id)")
for frame in (
    "ORDER BY id RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING",
    "ORDER BY id DESC RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
    "ORDER BY d RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW",
    "ORDER BY d DESC RANGE BETWEEN INTERVAL 3 DAYS PRECEDING AND INTERVAL 1 DAY FOLLOWING",
    "ORDER BY d RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
    "ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW",
    "ORDER BY ts RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND CURRENT ROW",
    "ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL '1' MONTH FOLLOWING",
    "ORDER BY x RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
    "ORDER BY x NULLS LAST RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING",
    "ORDER BY v NULLS FIRST RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING",
    "PARTITION BY k ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
):
    ask(f"collect_list(id) OVER ({frame})")
    ask(f"max(v) OVER ({frame})")
for text in (
    "ntile(0) OVER (ORDER BY id)",
    "ntile(id) OVER (ORDER BY id)",
    "nth_value(v, 0) OVER (ORDER BY id)",
    "lag(v, id) OVER (ORDER BY id)",
    "median(v) OVER (PARTITION BY k ORDER BY id)",
    "median(v) OVER (PARTITION BY k)",
    "row_number() OVER (PARTITION BY k)",
    "sum(DISTINCT v) OVER (PARTITION BY k)",
    "abs(v) OVER (ORDER BY id)",
    "percentile_approx(v, 0.5, 0)",
    "percentile(v, 1.5)",
    "count()",
    "stack(2, 1, 'a')",
):
    ask(text)
t = spark.table("v")
w = Window.partitionBy("k").orderBy("id")
print(t.select(F.cume_dist().over(w), F.percent_rank().over(w), F.lag("v", 1, 0).over(w), F.row_number().over(w)).columns)
