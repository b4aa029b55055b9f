"""%TITLE%

Written by Tidemark. It runs the script on real Spark (pip install pyspark==%SPARK% pytest): its events come batch by batch as
they came in the page, and every batch has to be the one that was seen there. Rows are compared without their order.
%NOTES%"""

import os
import time
import unicodedata
from unittest.mock import MagicMock

from pyspark.sql import SparkSession
from pyspark.sql.streaming import DataStreamWriter

SCRIPT_NAME = %NAME%
SCRIPT = %SCRIPT%
# The query that is checked, counted in the order of their start.
QUERY = %QUERY%
FOLDERS = [%FOLDERS%]
# What is there before the first batch, by path.
LAID = {
%LAID%}
# What each batch read, and what came out: columns, number of rows, and the rows (of many, the first ones).
BATCHES = [
%BATCHES%]


def lay(files):
    for path, content in files.items():
        # A source does not see names with an underscore: it must not read half a file.
        folder, name = os.path.split(path)
        part = os.path.join(folder, f"_{name}.part")
        with open(part, "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        os.replace(part, path)


def cells(shown):
    """Columns and rows of what show() prints."""
    lines = shown.rstrip("\n").split("\n")
    edges = [at for at, letter in enumerate(lines[0]) if letter == "+"]

    def split(line):
        # Wide letters take two places.
        wide = "".join(letter + "\0" * (unicodedata.east_asian_width(letter) in "WF") for letter in line)
        return [wide[start + 1 : end].replace("\0", "").rstrip() for start, end in zip(edges, edges[1:])]

    return split(lines[1]), [split(line) for line in lines[3:-1]]


class Watcher:
    """Stands where the script's sink was: keeps what comes out of a batch, then lays the next one's files."""

    def __init__(self):
        self.seen = {}
        self.function = None

    def __call__(self, frame, number):
        if number >= len(BATCHES):
            return
        frame.persist()
        self.seen[number] = cells(frame._show_string(1_000_000, False))
        if self.function:
            self.function(frame, number)
        frame.unpersist()
        # A batch without data has no files: Spark runs it by itself, because the watermark has moved.
        if number + 1 < len(BATCHES):
            lay(BATCHES[number + 1]["files"])


def test_batches(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    for folder in FOLDERS:
        os.makedirs(folder, exist_ok=True)
    lay(LAID)
    lay(BATCHES[0]["files"])
    watcher, started, functions = Watcher(), [], {}
    foreach_batch, start_query = DataStreamWriter.foreachBatch, DataStreamWriter.start

    def remember(writer, function):
        functions[id(writer)] = function
        return writer

    def start(writer, path=None, format=None, outputMode=None, partitionBy=None, queryName=None, **options):
        started.append(queryName)
        if len(started) - 1 != QUERY:
            return MagicMock(isActive=False)
        if outputMode is not None:
            writer.outputMode(outputMode)
        watcher.function = functions.get(id(writer))
        foreach_batch(writer, watcher)
        writer.option("checkpointLocation", str(tmp_path / "_checkpoint")).trigger(processingTime="0 seconds")
        query = start_query(writer)
        deadline = time.monotonic() + 300
        while len(watcher.seen) < len(BATCHES) and query.isActive and time.monotonic() < deadline:
            time.sleep(0.1)
        query.stop()
        return query

    monkeypatch.setattr(DataStreamWriter, "foreachBatch", remember)
    monkeypatch.setattr(DataStreamWriter, "partitionBy", lambda writer, *columns: writer)
    monkeypatch.setattr(DataStreamWriter, "start", start)
    monkeypatch.setattr(DataStreamWriter, "toTable", lambda writer, name, *args, **options: start(writer))
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
    spark = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    # A JVM that an earlier test has started stands in that test's folder.
    hadoop = spark._jvm.org.apache.hadoop.fs
    files = hadoop.FileSystem.getLocal(spark._jsc.hadoopConfiguration())
    files.setWorkingDirectory(hadoop.Path(str(tmp_path)))
    try:
        exec(compile(SCRIPT, SCRIPT_NAME, "exec"), {"__name__": "__main__"})
    finally:
        spark.stop()
    assert len(started) > QUERY, "the script has not started the query"
    for number, batch in enumerate(BATCHES):
        assert number in watcher.seen, f"batch {number} did not run"
        columns, rows = watcher.seen[number]
        assert columns == batch["columns"], f"columns of batch {number}"
        assert len(rows) == batch["count"], f"rows of batch {number}: {rows}"
        if len(rows) == len(batch["rows"]):
            assert sorted(rows) == sorted(batch["rows"]), f"batch {number}"
        else:
            assert all(row in rows for row in batch["rows"]), f"batch {number}"
