"""DataFrameReader and DataFrameWriter."""

import _tidemark_frame as _native
from _tidemark_system import fail

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql import _options
from pyspark.sql.column import _expected
from pyspark.sql.types import StructType

__all__ = ["DataFrameReader", "DataFrameWriter"]


def _schema_json(value):
    if isinstance(value, StructType):
        return value.json()
    if isinstance(value, str):
        import _tidemark_expr

        return _tidemark_expr.parse_type(value, True)
    raise _expected("schema", "str or struct type", value)


class Reader(_options.Options):
    """What the batch and the streaming reader share."""

    _streaming = False

    def __init__(self, spark):
        super().__init__()
        self._spark = spark
        self._format = None
        self._schema = None

    def changes(self, tableName):
        """Change data capture, which Spark's own catalog has not."""
        fail("AnalysisException", "UNSUPPORTED_FEATURE.CHANGE_DATA_CAPTURE", {"catalogName": "spark_catalog"})

    def format(self, source):
        self._format = source
        return self

    def schema(self, schema):
        self._schema = _schema_json(schema)
        return self

    def _read(self, paths):
        from pyspark.sql.dataframe import DataFrame

        plan = _native.read(self._streaming, self._format, self._schema, self._options, paths)
        return DataFrame(plan, self._spark)

    def _set(self, method, table, args, kwargs):
        given = _options.bind(f"{type(self).__name__}.{method}", table[method], args, kwargs)
        schema = given.pop("schema", None)
        if schema is not None:
            self.schema(schema)
        self.options(**given)
        self.format(method)


def _reading(method):
    def read(self, path, *args, **kwargs):
        self._set(method, _options.READ, args, kwargs)
        if isinstance(path, str):
            path = [path]
        if isinstance(path, list):
            return self._read(path)
        return self._from_rows(method, path)

    read.__name__ = method
    return read


class DataFrameReader(Reader):
    json = _reading("json")
    csv = _reading("csv")
    text = _reading("text")
    orc = _reading("orc")
    xml = _reading("xml")

    def parquet(self, *paths, **options):
        self._set("parquet", _options.READ, (), options)
        return self._read([path for given in paths for path in (given if isinstance(given, list) else [given])])

    def _from_rows(self, method, rows):
        from pyspark.core.rdd import RDD
        from pyspark.sql import functions as F
        from pyspark.sql.dataframe import DataFrame

        if not isinstance(rows, (RDD, DataFrame)) or method not in ("json", "csv"):
            raise _expected("path", "str, list, RDD, or DataFrame", rows)
        lines = [row[0] if isinstance(row, tuple) else str(row) for row in rows.collect()]
        found = None
        if self._schema is None:
            found = self._schema_of(method, lines)
            if method == "csv" and str(self._options.get("header", "false")).lower() == "true":
                # The header goes wherever it stands again (CSVUtils.filterHeaderLine).
                lines = [line for line in lines if line != lines[0]]
        frame = self._spark.createDataFrame([(line,) for line in lines], "value string")
        convert = F.from_json if method == "json" else F.from_csv
        from pyspark.sql.types import _parse_datatype_json_string

        schema = found or _parse_datatype_json_string(self._schema)
        parsed = convert("value", schema if method == "json" else schema.toDDL(), self._options).alias("row")
        return frame.select(parsed).select("row.*")

    def _schema_of(self, method, lines):
        """The schema that is found for lines, as for those of a file."""
        import os
        import shutil
        import tempfile

        folder = tempfile.mkdtemp()
        try:
            with open(os.path.join(folder, "lines"), "w") as file:
                file.write("".join(line.replace("\n", " ") + "\n" for line in lines))
            return self._spark.read.format(method).options(**self._options).load(folder).schema
        finally:
            shutil.rmtree(folder)

    def load(self, path=None, format=None, schema=None, **options):
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        if path is None:
            return self._read([])
        if isinstance(path, str) and self._spark.conf.get("spark.sql.legacy.pathOptionBehavior.enabled") == "true":
            return self.option("path", path)._read([])
        return self._read(path if isinstance(path, list) else [path])

    def table(self, tableName):
        from pyspark.sql.dataframe import DataFrame

        return DataFrame(_native.table(tableName, False), self._spark)

    def jdbc(self, *args, **kwargs):
        from pyspark.sql._literals import not_yet

        raise not_yet("DataFrameReader.jdbc")


