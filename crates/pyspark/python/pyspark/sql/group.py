"""GroupedData: what groupBy, rollup, cube and groupingSets give."""

import _tidemark_frame as _native
from _tidemark_system import fail

from pyspark.sql._java_order import through_java
from pyspark.sql.column import Column, _call, _literal, _to_expr
from pyspark.sql.pandas.group_ops import PandasGroupedOpsMixin
from pyspark.sql.types import NumericType

__all__ = ["GroupedData"]


def _by_name(function):
    def aggregate(self, *cols):
        return self._numeric(function, cols)

    aggregate.__name__ = function
    return aggregate


class GroupedData(PandasGroupedOpsMixin):
    def __init__(self, df, kind, by, sets=(), pivot=None):
        self._df = df
        self._kind = kind
        self._by = by
        self._sets = [list(group) for group in sets]
        self._pivot = pivot
        self.session = df.sparkSession

    def __repr__(self):
        names = ", ".join(str(Column(expr))[8:-2] for expr in self._by)
        value = ", ".join(f"{name}: {kind}" for name, kind in self._df.dtypes[:2])
        more = len(self._df.columns) - 2
        tail = f" ... {more} more field{'s' if more > 1 else ''}" if more > 0 else ""
        kind = {"by": "GroupBy", "rollup": "Rollup", "cube": "Cube", "sets": "GroupingSets"}[self._kind]
        return f"GroupedData[grouping expressions: [{names}], value: [{value}{tail}], type: {kind}]"

    def agg(self, *exprs):
        assert exprs, "exprs should not be empty"
        if len(exprs) == 1 and isinstance(exprs[0], dict):
            made = [self._named(self._df, name, exprs[0][name]) for name in through_java(exprs[0])]
        else:
            assert all(isinstance(col, Column) for col in exprs), "all exprs should be Column"
            made = list(exprs)
        return self._aggregate(made)

    @staticmethod
    def _named(df, name, function):
        """agg({"column": "function"}): "*" counts rows."""
        function = {"avg": "avg", "average": "avg", "mean": "avg"}.get(function.lower(), function.lower())
        if name == "*" and function in ("count", "size"):
            return _call("count", _literal(1)).alias("count(1)")
        return _call(function, df[name]._expr)

    def _aggregate(self, columns):
        exprs = [column._expr for column in columns]
        if self._pivot is None:
            plan = _native.aggregate(self._df._plan, self._kind, self._by, self._sets, exprs)
        else:
            column, values = self._pivot
            plan = _native.pivot(self._df._plan, self._by, column, values, exprs)
        return self._df._with(plan)

    def count(self):
        return self._aggregate([_call("count", _literal(1)).alias("count")])

    def _numeric(self, function, cols):
        if len(cols) == 1 and isinstance(cols[0], (list, tuple)):
            cols = cols[0]
        if not cols:
            cols = [field.name for field in self._df.schema.fields if isinstance(field.dataType, NumericType)]
        else:
            known = {field.name: field.dataType for field in self._df.schema.fields}
            for name in cols:
                if name in known and not isinstance(known[name], NumericType):
                    fail("AnalysisException", "_LEGACY_ERROR_TEMP_1323", {"colName": name})
        return self._aggregate([_call(function, self._df[name]._expr) for name in cols])

    mean = _by_name("avg")
    avg = _by_name("avg")
    max = _by_name("max")
    min = _by_name("min")
    sum = _by_name("sum")

    def pivot(self, pivot_col, values=None):
        if self._pivot is not None:
            fail("UnsupportedOperationException", "REPEATED_CLAUSE", {"clause": "PIVOT", "operation": "SUBQUERY"})
        if self._kind != "by":
            operation = {"clause": "PIVOT"}
            fail("UnsupportedOperationException", "UNSUPPORTED_FEATURE.PIVOT_AFTER_GROUP_BY", operation)
        made = None if values is None else [_literal(value) for value in values]
        return GroupedData(self._df, self._kind, self._by, self._sets, (_to_expr(pivot_col), made))
