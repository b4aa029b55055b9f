"""Functions whose arguments need more than the table says."""

import _tidemark_expr as _native

from pyspark.errors import PySparkValueError
from pyspark.sql.column import Column, _call, _expected, _literal, _plain, _to_expr
from pyspark.sql.functions._plain import lit
from pyspark.sql.types import DataType


def _names(cols):
    if len(cols) == 1 and isinstance(cols[0], (list, set)):
        cols = cols[0]
    return [_to_expr(col) for col in cols]


def _several(name):
    """A function of any number of columns."""

    def function(*cols):
        return _call(name, *(_to_expr(col) for col in cols))

    function.__name__ = function.__qualname__ = name
    return function


coalesce = _several("coalesce")
grouping_id = _several("grouping_id")
named_struct = _several("named_struct")
hash = _several("hash")
xxhash64 = _several("xxhash64")
elt = _several("elt")
concat = _several("concat")
arrays_zip = _several("arrays_zip")
reflect = _several("reflect")
java_method = _several("java_method")
try_reflect = _several("try_reflect")
stack = _several("stack")
printf = _several("printf")


def col(col):
    return Column(_to_expr(col) if isinstance(col, str) else _refuse_column(col))


def _refuse_column(value):
    raise _expected("col", "str", value)


column = col


def expr(str):
    return Column(_native.parse(str))


def _sort(name):
    def function(col):
        return getattr(Column(_to_expr(col)), name)()

    function.__name__ = function.__qualname__ = name
    return function


asc = _sort("asc")
desc = _sort("desc")
asc_nulls_first = _sort("asc_nulls_first")
asc_nulls_last = _sort("asc_nulls_last")
desc_nulls_first = _sort("desc_nulls_first")
desc_nulls_last = _sort("desc_nulls_last")


def broadcast(df):
    return df.hint("broadcast")


def when(condition, value):
    if not isinstance(condition, Column):
        raise _expected("condition", "Column", condition)
    return Column(_native.when(None, condition._expr, _literal(_plain(value))))


def count_distinct(col, *cols):
    return _call("count", _to_expr(col), *(_to_expr(other) for other in cols), distinct=True)


def struct(*cols):
    return _call("struct", *_names(cols))


def array(*cols):
    return _call("array", *_names(cols))


def create_map(*cols):
    return _call("map", *_names(cols))


def map_concat(*cols):
    return _call("map_concat", *_names(cols))


def _at_least_two(name, cols):
    if len(cols) < 2:
        raise PySparkValueError(
            errorClass="WRONG_NUM_COLUMNS", messageParameters={"func_name": name, "num_cols": "2"}
        )
    return _call(name, *(_to_expr(col) for col in cols))


def greatest(*cols):
    return _at_least_two("greatest", cols)


def least(*cols):
    return _at_least_two("least", cols)


def log(arg1, arg2=None):
    if arg2 is None:
        return _call("ln", _to_expr(arg1))
    return _call("log", lit(float(_plain(arg1)))._expr, _to_expr(arg2))


def unix_timestamp(timestamp=None, format="yyyy-MM-dd HH:mm:ss"):
    if timestamp is None:
        return _call("unix_timestamp", _native.call("current_timestamp", [], False))
    return _call("unix_timestamp", _to_expr(timestamp), lit(format)._expr)


def _ignoring_nulls(name):
    def function(col, ignoreNulls=None):
        if ignoreNulls is None:
            return _call(name, _to_expr(col))
        ignoreNulls = _plain(ignoreNulls)
        flag = lit(ignoreNulls)._expr if isinstance(ignoreNulls, bool) else _to_expr(ignoreNulls)
        return _call(name, _to_expr(col), flag)

    function.__name__ = function.__qualname__ = name
    return function


any_value = _ignoring_nulls("any_value")
first_value = _ignoring_nulls("first_value")
last_value = _ignoring_nulls("last_value")


def ntile(n):
    return _call("ntile", lit(int(_plain(n)))._expr)


def _seeded(name, *exprs):
    import os

    return _call(name, *exprs, lit(int.from_bytes(os.urandom(8), "little", signed=True))._expr)


def rand(seed=None):
    return _seeded("rand") if seed is None else _call("rand", lit(seed)._expr)


def randn(seed=None):
    return _seeded("randn") if seed is None else _call("randn", lit(seed)._expr)


