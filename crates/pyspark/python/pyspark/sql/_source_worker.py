"""What the engine calls of a data source of the script's.

In Spark, classes, instances, readers, partitions and messages are pickled on their way between the driver and Python
processes; here they are copied at these places, so that what is noted in one process is not seen in another.
Texts go in and out: schemas, options and offsets as JSON, numbers in decimal."""

import inspect
import json
from collections.abc import Iterator

import _tidemark_conf

from pyspark.errors import PySparkAssertionError, PySparkNotImplementedError, PySparkRuntimeError, PySparkTypeError
from pyspark.sql import datasource as api
from pyspark.sql._crossing import crossed
from pyspark.sql._source_rows import columns_of, invalid_return
from pyspark.sql.types import _parse_datatype_json_string

_PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def mismatch(expected, value, error=PySparkAssertionError):
    """DATA_SOURCE_TYPE_MISMATCH: something of another class than was wanted."""
    return error(
        errorClass="DATA_SOURCE_TYPE_MISMATCH",
        messageParameters={"expected": expected, "actual": f"'{type(value).__name__}'"},
    )


class Registered:
    """A class given to spark.dataSource.register."""

    def __init__(self, cls):
        self._cls = crossed(cls)

    def load(self, provider, options, schema):
        """What one load() reads; `schema`: the user's, or nothing."""
        return Loaded(self, provider, options, schema)

    def writing(self, provider, options, schema, overwrite):
        """What one save() or streaming query writes."""
        from pyspark.sql._source_writer import Writing

        return Writing(self, provider, options, schema, overwrite)

    def instance(self, provider, options):
        cls = crossed(self._cls)
        if not (isinstance(cls, type) and issubclass(cls, api.DataSource)):
            raise mismatch("a subclass of DataSource", cls)
        if not inspect.ismethod(cls.name):
            raise mismatch("'name()' method to be a classmethod", cls.name, PySparkTypeError)
        name = cls.name()
        if provider.lower() != name.lower():
            raise PySparkAssertionError(
                errorClass="DATA_SOURCE_TYPE_MISMATCH",
                messageParameters={"expected": f"provider with name {name}", "actual": f"'{provider}'"},
            )
        return cls(options=api.CaseInsensitiveDict(json.loads(options)))


class Loaded:
    """A data source as one load() made it: its instance and the reader that tasks get copies of are made once."""

    def __init__(self, registered, provider, options, schema):
        self._registered, self._provider, self._options, self._given = registered, provider, options, schema
        self._source = self._reader = self._planned = None

    def create(self):
        """Makes the instance, once; the schema as DDL ("D...") or JSON ("J..."), where the user gave none."""
        if self._source is not None:
            return None
        source = self._registered.instance(self._provider, self._options)
        schema = None
        if not self._given:
            schema = source.schema()
            assert schema is not None
            schema = f"D{schema}" if isinstance(schema, str) else f"J{schema.json()}"
        self._source = crossed(source)
        return schema

    def instance(self):
        """A copy of the instance, as a process gets it."""
        return crossed(self._source)

    def _make_reader(self, schema):
        reader = self.instance().reader(schema=schema)
        if not isinstance(reader, api.DataSourceReader):
            raise mismatch("an instance of DataSourceReader", reader)
        return reader

    def initialize(self, schema):
        """Makes the reader of a batch, once."""
        if self._planned is not None:
            return
        schema = _parse_datatype_json_string(schema)
        reader = self._make_reader(schema)
        implemented = getattr(reader.pushFilters, "__func__", None) is not api.DataSourceReader.pushFilters
        if implemented and (_tidemark_conf.get_or(_PUSHDOWN, "false") or "").lower() != "true":
            raise PySparkAssertionError(
                errorClass="DATA_SOURCE_PUSHDOWN_DISABLED",
                messageParameters={"type": type(reader).__name__, "conf": _PUSHDOWN},
            )
        self._schema, self._planned = schema, reader

    def push(self, schema, filters):
        """Makes a reader that knows the filters; the places of those that it takes over. Spark keeps it for later batches."""
        from pyspark.sql._source_filters import pushed

        schema = _parse_datatype_json_string(schema)
        reader = self._make_reader(schema)
        taken = pushed(reader, filters)
        self._schema, self._planned, self._reader = schema, reader, None
        return " ".join(map(str, taken))

    def partitions(self):
        """The number of partitions of a batch."""
        if self._reader is None:
            reader = self._planned
            # Tasks get the reader as it was before it was asked.
            made = crossed(reader)
            try:
                partitions = reader.partitions()
            except NotImplementedError:
                partitions = [api.InputPartition(None)]
            if not isinstance(partitions, list):
                raise mismatch("'partitions' to return a list", partitions, PySparkRuntimeError)
            if not all(isinstance(partition, api.InputPartition) for partition in partitions):
                raise PySparkRuntimeError(
                    errorClass="DATA_SOURCE_TYPE_MISMATCH",
                    messageParameters={
                        "expected": "elements in 'partitions' to be of type 'InputPartition'",
                        "actual": ", ".join(f"'{type(partition).__name__}'" for partition in partitions),
                    },
                )
            self._partitions = crossed(partitions) or [api.InputPartition(None)]
            self._reader = made
        return str(len(self._partitions))

    def read(self, index):
        return self.rows(self._reader, self._partitions[int(index)], self._schema)

    def rows(self, reader, partition, schema):
        """A task: a copy of the reader reads a copy of the partition."""
        reader, partition = crossed((reader, partition))
        assert isinstance(partition, api.InputPartition), (
            f"Expected the partition value to be of type 'InputPartition', but found '{type(partition).__name__}'."
        )
        rows = reader.read(partition)
        if not isinstance(rows, Iterator):
            raise invalid_return(rows, self._source.name(), "iterator")
        return columns_of(rows, schema, self._source.name())

    def stream(self, schema):
        """What a query reads of a stream."""
        from pyspark.sql.streaming._source_stream import Stream

        return Stream(self, _parse_datatype_json_string(schema))

    def stream_reader(self, schema):
        """The reader whose copies the tasks of every query over this load() get."""
        if self._reader is None:
            self._reader = crossed(make_stream_reader(self.instance(), schema))
        return self._reader


def make_stream_reader(source, schema):
    """The stream reader, or where there is none the simple one in a reader's clothes."""
    from pyspark.sql.streaming._source_stream import SimpleReader

    try:
        return source.streamReader(schema=schema)
    except PySparkNotImplementedError:
        return SimpleReader(source.simpleStreamReader(schema=schema))
