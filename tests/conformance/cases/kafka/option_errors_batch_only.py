# KafkaSourceProvider.validateBatchOptions: a batch neither starts at the latest nor ends at the earliest offset, for all partitions
# or for one; checkOffsetLimitValidity compares the two sides before anything is read. JsonUtils has the examples in its texts;
# getKafkaOffsetRangeLimit reads a timestamp first. DataSource.resolveRelation refuses a schema that is not Kafka's.
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


def attempt(title, make):
    try:
        print(title, "->", make())
    except Exception as e:
        lines = str(e).splitlines()
        at = 1 if type(e).__name__ == "Py4JJavaError" else 0
        print(title, "->", type(e).__name__, lines[at] if lines[at] else lines)


attempt("start latest", lambda: batch(subscribe="a", startingOffsets="latest"))
attempt("start -1", lambda: batch(subscribe="a", startingOffsets='{"a":{"0":-2,"1":-1}}'))
attempt("end earliest", lambda: batch(subscribe="a", endingOffsets="earliest"))
attempt("end -2", lambda: batch(subscribe="a", endingOffsets='{"a":{"0":-2}}'))
attempt("not JSON", lambda: batch(subscribe="a", startingOffsets="newest"))
attempt("bad JSON", lambda: batch(subscribe="a", startingOffsets='{"a":[0]}'))
attempt("bad timestamps", lambda: batch(subscribe="a", startingOffsetsByTimestamp="yesterday"))
attempt("bad timestamp", lambda: batch(subscribe="a", startingTimestamp="1.5"))
attempt("bad strategy", lambda: batch(subscribe="a", startingOffsetsByTimestampStrategy="earliest"))
attempt("bad assign", lambda: batch(assign='{"a":0}'))
attempt("start after end", lambda: batch(subscribe="a", startingOffsets='{"a":{"0":7}}', endingOffsets='{"a":{"0":5}}'))
attempt("other partitions", lambda: batch(subscribe="a", startingOffsets='{"a":{"0":1}}', endingOffsets='{"a":{"1":2}}'))
attempt("schema", lambda: spark.read.schema("id INT").format("kafka").options(**BROKER, subscribe="a").load())
