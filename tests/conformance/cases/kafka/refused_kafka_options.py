# KafkaSourceProvider.validateGeneralOptions refuses consumer settings that Spark controls (the text on auto.offset.reset begins with
# an empty line and ends with one of blanks); kafkaParamsForProducer refuses serializers, when the batch is planned.
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


for option in ["auto.offset.reset", "key.deserializer", "value.deserializer", "enable.auto.commit", "interceptor.classes"]:
    try:
        stream(subscribe="a", **{"kafka." + option: "x"})
    except Exception as e:
        print(type(e).__name__, repr(str(e)))
for option in ["group.id", "max.poll.records", "security.protocol", "anything.else"]:
    attempt(option, lambda: len(stream(subscribe="a", **{"kafka." + option: "x"}).columns))
rows = spark.createDataFrame([("x",)], "value STRING")
for option in ["key.serializer", "value.serializer"]:
    attempt(option, lambda: rows.write.format("kafka").options(**BROKER, topic="t", **{"kafka." + option: "x"}).save())
