# A stream and a table
# Looks up each event's user in a table that does not change.
# theme: Joins
# data/stream_in/1.json
#   {"event_time": "2026-03-02T09:00:05", "user": "ana", "action": "buy", "amount": 12.5}
#   {"event_time": "2026-03-02T09:00:21", "user": "ben", "action": "buy", "amount": 4.0}
#   {"event_time": "2026-03-02T09:00:48", "user": "ana", "action": "buy", "amount": 7.25}
# data/stream_in/2.json
#   {"event_time": "2026-03-02T09:01:10", "user": "ben", "action": "buy", "amount": 20.0}
#   {"event_time": "2026-03-02T09:00:55", "user": "cho", "action": "buy", "amount": 9.9}
#   {"event_time": "2026-03-02T09:02:30", "user": "cho", "action": "buy", "amount": 3.5}

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("a stream and a table").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

levels = spark.createDataFrame([("ana", "gold"), ("ben", "silver")], "user string, level string")

events = (
    spark.readStream
    .schema("event_time timestamp, user string, action string, amount double")
    .option("maxFilesPerTrigger", 1)
    .json("data/stream_in")
)

enriched = events.join(levels, "user", "left").select("user", "level", "amount")

query = enriched.writeStream.format("console").start()
query.awaitTermination()
