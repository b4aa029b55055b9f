"""spark.tvf: functions that give tables."""

import _tidemark_frame as _native

from pyspark.sql import functions as F
from pyspark.sql.dataframe import DataFrame

__all__ = ["TableValuedFunction"]


class TableValuedFunction:
    def __init__(self, sparkSession):
        self._sparkSession = sparkSession

    def _select(self, column):
        return DataFrame(_native.one_row(), self._sparkSession).select(column)

    def range(self, start, end=None, step=1, numPartitions=None):
        return self._sparkSession.range(start, end, step, numPartitions)

    def explode(self, collection):
        return self._select(F.explode(collection))

    def explode_outer(self, collection):
        return self._select(F.explode_outer(collection))

    def inline(self, input):
        return self._select(F.inline(input))

    def inline_outer(self, input):
        return self._select(F.inline_outer(input))

    def json_tuple(self, input, *fields):
        from pyspark.errors import PySparkValueError

        if len(fields) == 0:
            raise PySparkValueError(errorClass="CANNOT_BE_EMPTY", messageParameters={"item": "field"})
        return self._select(F.call_function("json_tuple", input, *fields))

    def posexplode(self, collection):
        return self._select(F.posexplode(collection))

    def posexplode_outer(self, collection):
        return self._select(F.posexplode_outer(collection))

    def stack(self, n, *fields):
        return self._select(F.stack(n, *fields))

    def variant_explode(self, input):
        return self._select(F.call_function("variant_explode", input))

    def variant_explode_outer(self, input):
        return self._select(F.call_function("variant_explode_outer", input))

    def collations(self):
        return self._sparkSession.sql("SELECT * FROM collations()")

    def python_worker_logs(self):
        return self._sparkSession.sql("SELECT * FROM python_worker_logs()")

    def sql_keywords(self):
        return self._sparkSession.sql("SELECT * FROM sql_keywords()")
