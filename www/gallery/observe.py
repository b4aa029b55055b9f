# Numbers of the rows that pass
# Counts and checks rows on their way, without a second query.
# theme: Monitoring
# data/stream_in/1.json
#   {"event_time": "2026-03-02T09:00:05", "user": "ana", "action": "buy", "amount": 12.5}
#   {"event_time": "2026-03-02T09:00:21", "user": "ben", "action": "buy", "amount": 4.0}
#   {"event_time": "2026-03-02T09:00:48", "user": "ana", "action": "buy", "amount": 7.25}
# data/stream_in/2.json
#   {"event_time": "2026-03-02T09:01:10", "user": "ben", "action": "buy", "amount": 20.0}
#   {"event_time": "2026-03-02T09:00:55", "user": "cho", "action": "buy", "amount": 9.9}
#   {"event_time": "2026-03-02T09:02:30", "user": "cho", "action": "buy", "amount": 3.5}

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("numbers of the rows that pass").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

events = (
    spark.readStream
    .schema("event_time timestamp, user string, action string, amount double")
    .option("maxFilesPerTrigger", 1)
    .json("data/stream_in")
)

watched = events.observe(
    "check",
    F.count(F.lit(1)).alias("rows"),
    F.count(F.when(F.col("amount") < 5, 1)).alias("small"),
)

query = watched.writeStream.queryName("watched").format("console").start()
query.processAllAvailable()
for progress in query.recentProgress:
    print(progress["batchId"], progress["observedMetrics"])
query.awaitTermination()
