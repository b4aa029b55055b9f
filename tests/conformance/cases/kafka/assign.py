# AssignStrategy: the partitions named, as far as the broker has them; its text lists them as given.
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


def batch(**options):
    return spark.read.format("kafka").options(**BROKER, **options).load()


def text(df):
    return df.selectExpr("topic", "partition", "offset", "CAST(value AS STRING) AS value")


kafka.create_topic("a", partitions=3)
kafka.create_topic("b", partitions=2)
for topic, partitions in [("a", 3), ("b", 2)]:
    for partition in range(partitions):
        kafka.produce(topic, f"{topic}{partition}", partition=partition)
query = text(stream(assign='{"b":[1],"a":[2,0,7]}', startingOffsets="earliest")).writeStream.format("memory").queryName("rows").start()
query.processAllAvailable()
print(query.lastProgress["sources"][0]["description"])
print(query.lastProgress["sources"][0]["endOffset"])
print(sorted(row.value for row in spark.table("rows").collect()))
query.stop()
print([row.value for row in text(batch(assign='{"a":[1]}')).collect()])
