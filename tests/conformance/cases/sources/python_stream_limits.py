# Limits of a stream written in Python: latestOffset(start, limit), the default limit, Trigger.AvailableNow.
import json
import os

from pyspark.sql import SparkSession
from pyspark.sql.datasource import *
from pyspark.sql.streaming.datasource import *

spark = SparkSession.builder.getOrCreate()
LOG = os.getcwd() + "/calls.txt"


def note(*words):
    with open(LOG, "a") as file:
        file.write(" ".join(map(str, words)) + "\n")


def sources(progress):
    source = dict(progress["sources"][0])
    for rate in ("inputRowsPerSecond", "processedRowsPerSecond"):
        source.pop(rate)
    return json.dumps(source)


class Reader(DataSourceStreamReader):
    limit = ReadMaxRows(4)

    def __init__(self):
        self.most = 10

    def initialOffset(self):
        note("initialOffset")
        return {"at": 0}

    def getDefaultReadLimit(self):
        note("getDefaultReadLimit")
        return self.limit

    def latestOffset(self, start, limit):
        note("latestOffset", start, limit)
        if isinstance(limit, ReadMaxRows):
            return {"at": min(start["at"] + limit.max_rows, self.most)}
        return {"at": self.most}

    def reportLatestOffset(self):
        note("reportLatestOffset")
        return {"at": self.most}

    def partitions(self, start, end):
        note("partitions", start, end)
        return [InputPartition(i) for i in range(start["at"], end["at"])]

    def read(self, partition):
        yield (partition.value,)

    def commit(self, end):
        note("commit", end)


class Knowing(Reader, SupportsTriggerAvailableNow):
    def prepareForTriggerAvailableNow(self):
        note("prepare")
        self.most = 6


class Files(Reader):
    limit = ReadMaxFiles(2)


class Plain(Reader):
    getDefaultReadLimit = DataSourceStreamReader.getDefaultReadLimit
    reportLatestOffset = DataSourceStreamReader.reportLatestOffset


def source(reader):
    class Source(DataSource):
        @classmethod
        def name(cls):
            return reader.__name__

        def schema(self):
            return "a int"

        def streamReader(self, schema):
            return reader()

    spark.dataSource.register(Source)
    return spark.readStream.format(reader.__name__).load()


for reader in (Reader, Knowing, Files, Plain):
    for trigger in ({}, {"once": True}, {"availableNow": True}):
        print("--", reader.__name__, trigger)
        writer = source(reader).writeStream.format("noop").option("checkpointLocation", "-".join([reader.__name__, *trigger]))
        query = writer.trigger(**trigger).start() if trigger else writer.start()
        if trigger:
            query.awaitTermination()
        else:
            query.processAllAvailable()
            query.stop()
        for progress in query.recentProgress:
            if progress["numInputRows"]:
                print(progress["batchId"], sources(progress))
        lines = open(LOG).read().splitlines()
        # The last looks, which find nothing, are a matter of timing.
        idle = [i for i, line in enumerate(lines) if line.startswith("latestOffset {'at': 10}")]
        lines = lines[: idle[0]] if idle else lines
        print("\n".join(lines))
        open(LOG, "w").close()
