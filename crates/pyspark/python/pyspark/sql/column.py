"""Column: an expression, built up by operators and methods and resolved by the DataFrame that takes it."""

import _tidemark_expr as _native

from pyspark.errors import PySparkAttributeError, PySparkTypeError, PySparkValueError
from pyspark.sql.types import DataType

__all__ = ["Column"]


def _expected(name, expected, value):
    return PySparkTypeError(
        errorClass="NOT_EXPECTED_TYPE",
        messageParameters={"expected_type": expected, "arg_name": name, "arg_type": type(value).__name__},
    )


def _plain(value):
    """The value of an enum member; anything else as it is."""
    import enum

    return value.value if isinstance(value, enum.Enum) else value


def _literal(value):
    """The expression of a Python value."""
    if isinstance(value, Column):
        return value._expr
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        from py4j.protocol import Py4JError

        raise Py4JError(f"An error occurred while calling z:org.apache.spark.sql.functions.lit: {value} is no long")
    made = _native.literal(value)
    if made is None:
        made = _native.literal(_plain(value))
    if made is None:
        from pyspark.sql._literals import refuse

        raise refuse(value)
    return made


def _to_expr(col):
    """The expression of a Column, or of a column's name."""
    if isinstance(col, Column):
        return col._expr
    if isinstance(col, str):
        return _native.column(col)
    raise _expected("col", "Column or str", col)


def _exprs(cols):
    """Expressions of columns and names, given one by one or as one list."""
    if len(cols) == 1 and isinstance(cols[0], (list, tuple)):
        cols = cols[0]
    return [_to_expr(col) for col in cols]


def _type_json(dataType):
    if isinstance(dataType, str):
        return _native.parse_type(dataType, False)
    if isinstance(dataType, DataType):
        return dataType.json()
    raise _expected("dataType", "DataType or str", dataType)


def _call(name, *exprs, distinct=False):
    return Column(_native.call(name, list(exprs), distinct))


def _operator(symbol):
    def apply(self, other):
        return _call(symbol, self._expr, _literal(other))

    return apply


def _reversed(symbol):
    def apply(self, other):
        return _call(symbol, _literal(other), self._expr)

    return apply


def _from_script(name):
    """Methods of that name tell the errors of their evaluation where the script called them."""
    method = getattr(Column, name)

    def apply(self, *args):
        return Column(_native.placed(method(self, *args)._expr, name, False))

    apply.__name__ = apply.__qualname__ = name
    setattr(Column, name, apply)


def _method(name):
    def apply(self):
        return _call(name, self._expr)

    return apply


def _order(ascending, nulls_first):
    def apply(self):
        return Column(_native.sort(self._expr, ascending, nulls_first))

    return apply


