"""DataFrame.writeTo over the tables of the session catalog, which take a new table and nothing else this way."""

import _tidemark_catalog
import _tidemark_frame as _native
from _tidemark_system import fail

from pyspark.sql import _options
from pyspark.sql.column import _to_expr

__all__ = ["DataFrameWriterV2"]


class DataFrameWriterV2(_options.Options):
    def __init__(self, df, table):
        super().__init__()
        self._df = df
        self._spark = df.sparkSession
        self._table = table
        self._provider = None
        self._partitions = []

    def using(self, provider):
        self._provider = provider
        return self

    def tableProperty(self, property, value):
        return self

    def partitionedBy(self, col, *cols):
        self._partitions = [_to_expr(one) for one in (col, *cols)]
        return self

    def clusterBy(self, col, *cols):
        from pyspark.sql._literals import not_yet

        raise not_yet("DataFrameWriterV2.clusterBy")

    def create(self):
        _native.create_table_as(self._df._plan, self._table, self._provider, self._options, self._partitions)

    def _full_name(self):
        parts = _tidemark_catalog.parts(self._table)
        current = ["spark_catalog", _tidemark_catalog.current_database()]
        return ".".join(f"`{part}`" for part in [*current, *parts][-max(3, len(parts)) :])

    def _refuse_replacing(self):
        fail("AnalysisException", "UNSUPPORTED_FEATURE.TABLE_OPERATION",
             {"tableName": self._full_name(), "operation": "REPLACE TABLE AS SELECT"})  # fmt: skip

    def replace(self):
        self._refuse_replacing()

    def createOrReplace(self):
        self._refuse_replacing()

    def _refuse_writing(self):
        _native.table(self._table, False)
        fail("AnalysisException", "_LEGACY_ERROR_TEMP_1012", {"identifier": self._full_name()})

    def append(self):
        self._refuse_writing()

    def overwrite(self, condition):
        _to_expr(condition)
        self._refuse_writing()

    def overwritePartitions(self):
        self._refuse_writing()
