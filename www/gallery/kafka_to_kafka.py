# From topic to topic
# Filters one topic into another; read the second in the Kafka panel.
# theme: Kafka
# kafka events key=ana
#   {"event_time": "2026-03-02T09:00:05", "user": "ana", "action": "buy", "amount": 12.5}
#   {"event_time": "2026-03-02T09:00:48", "user": "ana", "action": "buy", "amount": 7.25}
# kafka events key=ben
#   {"event_time": "2026-03-02T09:00:21", "user": "ben", "action": "buy", "amount": 4.0}

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("from topic to topic").getOrCreate()
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

large = (
    messages
    .withColumn("data", F.from_json(F.col("value").cast("string"), schema))
    .filter("data.amount > 5")
    .select("key", F.to_json("data").alias("value"))
)

query = (
    large.writeStream
    .format("kafka")
    .option("kafka.bootstrap.servers", "localhost:9092")
    .option("topic", "events-large")
    .option("checkpointLocation", "data/checkpoint")
    .start()
)
query.awaitTermination()
