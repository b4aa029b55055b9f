"""A stream of the script's as one query reads it: offsets, limits, partitions and their rows."""

import copy
import dataclasses
import inspect
import json
from itertools import chain

from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import datasource as api
from pyspark.sql._crossing import crossed
from pyspark.sql._source_rows import columns_of
from pyspark.sql._source_worker import make_stream_reader
from pyspark.sql.streaming import datasource as limits


class SimplePartition(api.InputPartition):
    def __init__(self, start, end):
        self.start, self.end = start, end


class SimpleReader(api.DataSourceStreamReader):
    """A SimpleDataSourceStreamReader as a stream reader: what it reads while it looks for the newest offset is kept until the
    batch comes to read it."""

    def __init__(self, simple):
        self.simple = simple
        self._prefetched = []

    def initialOffset(self):
        return self.simple.initialOffset()

    def latestOffset(self, start, limit):
        assert start is not None, "start offset should not be None"
        assert isinstance(limit, limits.ReadAllAvailable), "simple stream reader does not support read limit"
        rows, end = self.simple.read(start)
        before, after = json.dumps(start), json.dumps(end)
        if before != after:
            self._prefetched.append((before, after, rows))
        elif next(rows, None) is not None:
            raise PySparkException(
                errorClass="SIMPLE_STREAM_READER_OFFSET_DID_NOT_ADVANCE",
                messageParameters={"start_offset": before, "end_offset": after},
            )
        return end

    def partitions(self, start, end):
        if self._prefetched:
            assert self._prefetched[-1][1] == json.dumps(end)
        return [SimplePartition(start, end)]

    def prefetched(self, start, end):
        """The rows between two offsets, where they have been read already."""
        starts = [before for before, _, _ in self._prefetched]
        ends = [after for _, after, _ in self._prefetched]
        start, end = json.dumps(start), json.dumps(end)
        if start not in starts or end not in ends:
            return None
        # Copies of the iterators: they may be walked again.
        found = self._prefetched[starts.index(start) : ends.index(end) + 1]
        return chain.from_iterable([copy.copy(rows) for _, _, rows in found])

    def read(self, partition):
        return self.simple.readBetweenOffsets(partition.start, partition.end)

    def commit(self, end):
        ends = [after for _, after, _ in self._prefetched]
        if json.dumps(end) in ends:
            self._prefetched = self._prefetched[ends.index(json.dumps(end)) :]
        self.simple.commit(end)


def _stopping(method):
    """Spark's runner stops its reader where a call fails; a query that ends takes its process away without a word."""

    def call(self, *texts):
        try:
            return method(self, *texts)
        except Exception:
            self._reader.stop()
            raise

    return call


class Stream:
    """Methods are those of Spark's stream runner; offsets are JSON."""

    def __init__(self, loaded, schema):
        self._loaded, self._schema = loaded, schema
        try:
            reader = make_stream_reader(loaded.instance(), schema)
        except Exception:
            # As there, where a reader is to be stopped that was not made.
            raise UnboundLocalError("cannot access local variable 'reader' where it is not associated with a value")
        self._reader = reader
        self._planned = []
        self._rows = None

    @_stopping
    def features(self):
        """Which of "limit" and "now" the reader knows: a start offset with a limit, and Trigger.AvailableNow."""
        simple = isinstance(self._reader, SimpleReader)
        reader = self._reader.simple if simple else self._reader
        known = ["limit"] if simple or inspect.signature(reader.latestOffset).parameters else []
        if isinstance(reader, limits.SupportsTriggerAvailableNow):
            known.append("now")
        return " ".join(known)

    @_stopping
    def prepare(self):
        reader = self._reader.simple if isinstance(self._reader, SimpleReader) else self._reader
        reader.prepareForTriggerAvailableNow()

    @_stopping
    def default_limit(self):
        limit = self._reader.getDefaultReadLimit()
        return json.dumps({**dataclasses.asdict(limit), "_type": type(limit).__name__})

    @_stopping
    def initial_offset(self):
        return json.dumps(self._reader.initialOffset())

    @_stopping
    def latest_offset(self):
        return json.dumps(self._reader.latestOffset())

    @_stopping
    def latest_offset_within(self, start, limit):
        parameters = json.loads(limit)
        kind = parameters.pop("_type")
        limit = getattr(limits, kind)(**parameters)
        return json.dumps(self._reader.latestOffset(json.loads(start), limit))

    @_stopping
    def report_latest(self):
        if isinstance(self._reader, SimpleReader):
            return None
        offset = self._reader.reportLatestOffset()
        return None if offset is None else json.dumps(offset)

    @_stopping
    def plan(self, start, end):
        """Plans what lies between two offsets: the number of its partitions."""
        start, end = json.loads(start), json.loads(end)
        self._planned = crossed(self._reader.partitions(start, end))
        self._rows = None
        if isinstance(self._reader, SimpleReader):
            rows = self._reader.prefetched(start, end)
            if rows is not None:
                self._rows = columns_of(rows, self._schema, self._loaded.instance().name())
        return str(len(self._planned))

    def ready(self):
        """Makes the reader that tasks get copies of."""
        self._loaded.stream_reader(self._schema)

    def read(self, index):
        if self._rows is not None:
            return self._rows
        return self._loaded.rows(self._loaded.stream_reader(self._schema), self._planned[int(index)], self._schema)

    @_stopping
    def commit(self, end):
        self._reader.commit(json.loads(end))
