# State of your own
# Counts the purchases of each user in Python, with applyInPandasWithState.
# theme: State
# data/stream_in/1.json
#   {"event_time": "2026-03-02T09:00:05", "user": "ana", "action": "buy", "amount": 12.5}
#   {"event_time": "2026-03-02T09:00:21", "user": "ben", "action": "buy", "amount": 4.0}
#   {"event_time": "2026-03-02T09:00:48", "user": "ana", "action": "buy", "amount": 7.25}
# data/stream_in/2.json
#   {"event_time": "2026-03-02T09:01:10", "user": "ben", "action": "buy", "amount": 20.0}
#   {"event_time": "2026-03-02T09:00:55", "user": "cho", "action": "buy", "amount": 9.9}
#   {"event_time": "2026-03-02T09:02:30", "user": "cho", "action": "buy", "amount": 3.5}

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.streaming.state import GroupStateTimeout

spark = SparkSession.builder.appName("state of your own").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

events = (
    spark.readStream
    .schema("event_time timestamp, user string, action string, amount double")
    .option("maxFilesPerTrigger", 1)
    .json("data/stream_in")
)


def count_up(key, frames, state):
    (before,) = state.get if state.exists else (0,)
    now = before + sum(len(frame) for frame in frames)
    state.update((now,))
    yield pd.DataFrame({"user": [key[0]], "purchases": [now]})


counts = events.groupBy("user").applyInPandasWithState(
    count_up, "user string, purchases long", "purchases long", "update", GroupStateTimeout.NoTimeout
)

query = counts.writeStream.outputMode("update").format("console").start()
query.awaitTermination()
