"""DataFrame's methods over its rows: nulls, statistics, and the actions that run the plan."""

import _tidemark_frame as _native

from pyspark.sql import _frame_checks as checks
from pyspark.sql.column import _expected, _exprs


class Actions:
    __slots__ = ()

    # ---- nulls ------------------------------------------------------------------------------------

    def dropna(self, how="any", thresh=None, subset=None):
        from pyspark.sql import _frame_na

        return _frame_na.drop(self, how, thresh, subset)

    def fillna(self, value, subset=None):
        from pyspark.sql import _frame_na

        return _frame_na.fill(self, value, subset)

    def replace(self, to_replace, *args, **kwargs):
        from pyspark.sql import _frame_na

        return _frame_na.replace(self, to_replace, *args, **kwargs)

    # ---- statistics -------------------------------------------------------------------------------

    def describe(self, *cols):
        from pyspark.sql import _frame_stat

        return _frame_stat.describe(self, cols)

    def summary(self, *statistics):
        from pyspark.sql import _frame_stat

        return _frame_stat.summary(self, statistics)

    def corr(self, col1, col2, method=None):
        from pyspark.sql import _frame_stat

        return _frame_stat.pair(self, "corr", col1, col2, method)

    def cov(self, col1, col2):
        from pyspark.sql import _frame_stat

        return _frame_stat.pair(self, "covar_samp", col1, col2, None)

    def unpivot(self, ids, values, variableColumnName, valueColumnName):
        assert ids is not None, "ids must not be None"

        def columns(given):
            return _exprs(list(given) if isinstance(given, (list, tuple)) else [given])

        moved = None if values is None else columns(values)
        return self._with(_native.unpivot(self._plan, columns(ids), moved, variableColumnName, valueColumnName))

    melt = unpivot

    def randomSplit(self, weights, seed=None):
        return checks.more().random_split(self, weights, seed)

    def sampleBy(self, col, fractions, seed=None):
        return checks.more().sample_by(self, col, fractions, seed)

    def crosstab(self, col1, col2):
        return checks.more().crosstab(self, col1, col2)

    def freqItems(self, cols, support=None):
        return checks.more().freq_items(self, cols, support)

    def transpose(self, indexColumn=None):
        return checks.more().transpose(self, indexColumn)

    def zipWithIndex(self, indexColName="index"):
        return checks.more().zip_with_index(self, indexColName)

    def approxQuantile(self, col, probabilities, relativeError):
        from pyspark.sql import _frame_stat

        return _frame_stat.quantiles(self, col, probabilities, relativeError)

    # ---- actions ----------------------------------------------------------------------------------

    def collect(self):
        return _native.collect(self._plan)

    def count(self):
        return _native.count(self._plan)

    def take(self, num):
        return _native.take(self._plan, num)

    def tail(self, num):
        rows = self.collect()
        return rows[len(rows) - num :] if 0 < num < len(rows) else rows if num > 0 else []

    def head(self, n=None):
        if n is None:
            rows = self.take(1)
            return rows[0] if rows else None
        return self.take(n)

    def first(self):
        return self.head()

    def isEmpty(self):
        # A limit below the root: one row of every partition.
        return not self.limit(1).select().collect()

    def toLocalIterator(self, prefetchPartitions=False):
        return iter(self.collect())

    def foreach(self, f):
        for row in self.collect():
            checks.more().on_workers(f, row)

    def foreachPartition(self, f):
        checks.more().on_workers(f, iter(self.collect()))

    def toJSON(self, use_unicode=True):
        from pyspark.core.rdd import RDD
        from pyspark.sql import functions as F

        rows = self.select(F.to_json(F.struct("*")).alias("value")).collect()
        return RDD([row.value for row in rows], self._session)

    def toPandas(self):
        rows = self.collect()
        from pyspark.sql.pandas import _frames

        fields = self.schema.fields
        columns = [list(column) for column in zip(*rows)] if rows else [[] for _ in fields]
        return _frames.frame(columns, len(rows), fields, _frames.session_zone()[1])

    def mapInPandas(self, func, schema, barrier=False, profile=None):
        return self._map_tables(func, schema, False)

    def mapInArrow(self, func, schema, barrier=False, profile=None):
        return self._map_tables(func, schema, True)

    def _map_tables(self, func, schema, arrow):
        import _tidemark_processor

        from pyspark.sql.pandas import _workers, group_ops

        group_ops._check_function(func)
        form = "SQL_MAP_ARROW_ITER_UDF" if arrow else "SQL_MAP_PANDAS_ITER_UDF"
        schema = group_ops._result_type(schema, form)
        call = _workers.map_frames(func, schema, self.schema.fields, arrow)
        return self._with(_tidemark_processor.map_tables(self._plan, (call, group_ops._name(func), schema.json())))

    def _without_pandas(self, *args, **kwargs):
        from pyspark.sql._literals import not_yet

        raise not_yet("pyarrow and pyspark.pandas")

    toArrow = pandas_api = _without_pandas

    def show(self, n=20, truncate=True, vertical=False):
        print(self._show_string(n, truncate, vertical))

    def _show_string(self, n=20, truncate=True, vertical=False):
        if not isinstance(n, int) or isinstance(n, bool):
            raise _expected("n", "int", n)
        if not isinstance(vertical, bool):
            raise _expected("vertical", "bool", vertical)
        if truncate is True:
            width = 20
        else:
            try:
                width = int(truncate)
            except ValueError:
                raise _expected("truncate", "bool", truncate) from None
        return _native.show(self._plan, n, width, vertical)

    def printSchema(self, level=None):
        print(self.schema.treeString(level) if level else self.schema.treeString())

    def explain(self, extended=None, mode=None):
        print(_native.explain(self._plan, checks.explain_mode(extended, mode), self._is_parsed))
