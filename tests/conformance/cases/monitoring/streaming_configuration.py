# Defaults of the streaming configuration and what its entries refuse.
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
clock = [1770000000]


def drop(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open("staging", "w") as f:
        f.write(text)
    clock[0] += 1
    os.utime("staging", (clock[0], clock[0]))
    os.replace("staging", f"{folder}/{name}")


def ask(label, act):
    try:
        print(label, "->", act())
    except Exception as e:
        print(label, "->", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        lines = [line.replace(os.getcwd(), "<cwd>")[:400] for line in str(e).splitlines() if line] or [""]
        inner = [line for line in lines[1:] if "Error: " in line or "Exception: " in line]
        print("   ", lines[0], *inner[-1:], sep="\n    ")


for key in ("spark.sql.streaming.minBatchesToRetain", "spark.sql.streaming.numRecentProgressUpdates", "spark.sql.streaming.noDataMicroBatches.enabled", "spark.sql.streaming.multipleWatermarkPolicy", "spark.sql.streaming.stateStore.providerClass", "spark.sql.streaming.fileSource.log.compactInterval", "spark.sql.streaming.metricsEnabled", "spark.sql.streaming.pollingDelay", "spark.sql.streaming.noDataProgressEventInterval", "spark.sql.streaming.schemaInference", "spark.sql.streaming.unsupportedOperationCheck", "spark.sql.streaming.statefulOperator.checkCorrectness.enabled", "spark.sql.streaming.statefulOperator.allowMultiple", "spark.sql.streaming.stateStore.maintenanceInterval", "spark.sql.streaming.stateStore.minDeltasForSnapshot", "spark.sql.streaming.join.stateFormatVersion", "spark.sql.streaming.aggregation.stateFormatVersion", "spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion", "spark.sql.streaming.sessionWindow.merge.sessions.in.local.partition", "spark.sql.streaming.offsetLog.formatVersion", "spark.sql.streaming.stopTimeout", "spark.sql.streaming.kafka.useDeprecatedOffsetFetching", "spark.sql.streaming.checkpointLocation", "spark.sql.streaming.maxBatchesToRetainInMemory", "spark.sql.streaming.commitProtocolClass", "spark.sql.streaming.fileSink.log.cleanupDelay", "spark.sql.streaming.triggerAvailableNowWrapper.enabled", "spark.sql.streaming.continuous.epochBacklogQueueSize", "spark.sql.streaming.stateStore.checkpointFormatVersion"):
    ask(key, lambda: spark.conf.get(key))
for key, value in (("spark.sql.streaming.minBatchesToRetain", "0"), ("spark.sql.streaming.minBatchesToRetain", "x"), ("spark.sql.streaming.noDataMicroBatches.enabled", "maybe"), ("spark.sql.streaming.join.stateFormatVersion", "9"), ("spark.sql.streaming.aggregation.stateFormatVersion", "3"), ("spark.sql.streaming.numRecentProgressUpdates", "-1"), ("spark.sql.streaming.fileSource.log.compactInterval", "0"), ("spark.sql.streaming.fileSource.log.cleanupDelay", "soon"), ("spark.sql.streaming.checkpointLocation", ""), ("spark.sql.streaming.nothing", "x"), ("spark.sql.streaming.stateStore.minDeltasForSnapshot", "-3"), ("spark.sql.streaming.stopTimeout", "1")):
    ask(f"set {key} {value}", lambda: spark.conf.set(key, value))
    spark.conf.unset(key)
