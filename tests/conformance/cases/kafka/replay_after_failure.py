# MicroBatchExecution.populateStartOffsets: a batch that is in the offset log and not committed runs again with the same offsets, also
# when more records have come (planInputPartitions takes the logged range).
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


kafka.create_topic("t")
kafka.produce("t", "a")
kafka.produce("t", "b")
seen = []


def take(df, batch_id):
    rows = [row.value for row in df.collect()]
    seen.append((batch_id, rows))
    if len(seen) == 1:
        raise ValueError("not yet")


def start():
    frame = text(stream(subscribe="t", startingOffsets="earliest"))
    return frame.writeStream.option("checkpointLocation", "cp").foreachBatch(take).start()


print("not yet" in failure(start()))
kafka.produce("t", "c")
query = start()
query.processAllAvailable()
query.stop()
print(seen)
