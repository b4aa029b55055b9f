# Spending per user and minute of event time, from a folder of JSON events.
# Step: each step runs one trigger. Then add an event from before the watermark and see where it goes.
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("windowed totals").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

events = (
    spark.readStream
    .schema("event_time timestamp, user string, action string, amount double")
    .option("maxFilesPerTrigger", 1)
    .json("data/stream_in")
)

totals = (
    events
    .withWatermark("event_time", "2 minutes")
    .groupBy(F.window("event_time", "1 minute"), "user")
    .agg(F.sum("amount").alias("total"), F.count("*").alias("events"))
    .select("window.start", "window.end", "user", "total", "events")
)

query = (
    totals.writeStream
    .queryName("totals")
    .outputMode("append")
    .format("console")
    .option("truncate", False)
    .option("checkpointLocation", "data/checkpoint")
    .trigger(processingTime="5 seconds")
    .start()
)
query.awaitTermination()
