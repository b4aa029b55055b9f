# KafkaWriter.validateQuery: value is required; topic unless the option is given; types string or binary for key and value, string
# for topic, array<struct<key,value>> for headers, int for partition; other columns are ignored. A batch write is refused with
# _LEGACY_ERROR_TEMP_3080 before it runs; a stream when its first batch is planned (V2Writes builds the writer).
from pyspark.sql import SparkSession, functions as F
from tidemark import kafka

spark = (
    SparkSession.builder.appName("kafka")
    .config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0")
    .getOrCreate()
)
spark.conf.set("spark.sql.shuffle.partitions", 2)
BROKER = {"kafka.bootstrap.servers": "localhost:9092"}


def attempt(title, make):
    try:
        print(title, "->", make())
    except Exception as e:
        lines = str(e).splitlines()
        at = 1 if type(e).__name__ == "Py4JJavaError" else 0
        print(title, "->", type(e).__name__, lines[at] if lines[at] else lines)


one = spark.range(1)
VALUE = F.lit("v").alias("value")


def write(*columns, **options):
    one.select(*columns).write.format("kafka").options(**BROKER, **options).save()
    return "written"


attempt("no topic", lambda: write(VALUE))
attempt("no value", lambda: write(F.lit("k").alias("key"), topic="t"))
attempt("int value", lambda: write(F.lit(1).alias("value"), topic="t"))
attempt("int key", lambda: write(VALUE, F.lit(1).alias("key"), topic="t"))
attempt("int topic", lambda: write(VALUE, F.lit(1).alias("topic")))
attempt("int topic with the option", lambda: write(VALUE, F.lit(1).alias("topic"), topic="t"))
attempt("string partition", lambda: write(VALUE, F.lit("0").alias("partition"), topic="t"))
attempt("map headers", lambda: write(VALUE, F.create_map(F.lit("a"), F.lit("b")).alias("headers"), topic="t"))
attempt("upper case", lambda: write(F.lit("v").alias("VALUE"), topic="t"))
attempt("other columns", lambda: write(VALUE, F.lit(True).alias("flag"), topic="t"))
# KafkaRowWriter.sendRow and the Kafka client, within a task
for title, column, options, part in [
    ("null topic", F.lit(None).cast("string").alias("topic"), {}, "sent to the producer contains a null topic. Use the `topic` option"),
    ("no such partition", F.lit(5).alias("partition"), {"topic": "t"}, "Partition 5 of topic t with partition count 1 is not present"),
    ("negative partition", F.lit(-1).alias("partition"), {"topic": "t"}, "Invalid partition: -1. Partition number should always be"),
]:
    try:
        write(VALUE, column, **options)
    except Exception as e:
        print(title, part in str(e))
for mode in ["append", "error", "overwrite", "ignore"]:
    attempt(mode, lambda: one.select(VALUE).write.mode(mode).format("kafka").options(**BROKER, topic="t").save())
print(kafka.topics(), len(kafka.records("t")))
