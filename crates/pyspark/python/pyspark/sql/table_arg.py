"""Frames as arguments of table functions."""

from pyspark.sql.tvf_argument import TableValuedFunctionArgument

__all__ = ["TableArg"]


class TableArg(TableValuedFunctionArgument):
    """What DataFrame.asTable gives."""

    def __init__(self, plan, partition_by=(), single=False, order_by=()):
        self._plan, self._partition_by, self._single, self._order_by = plan, partition_by, single, order_by

    def _parts(self):
        return self._plan, list(self._partition_by), self._single, list(self._order_by)

    def partitionBy(self, *cols):
        if self._partition_by or self._single:
            raise _refused(
                "Cannot call partitionBy() after partitionBy() or withSinglePartition() has been called."
            )
        return TableArg(self._plan, _exprs(cols), False, self._order_by)

    def orderBy(self, *cols):
        if not (self._partition_by or self._single):
            raise _refused(
                "Please call partitionBy() or withSinglePartition() before orderBy()."
            )
        return TableArg(self._plan, self._partition_by, self._single, (*self._order_by, *_exprs(cols)))

    def withSinglePartition(self):
        if self._partition_by or self._single:
            raise _refused(
                "Cannot call withSinglePartition() after partitionBy() or withSinglePartition() has been called."
            )
        return TableArg(self._plan, (), True, self._order_by)


def _exprs(cols):
    from pyspark.sql.column import _to_expr

    if len(cols) == 1 and isinstance(cols[0], list):
        cols = cols[0]
    return tuple(_to_expr(col) for col in cols)


def _refused(text):
    from pyspark.errors import IllegalArgumentException

    return IllegalArgumentException(text)
