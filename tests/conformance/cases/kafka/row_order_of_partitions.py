# The tasks of a batch stand in the order of an immutable Map of TopicPartition: up to four as they were put in (from a
# mutable.HashMap that the admin client's answer was copied into), more by the trie of TopicPartition.hashCode. Rows follow the tasks.
# The orders were computed with a model that agrees with what Scala 2.13's collections print.
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


for topic, partitions in [("one", 1), ("four", 4), ("eight", 8), ("mixed-a", 2), ("mixed-b", 2), ("wide", 20)]:
    kafka.create_topic(topic, partitions)
    for partition in range(partitions):
        kafka.produce(topic, f"{topic}-{partition}", partition=partition)
for topics in ["one", "four", "eight", "mixed-b,mixed-a", "one,four", "wide"]:
    seen = []
    query = text(stream(subscribe=topics, startingOffsets="earliest")).writeStream.trigger(once=True).foreachBatch(
        lambda df, _: seen.extend(row.value for row in df.collect())).start()
    query.awaitTermination()
    print(topics, seen)
