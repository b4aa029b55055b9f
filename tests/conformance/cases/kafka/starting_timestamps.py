# KafkaOffsetReaderAdmin.readTimestampOffsets: a timestamp means the first record at or after it (OffsetSpec.forTimestamp).
# Without one, startingOffsetsByTimestampStrategy says error (the default) or latest. startingTimestamp goes before
# startingOffsetsByTimestamp, that before startingOffsets (getKafkaOffsetRangeLimit).
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


kafka.create_topic("t", partitions=2)
for n, (partition, seconds) in enumerate([(0, 10), (0, 20), (0, 15), (1, 12), (1, 30)]):
    kafka.produce("t", f"v{n}", partition=partition, timestamp=seconds * 1000)


def run(**options):
    query = text(stream(subscribe="t", **options)).writeStream.format("memory").queryName("rows").start()
    problem = failure(query)
    rows = [] if problem != "no failure" else spark.table("rows").orderBy("partition", "offset").collect()
    print(options, problem if problem != "no failure" else [row.value for row in rows])
    query.stop()


run(startingTimestamp="12000")
run(startingTimestamp=" 15001 ")
run(startingTimestamp="25000")
run(startingTimestamp="25000", startingOffsetsByTimestampStrategy="latest")
run(startingTimestamp="30000", startingOffsetsByTimestampStrategy="LATEST", startingOffsets="earliest")
run(startingOffsetsByTimestamp='{"t":{"0":11000,"1":13000}}')
run(startingOffsetsByTimestamp='{"t":{"0":11000}}')
run(startingTimestamp="soon")
