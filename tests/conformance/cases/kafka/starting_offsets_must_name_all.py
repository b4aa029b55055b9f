# KafkaOffsetReaderAdmin.fetchSpecificOffsets asserts that startingOffsets names every assigned partition; a Map's key set prints as
# Set(...). The offsets are decided by the first trigger, so that the query fails and not start().
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


def failure(query):
    try:
        query.processAllAvailable()
        return "no failure"
    except Exception as e:
        text = str(e)
        return text[text.index("exception: ") + 11:text.index(" SQLSTATE: XXKST")]


kafka.create_topic("t", partitions=2)
for start in ['{"t":{"0":0}}', '{"t":{"0":0,"1":0,"2":0}}', '{"u":{"0":0}}', "now", "{}"]:
    query = stream(subscribe="t", startingOffsets=start).writeStream.format("noop").start()
    print(start)
    print(failure(query))