def uuid(seed=None):
    return _seeded("uuid") if seed is None else _call("uuid", lit(seed)._expr)


def shuffle(col, seed=None):
    return _seeded("shuffle", _to_expr(col)) if seed is None else _call("shuffle", _to_expr(col), lit(seed)._expr)


def _trimmer(name):
    """The characters to trim come before the text."""

    def function(col, trim=None):
        return _call(name, *([] if trim is None else [_to_expr(trim)]), _to_expr(col))

    function.__name__ = function.__qualname__ = name
    return function


trim = _trimmer("trim")
ltrim = _trimmer("ltrim")
rtrim = _trimmer("rtrim")


def window(timeColumn, windowDuration, slideDuration=None, startTime=None):
    def check(value, name):
        if not value or type(value) is not str:
            raise _expected(name, "str", value)

    windowDuration, slideDuration, startTime = _plain(windowDuration), _plain(slideDuration), _plain(startTime)
    time = _to_expr(timeColumn)
    check(windowDuration, "windowDuration")
    if slideDuration:
        check(slideDuration, "slideDuration")
    if startTime:
        check(startTime, "startTime")
    parts = (windowDuration, slideDuration or windowDuration, startTime or "0 second")
    return _call("window", time, *(_literal(part) for part in parts))


def session_window(timeColumn, gapDuration):
    gapDuration = _plain(gapDuration)
    time = _to_expr(timeColumn)
    if gapDuration is None or not isinstance(gapDuration, (str, Column)):
        raise _expected("gapDuration", "Column or str", gapDuration)
    return _call("session_window", time, _literal(gapDuration))


def sha2(col, numBits):
    if numBits not in [0, 224, 256, 384, 512]:
        raise PySparkValueError(
            errorClass="VALUE_NOT_ALLOWED",
            messageParameters={"arg_name": "numBits", "allowed_values": "[0, 224, 256, 384, 512]"},
        )
    return _call("sha2", _to_expr(col), _literal(numBits))


def _message(value):
    value = _plain(value)
    if not isinstance(value, (str, Column)):
        raise _expected("errMsg", "Column or str", value)
    return _literal(value)


def assert_true(col, errMsg=None):
    if errMsg is None:
        return _call("assert_true", _to_expr(col))
    return _call("assert_true", _to_expr(col), _message(errMsg))


def raise_error(errMsg):
    return _call("raise_error", _message(errMsg))


def concat_ws(sep, *cols):
    return _call("concat_ws", _literal(_plain(sep)), *(_to_expr(col) for col in cols))


def format_string(format, *cols):
    return _call("format_string", _literal(_plain(format)), *(_to_expr(col) for col in cols))


def json_tuple(col, *fields):
    if not fields:
        raise PySparkValueError(errorClass="CANNOT_BE_EMPTY", messageParameters={"item": "field"})
    return _call("json_tuple", _to_expr(col), *(_literal(_plain(field)) for field in fields))


def _options(options):
    """The map literal of options, as functions with options take it last; nothing for none."""
    if not options:
        return []
    pairs = []
    for key, value in options.items():
        text = str(value).lower() if isinstance(value, bool) else value if value is None else str(value)
        pairs += [_literal(str(key)), _literal(text)]
    return [_native.call("map", pairs, False)]


def _schema(schema, name):
    if isinstance(schema, Column):
        return schema._expr
    if isinstance(schema, DataType):
        return _literal(schema.json())
    if isinstance(schema, str):
        return _literal(schema)
    raise _expected(name, "Column or str", schema)


def from_json(col, schema, options=None):
    return _call("from_json", _to_expr(col), _schema(schema, "schema"), *_options(options))


def to_json(col, options=None):
    return _call("to_json", _to_expr(col), *_options(options))


def from_csv(col, schema, options=None):
    if not isinstance(schema, (str, Column)):
        raise _expected("schema", "Column or str", schema)
    return _call("from_csv", _to_expr(col), _schema(schema, "schema"), *_options(options))


def to_csv(col, options=None):
    return _call("to_csv", _to_expr(col), *_options(options))


def from_xml(col, schema, options=None):
    return _call("from_xml", _to_expr(col), _schema(schema, "schema"), *_options(options))


def to_xml(col, options=None):
    return _call("to_xml", _to_expr(col), *_options(options))


