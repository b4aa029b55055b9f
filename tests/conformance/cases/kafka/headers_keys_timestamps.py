# KafkaRecordToRowConverter: key and value as bytes, the record's time, timestampType 0 (CreateTime) or 1 (LogAppendTime), headers in
# order or null where there are none. Keys go to murmur2(key) mod partitions, Kafka's default partitioner.
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


kafka.create_topic("t", partitions=3)
kafka.produce("t", "one", key="ann", timestamp=1767225600123, headers={"source": "web", "trace": b"\x00\x01"})
kafka.produce("t", None, key="bob", timestamp=1767225601000, headers=[("n", "1"), ("n", "2"), ("none", None)])
kafka.produce("t", b"\xff\x00", key="cat", timestamp=1767225602000)
kafka.produce("t", {"a": 1}, partition=2, timestamp=1767225603000)
batch(subscribe="t", includeHeaders="true").orderBy("timestamp").show(truncate=False)
named = batch(subscribe="t", includeHeaders="true").where("key = 'ann'")
named.select(F.col("headers.key"), F.expr("CAST(headers[0].value AS STRING)").alias("first")).show()
kafka.create_topic("appended", config={"message.timestamp.type": "LogAppendTime"})
kafka.produce("appended", "x", timestamp=1000)
print(batch(subscribe="appended").select("timestampType", F.year("timestamp") > 2000).first())
