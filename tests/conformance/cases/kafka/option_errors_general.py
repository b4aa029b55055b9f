# KafkaSourceProvider.validateGeneralOptions: one of subscribe, subscribepattern, assign (STRATEGY_OPTION_KEYS, a Set of three in that
# order), its value, minPartitions, maxRecordsPerPartition (whose text has the lower-case key), bootstrap.servers, and
# minOffsetsPerTrigger over maxOffsetsPerTrigger. All of it is checked by load(). Scala's toInt and toBoolean give Java's texts.
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


def attempt(title, make):
    try:
        print(title, "->", make())
    except Exception as e:
        lines = str(e).splitlines()
        at = 1 if type(e).__name__ == "Py4JJavaError" else 0
        print(title, "->", type(e).__name__, lines[at] if lines[at] else lines)


attempt("no strategy", lambda: stream())
attempt("two strategies", lambda: stream(subscribe="a", subscribePattern="b"))
attempt("assign words", lambda: stream(assign="a,b"))
attempt("no topics", lambda: stream(subscribe=" , "))
attempt("empty pattern", lambda: stream(subscribePattern=" "))
attempt("minPartitions 0", lambda: stream(subscribe="a", minPartitions=0))
attempt("minPartitions word", lambda: stream(subscribe="a", minPartitions="two"))
attempt("maxRecordsPerPartition 0", lambda: stream(subscribe="a", maxRecordsPerPartition=0))
attempt("min over max", lambda: stream(subscribe="a", minOffsetsPerTrigger=10, maxOffsetsPerTrigger=5))
attempt("headers word", lambda: stream(subscribe="a", includeHeaders="yes"))
attempt("no servers", lambda: spark.readStream.format("kafka").option("subscribe", "a").load())
attempt("no servers, batch", lambda: spark.read.format("kafka").option("subscribe", "a").load())
attempt("class name", lambda: spark.readStream.format("org.apache.spark.sql.kafka010.KafkaSourceProvider").load())
attempt("fine", lambda: stream(SUBSCRIBE="a", FailOnDataLoss="false").columns)
