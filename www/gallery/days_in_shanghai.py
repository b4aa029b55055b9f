# Days of another time zone
# Counts by day in Shanghai: windows begin at whole days in UTC unless they are shifted.
# theme: Windows
# data/stream_in/1.json
#   {"event_time": "2026-03-01T15:59:00", "user": "li", "action": "buy", "amount": 1.0}
#   {"event_time": "2026-03-01T16:01:00", "user": "wu", "action": "buy", "amount": 2.0}

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("days of another time zone").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

spark.conf.set("spark.sql.session.timeZone", "Asia/Shanghai")
events = (
    spark.readStream
    .schema("event_time string, user string, action string, amount double")
    .option("maxFilesPerTrigger", 1)
    .json("data/stream_in")
)

# The texts are UTC; the session's zone decides how times are shown.
times = events.withColumn("event_time", F.to_timestamp(F.concat("event_time", F.lit("Z"))))
days = (
    times
    .groupBy(F.window("event_time", "1 day", "1 day", "16 hours").alias("day"))
    .count()
    .select("day.start", "day.end", "count")
)

query = days.writeStream.outputMode("update").format("console").option("truncate", False).start()
query.awaitTermination()
