# KafkaMicroBatchStream.toString, reportLatestOffset and metrics: the smallest, greatest and average distance between the newest
# offsets and those of the batch, as texts, ordered by name (SourceProgress.jsonValue). The sink is V2 and tells its rows.
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


kafka.create_topic("t", partitions=2)
for n in range(10):
    kafka.produce("t", str(n), partition=0 if n < 7 else 1)
source = stream(subscribe="t", startingOffsets="earliest", maxOffsetsPerTrigger=4)
query = source.writeStream.format("noop").start()
query.processAllAvailable()
for progress in query.recentProgress:
    if "addBatch" not in progress["durationMs"]:
        continue
    source = progress["sources"][0]
    print(progress["batchId"], source["description"], source["numInputRows"], progress["sink"]["numOutputRows"])
    for key in ["startOffset", "endOffset", "latestOffset", "metrics"]:
        print("  ", key, source[key])
print([key for key in source if not key.endswith("PerSecond")])
query.stop()
