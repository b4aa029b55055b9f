# Data sources written in Python as streaming sinks: writers, commits by batch, modes, errors, restarts.
import json
import os
from dataclasses import dataclass

from pyspark.sql import SparkSession, functions as F
from pyspark.sql.datasource import *

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 1)
LOG = os.getcwd() + "/calls.txt"


def note(*words):
    with open(LOG, "a") as file:
        file.write(" ".join(map(str, words)) + "\n")


def calls():
    if os.path.exists(LOG):
        for line in sorted(open(LOG).read().splitlines()):
            print("  >", line)
        os.remove(LOG)


@dataclass
class Count(WriterCommitMessage):
    rows: int


class Writer(DataSourceStreamWriter):
    def __init__(self, schema, overwrite, options):
        note("writer made", schema.simpleString(), overwrite, sorted(options.items()))

    def write(self, iterator):
        rows = list(iterator)
        self.written = len(rows)
        note("write", rows)
        if any(row[0] == 13 for row in rows):
            raise ValueError("unlucky")
        return Count(len(rows))

    def commit(self, messages, batchId):
        note("commit", batchId, messages, getattr(self, "written", "nothing noted"))

    def abort(self, messages, batchId):
        note("abort", batchId, messages)


class Target(DataSource):
    def __init__(self, options):
        super().__init__(options)
        note("source made")

    @classmethod
    def name(cls):
        return "target"

    def streamWriter(self, schema, overwrite):
        return Writer(schema, overwrite, self.options)


spark.dataSource.register(Target)
rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 3).option("numPartitions", 2).load()
rows = rows.select(F.col("value").cast("int").alias("a"), F.lit("z").alias("b"))
few = rows.coalesce(1)


def run(title, frame, format="target", times=1, **start):
    print("--", title)
    mode = start.pop("mode", "append")
    start.setdefault("checkpointLocation", title.replace(" ", "-"))
    query = None
    try:
        for _ in range(times):
            query = frame.writeStream.format(format).outputMode(mode).trigger(once=True).start(**start)
            query.awaitTermination()
            print(query.lastProgress["batchId"], json.dumps(query.lastProgress["sink"]))
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line and line[0] not in " \t"]
        end = lines.index("=== Streaming Query ===") if "=== Streaming Query ===" in lines else 1
        print(type(error).__name__, error.getCondition(), "|", lines[0].partition("exception: ")[2] or lines[0], "|", lines[end - 1][:160])
        if query is not None:
            print("  ", str(query.exception()).splitlines()[0])
    calls()


run("append", rows, times=2)
run("path", few, path="/some/path")
run("update", few, mode="update")
run("complete", rows.groupBy((F.col("a") % 2).alias("odd")).count(), mode="complete", times=2)
run("partitionBy", few, partitionBy="a")
run("a task fails", few.withColumn("a", F.lit(13)))

query = few.writeStream.format("target").option("checkpointLocation", "several").trigger(processingTime="1 second").start()
while len(query.recentProgress) < 3:
    query.awaitTermination(1)
query.stop()
lines = open(LOG).read().splitlines()
os.remove(LOG)
print([line for line in lines if line.startswith("commit")][:2], lines[:9].count("source made"), lines[:9].count(lines[1]))


def target(title, writer=None, **members):
    name = title.replace(" ", "")
    body = {"name": classmethod(lambda cls: name)}
    if members:
        made = type("Writer", (DataSourceStreamWriter,), members)
        writer = lambda self, schema, overwrite: made()
    if writer:
        body["streamWriter"] = writer
    spark.dataSource.register(type("Target", (DataSource,), body))
    run(title, few, format=name)


def raising(*_, **__):
    raise ValueError("raised here")


def noted(self, messages, batchId):
    note("abort", batchId, messages)


target("no writer")
target("another class", lambda self, schema, overwrite: 5)
target("a writer that raises", raising)
target("no message", write=lambda self, iterator: None, abort=noted)
target("a commit that raises", write=lambda self, iterator: Count(1), commit=raising, abort=noted)
target("an abort that raises", write=raising, abort=raising)
print("-- no checkpoint")
try:
    few.writeStream.format("target").trigger(once=True).start()
except Exception as error:
    print(type(error).__name__, str(error).splitlines()[0])