def _writing(method):
    def write(self, path, *args, **kwargs):
        given = _options.bind(f"DataFrameWriter.{method}", _options.WRITE[method], args, kwargs)
        self.mode(given.pop("mode", None))
        columns = given.pop("partitionBy", None)
        if columns is not None:
            self.partitionBy(columns)
        self.options(**given)
        self.format(method)
        self._write(path=path)

    write.__name__ = method
    return write


class DataFrameWriter(_options.Options):
    json = _writing("json")
    csv = _writing("csv")
    text = _writing("text")
    parquet = _writing("parquet")
    orc = _writing("orc")
    xml = _writing("xml")

    def __init__(self, df):
        super().__init__()
        self._df = df
        self._spark = df.sparkSession
        self._format = None
        self._mode = None
        self._partition_by = []

    def mode(self, saveMode):
        if saveMode is not None:
            known = {"overwrite": "overwrite", "append": "append", "ignore": "ignore", "error": "error",
                     "errorifexists": "error", "default": "error"}  # fmt: skip
            if saveMode.lower() not in known:
                fail("AnalysisException", "INVALID_SAVE_MODE", {"mode": f'"{saveMode}"'})
            self._mode = known[saveMode.lower()]
        return self

    def format(self, source):
        self._format = source
        return self

    def partitionBy(self, *cols):
        if len(cols) == 1 and isinstance(cols[0], (list, tuple)):
            cols = cols[0]
        self._partition_by = list(cols)
        return self

    def clusterBy(self, *cols):
        """How files are laid out by columns is left to tables that know of it; those here do not."""
        if len(cols) == 1 and isinstance(cols[0], (list, tuple)):
            cols = cols[0]
        assert cols, "clusterBy needs one or more clustering columns."
        return self

    def bucketBy(self, numBuckets, col, *cols):
        if not isinstance(numBuckets, int):
            raise PySparkTypeError(
                errorClass="NOT_EXPECTED_TYPE",
                messageParameters={
                    "expected_type": "int",
                    "arg_name": "numBuckets",
                    "arg_type": type(numBuckets).__name__,
                },
            )
        self._names(col, cols)
        from pyspark.sql._literals import not_yet

        raise not_yet("DataFrameWriter.bucketBy")

    def sortBy(self, col, *cols):
        self._names(col, cols)
        from pyspark.sql._literals import not_yet

        raise not_yet("DataFrameWriter.sortBy")

    @staticmethod
    def _names(col, cols):
        if isinstance(col, (list, tuple)):
            if cols:
                raise PySparkValueError(
                    errorClass="CANNOT_SET_TOGETHER",
                    messageParameters={"arg_list": f"`col` of type {type(col).__name__} and `cols`"},
                )
            col, cols = col[0], col[1:]
        for name in cols:
            if not isinstance(name, str):
                raise _expected("cols", "list[str]", name)
        if not isinstance(col, str):
            raise _expected("col", "list[str]", col)

    def _write(self, path=None, table=None):
        _native.write(self._df._plan, self._format, self._mode, self._options, self._partition_by, path, table)

    def _given(self, format, mode, partitionBy, options):
        self.mode(mode).options(**options)
        if partitionBy is not None:
            self.partitionBy(partitionBy)
        if format is not None:
            self.format(format)

    def save(self, path=None, format=None, mode=None, partitionBy=None, **options):
        self._given(format, mode, partitionBy, options)
        self._write(path=path)

    def saveAsTable(self, name, format=None, mode=None, partitionBy=None, **options):
        self._given(format, mode, partitionBy, options)
        self._write(table=name)

    def insertInto(self, tableName, overwrite=None):
        if overwrite is not None:
            self.mode("overwrite" if overwrite else "append")
        _native.insert_into(self._df._plan, tableName, self._mode == "overwrite")

    def jdbc(self, *args, **kwargs):
        from pyspark.sql._literals import not_yet

        raise not_yet("DataFrameWriter.jdbc")

