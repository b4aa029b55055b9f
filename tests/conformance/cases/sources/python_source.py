# Data sources written in Python, read as a batch: schemas, options, partitions, what is called when, names that are taken.
import os

from pyspark.sql import Row, SparkSession, functions as F
from pyspark.sql.datasource import *
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

spark = SparkSession.builder.getOrCreate()
LOG = os.getcwd() + "/calls.txt"


def note(*words):
    with open(LOG, "a") as file:
        file.write(" ".join(map(str, words)) + "\n")


def calls():
    if os.path.exists(LOG):
        for line in sorted(open(LOG).read().splitlines()):
            print("  >", line)
        os.remove(LOG)


def attempt(make):
    try:
        made = make()
        if made is not None:
            made.show(truncate=False)
    except Exception as error:
        condition = error.getCondition() if hasattr(error, "getCondition") else None
        lines = [line for line in str(error).split("JVM stacktrace")[0].splitlines() if line and line[0] not in " \t"]
        print(type(error).__name__, condition, "|", lines[0] if len(lines) == 1 else lines[-1])


class Range(InputPartition):
    def __init__(self, first, past):
        self.first, self.past = first, past


class Rows(DataSourceReader):
    def __init__(self):
        note("reader made")
        self.calls = 0

    def partitions(self):
        self.calls += 1
        note("partitions", self.calls)
        return [Range(0, 2), Range(2, 3), Range(3, 6)]

    def read(self, partition):
        self.calls += 10
        note("read", partition, self.calls)
        for i in range(partition.first, partition.past):
            yield (i, f"row {i}")


class Mine(DataSource):
    def __init__(self, options):
        super().__init__(options)
        note("source made", sorted(options.items()))

    @classmethod
    def name(cls):
        return "mine"

    def schema(self):
        note("schema")
        return "id INT, name STRING"

    def reader(self, schema):
        note("reader", schema.simpleString())
        return Rows()


print(spark.dataSource.register(Mine))
df = spark.read.format("mine").load()
calls()
df.printSchema()
calls()
df.show()
calls()
print(df.collect())
calls()
print(df.count())
calls()
df.select(F.spark_partition_id().alias("p"), "id").show()
df.filter("id > 2").select("name").show()
df.groupBy((F.col("id") % 2).alias("odd")).count().orderBy("odd").show()
df.join(df.withColumnRenamed("name", "other"), "id").orderBy("id").show(2)
calls()
df.explain()
df.filter("id = 2").select("name").explain()
calls()
print("-- a schema of the user's")
df = spark.read.format("MINE").option("K", 1).schema("x long, y string").load()
calls()
df.show()
calls()
attempt(lambda: spark.read.format("mine").schema("x long").load())
os.remove(LOG)


print("-- options")


class Options(DataSource):
    def schema(self):
        return StructType([StructField("k", StringType()), StructField("v", StringType(), False)])

    def reader(self, schema):
        options = self.options

        class Reader(DataSourceReader):
            def read(self, partition):
                yield Row(v=type(options).__name__, k="type")
                yield ["schema", schema.simpleString()]
                yield ("partition", repr(partition))
                for key in sorted(options):
                    yield (key, options[key])
                yield ("AbC" in options and "in" or "out", str(options.get("ABC")))

        return Reader()


spark.dataSource.register(Options)
df = spark.read.format("options").option("AbC", 1).option("flag", True).options(z=2.5).load()
df.printSchema()
df.show(truncate=False)
attempt(lambda: spark.read.format("Options").option("abc", 1).option("ABC", 2).load("/some/path"))
attempt(lambda: spark.read.format("Options").load(["a", "b"]))
attempt(lambda: spark.read.format("Options").option("path", "q").load())
attempt(lambda: spark.read.format("Options").option("path", "q").load("z"))

print("-- names")


def named(name):
    class Named(DataSource):
        @classmethod
        def name(cls):
            return name

        def schema(self):
            return "a int"

    spark.dataSource.register(Named)


for name in ["json", "PARQUET", "rate", "kafka", "orc", "console", "statestore", "binaryFile", "org.apache.spark.sql.json",
             "memory", "delta", "a.b", "mine"]:  # fmt: skip
    attempt(lambda: named(name))
attempt(lambda: spark.read.format("mine").load())
attempt(lambda: spark.dataSource.register(int))


class NoClassMethod(DataSource):
    def name(self):
        return "no"


attempt(lambda: spark.dataSource.register(NoClassMethod))

print("-- schemas")


def source(name, schema):
    body = {"name": classmethod(lambda cls: name), "schema": schema}
    spark.dataSource.register(type("Source", (DataSource,), body))
    attempt(lambda: spark.read.format(name).load())


def failing(self):
    raise ValueError("no schema today")


source("s1", DataSource.schema)
source("s3", lambda self: IntegerType())
source("s4", lambda self: None)
source("s5", failing)
source("s6", lambda self: "int")
attempt(lambda: spark.read.format("s1").schema("a int").load())

print("-- parts")
print(type(spark.dataSource).__name__, repr(InputPartition(3)), repr(Range(1, 5)))
options = CaseInsensitiveDict({"A": 1}, b=2)
print(options, options["a"], options["B"], "A" in options, 3 in options, options.copy(), list(options.items()))
print(EqualTo(("a",), 1), Not(IsNull(("a", "b"))), In(("a",), (1, 2)) == In(("a",), (1, 2)))
