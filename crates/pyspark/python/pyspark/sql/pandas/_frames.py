"""Columns of the engine as pandas frames, and frames as columns: kinds and missing values as Spark's Arrow conversion gives them."""

import datetime

from pandas import NA, DataFrame, Series, Timedelta, Timestamp
from pandas._index import RangeIndex
from pandas._times import NaT
from pandas._values import infer, missing, nan

from pyspark.errors import PySparkRuntimeError, PySparkTypeError, PySparkValueError
from pyspark.sql._udf_results import ArrowInvalid, ArrowTypeError, converter
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
)

_INTEGERS = {ByteType: "int8", ShortType: "int16", IntegerType: "int32", LongType: "int64"}
_FLOATS = {FloatType: "float32", DoubleType: "float64"}


def session_zone():
    """Name of spark.sql.session.timeZone, and the zone itself where it is not UTC."""
    from pyspark.sql.session import SparkSession

    session = SparkSession.getActiveSession()
    name = session.conf.get("spark.sql.session.timeZone", "UTC") if session is not None else "UTC"
    if name.upper() in ("UTC", "ETC/UTC", "Z", "GMT"):
        return name, None
    from zoneinfo import ZoneInfo

    return name, ZoneInfo(name)


def _local(value, zone):
    if zone is not None:
        value = value.replace(tzinfo=datetime.timezone.utc).astimezone(zone).replace(tzinfo=None)
    return Timestamp(value)


def plain(value, kind):
    """A nested value as pandas holds it: structs are dicts."""
    if value is None:
        return None
    if isinstance(kind, StructType):
        return {field.name: plain(item, field.dataType) for field, item in zip(kind.fields, value)}
    if isinstance(kind, ArrayType):
        from pandas._series import Values

        return Values(plain(item, kind.elementType) for item in value)
    return value


def column(values, kind, zone=None, extension=False):
    """(dtype, values) of a column. `extension`: integers with nulls stay integers (mapInPandas)."""
    absent = None in values
    if type(kind) in _INTEGERS:
        dtype = _INTEGERS[type(kind)]
        if not absent:
            return dtype, values
        if extension:
            return dtype.capitalize(), [NA if value is None else value for value in values]
        return "float64", [nan if value is None else float(value) for value in values]
    if type(kind) in _FLOATS:
        return _FLOATS[type(kind)], [nan if value is None else value for value in values]
    if isinstance(kind, BooleanType):
        return ("object" if absent else "bool"), values
    if isinstance(kind, (StringType, CharType, VarcharType)):
        return "str", [nan if value is None else value for value in values]
    if isinstance(kind, TimestampType):
        return "datetime64[us]", [NaT if value is None else _local(value, zone) for value in values]
    if isinstance(kind, TimestampNTZType):
        return "datetime64[us]", [NaT if value is None else Timestamp(value) for value in values]
    if isinstance(kind, DayTimeIntervalType):
        return "timedelta64[us]", [NaT if value is None else Timedelta(value) for value in values]
    return "object", [plain(value, kind) for value in values]


def frame(columns, rows, fields, zone=None, extension=False):
    """A DataFrame of the columns of these fields."""
    data, kinds = {}, {}
    for values, field in zip(columns, fields):
        kinds[field.name], data[field.name] = column(values, field.dataType, zone, extension)
    return DataFrame._of(data, kinds, RangeIndex(rows))


def series(values, zone=None):
    """A Series of values whose Spark type is not known here."""
    values = [_local(v, zone) if isinstance(v, datetime.datetime) else v for v in values]
    if any(isinstance(value, tuple) and hasattr(value, "__fields__") for value in values):
        rows = [value.asDict(True) if value is not None else {} for value in values]
        return DataFrame(rows)
    kind, made = infer(values)
    if kind == "object" and made and all(value is None for value in made):
        return Series._of(made, RangeIndex(len(made)), "object")
    return Series._of(made, RangeIndex(len(made)), kind)


# ---- results -------------------------------------------------------------------------------------------


def check_frame(result, fields, by_name, cut=False):
    """verify_pandas_result: a frame with the columns that the schema names."""
    if not isinstance(result, DataFrame):
        raise returned("pandas.DataFrame", result)
    if result.empty and len(result.columns) == 0:
        return
    names = [field.name for field in fields]
    actual = list(result.columns)[: len(names)] if cut else list(result.columns)
    if by_name and any(isinstance(name, str) for name in result.columns):
        absent, more = sorted(set(names) - set(actual)), sorted(set(actual) - set(names))
        if absent or more:
            raise PySparkRuntimeError(
                errorClass="RESULT_COLUMN_NAMES_MISMATCH",
                messageParameters={
                    "missing": f" Missing: {', '.join(absent)}." if absent else "",
                    "extra": f" Unexpected: {', '.join(more)}." if more else "",
                },
            )
    elif len(actual) != len(names):
        raise wrong_count(len(names), len(actual))


