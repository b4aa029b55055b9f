# MicroBatchExecution.isNewDataAvailable: a source without a committed offset counts as new, so that batch 0 runs even when the query
# starts at the latest offset and has nothing to read. KafkaMicroBatchStream.latestOffset gives the ends of the partitions. It
# reports no start offset for batch 0 (ProgressReporter.recordTriggerOffsets).
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


def text(df):
    return df.selectExpr("topic", "partition", "offset", "CAST(value AS STRING) AS value")


kafka.create_topic("t")
kafka.produce("t", "before")
query = text(stream(subscribe="t")).writeStream.format("console").start()
query.processAllAvailable()
kafka.produce("t", "after")
query.processAllAvailable()
query.processAllAvailable()
for progress in query.recentProgress:
    if "addBatch" in progress["durationMs"]:
        print(progress["batchId"], progress["numInputRows"], progress["sources"][0]["startOffset"], progress["sources"][0]["endOffset"])
query.stop()
