"""SparkSession."""

import _tidemark_conf
import _tidemark_frame as _native
from _tidemark_system import fail

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql._session_connect import ConnectMembers
from pyspark.sql.dataframe import DataFrame
from pyspark.sql.types import DataType, StructField, StructType, _parse_datatype_string

__all__ = ["SparkSession"]


class Builder:
    """Collects configuration; `SparkSession.builder` is a new one every time."""

    def __init__(self):
        self._options = {}

    def config(self, key=None, value=None, conf=None, *, map=None):
        if conf is not None:
            for name, given in conf.getAll():
                self._options[name] = given
        elif map is not None:
            for name, given in map.items():
                self._options[name] = _text(given)
        else:
            self._options[key] = _text(value)
        return self

    def master(self, master):
        return self.config("spark.master", master)

    def appName(self, name):
        return self.config("spark.app.name", name)

    def remote(self, url):
        from pyspark.sql._literals import not_yet

        raise not_yet("Spark Connect")

    def enableHiveSupport(self):
        return self.config("spark.sql.catalogImplementation", "hive")

    def getOrCreate(self):
        session = SparkSession._instantiatedSession
        if session is None:
            session = SparkSession()
            session._apply(self._options)
        else:
            kept = {key: value for key, value in self._options.items() if not _tidemark_conf.is_static(key)}
            # The context and its threads stay as they were made.
            kept.pop("spark.master", None)
            session._apply(kept)
        SparkSession._activeSession = session
        return session

    create = getOrCreate


Builder.__qualname__ = "SparkSession.Builder"


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


class classproperty:
    """A property of the class itself."""

    def __init__(self, fget):
        self.fget = fget

    def __get__(self, instance, owner=None):
        return self.fget(type(instance) if owner is None else owner)


