# KafkaRowWriter.sendRow: headers keep their order, a null partition leaves the choice to the partitioner, null keys and values are
# sent as null.
from pyspark.sql import SparkSession, functions as F
from tidemark import kafka

spark = (
    SparkSession.builder.appName("kafka")
    .config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0")
    .getOrCreate()
)
spark.conf.set("spark.sql.shuffle.partitions", 2)
BROKER = {"kafka.bootstrap.servers": "localhost:9092"}


kafka.create_topic("out", partitions=4)
rows = spark.createDataFrame(
    [("k1", "v1", 3, [("h", bytearray(b"1")), ("g", None)]), (None, "v2", 1, None), ("k3", None, None, [])],
    "key STRING, value STRING, partition INT, headers ARRAY<STRUCT<key: STRING, value: BINARY>>",
)
rows.coalesce(1).write.format("kafka").options(**BROKER, topic="out").save()
for record in kafka.records("out"):
    print(record.partition, record.offset, record.key, record.value, record.headers)
