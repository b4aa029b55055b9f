# Complete mode: sort, limit, having, expressions over the result, sort by what is not shown, and the batch of no data.
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("complete").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
os.makedirs("data/in")


def drop(name, text):
    with open("staging.csv", "w") as f:
        f.write(text)
    os.replace("staging.csv", f"data/in/{name}.csv")


words = spark.readStream.schema("word string, n int, ts timestamp").csv("data/in")
counts = words.groupBy("word").agg(F.count("*").alias("c"), F.sum("n").alias("s"), F.max("ts").alias("last"))
frames = {
    "sorted": counts.orderBy(F.desc("c"), "word"),
    "top two": counts.orderBy(F.desc("s")).limit(2).select("word", "s"),
    "limit only": counts.limit(2).select("c"),
    "having": counts.where("c > 1").select("word"),
    "sorted within": counts.sortWithinPartitions("word").select("word"),
    "sort, drop the key": counts.orderBy("last").select("word"),
    "offset": counts.orderBy("word").offset(1),
    "distinct after": counts.select("c").distinct(),
    "windowed": words.withWatermark("ts", "1 minute").groupBy(F.window("ts", "1 minute")).count().orderBy("window"),
    "limit, then sort": counts.limit(2).orderBy("word").select("word"),
    "global": words.agg(F.count("*").alias("c"), F.collect_list("word").alias("all")),
}
for label, frame in frames.items():
    print("==", label)
    try:
        query = frame.writeStream.outputMode("complete").format("console").option("truncate", False).start()
        drop("1", "ant,1,2026-08-08 10:00:00\nbee,5,2026-08-08 10:01:00\nant,2,2026-08-08 10:05:00\n,7,\n")
        query.processAllAvailable()
        drop("2", "cat,9,2026-08-08 10:06:00\nbee,-9,2026-08-08 10:02:00\n")
        query.processAllAvailable()
        query.stop()
    except Exception as e:
        print(type(e).__name__, e.getCondition(), next(line for line in str(e).splitlines() if line))
    for name in ("1", "2"):
        if os.path.exists(f"data/in/{name}.csv"):
            os.remove(f"data/in/{name}.csv")
