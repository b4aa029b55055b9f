# KafkaOffsetReaderAdmin.getOffsetRangesFromResolvedOffsets: a partition whose newest offset is before the last one read was made anew:
# KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED, from the offset read to the newest. The batch is in the offset log by then, and a
# restart with failOnDataLoss=false runs it: an invalid range gives no task.
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


def failure(query):
    try:
        query.processAllAvailable()
        return "no failure"
    except Exception as e:
        text = str(e)
        return text[text.index("exception: ") + 11:text.index(" SQLSTATE: XXKST")]


kafka.create_topic("t")
for value in ["a", "b", "c"]:
    kafka.produce("t", value)


def start(**options):
    frame = text(stream(subscribe="t", startingOffsets="earliest", **options))
    return frame.writeStream.format("console").option("checkpointLocation", "cp").start()


query = start()
query.processAllAvailable()
kafka.delete_topic("t")
kafka.create_topic("t")
kafka.produce("t", "d")
print(failure(query))
query = start(failOnDataLoss="false")
query.processAllAvailable()
kafka.produce("t", "e")
query.processAllAvailable()
print(query.lastProgress["sources"][0]["endOffset"])
query.stop()
