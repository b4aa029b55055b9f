"""Data sources written in Python: what a script subclasses, and spark.dataSource."""

from abc import ABC, abstractmethod
from collections import UserDict
from dataclasses import dataclass
from typing import Any, Tuple

from pyspark.errors import PySparkNotImplementedError
from pyspark.sql.streaming.datasource import ReadAllAvailable

__all__ = [
    "DataSource", "DataSourceReader", "DataSourceStreamReader", "DataSourceWriter", "DataSourceArrowWriter",
    "DataSourceStreamWriter", "DataSourceStreamArrowWriter", "SimpleDataSourceStreamReader", "DataSourceRegistration",
    "InputPartition", "WriterCommitMessage", "Filter", "EqualTo", "EqualNullSafe", "GreaterThan", "GreaterThanOrEqual",
    "LessThan", "LessThanOrEqual", "In", "IsNull", "IsNotNull", "Not", "StringStartsWith", "StringEndsWith",
    "StringContains",
]  # fmt: skip


def _missing(feature):
    return PySparkNotImplementedError(errorClass="NOT_IMPLEMENTED", messageParameters={"feature": feature})


class DataSource(ABC):
    def __init__(self, options):
        self.options = options

    @classmethod
    def name(cls):
        return cls.__name__

    def schema(self):
        raise _missing("schema")

    def reader(self, schema):
        raise _missing("reader")

    def writer(self, schema, overwrite):
        raise _missing("writer")

    def streamWriter(self, schema, overwrite):
        raise _missing("streamWriter")

    def simpleStreamReader(self, schema):
        raise _missing("simpleStreamReader")

    def streamReader(self, schema):
        raise _missing("streamReader")


ColumnPath = Tuple[str, ...]


@dataclass(frozen=True)
class Filter(ABC):
    """A condition on a column, which is a tuple of names from the outermost field inwards."""


@dataclass(frozen=True)
class EqualTo(Filter):
    attribute: ColumnPath
    value: Any


@dataclass(frozen=True)
class EqualNullSafe(Filter):
    attribute: ColumnPath
    value: Any


@dataclass(frozen=True)
class GreaterThan(Filter):
    attribute: ColumnPath
    value: Any


@dataclass(frozen=True)
class GreaterThanOrEqual(Filter):
    attribute: ColumnPath
    value: Any


@dataclass(frozen=True)
class LessThan(Filter):
    attribute: ColumnPath
    value: Any


@dataclass(frozen=True)
class LessThanOrEqual(Filter):
    attribute: ColumnPath
    value: Any


@dataclass(frozen=True)
class In(Filter):
    attribute: ColumnPath
    value: Tuple[Any, ...]


@dataclass(frozen=True)
class IsNull(Filter):
    attribute: ColumnPath


@dataclass(frozen=True)
class IsNotNull(Filter):
    attribute: ColumnPath


@dataclass(frozen=True)
class Not(Filter):
    child: Filter


@dataclass(frozen=True)
class StringStartsWith(Filter):
    attribute: ColumnPath
    value: str


@dataclass(frozen=True)
class StringEndsWith(Filter):
    attribute: ColumnPath
    value: str


@dataclass(frozen=True)
class StringContains(Filter):
    attribute: ColumnPath
    value: str


class InputPartition:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        attributes = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{self.__class__.__name__}({attributes})"


class DataSourceReader(ABC):
    def pushFilters(self, filters):
        return filters

    def partitions(self):
        return [InputPartition(None)]

    @abstractmethod
    def read(self, partition): ...


class DataSourceStreamReader(ABC):
    def initialOffset(self):
        raise _missing("initialOffset")

    def latestOffset(self, start, limit):
        raise _missing("latestOffset")

    def getDefaultReadLimit(self):
        return ReadAllAvailable()

    def reportLatestOffset(self):
        return None

    def partitions(self, start, end):
        raise _missing("partitions")

    @abstractmethod
    def read(self, partition):
        raise _missing("read")

    def commit(self, end): ...

    def stop(self): ...


class SimpleDataSourceStreamReader(ABC):
    def initialOffset(self):
        raise _missing("initialOffset")

    def read(self, start):
        raise _missing("read")

    def readBetweenOffsets(self, start, end):
        raise _missing("readBetweenOffsets")

    def commit(self, end): ...


class DataSourceWriter(ABC):
    @abstractmethod
    def write(self, iterator): ...

    def commit(self, messages): ...

    def abort(self, messages): ...


class DataSourceArrowWriter(DataSourceWriter):
    @abstractmethod
    def write(self, iterator): ...


class DataSourceStreamWriter(ABC):
    @abstractmethod
    def write(self, iterator): ...

    def commit(self, messages, batchId): ...

    def abort(self, messages, batchId): ...


class DataSourceStreamArrowWriter(DataSourceStreamWriter):
    @abstractmethod
    def write(self, iterator): ...


class WriterCommitMessage:
    pass


class DataSourceRegistration:
    """spark.dataSource."""

    def __init__(self, sparkSession):
        self.sparkSession = sparkSession

    def register(self, dataSource):
        from _tidemark_conf import register_source

        from pyspark.sql._source_worker import Registered

        name = dataSource.name()
        self.sparkSession._enter()
        register_source(name, Registered(dataSource))


class CaseInsensitiveDict(UserDict):
    """The options of a data source."""

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.update(*args, **kwargs)

    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)

    def __getitem__(self, key):
        return super().__getitem__(key.lower())

    def __delitem__(self, key):
        super().__delitem__(key.lower())

    def __contains__(self, key):
        return isinstance(key, str) and super().__contains__(key.lower())

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def copy(self):
        return type(self)(self)
