# The column timestamp is an event time like any other: withWatermark and window over it. A record's time is set by its producer
# (CreateTime), so that late records are dropped by the watermark of the batch before.
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


kafka.create_topic("t")
base = 1767225600000
counts = (
    stream(subscribe="t", startingOffsets="earliest")
    .withWatermark("timestamp", "10 seconds")
    .groupBy(F.window("timestamp", "10 seconds"))
    .count()
    .select("window.start", "count")
)
query = counts.writeStream.format("console").outputMode("append").start()
for seconds in [[1, 5, 12], [35], [2, 40]]:
    for second in seconds:
        kafka.produce("t", "x", timestamp=base + second * 1000)
    query.processAllAvailable()
    dropped = sum(p["stateOperators"][0]["numRowsDroppedByWatermark"] for p in query.recentProgress if "addBatch" in p["durationMs"])
    print(query.lastProgress["eventTime"].get("watermark"), dropped)
query.stop()