class SparkSession(ConnectMembers):
    Builder = Builder
    _instantiatedSession = None
    _activeSession = None
    # Whether the engine must be told whose calls come next.
    _several = False
    _number = 0

    def __init__(self, sparkContext=None, jsparkSession=None, options=None):
        from pyspark.core.context import SparkContext

        self._sc = sparkContext or SparkContext._for(self)
        self._stopped = False
        if SparkSession._instantiatedSession is None or SparkSession._instantiatedSession._stopped:
            SparkSession._instantiatedSession = self
            SparkSession._activeSession = self
        if options:
            self._apply(options)

    def _apply(self, options):
        for key, value in options.items():
            if key == "spark.master":
                _tidemark_conf.set_parallelism(_threads(value))
            _tidemark_conf.set_initial(key, value)
            self._sc._conf.set(key, value)

    @classmethod
    def _active(cls):
        return cls._activeSession or cls._instantiatedSession or Builder().getOrCreate()

    _getActiveSessionOrCreate = _active

    @classmethod
    def getActiveSession(cls):
        return cls._activeSession

    @classmethod
    def active(cls):
        from pyspark.errors import PySparkRuntimeError

        if cls._activeSession is None:
            raise PySparkRuntimeError(errorClass="NO_ACTIVE_OR_DEFAULT_SESSION", messageParameters={})
        return cls._activeSession

    @property
    def sparkContext(self):
        return self._sc

    @property
    def version(self):
        from pyspark.version import __version__

        return __version__

    @property
    def conf(self):
        from pyspark.sql.conf import RuntimeConfig

        self._enter()
        return RuntimeConfig(self)

    @property
    def catalog(self):
        self._enter()
        from pyspark.sql.catalog import Catalog

        return Catalog(self)

    @property
    def udf(self):
        self._enter()
        from pyspark.sql.udf import UDFRegistration

        return UDFRegistration(self)

    @property
    def udtf(self):
        from pyspark.sql.udtf import UDTFRegistration

        return UDTFRegistration(self)

    @property
    def dataSource(self):
        from pyspark.sql.datasource import DataSourceRegistration

        return DataSourceRegistration(self)

    @property
    def read(self):
        self._enter()
        from pyspark.sql.readwriter import DataFrameReader

        return DataFrameReader(self)

    @property
    def readStream(self):
        self._enter()
        from pyspark.sql.streaming.readwriter import DataStreamReader

        return DataStreamReader(self)

    @property
    def streams(self):
        from pyspark.sql.streaming.query import StreamingQueryManager

        return StreamingQueryManager()

    @classproperty
    def builder(cls):
        return Builder()

    @property
    def tvf(self):
        self._enter()
        from pyspark.sql.tvf import TableValuedFunction

        return TableValuedFunction(self)

    def emptyDataFrame(self, schema):
        return self.createDataFrame([], schema)

    def newSession(self):
        """Another configuration, other temp views and functions, over the same tables and files."""
        made = SparkSession(self._sc)
        made._number = _tidemark_conf.new_session()
        SparkSession._several = True
        made._enter()
        for key, value in self._sc._conf.getAll():
            _tidemark_conf.set_initial(key, value)
        return made

    def _enter(self):
        """Calls of the engine are this session's from here on."""
        if SparkSession._several:
            _tidemark_conf.enter_session(self._number)

    def _frame(self, plan):
        return DataFrame(plan, self)

    # Tags mark jobs so that others can end them; here nothing runs beside the script.

    def addTag(self, tag):
        self._tags = {*self.getTags(), tag}

    def removeTag(self, tag):
        self._tags = self.getTags() - {tag}

    def getTags(self):
        return set(self.__dict__.get("_tags", ()))

    def clearTags(self):
        self._tags = set()

    def interruptAll(self):
        return []

    def interruptTag(self, tag):
        return []

    def interruptOperation(self, op_id):
        return []

    def sql(self, sqlQuery, args=None, **kwargs):
        from pyspark.sql.functions import lit

        names, named, positional = [], [], []
        if kwargs:
            from pyspark.sql._sql_text import fill

            sqlQuery = fill(sqlQuery, kwargs)
        if isinstance(args, dict):
            names, named = list(args), [lit(value)._expr for value in args.values()]
        elif isinstance(args, (list, tuple)):
            positional = [lit(value)._expr for value in args]
        elif args is not None:
            raise PySparkTypeError(
                errorClass="INVALID_TYPE",
                messageParameters={"arg_name": "args", "arg_type": type(args).__name__},
            )
        self._enter()
        return DataFrame._of_name(_native.sql(sqlQuery, names, named, positional), self)

    def table(self, tableName):
        if not isinstance(tableName, str):
            raise PySparkTypeError(
                errorClass="NOT_EXPECTED_TYPE",
                messageParameters={
                    "expected_type": "str",
                    "arg_name": "tableName",
                    "arg_type": type(tableName).__name__,
                },
            )
        self._enter()
        return DataFrame._of_name(_native.table(tableName, False), self)

    def range(self, start, end=None, step=1, numPartitions=None):
        if end is None:
            start, end = 0, start
        if step == 0:
            from pyspark.errors.exceptions import captured

            raise captured.IllegalArgumentException("requirement failed: step (0) cannot be 0")
        self._enter()
        return DataFrame(_native.range(int(start), int(end), int(step), numPartitions), self)

    def createDataFrame(self, data, schema=None, samplingRatio=None, verifySchema=True):
        from pyspark.core.rdd import RDD
        from pyspark.sql import _rows

        SparkSession._activeSession = self
        self._enter()
        if isinstance(data, DataFrame):
            raise PySparkTypeError(
                errorClass="INVALID_TYPE", messageParameters={"arg_name": "data", "arg_type": "DataFrame"}
            )
        if isinstance(schema, str):
            schema = _parse_datatype_string(schema)
        partitions = None
        if isinstance(data, RDD):
            data, partitions = data.collect(), data.getNumPartitions()
        if type(data).__module__.startswith("pandas"):
            from pyspark.sql.pandas import _frames

            data, schema = _frames.rows_of(data, schema)
        rows = data if isinstance(data, list) else list(data)
        if isinstance(schema, StructType):
            if verifySchema:
                check = _rows.verifier(schema)
                for row in rows:
                    check(row)
            struct = schema
        elif isinstance(schema, DataType):
            if verifySchema:
                check = _rows.verifier(schema, name="field value")
                for row in rows:
                    check(row)
            struct = StructType([StructField("value", schema)])
            rows = [(row,) for row in rows]
        else:
            struct, rows = self._inferred(rows, schema)
        plan = _native.local(struct.json(), [_shaped(struct, row) for row in rows], partitions)
        return DataFrame(plan, self)

    def _inferred(self, rows, names):
        from pyspark.sql import _rows

        if names is not None and not isinstance(names, (list, tuple)):
            raise PySparkTypeError(
                errorClass="NOT_EXPECTED_TYPE",
                messageParameters={
                    "expected_type": "list, None or StructType",
                    "arg_name": "schema",
                    "arg_type": type(names).__name__,
                },
            )
        # Names are bytes of UTF-8 on their way.
        names = None if names is None else [name if isinstance(name, str) else name.encode("utf-8") for name in names]
        struct = _rows.infer_schema(rows, names, _rows.Rules(self.conf))
        convert = _rows.converter(struct)
        rows = [convert(row) for row in rows]
        for row in rows:
            if row is not None and len(row) != len(struct.fields):
                fail(
                    "IllegalArgumentException",
                    "STRUCT_ARRAY_LENGTH_MISMATCH",
                    {"expected": str(len(struct.fields)), "actual": str(len(row))},
                )
        if names is not None:
            for index, name in enumerate(names):
                if index >= len(struct.fields):
                    raise IndexError("list index out of range")
                struct.fields[index].name = struct.names[index] = name
        return struct, rows

    def stop(self):
        import _tidemark_stream

        for query in _tidemark_stream.active():
            _tidemark_stream.stop(query)
        self._stopped = True
        from pyspark.core.context import SparkContext

        SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None
        SparkSession._activeSession = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def __repr__(self):
        return f"<pyspark.sql.session.SparkSession object at {hex(id(self))}>"


def _threads(master):
    """N of local[N]; local is 1, local[*] what the machine of the recorded behaviour has."""
    if master == "local":
        return 1
    inside = master.partition("[")[2].partition("]")[0].partition(",")[0]
    return int(inside) if inside.isdigit() else 2


def _shaped(struct, row):
    """A row as a sequence, mapping or object that the engine can take apart by the schema."""
    if isinstance(row, (tuple, list, dict)) or hasattr(row, "__dict__"):
        return row
    raise PySparkValueError(errorClass="UNEXPECTED_TUPLE_WITH_STRUCT", messageParameters={"tuple": str(row)})
