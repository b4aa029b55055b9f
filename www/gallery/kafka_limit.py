# A backlog in small bites
# Takes at most two messages a trigger, however many are waiting.
# theme: Kafka
# kafka events key=ana
#   {"event_time": "2026-03-02T09:00:05", "user": "ana", "action": "buy", "amount": 12.5}
#   {"event_time": "2026-03-02T09:00:48", "user": "ana", "action": "buy", "amount": 7.25}
# kafka events key=ben
#   {"event_time": "2026-03-02T09:00:21", "user": "ben", "action": "buy", "amount": 4.0}
# kafka events key=cho
#   {"event_time": "2026-03-02T09:01:10", "user": "cho", "action": "buy", "amount": 1.0}
#   {"event_time": "2026-03-02T09:01:20", "user": "cho", "action": "buy", "amount": 2.0}

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("a backlog in small bites").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

schema = "event_time timestamp, user string, action string, amount double"
messages = (
    spark.readStream
    .format("kafka")
    .option("kafka.bootstrap.servers", "localhost:9092")
    .option("subscribe", "events")
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 2)
    .load()
)

query = messages.selectExpr("CAST(value AS STRING) AS value", "offset").writeStream.format("console").start()
query.awaitTermination()