def _schema_of(name, argument):
    def function(value, options=None):
        value = _plain(value)
        if not isinstance(value, (str, Column)):
            raise _expected(argument, "Column or str", value)
        return _call(name, _literal(value), *_options(options))

    function.__name__ = function.__qualname__ = name
    return function


schema_of_json = _schema_of("schema_of_json", "json")
schema_of_csv = _schema_of("schema_of_csv", "csv")
schema_of_xml = _schema_of("schema_of_xml", "xml")


def variant_delete(v, *paths):
    if not paths:
        raise PySparkValueError(errorClass="CANNOT_BE_EMPTY", messageParameters={"item": "paths"})
    return _call("variant_delete", _to_expr(v), *(_literal(path) for path in paths))


def variant_get(v, path, targetType):
    assert isinstance(path, (Column, str))
    return _call("variant_get", _to_expr(v), _literal(path), _literal(_plain(targetType)))


def try_variant_get(v, path, targetType):
    assert isinstance(path, (Column, str))
    return _call("try_variant_get", _to_expr(v), _literal(path), _literal(_plain(targetType)))


def st_asbinary(geo, endianness=None):
    return _call("st_asbinary", _to_expr(geo), *([] if endianness is None else [lit(endianness)._expr]))


def bucket(numBuckets, col):
    from pyspark.sql.functions import partitioning

    return partitioning.bucket(numBuckets, col)




def call_udf(udfName, *cols):
    return _call(udfName, *(_to_expr(col) for col in cols))


def call_function(funcName, *cols):
    return _call(funcName, *(_to_expr(col) for col in cols))


def _lambda(f):
    code = getattr(f, "__code__", None)
    if code is not None and not hasattr(f, "__wrapped__") and not hasattr(f, "__self__"):
        count, plain = code.co_argcount, not code.co_flags & 0x0C and not code.co_kwonlyargcount
    else:
        import inspect

        parameters = inspect.signature(f).parameters.values()
        count = len(parameters)
        plain = all(p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY) for p in parameters)
    if not 1 <= count <= 3 and plain:
        raise PySparkValueError(
            errorClass="WRONG_NUM_ARGS_FOR_HIGHER_ORDER_FUNCTION",
            messageParameters={"func_name": f.__name__, "num_args": str(count)},
        )
    if not plain:
        raise PySparkValueError(
            errorClass="UNSUPPORTED_PARAM_TYPE_FOR_HIGHER_ORDER_FUNCTION",
            messageParameters={"func_name": f.__name__},
        )
    names = _fresh_names(count)
    result = f(*(Column(_native.variable(name)) for name in names))
    if not isinstance(result, Column):
        raise PySparkValueError(
            errorClass="HIGHER_ORDER_FUNCTION_SHOULD_RETURN_COLUMN",
            messageParameters={"func_name": f.__name__, "return_type": type(result).__name__},
        )
    return _native.lambda_(names, result._expr)


_made = [0]


def _fresh_names(count):
    """Names for lambda variables that no enclosing lambda has."""
    names = []
    for letter in "xyz"[:count]:
        _made[0] += 1
        names.append(f"{letter}_{_made[0]}")
    return names


def transform(col, f):
    return _call("transform", _to_expr(col), _lambda(f))


def exists(col, f):
    return _call("exists", _to_expr(col), _lambda(f))


def forall(col, f):
    return _call("forall", _to_expr(col), _lambda(f))


def filter(col, f):
    return _call("filter", _to_expr(col), _lambda(f))


def aggregate(col, initialValue, merge, finish=None):
    functions = [merge] if finish is None else [merge, finish]
    return _call("aggregate", _to_expr(col), _to_expr(initialValue), *(_lambda(f) for f in functions))


def reduce(col, initialValue, merge, finish=None):
    functions = [merge] if finish is None else [merge, finish]
    return _call("reduce", _to_expr(col), _to_expr(initialValue), *(_lambda(f) for f in functions))


def zip_with(left, right, f):
    return _call("zip_with", _to_expr(left), _to_expr(right), _lambda(f))


def transform_keys(col, f):
    return _call("transform_keys", _to_expr(col), _lambda(f))


def transform_values(col, f):
    return _call("transform_values", _to_expr(col), _lambda(f))


