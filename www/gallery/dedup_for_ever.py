# Duplicates, remembered for ever
# Drops an id that was seen at any time before: the state only grows.
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

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("duplicates, remembered for ever").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

events = (
    spark.readStream
    .schema("event_time timestamp, id string")
    .option("maxFilesPerTrigger", 1)
    .json("data/stream_in")
    .withWatermark("event_time", "1 minute")
)

query = events.dropDuplicates(["id"]).writeStream.format("console").option("truncate", False).start()
query.awaitTermination()
