# KafkaMicroBatchStream.delayBatch: a batch waits until there are minOffsetsPerTrigger new records or maxTriggerDelay (15m) has passed
# since the last one; the first never waits (lastTriggerMillis is 0). A batch that is held back ends where it starts.
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


import time

kafka.create_topic("t")
kafka.produce("t", "0")
source = stream(subscribe="t", startingOffsets="earliest", minOffsetsPerTrigger=3, maxTriggerDelay="1m")
query = source.writeStream.format("noop").start()


def batches():
    return [(p["batchId"], p["numInputRows"]) for p in query.recentProgress if "addBatch" in p["durationMs"]]


query.processAllAvailable()
print("the first", batches())
kafka.produce("t", "1")
kafka.produce("t", "2")
query.processAllAvailable()
print("two of three", batches())
kafka.produce("t", "3")
query.processAllAvailable()
print("three", batches())
kafka.produce("t", "4")
query.processAllAvailable()
time.sleep(50)
print("before the delay", batches())
time.sleep(20)
print("after it", batches())
query.stop()
both = stream(subscribe="t", startingOffsets="earliest", minOffsetsPerTrigger=2, maxOffsetsPerTrigger=2)
query = both.writeStream.format("noop").start()
query.processAllAvailable()
print("both", batches())
query.stop()
