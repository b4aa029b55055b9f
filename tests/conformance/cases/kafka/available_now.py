# KafkaMicroBatchStream.latestOffset with Trigger.AvailableNow: the ends as of the first look, in batches of maxOffsetsPerTrigger;
# what comes meanwhile is left for the next run (here it is sent by the first batch).
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


kafka.create_topic("t")
for n in range(5):
    kafka.produce("t", f"v{n}")
seen = []


def take(df, batch_id):
    seen.append((batch_id, [row.value for row in df.collect()]))
    if batch_id == 0:
        kafka.produce("t", "late")


def run():
    frame = text(stream(subscribe="t", startingOffsets="earliest", maxOffsetsPerTrigger=2))
    query = frame.writeStream.trigger(availableNow=True).option("checkpointLocation", "cp").foreachBatch(take).start()
    query.awaitTermination()
    print(seen, query.isActive)
    seen.clear()


run()
run()
run()
