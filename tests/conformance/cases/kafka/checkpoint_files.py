# KafkaSourceInitialOffsetWriter.serialize: sources/0/0 is a zero byte, "v1", a line break and the offsets. KafkaSourceOffset.json
# (JsonUtils.partitionOffsets) is a line of the offset log: topics in the order of a mutable.HashMap, partitions ascending.
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


for topic, partitions in [("events", 3), ("orders", 1), ("clicks", 2)]:
    kafka.create_topic(topic, partitions)
    kafka.produce(topic, "first", partition=0)
query = stream(subscribe="events,orders , clicks").writeStream.format("noop").option("checkpointLocation", "cp").start()
query.processAllAvailable()
print(query.lastProgress["sources"][0]["description"])
for topic in ["orders", "events"]:
    kafka.produce(topic, "second", partition=0)
query.processAllAvailable()
query.stop()
print(open("cp/sources/0/0", "rb").read())
for batch_id in [0, 1]:
    print(open(f"cp/offsets/{batch_id}").read().splitlines()[2])
