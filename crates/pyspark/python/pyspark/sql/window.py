"""Window specifications for `Column.over`."""

from pyspark.sql.column import _to_expr

__all__ = ["Window", "WindowSpec"]

_LONG_MIN = -(1 << 63)
_LONG_MAX = (1 << 63) - 1


def _exprs(cols):
    if len(cols) == 1 and isinstance(cols[0], list):
        cols = cols[0]
    return [_to_expr(col) for col in cols]


def _bounds(start, end):
    if start <= Window._PRECEDING_THRESHOLD:
        start = Window.unboundedPreceding
    if end >= Window._FOLLOWING_THRESHOLD:
        end = Window.unboundedFollowing
    return start, end


class WindowSpec:
    def __init__(self, partition=(), order=(), frame=None):
        self._partition = list(partition)
        self._order = list(order)
        self._frame = frame

    def partitionBy(self, *cols):
        return WindowSpec(_exprs(cols), self._order, self._frame)

    def orderBy(self, *cols):
        return WindowSpec(self._partition, _exprs(cols), self._frame)

    def rowsBetween(self, start, end):
        return WindowSpec(self._partition, self._order, (True, *_bounds(start, end)))

    def rangeBetween(self, start, end):
        return WindowSpec(self._partition, self._order, (False, *_bounds(start, end)))


class Window:
    _PRECEDING_THRESHOLD = -_LONG_MAX
    _FOLLOWING_THRESHOLD = _LONG_MAX
    unboundedPreceding = _LONG_MIN
    unboundedFollowing = _LONG_MAX
    currentRow = 0

    @staticmethod
    def partitionBy(*cols):
        return WindowSpec().partitionBy(*cols)

    @staticmethod
    def orderBy(*cols):
        return WindowSpec().orderBy(*cols)

    @staticmethod
    def rowsBetween(start, end):
        return WindowSpec().rowsBetween(start, end)

    @staticmethod
    def rangeBetween(start, end):
        return WindowSpec().rangeBetween(start, end)
