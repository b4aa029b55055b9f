# Sessions of users
# Joins events of a user that are less than two minutes apart into one session.
# theme: Windows
# data/stream_in/1.json
#   {"event_time": "2026-03-02T09:00:00", "user": "ana", "action": "buy", "amount": 1.0}
#   {"event_time": "2026-03-02T09:01:30", "user": "ana", "action": "buy", "amount": 2.0}
#   {"event_time": "2026-03-02T09:00:10", "user": "ben", "action": "buy", "amount": 3.0}
# data/stream_in/2.json
#   {"event_time": "2026-03-02T09:02:50", "user": "ana", "action": "buy", "amount": 4.0}
#   {"event_time": "2026-03-02T09:20:00", "user": "ben", "action": "buy", "amount": 4.0}

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("sessions of users").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

events = (
    spark.readStream
    .schema("event_time timestamp, user string, action string, amount double")
    .option("maxFilesPerTrigger", 1)
    .json("data/stream_in")
)

sessions = (
    events
    .withWatermark("event_time", "1 minute")
    .groupBy(F.session_window("event_time", "2 minutes").alias("session"), "user")
    .agg(F.count("*").alias("events"), F.sum("amount").alias("total"))
    .select("user", "session.start", "session.end", "events", "total")
)

query = sessions.writeStream.outputMode("append").format("console").option("truncate", False).start()
query.awaitTermination()
