"""%TITLE%

Written by Tidemark. It runs the script on real Spark (pip install pyspark==%SPARK% pytest): its events come batch by batch as
they came in the page, and every batch has to be the one that was seen there. Rows are compared without their order. The
script runs once for each of its queries; the sinks of the script are not written, a function of foreachBatch is called.
%NOTES%"""

import os
import time
import unicodedata
from unittest.mock import MagicMock

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming import DataStreamReader, DataStreamWriter

SCRIPT_NAME = %NAME%
SCRIPT = %SCRIPT%
# Each query of the script: its place in the order of their start, the folders that are there before the first batch and the
# files in them, the files that stand in for sources whose rows come of themselves (format: folder, schema), and its batches:
# what each read, and what came out (columns, number of rows, and the rows; of many, the first ones).
CASES = {
%CASES%}


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

    def __init__(self, batches):
        self.batches = batches
        self.seen = {}
        self.function = None

    def __call__(self, frame, number):
        if number >= len(self.batches):
            return
        frame.persist()
        self.seen[number] = cells(frame._show_string(1_000_000, False))
        if self.function:
            self.function(frame, number)
        frame.unpersist()
        # A batch without data has no files: Spark runs it by itself, because the watermark has moved.
        if number + 1 < len(self.batches):
            lay(self.batches[number + 1]["files"])


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_batches(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    batches, stand_ins = case["batches"], case["stand_ins"]
    for folder in case["folders"]:
        os.makedirs(folder, exist_ok=True)
    lay(case["laid"])
    lay(batches[0]["files"])
    watcher, started, functions, formats = Watcher(batches), [], {}, {}
    foreach_batch, start_query = DataStreamWriter.foreachBatch, DataStreamWriter.start
    set_format, load_stream = DataStreamReader.format, DataStreamReader.load

    def note_format(reader, source):
        formats[id(reader)] = (source, reader)
        return set_format(reader, source)

    def load(reader, path=None, format=None, schema=None, **options):
        source = format or formats.get(id(reader), (None, None))[0]
        if source not in stand_ins:
            return load_stream(reader, path, format, schema, **options)
        folder, columns = stand_ins[source]
        return SparkSession.getActiveSession().readStream.schema(columns).json(folder)

    def remember(writer, function):
        functions[id(writer)] = function
        return writer

    def start(writer, path=None, format=None, outputMode=None, partitionBy=None, queryName=None, **options):
        started.append(queryName)
        if len(started) - 1 != case["query"]:
            return MagicMock(isActive=False)
        if outputMode is not None:
            writer.outputMode(outputMode)
        watcher.function = functions.get(id(writer))
        foreach_batch(writer, watcher)
        writer.option("checkpointLocation", str(tmp_path / "_checkpoint")).trigger(processingTime="0 seconds")
        query = start_query(writer)
        deadline = time.monotonic() + 300
        while len(watcher.seen) < len(batches) and query.isActive and time.monotonic() < deadline:
            time.sleep(0.1)
        query.stop()
        return query

    monkeypatch.setattr(DataStreamReader, "format", note_format)
    monkeypatch.setattr(DataStreamReader, "load", load)
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
    assert len(started) > case["query"], "the script has not started the query"
    for number, batch in enumerate(batches):
        assert number in watcher.seen, f"batch {number} did not run"
        columns, rows = watcher.seen[number]
        assert columns == batch["columns"], f"columns of batch {number}"
        assert len(rows) == batch["count"], f"rows of batch {number}: {rows}"
        if len(rows) == len(batch["rows"]):
            assert sorted(rows) == sorted(batch["rows"]), f"batch {number}"
        else:
            assert all(row in rows for row in batch["rows"]), f"batch {number}"
