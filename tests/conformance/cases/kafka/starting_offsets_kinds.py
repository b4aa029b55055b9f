# KafkaMicroBatchStream.getOrCreateInitialPartitionOffsets: earliest, latest (the default of streams), or JSON in which -1 is latest
# and -2 earliest (KafkaOffsetRangeLimit); fetchSpecificOffsets0 looks those up and takes other numbers as they are.
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


kafka.create_topic("t", partitions=2)
for n in range(6):
    kafka.produce("t", f"v{n}", partition=n % 2)
for start in ["earliest", "latest", "LATEST", None, '{"t":{"0":1,"1":-2}}', '{"t":{"1":-1,"0":3}}']:
    options = {} if start is None else {"startingOffsets": start}
    query = text(stream(subscribe="t", **options)).writeStream.format("memory").queryName("rows").start()
    query.processAllAvailable()
    print(start, query.lastProgress["numInputRows"] if query.lastProgress else None)
    print("  ", [tuple(row) for row in spark.table("rows").orderBy("partition", "offset").collect()])
    query.stop()
