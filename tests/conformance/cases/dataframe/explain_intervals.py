# Dates and moments with intervals added and taken away, in all four plans.
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
d = spark.createDataFrame([(1, "2026-01-01 10:00:00")], "a int, s string").select("a", F.col("s").cast("timestamp").alias("t"), F.to_date("s").alias("d"), F.col("s").cast("timestamp_ntz").alias("n"))
for e in ("t + interval 5 minutes", "t - interval 1 day", "interval 1 hour + t", "d + interval 1 day", "d + interval 1 month", "t + interval 1 month", "d + interval 5 minutes", "n + interval 5 minutes", "n - interval 1 year", "d + 1", "t - t", "d - d", "d + a", "t > d", "date_add(d, 1)", "interval 1 day + interval 2 hours", "interval 1 day * 2", "d - interval 2 days", "n - t", "t - interval '1 10:00:00' day to second", "'2026-01-01' + interval 1 day", "interval 1 month + d", "d - interval 1 hour"):
    print("##", e)
    try:
        x = d.selectExpr(e)
        x.explain(True)
        print(x.columns)
    except Exception as ex: print(str(ex)[:300])