def map_filter(col, f):
    return _call("map_filter", _to_expr(col), _lambda(f))


def map_zip_with(col1, col2, f):
    return _call("map_zip_with", _to_expr(col1), _to_expr(col2), _lambda(f))


def array_sort(col, comparator=None):
    return _call("array_sort", _to_expr(col), *([] if comparator is None else [_lambda(comparator)]))


def _make_timestamp(name, zoned):
    def function(
        years=None, months=None, days=None, hours=None, mins=None, secs=None, timezone=None, date=None, time=None
    ):
        parts = (years, months, days, hours, mins, secs)
        other = (date, time) if years is not None else parts
        if any(part is not None for part in other):
            raise PySparkValueError(
                errorClass="CANNOT_SET_TOGETHER",
                messageParameters={"arg_list": "years|months|days|hours|mins|secs and date|time"},
            )
        taken = list(parts if years is not None else (date, time))
        if timezone is not None:
            taken.append(timezone)
        return _call(name, *(_to_expr(part) for part in taken))

    def zoneless(years=None, months=None, days=None, hours=None, mins=None, secs=None, date=None, time=None):
        return function(years, months, days, hours, mins, secs, None, date, time)

    made = function if zoned else zoneless
    made.__name__ = made.__qualname__ = name
    return made


make_timestamp = _make_timestamp("make_timestamp", True)
try_make_timestamp = _make_timestamp("try_make_timestamp", True)
make_timestamp_ntz = _make_timestamp("make_timestamp_ntz", False)
try_make_timestamp_ntz = _make_timestamp("try_make_timestamp_ntz", False)


def udf(f=None, returnType=None, *, useArrow=None):
    from pyspark.sql.udf import UserDefinedFunction

    if f is None or isinstance(f, (str, DataType)):
        kind = f or returnType
        return lambda function: UserDefinedFunction._wrap(function, kind, useArrow)
    return UserDefinedFunction._wrap(f, returnType, useArrow)


def pandas_udf(f=None, returnType=None, functionType=None):
    from pyspark.sql.pandas import functions

    return functions.pandas_udf(f, returnType, functionType)


def arrow_udf(f=None, returnType=None, functionType=None):
    from pyspark.sql._literals import not_yet

    raise not_yet("arrow_udf")


def udtf(cls=None, *, returnType=None, useArrow=None):
    from pyspark.sql.udtf import _make

    if cls is None:
        return lambda cls: _make(cls, returnType, useArrow)
    return _make(cls, returnType, useArrow)


def arrow_udtf(cls=None, *, returnType=None):
    from pyspark.sql._literals import not_yet

    raise not_yet("arrow_udtf")


def _deprecated(old, new, text):
    def function(*args, **kwargs):
        import warnings

        from pyspark.sql import functions

        warnings.warn(text, FutureWarning, stacklevel=2)
        return getattr(functions, new)(*args, **kwargs)

    function.__name__ = function.__qualname__ = old
    return function


countDistinct = count_distinct
sumDistinct = _deprecated("sumDistinct", "sum_distinct", "Deprecated in 3.2, use sum_distinct instead.")
toDegrees = _deprecated("toDegrees", "degrees", "Deprecated in 2.1, use degrees instead.")
toRadians = _deprecated("toRadians", "radians", "Deprecated in 2.1, use radians instead.")
bitwiseNOT = _deprecated("bitwiseNOT", "bitwise_not", "Deprecated in 3.2, use bitwise_not instead.")
shiftLeft = _deprecated("shiftLeft", "shiftleft", "Deprecated in 3.2, use shiftleft instead.")
shiftRight = _deprecated("shiftRight", "shiftright", "Deprecated in 3.2, use shiftright instead.")
shiftRightUnsigned = _deprecated(
    "shiftRightUnsigned", "shiftrightunsigned", "Deprecated in 3.2, use shiftrightunsigned instead."
)
approxCountDistinct = _deprecated(
    "approxCountDistinct", "approx_count_distinct", "Deprecated in 2.1, use approx_count_distinct instead."
)


def _partition_transform(name):
    def function(col):
        from pyspark.sql.functions import partitioning

        return getattr(partitioning, name)(col)

    function.__name__ = function.__qualname__ = name
    return function


years = _partition_transform("years")
months = _partition_transform("months")
days = _partition_transform("days")
hours = _partition_transform("hours")
