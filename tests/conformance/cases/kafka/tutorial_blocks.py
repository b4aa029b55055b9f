# A pipeline from topic to topic: from_json over the value, and the rows as JSON into another topic. At least once: the sink has no
# memory of batches (KafkaStreamingWrite.commit does nothing).
from pyspark.sql import SparkSession, functions as F
from tidemark import kafka

spark = (
    SparkSession.builder.appName("kafka")
    .config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0")
    .getOrCreate()
)
spark.conf.set("spark.sql.shuffle.partitions", 2)
BROKER = {"kafka.bootstrap.servers": "localhost:9092"}


def stream(**options):
    return spark.readStream.format("kafka").options(**BROKER, **options).load()


from pyspark.sql.types import DoubleType, StringType, StructField, StructType, TimestampType

schema = StructType([
    StructField("event_time", TimestampType(), True),
    StructField("user", StringType(), True),
    StructField("amount", DoubleType(), True),
])
kafka.create_topic("events")
events = stream(subscribe="events", startingOffsets="latest")
events.printSchema()
parsed = events.select(
    F.col("key").cast("string").alias("key"),
    F.from_json(F.col("value").cast("string"), schema).alias("data"),
    "timestamp",
).select("key", "data.*", "timestamp")
enriched = parsed.where("amount > 10").select("key", F.to_json(F.struct("user", "amount")).alias("value"))
query = (
    enriched.writeStream.format("kafka")
    .options(**BROKER)
    .option("topic", "events-enriched")
    .option("checkpointLocation", "data/kafka_checkpoint")
    .start()
)
query.processAllAvailable()
for user, amount in [("alice", 250.0), ("bob", 5.0), ("alice", 120.5)]:
    kafka.produce("events", {"event_time": "2026-02-14T10:00:05", "user": user, "amount": amount}, key=user)
kafka.produce("events", "not JSON")
query.processAllAvailable()
query.stop()
print([(record.key, record.value) for record in kafka.records("events-enriched")])
