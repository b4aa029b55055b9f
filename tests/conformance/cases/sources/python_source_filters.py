# Filters that a reader written in Python takes over (pushFilters), where that is switched on.
import os

from pyspark.sql import SparkSession
from pyspark.sql.datasource import *

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.python.filterPushdown.enabled", True)
LOG = os.getcwd() + "/calls.txt"


def note(*words):
    with open(LOG, "a") as file:
        file.write(" ".join(map(str, words)) + "\n")


def attempt(title, make):
    print("--", title)
    try:
        print([row[0] for row in make().collect()])
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line and line[0] not in " \t"]
        print(type(error).__name__, error.getCondition(), "|", lines[0][:80], "|", lines[-1].partition(" Input filters")[0])
    if os.path.exists(LOG):
        print(open(LOG).read(), end="")
        os.remove(LOG)


class Reader(DataSourceReader):
    def __init__(self):
        self.pushed = []

    def pushFilters(self, filters):
        note("pushFilters", filters)
        for one in filters:
            if isinstance(one, (EqualTo, In, GreaterThan)):
                self.pushed.append(one)
            else:
                yield one

    def partitions(self):
        note("partitions", self.pushed)
        return [InputPartition(1)]

    def read(self, partition):
        note("read", self.pushed)
        # Filters that the reader has taken are not looked at again.
        yield (1, "x", 1.5, None, (1, 2))
        yield (2, "y", 2.5, None, (1, 2))
        yield (3, "xy", None, None, (1, 2))


def source(name, make):
    class Source(DataSource):
        def schema(self):
            return "a int, b string, c double, d date, s struct<p:int,q:int>"

        def reader(self, schema):
            return make()

    Source.name = classmethod(lambda cls: name)
    spark.dataSource.register(Source)
    return spark.read.format(name).load()


df = source("pushing", Reader)
for condition in [
    "a = 1", "a > 1 and b = 'x'", "a in (1, 2)", "a <> 2", "a is null", "b like 'x%'", "b like '%y'", "b like '%x%'",
    "a = 1 or b = 'y'", "a <=> 1", "c < 2.0", "d = date'2026-01-02'", "a + 1 = 2", "1 < a", "a not in (1, 2)",
    "b is null and c >= 2.5", "a between 1 and 2",
]:  # fmt: skip
    attempt(condition, lambda: df.filter(condition).select("a"))
df.filter("a = 1 and c < 2").explain()
attempt("no filter: the reader that was made last", lambda: df.select("a"))


class Strange(Reader):
    def pushFilters(self, filters):
        return [EqualTo(("a",), 1)]


class Failing(Reader):
    def pushFilters(self, filters):
        raise ValueError("no pushing")


attempt("another filter", lambda: source("strange", Strange).filter("a = 1"))
attempt("a failure", lambda: source("failing", Failing).filter("a = 1"))
spark.conf.set("spark.sql.python.filterPushdown.enabled", False)
attempt("switched off", lambda: source("pushing", Reader).filter("a = 1"))
