# Count without duplicates
# Drops duplicates by id and time, then counts by minute.
# theme: Duplicates
# data/stream_in/1.json
#   {"event_time": "2026-03-02T09:00:00", "id": "a"}
#   {"event_time": "2026-03-02T09:00:10", "id": "b"}
#   {"event_time": "2026-03-02T09:00:20", "id": "a"}
# data/stream_in/2.json
#   {"event_time": "2026-03-02T09:20:00", "id": "c"}
#   {"event_time": "2026-03-02T09:20:01", "id": "b"}
# data/stream_in/3.json
#   {"event_time": "2026-03-02T09:40:00", "id": "c"}

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("count without duplicates").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

events = (
    spark.readStream
    .schema("event_time timestamp, id string")
    .option("maxFilesPerTrigger", 1)
    .json("data/stream_in")
    .withWatermark("event_time", "1 minute")
)

counts = (
    events
    .dropDuplicates(["id", "event_time"])
    .groupBy(F.window("event_time", "1 minute"))
    .count()
    .select("window.start", "count")
)

query = counts.writeStream.outputMode("append").format("console").option("truncate", False).start()
query.awaitTermination()
