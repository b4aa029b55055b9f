# orderBy with a limit: equal rows come in the order in which the partitions are done, here that of the partitions.
import time

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
slow = F.udf(lambda p: time.sleep(p * 0.6) or p, "int")
for n in (2, 3):
    rows = spark.range(0, 12, 1, n).select("id", (F.col("id") % 3).alias("v"), F.spark_partition_id().alias("p"))
    rows = rows.withColumn("done", slow("p"))
    print(n, [r.id for r in rows.orderBy("v").limit(7).collect()], [r.id for r in rows.orderBy("v").take(5)])
    print(n, [r.id for r in rows.orderBy(F.desc("v")).limit(7).collect()])
    rows.orderBy("v").show(3)
