"""The little of RDD that scripts reach through DataFrames: rows in hand, transformed at once."""

import _tidemark_frame as _native

__all__ = ["RDD"]


class RDD:
    def __init__(self, rows, session, partitions=1):
        self._made = None if rows is None else list(rows)
        self._frame = None
        self._session = session
        self._partitions = partitions

    @classmethod
    def _of(cls, df):
        rdd = cls(None, df.sparkSession, None)
        rdd._frame = df
        return rdd

    @property
    def _rows(self):
        if self._made is None:
            self._made = self._frame.collect()
        return self._made

    def _with(self, rows):
        return RDD(rows, self._session, self.getNumPartitions())

    def collect(self):
        return list(self._rows)

    def map(self, f, preservesPartitioning=False):
        return self._with(f(row) for row in self._rows)

    def flatMap(self, f, preservesPartitioning=False):
        return self._with(item for row in self._rows for item in f(row))

    def filter(self, f):
        return self._with(row for row in self._rows if f(row))

    def foreach(self, f):
        for row in self._rows:
            f(row)

    def count(self):
        return len(self._rows)

    def first(self):
        if not self._rows:
            raise ValueError("RDD is empty")
        return self._rows[0]

    def take(self, num):
        return self._rows[:num]

    def isEmpty(self):
        return not self._rows

    def sum(self):
        return sum(self._rows)

    def max(self, key=None):
        return max(self._rows, key=key)

    def min(self, key=None):
        return min(self._rows, key=key)

    def reduce(self, f):
        from functools import reduce

        return reduce(f, self._rows)

    def distinct(self, numPartitions=None):
        return self._with(dict.fromkeys(self._rows))

    def zipWithIndex(self):
        return self._with((row, index) for index, row in enumerate(self._rows))

    def getNumPartitions(self):
        if self._partitions is None:
            self._partitions = _native.partition_count(self._frame._plan)
        return self._partitions

    def toDF(self, schema=None, sampleRatio=None):
        return self._session.createDataFrame(self._rows, schema)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        from pyspark.sql._literals import not_yet

        raise not_yet(f"RDD.{name}")
