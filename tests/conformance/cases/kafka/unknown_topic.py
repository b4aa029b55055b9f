# ConsumerStrategy.retrieveAllPartitions: describeTopics of a topic that the broker does not have. load() and start() do not ask; the
# query fails in its first trigger, a batch read when it runs.
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


def batch(**options):
    return spark.read.format("kafka").options(**BROKER, **options).load()


def failure(query):
    try:
        query.processAllAvailable()
        return "no failure"
    except Exception as e:
        text = str(e)
        return text[text.index("exception: ") + 11:text.index(" SQLSTATE: XXKST")]


def attempt(title, make):
    try:
        print(title, "->", make())
    except Exception as e:
        lines = str(e).splitlines()
        at = 1 if type(e).__name__ == "Py4JJavaError" else 0
        print(title, "->", type(e).__name__, lines[at] if lines[at] else lines)


query = stream(subscribe="nothing").writeStream.format("noop").start()
print(query.isActive)
print(failure(query))
print(query.isActive)
frame = batch(subscribe="nothing")
attempt("batch", lambda: frame.count())
attempt("no topic matches", lambda: batch(subscribePattern="none.*").count())
