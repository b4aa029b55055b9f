# The statestore and state-metadata readers over a join and a windowed aggregation: sides, stores, change feeds, bad options.
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("state-options").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
for folder in ("left", "right", "in"):
    os.makedirs(f"data/{folder}")


def drop(folder, name, *rows):
    with open("staging.csv", "w") as f:
        f.writelines(f"{k},2026-05-05 {t}\n" for k, t in rows)
    os.replace("staging.csv", f"data/{folder}/{name}.csv")


left = spark.readStream.schema("lk int, lt timestamp").csv("data/left").withWatermark("lt", "1 minute")
right = spark.readStream.schema("rk int, rt timestamp").csv("data/right").withWatermark("rt", "1 minute")
joined = left.join(right, F.expr("lk = rk and rt between lt and lt + interval 5 minutes"), "left_outer")
query = joined.writeStream.format("noop").option("checkpointLocation", "join").start()
drop("left", "1", (1, "10:00:00"), (2, "10:00:10"), (1, "10:00:20"))
drop("right", "1", (1, "10:01:00"))
query.processAllAvailable()
drop("left", "2", (3, "10:30:00"))
drop("right", "2", (3, "10:31:00"))
query.processAllAvailable()
query.stop()
windows = (spark.readStream.schema("k int, ts timestamp").csv("data/in").withWatermark("ts", "0 seconds")
           .groupBy(F.window("ts", "1 minute"), "k").count())
query = windows.writeStream.format("noop").option("checkpointLocation", "windows").start()
drop("in", "1", (1, "10:00:00"), (2, "10:00:30"))
query.processAllAvailable()
drop("in", "2", (1, "10:05:00"))
query.processAllAvailable()
query.stop()


def read(where, *columns, **options):
    try:
        frame = spark.read.format("statestore").options(**options).load(where)
        rows = frame.selectExpr(*columns).collect() if columns else frame.collect()
        print(where, options, frame.schema.simpleString())
        for row in sorted(str(r) for r in rows):
            print("   ", row)
    except Exception as e:
        print(where, options, "->", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        print("   ", next(line for line in str(e).splitlines() if line).replace(os.getcwd(), "<cwd>"))


spark.read.format("state-metadata").load("join").show(truncate=False)
spark.read.format("state-metadata").load("windows").show(truncate=False)
for side in ("left", "right"):
    read("join", "key.*", "value.*", "partition_id", joinSide=side, batchId=0)
    read("join", "key.*", "value.*", "partition_id", joinSide=side)
read("join", joinSide="middle")
read("join", joinSide="left", storeName="left-keyToNumValues")
read("join", storeName="left-keyToNumValues", batchId=0)
read("join", storeName="right-keyWithIndexToValue", batchId=0)
read("join", storeName="other")
read("join")
read("join", joinSide="left", operatorId=1)
read("windows")
read("windows", batchId=0)
read("windows", joinSide="left")
read("windows", readChangeFeed=True)
read("windows", readChangeFeed=True, changeStartBatchId=0)
read("windows", readChangeFeed=True, changeStartBatchId=1, changeEndBatchId=2)
read("windows", readChangeFeed=True, changeStartBatchId=2, changeEndBatchId=1)
read("windows", readChangeFeed=True, changeStartBatchId=-1)
read("windows", readChangeFeed=True, changeStartBatchId=0, batchId=1)
read("windows", readChangeFeed=True, changeStartBatchId=0, joinSide="left")
read("windows", changeStartBatchId=0)
read("windows", changeEndBatchId=0)
read("windows", operatorId=-1)
read("windows", operatorId="x")
read("windows", storeName=" ")
read("windows", stateVarName="x")
read("windows", readRegisteredTimers=True)
read("windows", readRegisteredTimers="maybe")
read("windows", flattenCollectionTypes="maybe")
read("windows", snapshotStartBatchId=1)
read("windows", snapshotPartitionId=0)
read("windows", snapshotStartBatchId=-1, snapshotPartitionId=0)
read("windows", snapshotStartBatchId=9, snapshotPartitionId=0)
read("windows", snapshotStartBatchId=0, snapshotPartitionId=-1)
read("windows", snapshotStartBatchId=0, snapshotPartitionId=1)
