# KafkaRelation as the static side of a join: its scan runs for every micro-batch, and its ends are those of that moment.
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


kafka.create_topic("names")
kafka.create_topic("orders")
kafka.produce("names", "Ann", key="1")
names = batch(subscribe="names").selectExpr("CAST(key AS STRING) AS id", "CAST(value AS STRING) AS name")
orders = stream(subscribe="orders").selectExpr("CAST(key AS STRING) AS id", "CAST(value AS STRING) AS item")
query = orders.join(names, "id", "left").writeStream.format("console").start()
query.processAllAvailable()
kafka.produce("orders", "tea", key="1")
kafka.produce("orders", "jam", key="2")
query.processAllAvailable()
kafka.produce("names", "Bob", key="2")
kafka.produce("orders", "oil", key="2")
query.processAllAvailable()
query.stop()
