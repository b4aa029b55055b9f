# A listener for all queries
# Is told of each batch of every query, and warns when rows were dropped.
# theme: Monitoring
# data/stream_in/1.json
#   {"event_time": "2026-03-02T09:00:05", "user": "ana", "action": "buy", "amount": 12.5}
#   {"event_time": "2026-03-02T09:00:21", "user": "ben", "action": "buy", "amount": 4.0}
#   {"event_time": "2026-03-02T09:00:48", "user": "ana", "action": "buy", "amount": 7.25}
# data/stream_in/2.json
#   {"event_time": "2026-03-02T09:01:10", "user": "ben", "action": "buy", "amount": 20.0}
#   {"event_time": "2026-03-02T09:00:55", "user": "cho", "action": "buy", "amount": 9.9}
#   {"event_time": "2026-03-02T09:02:30", "user": "cho", "action": "buy", "amount": 3.5}
# data/stream_in/3.json
#   {"event_time": "2026-03-02T09:06:15", "user": "ana", "action": "buy", "amount": 30.0}
# data/stream_in/4.json
#   {"event_time": "2026-03-02T09:06:20", "user": "ana", "action": "buy", "amount": 1.0}
# data/stream_in/5.json
#   {"event_time": "2026-03-02T09:00:30", "user": "dee", "action": "buy", "amount": 4.0}

from pyspark.sql import SparkSession, functions as F
from pyspark.sql.streaming import StreamingQueryListener

spark = SparkSession.builder.appName("a listener for all queries").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
class Watch(StreamingQueryListener):
    def onQueryStarted(self, event):
        print("started:", event.name)

    def onQueryProgress(self, event):
        dropped = sum(operator.numRowsDroppedByWatermark for operator in event.progress.stateOperators)
        if dropped:
            print(f"WARNING: batch {event.progress.batchId} dropped {dropped} rows")

    def onQueryIdle(self, event):
        pass

    def onQueryTerminated(self, event):
        print("ended:", event.id)


spark.streams.addListener(Watch())
events = (
    spark.readStream
    .schema("event_time timestamp, user string, action string, amount double")
    .option("maxFilesPerTrigger", 1)
    .json("data/stream_in")
)

totals = (
    events
    .withWatermark("event_time", "1 minute")
    .groupBy(F.window("event_time", "1 minute"), "user")
    .agg(F.sum("amount").alias("total"))
)

query = totals.writeStream.queryName("totals").outputMode("update").format("console").start()
query.awaitTermination()
