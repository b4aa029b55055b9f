# KafkaOffsetReaderAdmin.getOffsetRangesFromResolvedOffsets: partitions that are new are read from their earliest offset; one that does
# not start at 0 is data loss (KAFKA_DATA_LOSS.ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO).
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
kafka.produce("t", "a", partition=0)
query = text(stream(subscribe="t")).writeStream.format("console").start()
query.processAllAvailable()
kafka.add_partitions("t", 3)
kafka.produce("t", "b", partition=1)
kafka.produce("t", "c", partition=0)
query.processAllAvailable()
kafka.add_partitions("t", 4)
kafka.produce("t", "d", partition=3)
kafka.produce("t", "e", partition=3)
kafka.delete_records("t", before=1, partition=3)
print(failure(query))
print(query.lastProgress["sources"][0]["endOffset"])
