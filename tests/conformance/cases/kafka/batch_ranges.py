# KafkaRelation.buildScan: earliest to latest unless told otherwise; the ends are looked up by the tasks, at each action. An end by
# timestamp is the first record at or after it, or the latest (readTimestampOffsets with isStartingOffsets = false). A resolved
# start behind its end is RESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET.
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


def text(df):
    return df.selectExpr("topic", "partition", "offset", "CAST(value AS STRING) AS value")


def attempt(title, make):
    try:
        print(title, "->", make())
    except Exception as e:
        lines = str(e).splitlines()
        at = 1 if type(e).__name__ == "Py4JJavaError" else 0
        print(title, "->", type(e).__name__, lines[at] if lines[at] else lines)


kafka.create_topic("t", partitions=2)
for n in range(8):
    kafka.produce("t", f"v{n}", partition=n % 2, timestamp=n * 1000)
values = lambda **options: [row.value for row in text(batch(subscribe="t", **options)).collect()]
print(values())
print(values(startingOffsets='{"t":{"0":1,"1":-2}}'))
print(values(endingOffsets='{"t":{"0":1,"1":-1}}'))
print(values(startingOffsets='{"t":{"0":1,"1":1}}', endingOffsets='{"t":{"0":3,"1":1}}'))
print(values(startingTimestamp=3000))
print(values(endingTimestamp=3000))
print(values(startingOffsetsByTimestamp='{"t":{"0":2000,"1":5000}}', endingOffsetsByTimestamp='{"t":{"0":4000,"1":9000}}'))
frame = batch(subscribe="t")
print(frame.count())
kafka.produce("t", "v8")
print(frame.count())
attempt("names one", lambda: values(startingOffsets='{"t":{"0":1}}'))
attempt("beyond the end", lambda: values(startingOffsets='{"t":{"0":9,"1":0}}'))
attempt("too late", lambda: values(startingTimestamp=99000))
print(spark.sql("SELECT 1").count())
