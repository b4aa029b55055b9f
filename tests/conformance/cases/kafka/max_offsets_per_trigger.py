# KafkaMicroBatchStream.rateLimit: the limit is shared by what each partition has to give, rounded down, at least one record a
# partition. With three partitions of 100, 10 and 1 records and a limit of 30: 27, 2 and 1.
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


kafka.create_topic("t", partitions=3)
for partition, count in enumerate([100, 10, 1]):
    for n in range(count):
        kafka.produce("t", str(n), partition=partition)
query = stream(subscribe="t", startingOffsets="earliest", maxOffsetsPerTrigger=30).writeStream.format("noop").start()
query.processAllAvailable()
for progress in query.recentProgress:
    if "addBatch" in progress["durationMs"]:
        print(progress["batchId"], progress["numInputRows"], progress["sources"][0]["endOffset"])
query.stop()
# Trigger.Once takes everything (OneTimeTrigger reads with ReadLimit.allAvailable).
query = stream(subscribe="t", startingOffsets="earliest", maxOffsetsPerTrigger=30).writeStream.format("noop").trigger(once=True).start()
query.awaitTermination()
print(query.lastProgress["numInputRows"])
