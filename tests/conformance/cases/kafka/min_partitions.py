# KafkaOffsetRangeCalculator.getRanges: one task a partition that has records, in the order of the offsets' Map; with minPartitions
# above that, partitions are cut by their share (those worth one task are left whole). maxRecordsPerPartition cuts before that,
# into the fewest tasks that hold no more. Integer division leaves the remainder to the last tasks.
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


kafka.create_topic("t", partitions=3)
for partition, count in enumerate([4, 20, 0]):
    for n in range(count):
        kafka.produce("t", str(n), partition=partition)


def tasks(**options):
    parts = batch(subscribe="t", **options).groupBy(F.spark_partition_id().alias("task"), "partition").agg(
        F.min("offset").alias("first"), F.max("offset").alias("last"))
    print(options, "batch", [tuple(row) for row in parts.orderBy("task").collect()])
    ids = []
    frame = stream(subscribe="t", startingOffsets="earliest", **options).withColumn("task", F.spark_partition_id())
    query = frame.writeStream.trigger(once=True).foreachBatch(
        lambda df, _: ids.extend(tuple(r) for r in df.groupBy("task", "partition").agg(
            F.min("offset"), F.max("offset")).orderBy("task").collect())).start()
    query.awaitTermination()
    print(options, "stream", ids)


tasks()
tasks(minPartitions=2)
tasks(minPartitions=3)
tasks(minPartitions=6)
tasks(maxRecordsPerPartition=7)
tasks(maxRecordsPerPartition=10, minPartitions=5)
