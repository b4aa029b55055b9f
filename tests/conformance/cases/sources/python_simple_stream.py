# A stream by a SimpleDataSourceStreamReader: what is read ahead, and read again between offsets after a restart.
import glob
import json
import os

from pyspark.sql import SparkSession
from pyspark.sql.datasource import *
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

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


class Reader(SimpleDataSourceStreamReader):
    def __init__(self):
        note("reader made")

    def initialOffset(self):
        note("initialOffset")
        return {"at": 0}

    def read(self, start):
        end = min(start["at"] + 3, 7)
        note("read from", start, end)
        return iter([(i, f"row {i}") for i in range(start["at"], end)]), {"at": end}

    def readBetweenOffsets(self, start, end):
        note("between", start, end)
        return iter([(i, f"again {i}") for i in range(start["at"], end["at"])])

    def commit(self, end):
        note("commit", end)


class Source(DataSource):
    @classmethod
    def name(cls):
        return "simple"

    def schema(self):
        return "a int, b string"

    def simpleStreamReader(self, schema):
        return Reader()


class Knowing(Reader, SupportsTriggerAvailableNow):
    def prepareForTriggerAvailableNow(self):
        note("prepare")


class KnowingSource(Source):
    @classmethod
    def name(cls):
        return "knowing"

    def simpleStreamReader(self, schema):
        return Knowing()


spark.dataSource.register(Source)
spark.dataSource.register(KnowingSource)
df = spark.readStream.format("simple").load()


def run():
    query = df.writeStream.format("console").option("checkpointLocation", "cp").start()
    query.processAllAvailable()
    query.stop()
    for progress in query.recentProgress:
        if progress["numInputRows"]:
            print(progress["batchId"], sources(progress))
    calls()


run()
for name in sorted(glob.glob("cp/offsets/[0-9]*")):
    print(name, open(name).read().splitlines()[2:])
print("-- again, all committed")
run()
print("-- again, without the last commit")
for name in ("cp/commits/2", "cp/commits/.2.crc"):
    if os.path.exists(name):
        os.remove(name)
run()
for name in ("simple", "knowing"):
    for trigger in ({"once": True}, {"availableNow": True}):
        print("--", name, trigger)
        query = spark.readStream.format(name).load().writeStream.format("console").trigger(**trigger).start()
        query.awaitTermination()
        calls()
