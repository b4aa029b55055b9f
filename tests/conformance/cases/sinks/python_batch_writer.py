# Data sources written in Python as targets of save(): writers, messages, commit and abort, modes, errors.
import os
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql.datasource import *

spark = SparkSession.builder.getOrCreate()
LOG = os.getcwd() + "/calls.txt"


def note(*words):
    with open(LOG, "a") as file:
        file.write(" ".join(map(str, words)) + "\n")


def attempt(title, save):
    print("--", title)
    try:
        save()
    except Exception as error:
        condition = error.getCondition() if hasattr(error, "getCondition") else None
        lines = [line for line in str(error).split("JVM stacktrace")[0].splitlines() if line and line[0] not in " \t"]
        print(type(error).__name__, condition, "|", lines[0][: 120 if condition else 12], "|", lines[-1] if len(lines) > 1 else "")
    if os.path.exists(LOG):
        for line in sorted(open(LOG).read().splitlines()):
            print("  >", line)
        os.remove(LOG)


@dataclass
class Count(WriterCommitMessage):
    rows: int


class Writer(DataSourceWriter):
    def __init__(self, schema, overwrite, options):
        note("writer made", schema.simpleString(), overwrite, sorted(options.items()))

    def write(self, iterator):
        rows = list(iterator)
        self.written = len(rows)
        note("write", rows, type(rows[0]).__name__ if rows else "")
        if any(row[0] == 13 for row in rows):
            raise ValueError("unlucky")
        return Count(len(rows))

    def commit(self, messages):
        note("commit", messages, getattr(self, "written", "nothing noted"))

    def abort(self, messages):
        note("abort", messages)


class Target(DataSource):
    def __init__(self, options):
        super().__init__(options)
        note("source made")

    @classmethod
    def name(cls):
        return "target"

    def writer(self, schema, overwrite):
        return Writer(schema, overwrite, self.options)


spark.dataSource.register(Target)
df = spark.createDataFrame([(1, "x"), (2, "y"), (3, None)], "a int, b string").coalesce(2)


def saved(frame, mode="append", path=None, **options):
    writer = frame.write.format("target").options(**options)
    return lambda: (writer.mode(mode) if mode else writer).save(path)


for mode in ("append", "overwrite", None, "ignore", "error"):
    attempt(mode, saved(df, mode, K=1))
attempt("path", saved(df, path="/some/path"))
attempt("columns", saved(spark.range(2).coalesce(1)))
attempt("no rows", saved(df.filter("a > 100").coalesce(1)))
attempt("a task fails", saved(spark.createDataFrame([(13, "x")], "a int, b string").coalesce(1)))
attempt("several rows of a partition", saved(spark.range(5).coalesce(1)))


def target(name, writer=None, **members):
    body = {"name": classmethod(lambda cls: name)}
    if members:
        made = type("Writer", (DataSourceWriter,), members)
        writer = lambda self, schema, overwrite: made()
    if writer:
        body["writer"] = writer
    spark.dataSource.register(type("Target", (DataSource,), body))
    attempt(name, df.coalesce(1).write.format(name).mode("append").save)


def raising(*_):
    raise ValueError("raised here")


def noted(self, messages):
    note("abort", messages)


target("no writer")
target("another class", lambda self, schema, overwrite: 5)
target("a writer that raises", raising)
target("no message", write=lambda self, iterator: None, abort=noted)
target("another message", write=lambda self, iterator: 7, abort=noted)
target("a commit that raises", write=lambda self, iterator: Count(1), commit=raising, abort=noted)
target("an abort that raises", write=raising, abort=raising)
target("write that reads nothing", write=lambda self, iterator: Count(0), commit=lambda self, messages: note(messages))


class Typed(DataSource):
    @classmethod
    def name(cls):
        return "typed"

    def writer(self, schema, overwrite):
        class Values(DataSourceWriter):
            def write(self, iterator):
                for row in iterator:
                    note(tuple(row))
                return WriterCommitMessage()

        return Values()


spark.dataSource.register(Typed)
frame = spark.sql(
    "select timestamp'2026-01-02 03:04:05.5' t, timestamp_ntz'2026-01-02 03:04:05' n, date'2026-01-02' d, cast(1.5 as decimal(10,2)) e,"
    " array(1,2) l, map('z', 1.5d, 'a', 2d) m, X'7879' b, named_struct('p', 1, 'q', 'x') s, interval 1 day i, null o"
)
attempt("types", frame.coalesce(1).write.format("typed").mode("append").save)
attempt("partitionBy", df.write.format("target").mode("append").partitionBy("a").save)
