# What goes wrong in streams written in Python, with the errors of the query.
import os

from pyspark.sql import SparkSession
from pyspark.sql.datasource import *

spark = SparkSession.builder.getOrCreate()
LOG = os.getcwd() + "/calls.txt"


class Base(DataSourceStreamReader):
    def initialOffset(self):
        return {"a": 0}

    def latestOffset(self):
        return {"a": 2}

    def partitions(self, start, end):
        return [InputPartition(i) for i in range(start["a"], end["a"])]

    def read(self, partition):
        yield (partition.value,)

    def stop(self):
        with open(LOG, "a") as file:
            file.write("stop\n")


class Simple(SimpleDataSourceStreamReader):
    def initialOffset(self):
        return {"a": 0}

    def read(self, start):
        return iter([(1,)]), {"a": 1}

    def readBetweenOffsets(self, start, end):
        return iter([])


def run(title, base=Base, **members):
    global number
    number += 1
    name = f"s{number}"
    reader = type("Reader", (base,), members) if base else None
    body = {"name": classmethod(lambda cls: name), "schema": lambda self: "a int"}
    if base:
        method = "simpleStreamReader" if base is Simple else "streamReader"
        body[method] = lambda self, schema: reader()
    spark.dataSource.register(type("Source", (DataSource,), body))
    print("--", title)
    query = None
    try:
        query = spark.readStream.format(name).load().writeStream.format("console").trigger(once=True).start()
        query.awaitTermination()
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line and line[0] not in " \t"]
        end = lines.index("=== Streaming Query ===")
        print(type(error).__name__, error.getCondition(), error.getSqlState(), "|", lines[0].partition("exception: ")[2])
        print("  ", lines[end - 1])
        print("\n".join(lines[end + 2 : end + 5]))
        print("  ", type(query.exception()).__name__, "|", str(query.exception()).splitlines()[0])
    if os.path.exists(LOG):
        print(open(LOG).read(), end="")
        os.remove(LOG)


def raising(*_):
    raise ValueError("raised here")


def half(self, partition):
    yield (1,)
    raise ValueError("in the middle")


def generated(self, start):
    def rows():
        yield (1,)

    return rows(), {"a": 1}


number = 0
run("no reader", None)
run("reader", __init__=raising)
run("initialOffset", initialOffset=raising)
run("latestOffset", latestOffset=raising)
run("partitions", partitions=raising)
run("read", read=half)
run("an offset that is no JSON", latestOffset=lambda self: {1, 2})
run("no initial offset", initialOffset=lambda self: None)
run("partitions of another class", partitions=lambda self, start, end: [1])
run("partitions that are no list", partitions=lambda self, start, end: 5)
run("too many columns", read=lambda self, partition: iter([(1, 2)]))
run("no iterator", read=lambda self, partition: [(1, 2)])
run("default limit", latestOffset=lambda self, start, limit: {"a": 5}, getDefaultReadLimit=lambda self: 5)
run("reportLatestOffset", latestOffset=lambda self, start, limit: {"a": 1}, reportLatestOffset=raising)
run("no partitions", partitions=lambda self, start, end: [])
run("nothing implemented", DataSourceStreamReader, read=half, stop=Base.stop)
run("simple, a generator", Simple, read=generated)
run("simple, a list", Simple, read=lambda self, start: ([(1,)], {"a": 1}))
run("simple, no advance", Simple, read=lambda self, start: (iter([(1,)]), start))
run("simple, too many columns", Simple, read=lambda self, start: (iter([(1, 2)]), {"a": 1}))
run("simple, no end", Simple, read=lambda self, start: iter([(1,)]))
run("simple, no rows", Simple, read=lambda self, start: (iter([]), {"a": 1}))
