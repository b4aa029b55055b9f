# KafkaDataConsumer.get: an offset that has aged out is OffsetOutOfRange: with failOnDataLoss KAFKA_DATA_LOSS.COULD_NOT_READ_OFFSET_RANGE
# (a KafkaIllegalStateException, without its condition in the text), without it reading goes on at the earliest record there is.
# Retention is the broker's: retention.ms, by the session's clock.
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


import re
import time

kafka.create_topic("t", config={"retention.ms": "60000"})
kafka.produce("t", "a")
kafka.produce("t", "b")


def run(fail):
    source = text(stream(subscribe="t", startingOffsets="earliest", failOnDataLoss=fail, maxOffsetsPerTrigger=1))
    return source.writeStream.format("memory").queryName("rows" + fail).option("checkpointLocation", "cp" + fail).outputMode("append")


print(kafka.offsets("t"))
time.sleep(45)
kafka.produce("t", "c")
source = lambda fail: text(stream(subscribe="t", startingOffsets='{"t":{"0":0}}', failOnDataLoss=fail))
time.sleep(45)
print(kafka.offsets("t"), [record.value for record in kafka.records("t")])
query = source("false").writeStream.format("console").start()
query.processAllAvailable()
query.stop()
query = source("true").writeStream.format("console").start()
print(re.sub("source-[-0-9a-f]+-executor", "source-<id>-executor", failure(query)))
