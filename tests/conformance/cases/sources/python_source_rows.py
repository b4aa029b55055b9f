# Rows of a data source written in Python: what is taken, and what is refused with which error.
import datetime
from decimal import Decimal

from pyspark.sql import Row, SparkSession
from pyspark.sql.datasource import *

spark = SparkSession.builder.getOrCreate()


def attempt(make):
    try:
        make().show(truncate=False)
    except Exception as error:
        condition = error.getCondition() if hasattr(error, "getCondition") else None
        lines = [line for line in str(error).split("JVM stacktrace")[0].splitlines() if line and line[0] not in " \t"]
        print(type(error).__name__, condition, "|", lines[0][:60], "|", lines[-1])


def source(read=None, partitions=None, schema="a int, b string", reader=None):
    global number
    number += 1
    name = f"r{number}"
    body = {"read": lambda self, partition: read(partition)}
    if partitions:
        body["partitions"] = partitions
    made = type("Reader", (DataSourceReader,), body)
    body = {"name": classmethod(lambda cls: name), "schema": lambda self: schema}
    if reader or read:
        body["reader"] = reader or (lambda self, schema: made())
    spark.dataSource.register(type("Source", (DataSource,), body))
    attempt(lambda: spark.read.format(name).load())


number = 0


def raising(text):
    def call(*args, **kwargs):
        raise ValueError(text)

    return call


def half(partition):
    yield (1, "a")
    raise ValueError("in the middle")


def not_there(self):
    raise NotImplementedError()


print("-- readers")
source()
source(reader=lambda self, schema: 5)
source(reader=raising("no reader"))
print("-- partitions")
source(lambda p: iter([(1, "y")]), lambda self: (InputPartition(1),))
source(lambda p: iter([(1, "y")]), lambda self: [1, "2"])
source(lambda p: iter([(1, repr(p))]), lambda self: [])
source(lambda p: iter([(1, repr(p))]), not_there)
source(lambda p: iter([(1, repr(p))]), raising("no partitions"))
print("-- rows")
source(lambda p: iter([(1,)]))
source(lambda p: iter([1]))
source(lambda p: iter(["ab"]))
source(lambda p: iter([None]))
source(lambda p: [(1, "a")])
source(lambda p: None)
source(lambda p: iter([{"a": 1, "b": "x"}]))
source(lambda p: iter([Row(b="x", a=1), [2, "y"], (3, None), (None, 5), Row(1, "z"), Row("a", "b")(1, "named")]))
source(lambda p: iter([Row(b="x", c=1)]))
source(lambda p: iter([(1, "a"), (2,)]))
source(lambda p: iter([]))
source(half)
source(raising("in read"))
source(lambda p: iter([(1, "a")]), schema="A int, a string")
print("-- values")
moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 678)
source(
    lambda p: iter([(moment, moment.date(), Decimal("1.5"), [1, 2], {"k": 1.5}, b"xy", 1.5, (1, "z"), {"q": 2}, None)]),
    schema="t timestamp, d date, e decimal(10,2), l array<int>, m map<string,double>, b binary, f float, "
    "s struct<p:int,q:string>, r struct<q:int>, n int",
)
for kind, value in [
    ("long", 2**70), ("int", 2**40), ("tinyint", 300), ("int", 1.5), ("int", True), ("int", "5"), ("int", Decimal("2.5")),
    ("int", float("nan")), ("double", "x"), ("double", 3), ("float", True), ("boolean", 1), ("date", "2026-01-01"), ("date", moment),
    ("timestamp", "x"), ("timestamp", moment.replace(tzinfo=datetime.timezone.utc)), ("timestamp_ntz", moment),
    ("timestamp_ntz", moment.replace(tzinfo=datetime.timezone.utc)), ("decimal(4,2)", 1), ("decimal(4,2)", Decimal("1.005")),
    ("string", 5), ("string", True), ("string", [1]), ("array<int>", (1, 2)), ("array<int>", [1, None]), ("array<int>", ["x"]),
    ("map<string,int>", {"b": 1, "a": 2}), ("map<string,int>", {1: 1}), ("map<string,int>", [1]),
    ("struct<x:int,y:string>", [1, "y"]), ("struct<x:int,y:string>", (1,)), ("struct<x:int,y:string>", {"x": 1}),
    ("binary", "x"), ("binary", bytearray(b"q")), ("variant", {"a": 1}), ("interval day to second", datetime.timedelta(days=1)),
]:  # fmt: skip
    source(lambda p: iter([(value,)]), schema=f"a {kind}")