def wrong_count(expected, actual):
    return PySparkRuntimeError(
        errorClass="RESULT_COLUMN_SCHEMA_MISMATCH",
        messageParameters={"expected": str(expected), "actual": str(actual)},
    )


def returned(expected, result):
    actual = result if isinstance(result, str) else type(result).__name__
    return PySparkTypeError(
        errorClass="UDF_RETURN_TYPE", messageParameters={"expected": expected, "actual": actual}
    )


def columns_of(result, fields, zone=None, absent_is_null=False, loose=False):
    """The columns of a frame in the order of the schema, by name where it has names. `absent_is_null`: a column that is not
    there is null; `loose`: floats lose their fraction where an integer is wanted, as objects do in Arrow."""
    if len(result.columns) == 0:
        return [[None] * len(result) for _ in fields]
    by_name = any(isinstance(name, str) for name in result.columns)
    names = list(result.columns)
    made = []
    for at, field in enumerate(fields):
        if by_name and absent_is_null and field.name not in result:
            made.append([None] * len(result))
            continue
        one = result[field.name] if by_name else result[names[at]]
        made.append(values_of(one, field, zone, loose))
    return made


_ARROW = {"ByteType": "int8", "ShortType": "int16", "IntegerType": "int32", "LongType": "int64", "FloatType": "float",
          "DoubleType": "double", "StringType": "string", "BooleanType": "bool", "DateType": "date32[day]",
          "BinaryType": "binary", "TimestampNTZType": "timestamp[us]"}  # fmt: skip


def _arrow_name(kind):
    name = type(kind).__name__
    if isinstance(kind, DecimalType):
        return f"decimal128({kind.precision}, {kind.scale})"
    if isinstance(kind, TimestampType):
        return f"timestamp[us, tz={session_zone()[0]}]"
    return _ARROW.get(name, name)


def values_of(one, field, zone=None, loose=False):
    """The values of a Series as the engine takes them; refused where Arrow refuses them."""
    kind = field.dataType
    if isinstance(one, DataFrame):
        rows = columns_of(one, kind.fields, zone)
        return [tuple(row) for row in zip(*rows)]
    convert = converter(kind)
    whole = type(kind) in _INTEGERS and one._kind.startswith("float") and not loose
    text = isinstance(kind, StringType)
    made = []
    try:
        for value in one._values:
            if missing(value):
                made.append(None)
                continue
            if whole and value != int(value):
                raise ArrowInvalid(f"Float value {value} was truncated converting to {_arrow_name(kind)}")
            if text and not isinstance(value, str):
                raise ArrowTypeError(f"Expected bytes, got a '{type(value).__name__}' object")
            if isinstance(value, Timestamp):
                value = _stored(value, zone, kind)
            elif isinstance(value, Timedelta):
                value = value.to_pytimedelta()
            made.append(convert(value))
    except (TypeError, ValueError, AssertionError, AttributeError) as error:
        dtype, arrow = "object" if loose else one._kind, _arrow_name(kind)
        if isinstance(error, ValueError):
            raise PySparkValueError(
                f"Failed to convert the value of the column '{field.name}' with type '{dtype}' to Arrow type '{arrow}'. It "
                "can be caused by overflows or other unsafe conversions warned by Arrow. Arrow safe type check can be "
                "disabled by using SQL config `spark.sql.execution.pandas.convertToArrowArraySafely`."
            ) from error
        raise PySparkTypeError(
            f"Cannot convert the output value of the column '{field.name}' with type '{dtype}' to the specified return "
            f"type of the column: '{arrow}'. Please check if the data types match and try again."
        ) from error
    return made


def _stored(value, zone, kind):
    if isinstance(kind, DateType):
        return value.to_pydatetime().date()
    if value.tzinfo is None and zone is not None and isinstance(kind, TimestampType):
        value = value.to_pydatetime().replace(tzinfo=zone)
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value.to_pydatetime()


_KINDS = {
    **{name: kind for kind, name in _INTEGERS.items()},
    **{name.capitalize(): kind for kind, name in _INTEGERS.items()},
    **{name: kind for kind, name in _FLOATS.items()},
    "bool": BooleanType,
    "str": StringType,
    "datetime64[us]": TimestampType,
    "timedelta64[us]": DayTimeIntervalType,
}


def rows_of(data, schema):
    """Rows of a frame for createDataFrame, and the schema that its kinds mean where none is given."""
    if isinstance(data, Series):
        data = data.to_frame()
    if schema is None:
        names = [str(name) for name in data.columns]
        kinds = list(data._kinds.values())
        if all(kind in _KINDS for kind in kinds):
            schema = StructType([StructField(name, _KINDS[kind]()) for name, kind in zip(names, kinds)])
        else:
            schema = names
    zone = session_zone()[1]

    def value(item):
        if missing(item):
            return None
        if isinstance(item, Timestamp):
            return _stored(item, zone, TimestampType())
        return item.to_pytimedelta() if isinstance(item, Timedelta) else item

    return [tuple(value(item) for item in row) for row in zip(*data._data.values())], schema
