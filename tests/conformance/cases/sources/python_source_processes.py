# What a data source written in Python shares with the script: nothing. Its class is pickled when it is registered, readers and
# partitions are on their way to tasks; what a task prints does not come back.
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql.datasource import *

spark = SparkSession.builder.getOrCreate()
rows = [1, 2]
seen = []


class Settings:
    factor = 10
    names = ["a"]


@dataclass
class Part(InputPartition):
    number: int


def scaled(row):
    return row * Settings.factor


class Base(DataSourceReader):
    made = 0

    def __init__(self, schema):
        Base.made += 1
        self.schema = schema

    def partitions(self):
        print("printed while partitions are planned")
        seen.append("planned")
        self.extra = 1
        return [Part(0), Part(1)]


class Reader(Base):
    def __init__(self, schema):
        super().__init__(schema)

    def read(self, partition):
        print("printed by a task")
        seen.append("read")
        Settings.factor += 1
        Settings.names.append("b")
        assert isinstance(partition, Part) and partition == Part(partition.number)
        for row in rows:
            yield (partition.number, scaled(row), len(seen), Base.made, len(Settings.names), hasattr(self, "extra"))


class Source(DataSource):
    @classmethod
    def name(cls):
        return "apart"

    def schema(self):
        return "part int, row int, seen int, made int, names int, extra boolean"

    def reader(self, schema):
        return Reader(schema)


spark.dataSource.register(Source)
rows.append(3)
Settings.factor = 100
df = spark.read.format("apart").load()
df.show()
df.show(2)
print(rows, seen, Settings.factor, Settings.names, Base.made)
spark.dataSource.register(Source)
spark.read.format("apart").load().show()
print(seen, Settings.factor, Base.made)


class Stream(SimpleDataSourceStreamReader):
    def initialOffset(self):
        return {"at": 0}

    def read(self, start):
        return iter([(row,) for row in rows[start["at"] :]]), {"at": len(rows)}

    def readBetweenOffsets(self, start, end):
        return iter([(row,) for row in rows[start["at"] : end["at"]]])


class StreamSource(DataSource):
    @classmethod
    def name(cls):
        return "listed"

    def schema(self):
        return "row int"

    def simpleStreamReader(self, schema):
        return Stream()


spark.dataSource.register(StreamSource)
query = spark.readStream.format("listed").load().writeStream.format("memory").queryName("out").start()
query.processAllAvailable()
rows.append(4)
query.processAllAvailable()
query.stop()
spark.table("out").show()
