# KafkaSourceProvider.validateStreamOptions: a stream has no end. sourceSchema: require(schema.isEmpty) comes after the options.
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


attempt("endingOffsets", lambda: stream(subscribe="a", endingOffsets="latest"))
attempt("endingOffsetsByTimestamp", lambda: stream(subscribe="a", endingOffsetsByTimestamp="{}"))
attempt("endingTimestamp", lambda: stream(subscribe="a", endingTimestamp="5").columns[0])
custom = lambda: spark.readStream.schema("id INT").format("kafka")
attempt("schema and no options", lambda: custom().load())
attempt("schema", lambda: custom().options(**BROKER, subscribe="a").load())