class Column:
    def __init__(self, expr):
        self._expr = expr

    __neg__ = _method("negative")
    __invert__ = _method("!")
    __add__ = _operator("+")
    __sub__ = _operator("-")
    __mul__ = _operator("*")
    __truediv__ = _operator("/")
    __mod__ = _operator("%")
    __pow__ = _operator("power")
    __radd__ = _operator("+")
    __rsub__ = _reversed("-")
    __rmul__ = _operator("*")
    __rtruediv__ = _reversed("/")
    __rmod__ = _reversed("%")
    __rpow__ = _reversed("power")
    __eq__ = _operator("=")
    __lt__ = _operator("<")
    __le__ = _operator("<=")
    __ge__ = _operator(">=")
    __gt__ = _operator(">")
    __and__ = _operator("and")
    __or__ = _operator("or")
    __rand__ = _operator("and")
    __ror__ = _operator("or")
    eqNullSafe = _operator("<=>")
    bitwiseOR = _operator("|")
    bitwiseAND = _operator("&")
    bitwiseXOR = _operator("^")
    contains = _operator("contains")
    startswith = _operator("startswith")
    endswith = _operator("endswith")
    like = _operator("like")
    rlike = _operator("rlike")
    ilike = _operator("ilike")
    isNull = _method("isNull")
    isNotNull = _method("isNotNull")
    isNaN = _method("isNaN")
    asc = _order(True, True)
    asc_nulls_first = _order(True, True)
    asc_nulls_last = _order(True, False)
    desc = _order(False, False)
    desc_nulls_first = _order(False, True)
    desc_nulls_last = _order(False, False)

    @property
    def _jc(self):
        """The JVM's column, which is an expression here: what is no column has none."""
        return self._expr

    def __ne__(self, other):
        return _call("!", _native.call("=", [self._expr, _literal(other)], False))

    def __contains__(self, item):
        raise PySparkValueError(errorClass="CANNOT_APPLY_IN_FOR_COLUMN", messageParameters={})

    def getItem(self, key):
        if isinstance(key, Column):
            import warnings

            warnings.warn(
                "A column as 'key' in getItem is deprecated as of Spark 3.0, and will not be supported in the future "
                "release. Use `column[key]` or `column.key` syntax instead.",
                FutureWarning,
            )
        return self[key]

    def getField(self, name):
        if isinstance(name, Column):
            import warnings

            warnings.warn(
                "A column as 'name' in getField is deprecated as of Spark 3.0, and will not be supported in the future "
                "release. Use `column[name]` or `column.name` syntax instead.",
                FutureWarning,
            )
        return self[name]

    def withField(self, fieldName, col):
        if not isinstance(fieldName, str):
            raise _expected("fieldName", "str", fieldName)
        if not isinstance(col, Column):
            raise _expected("col", "Column", col)
        return Column(_native.update_fields(self._expr, [f"with:{fieldName}"], [col._expr]))

    def dropFields(self, *fieldNames):
        return Column(_native.update_fields(self._expr, [f"drop:{name}" for name in fieldNames], []))

    def __getattr__(self, item):
        if item.startswith("__"):
            raise PySparkAttributeError(errorClass="CANNOT_ACCESS_TO_DUNDER", messageParameters={})
        return self[item]

    def __getitem__(self, k):
        if isinstance(k, slice):
            if k.step is not None:
                raise PySparkValueError(errorClass="SLICE_WITH_STEP", messageParameters={})
            return self.substr(k.start, k.stop)
        return Column(_native.placed(_native.extract(self._expr, _literal(k)), "__getitem__", False))

    def __iter__(self):
        raise PySparkTypeError(errorClass="NOT_ITERABLE", messageParameters={"objectName": "Column"})

    def substr(self, startPos, length):
        startPos, length = _plain(startPos), _plain(length)
        if type(startPos) is not type(length):
            raise PySparkTypeError(
                errorClass="NOT_SAME_TYPE",
                messageParameters={
                    "arg_name1": "startPos",
                    "arg_name2": "length",
                    "arg_type1": type(startPos).__name__,
                    "arg_type2": type(length).__name__,
                },
            )
        if not isinstance(startPos, (int, Column)):
            raise _expected("startPos", "Column or int", startPos)
        return _call("substr", self._expr, _literal(startPos), _literal(length))

    def isin(self, *cols):
        from pyspark.sql.dataframe import DataFrame

        if len(cols) == 1 and isinstance(cols[0], DataFrame):
            from pyspark.sql import _frame_more

            return _frame_more.subquery(cols[0], "in", self)
        if len(cols) == 1 and isinstance(cols[0], (list, set)):
            cols = cols[0]
        return _call("in", self._expr, *(_literal(col) for col in cols))

    def alias(self, *alias, **kwargs):
        metadata = kwargs.pop("metadata", None)
        assert not kwargs, f"Unexpected kwargs where passed: {kwargs}"
        if metadata is not None and len(alias) != 1:
            raise PySparkValueError(
                errorClass="ONLY_ALLOWED_FOR_SINGLE_COLUMN", messageParameters={"arg_name": "metadata"}
            )
        if metadata is not None:
            import json

            metadata = json.dumps(metadata)
        return Column(_native.alias(self._expr, [str(name) for name in alias], metadata))

    def name(self, *alias, **kwargs):
        return self.alias(*alias, **kwargs)

    def cast(self, dataType):
        return Column(_native.cast(self._expr, _type_json(dataType), False))

    def try_cast(self, dataType):
        return Column(_native.cast(self._expr, _type_json(dataType), True))

    def astype(self, dataType):
        return self.cast(dataType)

    def between(self, lowerBound, upperBound):
        return (self >= lowerBound) & (self <= upperBound)

    def when(self, condition, value):
        if not isinstance(condition, Column):
            raise _expected("condition", "Column", condition)
        return Column(_native.when(self._expr, condition._expr, _literal(value)))

    def otherwise(self, value):
        return Column(_native.otherwise(self._expr, _literal(value)))

    def over(self, window):
        from pyspark.sql.window import WindowSpec

        if not isinstance(window, WindowSpec):
            raise _expected("window", "WindowSpec", window)
        return Column(_native.over(self._expr, window._partition, window._order, window._frame))

    def transform(self, f):
        return f(self)

    def outer(self):
        return _call("$outer", self._expr)

    def __bool__(self):
        try:
            text = _native.text(self._expr)
        except Exception:
            text = "<unknown>"
        raise PySparkValueError(errorClass="CANNOT_CONVERT_COLUMN_INTO_BOOL", messageParameters={"column": text})

    __nonzero__ = __bool__

    def __repr__(self):
        return f"Column<'{_native.text(self._expr)}'>"


for _name in (
    "__neg__", "__add__", "__sub__", "__mul__", "__truediv__", "__mod__", "__pow__", "__radd__", "__rsub__",
    "__rmul__", "__rtruediv__", "__rmod__", "__rpow__", "__eq__", "__lt__", "__le__", "__ge__", "__gt__", "eqNullSafe",
    "cast", "astype", "isin", "between",
):  # fmt: skip
    _from_script(_name)
del _name
