# KafkaSource offsets live in Spark's checkpoint: a restart goes on behind the last batch whatever startingOffsets says now, and
# sources/0/0 is not written again (getOrCreateInitialPartitionOffsets).
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


kafka.create_topic("t", partitions=2)
kafka.produce("t", "a", partition=0)


def run(start):
    frame = text(stream(subscribe="t", startingOffsets=start))
    query = frame.writeStream.format("console").option("checkpointLocation", "cp").start()
    query.processAllAvailable()
    query.stop()
    return query


run("earliest")
initial = open("cp/sources/0/0", "rb").read()
kafka.produce("t", "b", partition=1)
kafka.produce("t", "c", partition=0)
print(run("latest").lastProgress["sources"][0]["startOffset"])
print(run("earliest").lastProgress["numInputRows"])
print(open("cp/sources/0/0", "rb").read() == initial, initial)
