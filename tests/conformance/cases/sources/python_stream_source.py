# A stream that a script writes in Python: offsets, partitions, commits, the checkpoint, restarts and replays, triggers.
import glob
import json
import os
import time

from pyspark.sql import SparkSession
from pyspark.sql.datasource import *

spark = SparkSession.builder.getOrCreate()
LOG = os.getcwd() + "/calls.txt"


def note(*words):
    with open(LOG, "a") as file:
        file.write(" ".join(map(str, words)) + "\n")


def calls():
    # Tasks run side by side: their lines are sorted. How often a source without news is asked is a matter of timing.
    lines = open(LOG).read().splitlines() if os.path.exists(LOG) else []
    reads = sorted(line for line in lines if line.startswith("read P"))
    others = [line for i, line in enumerate(lines) if line not in reads and line != (lines[i - 1] if i else None)]
    for line in others + reads:
        print("  >", line)
    open(LOG, "w").close()


def sources(progress):
    source = dict(progress["sources"][0])
    for rate in ("inputRowsPerSecond", "processedRowsPerSecond"):
        source.pop(rate)
    return json.dumps(source)


class P(InputPartition):
    def __init__(self, at):
        self.at = at


class Reader(DataSourceStreamReader):
    def __init__(self, schema, options):
        note("reader made", schema.simpleString(), sorted(options.items()))
        self.newest = 0

    def initialOffset(self):
        note("initialOffset")
        return {"part": {"x": 0}, "open": True, "text": "t\u00e9"}

    def latestOffset(self):
        self.newest += 2
        note("latestOffset", self.newest)
        return {"part": {"x": self.newest}, "open": True, "text": "t\u00e9"}

    def partitions(self, start, end):
        note("partitions", start, end)
        return [P(i) for i in range(start["part"]["x"], end["part"]["x"])]

    def read(self, partition):
        note("read", partition, self.newest)
        yield (partition.at, f"row {partition.at}")

    def commit(self, end):
        note("commit", end)

    def stop(self):
        note("stop")


class Source(DataSource):
    @classmethod
    def name(cls):
        return "counting"

    def schema(self):
        return "a int, b string"

    def streamReader(self, schema):
        return Reader(schema, self.options)


spark.dataSource.register(Source)
df = spark.readStream.format("counting").option("Foo", 1).load()
print(df.isStreaming, df.schema.simpleString())
df.explain()


def first(**writer):
    query = df.writeStream.format("console").options(**writer).trigger(processingTime="1 hour").start()
    while not query.lastProgress:
        time.sleep(0.1)
    print(sources(query.lastProgress))
    query.stop()
    calls()


print("-- first")
first(checkpointLocation="cp")
for name in sorted(glob.glob("cp/*/[0-9]*")):
    lines = open(name).read().splitlines()
    print(name, lines[0], lines[2:])
print("-- again, all committed")
first(checkpointLocation="cp")
print("-- again, without the commit")
for name in ("cp/commits/0", "cp/commits/.0.crc"):
    if os.path.exists(name):
        os.remove(name)
first(checkpointLocation="cp")
for trigger in ({"once": True}, {"availableNow": True}):
    print("--", trigger)
    query = df.writeStream.format("console").trigger(**trigger).start()
    query.awaitTermination()
    calls()
print("-- two batches")
query = df.writeStream.format("console").trigger(processingTime="1 second").start()
while len(query.recentProgress) < 3:
    time.sleep(0.1)
query.stop()
for progress in query.recentProgress[:2]:
    print(progress["batchId"], sources(progress))
lines = [line for line in open(LOG).read().splitlines() if not line.startswith("read")]
print("\n".join(lines[: lines.index("commit {'part': {'x': 2}, 'open': True, 'text': 't\u00e9'}") + 1]))
