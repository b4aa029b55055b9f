# KafkaOffsetReaderAdmin.getOffsetRangesFromResolvedOffsets: partitions of the last offset that the broker has no more are data loss
# (KAFKA_DATA_LOSS.PARTITIONS_DELETED; another text when kafka.group.id is set). With failOnDataLoss=false the query goes on.
# A topic named by subscribe is looked up by describeTopics, which fails: UnknownTopicOrPartitionException in an ExecutionException.
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


def setup():
    for topic in ["e1", "e2"]:
        if topic in kafka.topics():
            kafka.delete_topic(topic)
        kafka.create_topic(topic)
        kafka.produce(topic, topic + "-a")


for options in [{}, {"kafka.group.id": "mine"}]:
    setup()
    query = stream(subscribePattern="e.", startingOffsets="earliest", **options).writeStream.format("noop").start()
    query.processAllAvailable()
    kafka.delete_topic("e1")
    print(failure(query))
setup()
query = text(stream(subscribePattern="e.", startingOffsets="earliest", failOnDataLoss="false")).writeStream.format("console").start()
query.processAllAvailable()
kafka.delete_topic("e1")
kafka.produce("e2", "e2-b")
query.processAllAvailable()
query.stop()
query = stream(subscribe="e1,e2").writeStream.format("noop").start()
print(failure(query))
