# Messages of a topic
# Reads a topic from its beginning and parses the JSON in its values.
# theme: Kafka
# kafka events key=ana
#   {"event_time": "2026-03-02T09:00:05", "user": "ana", "action": "buy", "amount": 12.5}
#   {"event_time": "2026-03-02T09:00:48", "user": "ana", "action": "buy", "amount": 7.25}
# kafka events key=ben
#   {"event_time": "2026-03-02T09:00:21", "user": "ben", "action": "buy", "amount": 4.0}

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("messages of a topic").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

schema = "event_time timestamp, user string, action string, amount double"
messages = (
    spark.readStream
    .format("kafka")
    .option("kafka.bootstrap.servers", "localhost:9092")
    .option("subscribe", "events")
    .option("startingOffsets", "earliest")
    .load()
)

parsed = messages.select(
    F.col("key").cast("string").alias("key"),
    F.from_json(F.col("value").cast("string"), schema).alias("data"),
    "partition", "offset",
).select("key", "data.*", "partition", "offset")

query = parsed.writeStream.format("console").option("truncate", False).start()
query.awaitTermination()
