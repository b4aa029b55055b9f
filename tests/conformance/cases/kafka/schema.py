# KafkaRecordToRowConverter.kafkaSchema: the fixed columns, and headers with includeHeaders. KafkaSourceProvider.sourceSchema needs no
# topic: nothing asks the broker before the query runs.
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


frame = stream(subscribe="events")
print(frame.isStreaming)
frame.printSchema()
stream(subscribe="events", includeHeaders="true").printSchema()
print(batch(subscribe="events").schema == frame.schema)
print(batch(subscribe="events", INCLUDEHEADERS=True).columns)
