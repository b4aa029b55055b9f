# SubscribePatternStrategy: every topic whose name the pattern finds (Regex.findFirstIn), also topics made later, which are read from
# their beginning. A pattern that finds none gives no offsets at all: no batch runs (latestOffset is null).
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


query = text(stream(subscribePattern="event.*")).writeStream.format("console").start()
query.processAllAvailable()
print(query.lastProgress["batchId"], query.lastProgress["sources"][0]["endOffset"], query.lastProgress["numInputRows"])
kafka.create_topic("events-1")
kafka.create_topic("other")
kafka.produce("events-1", "a")
query.processAllAvailable()
kafka.create_topic("my-events")
kafka.produce("my-events", "b")
kafka.produce("other", "c")
query.processAllAvailable()
print(query.lastProgress["sources"][0]["description"], query.lastProgress["sources"][0]["endOffset"])
query.stop()
bad = stream(subscribePattern="[").writeStream.format("noop").start()
print(failure(bad).split(" ")[0] != "no")
