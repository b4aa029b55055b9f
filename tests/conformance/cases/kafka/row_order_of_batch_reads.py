# KafkaOffsetReaderAdmin.getOffsetRangesFromUnresolvedOffsets maps the partitions to a Set of KafkaOffsetRange: with more than four,
# rows come in the order of that case class's hash code (MurmurHash3.productHash), which depends on the offsets given.
from pyspark.sql import SparkSession, functions as F
from tidemark import kafka

spark = (
    SparkSession.builder.appName("kafka")
    .config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0")
    .getOrCreate()
)
spark.conf.set("spark.sql.shuffle.partitions", 2)
BROKER = {"kafka.bootstrap.servers": "localhost:9092"}


def batch(**options):
    return spark.read.format("kafka").options(**BROKER, **options).load()


def text(df):
    return df.selectExpr("topic", "partition", "offset", "CAST(value AS STRING) AS value")


for topic, partitions in [("four", 4), ("six", 6)]:
    kafka.create_topic(topic, partitions)
    for partition in range(partitions):
        kafka.produce(topic, f"{topic}-{partition}", partition=partition)
for topic in ["four", "six", "four,six"]:
    print(topic, [row.value for row in text(batch(subscribe=topic)).collect()])
offsets = '{"six":{"0":0,"1":0,"2":0,"3":0,"4":0,"5":0}}'
print([row.value for row in text(batch(subscribe="six", startingOffsets=offsets)).collect()])
