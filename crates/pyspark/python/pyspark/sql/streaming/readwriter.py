"""DataStreamReader and DataStreamWriter."""

import _tidemark_frame
import _tidemark_stream as _native
from _tidemark_system import fail

from pyspark.errors import PySparkAttributeError, PySparkValueError
from pyspark.sql import _options
from pyspark.sql.column import _expected
from pyspark.sql.readwriter import Reader
from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["DataStreamReader", "DataStreamWriter"]


def _non_empty(value, name):
    if not value or not isinstance(value, str) or not value.strip():
        raise PySparkValueError(
            errorClass="VALUE_NOT_NON_EMPTY_STR", messageParameters={"arg_name": name, "arg_value": str(value)}
        )
    return value


def _reading(method):
    def read(self, path, *args, **kwargs):
        self._set(method, _options.READ_STREAM, args, kwargs)
        if not isinstance(path, str):
            raise _expected("path", "str", path)
        return self._read([path])

    read.__name__ = method
    return read


class DataStreamReader(Reader):
    _streaming = True
    json = _reading("json")
    csv = _reading("csv")
    text = _reading("text")
    parquet = _reading("parquet")
    orc = _reading("orc")
    xml = _reading("xml")

    def load(self, path=None, format=None, schema=None, **options):
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        if path is None:
            return self._read([])
        if not isinstance(path, str) or not path.strip():
            raise PySparkValueError(
                errorClass="VALUE_NOT_NON_EMPTY_STR", messageParameters={"arg_name": "path", "arg_value": str(path)}
            )
        return self._read([path])

    def name(self, source_name):
        if not isinstance(source_name, str):
            raise _expected("source_name", "str", source_name)
        if not source_name.isascii() or not source_name.replace("_", "a").isalnum():
            raise PySparkValueError(
                errorClass="INVALID_STREAMING_SOURCE_NAME", messageParameters={"source_name": source_name}
            )
        return self

    def table(self, tableName):
        from pyspark.sql.dataframe import DataFrame

        if not isinstance(tableName, str):
            raise _expected("tableName", "str", tableName)
        return DataFrame(_tidemark_frame.table(tableName, True), self._spark)


class DataStreamWriter(_options.Options):
    def __init__(self, df):
        super().__init__()
        self._df = df
        self._spark = df.sparkSession
        self._settings = {}
        if not df.isStreaming:
            fail("AnalysisException", "WRITE_STREAM_NOT_ALLOWED", {})

    def outputMode(self, outputMode):
        self._settings["outputMode"] = _known_mode(_non_empty(outputMode, "outputMode"))
        return self

    def format(self, source):
        # The last of format(), foreach() and foreachBatch() says where the rows go.
        self._settings["format"] = source
        self._settings.pop("foreach", None)
        self._settings.pop("foreachBatch", None)
        return self

    def partitionBy(self, *cols):
        return self._write_by("partitionBy", cols)

    def clusterBy(self, *cols):
        return self._write_by("clusterBy", cols)

    def _write_by(self, what, cols):
        if len(cols) == 1 and isinstance(cols[0], (list, tuple)):
            cols = cols[0]
        self._settings[what] = list(cols)
        if "partitionBy" in self._settings and "clusterBy" in self._settings:
            fail("AnalysisException", "SPECIFY_CLUSTER_BY_WITH_PARTITIONED_BY_IS_NOT_ALLOWED", {})
        return self

    def option(self, key, value):
        if value is not None and key.lower() == "queryname":
            # As queryName() keeps it, too.
            self._settings["queryName"] = _options.text(value)
        return super().option(key, value)

    def queryName(self, queryName):
        self._settings["queryName"] = _non_empty(queryName, "queryName")
        return self

    def trigger(self, *, processingTime=None, once=None, continuous=None, availableNow=None, realTime=None):
        given = [processingTime, once, continuous, availableNow, realTime]
        if given.count(None) != 4:
            raise PySparkValueError(errorClass="ONLY_ALLOW_SINGLE_TRIGGER", messageParameters={})
        intervals = {"processingTime": processingTime, "continuous": continuous, "realTime": realTime}
        for name, interval in intervals.items():
            if interval is not None:
                if not isinstance(interval, str) or not interval.strip():
                    raise PySparkValueError(
                        errorClass="VALUE_NOT_NON_EMPTY_STR",
                        messageParameters={"arg_name": name, "arg_value": str(interval)},
                    )
                _native.check_trigger(name, interval.strip())
                self._settings["trigger"] = (name, interval.strip())
                return self
        name, flag = ("once", once) if once is not None else ("availableNow", availableNow)
        if flag is not True:
            raise PySparkValueError(
                errorClass="VALUE_NOT_ALLOWED", messageParameters={"arg_name": name, "allowed_values": "[True]"}
            )
        self._settings["trigger"] = (name, None)
        return self

    def foreach(self, f):
        self._settings["foreach"] = _foreach_function(f)
        self._settings.pop("foreachBatch", None)
        return self

    def foreachBatch(self, func):
        from pyspark.sql.dataframe import DataFrame

        session = self._spark

        def call(plan, batch_id):
            func(DataFrame(plan, session), batch_id)

        self._settings["foreachBatch"] = call
        self._settings.pop("foreach", None)
        return self

    def _given(self, format, outputMode, partitionBy, queryName, options):
        self.options(**options)
        if outputMode is not None:
            self.outputMode(outputMode)
        if partitionBy is not None:
            self.partitionBy(partitionBy)
        if format is not None:
            self.format(format)
        if queryName is not None:
            self.queryName(queryName)

    def _start(self, **extra):
        return StreamingQuery(_native.start(self._df._plan, {**self._settings, "options": self._options, **extra}))

    def start(self, path=None, format=None, outputMode=None, partitionBy=None, queryName=None, **options):
        self._given(format, outputMode, partitionBy, queryName, options)
        return self._start(**({} if path is None else {"path": path}))

    def toTable(self, tableName, format=None, outputMode=None, partitionBy=None, queryName=None, **options):
        self._given(format, outputMode, partitionBy, queryName, options)
        return self._start(table=tableName)


def _foreach_function(f):
    """One call per partition: (partition, epoch, rows)."""
    if callable(f):

        def each(partition, epoch, rows):
            for row in rows:
                f(row)

        return each

    def method(name, required=False):
        found = getattr(f, name, None)
        if found is None and not required and not hasattr(f, name):
            return None
        if not callable(found):
            raise PySparkAttributeError(
                errorClass="ATTRIBUTE_NOT_CALLABLE", messageParameters={"attr_name": name, "obj_name": "f"}
            )
        return found

    process, open_, close = method("process", True), method("open"), method("close")

    def write(partition, epoch, rows):
        wanted = True if open_ is None else open_(partition, epoch)
        error = None
        try:
            if wanted:
                for row in rows:
                    process(row)
        except Exception as failure:
            error = failure
        finally:
            if close is not None:
                close(error)
            if error is not None:
                raise error

    return write


def _known_mode(mode):
    """InternalOutputModes.apply, at outputMode() as in Spark."""
    if mode.lower() not in ("append", "complete", "update"):
        fail("IllegalArgumentException", "STREAMING_OUTPUT_MODE.INVALID", {"outputMode": mode})
    return mode
