"""Rows that a data source of the script's gives, as columns: checked and brought to their types as Arrow does it."""

import datetime
import decimal

from pyspark.errors import PySparkRuntimeError, PySparkValueError
from pyspark.sql._udf_results import ArrowInvalid, ArrowTypeError, _date, _text
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    Row,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
    VariantVal,
)

_BITS = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}


def _unfit(value, kind):
    return ArrowInvalid(f"Could not convert {value!r} with type {type(value).__name__}: tried to convert to {kind}")


def _integer(bits):
    limit = 1 << bits - 1

    def convert(value):
        if isinstance(value, bool):
            raise ArrowTypeError("Expected integer, got bool")
        if value != value or not isinstance(value, (int, float, decimal.Decimal)):
            raise _unfit(value, f"int{bits}")
        value = int(value)
        if not -(1 << 63) <= value < 1 << 63:
            raise OverflowError("Python int too large to convert to C long")
        if not -limit <= value < limit:
            raise ArrowInvalid(f"Value {value} too large to fit in C integer type")
        return value

    return convert


def _float(kind):
    def convert(value):
        if not hasattr(value, "__float__"):
            raise _unfit(value, kind)
        return float(value)

    return convert


def _boolean(value):
    if not isinstance(value, bool):
        raise _unfit(value, "boolean")
    return value


def _timestamp(value):
    assert isinstance(value, datetime.datetime)
    return value


def _timestamp_ntz(value):
    assert isinstance(value, datetime.datetime) and value.tzinfo is None
    return value


def _variant(value):
    if not isinstance(value, VariantVal):
        raise PySparkValueError(errorClass="MALFORMED_VARIANT", messageParameters={})
    return value


def _binary(value):
    assert isinstance(value, (bytes, bytearray))
    return bytes(value)


_SIMPLE = {
    DoubleType: _float("double"),
    FloatType: _float("float"),
    BooleanType: _boolean,
    StringType: _text,
    DateType: _date,
    TimestampType: _timestamp,
    TimestampNTZType: _timestamp_ntz,
    BinaryType: _binary,
    VariantType: _variant,
}


def _decimal(kind):
    unit = decimal.Decimal(1).scaleb(-kind.scale)
    context = decimal.Context(prec=kind.precision, rounding=decimal.ROUND_HALF_EVEN)

    def convert(value):
        assert isinstance(value, decimal.Decimal)
        return None if value.is_nan() else value.quantize(unit, context=context)

    return convert


def _array(kind):
    element = converter(kind.elementType)
    # Elements that Arrow takes as they are may come in a tuple.
    plain = type(kind.elementType) in (*_BITS, DoubleType, FloatType, BooleanType, DateType)

    def convert(value):
        assert isinstance(value, (list, tuple) if plain else list) or type(value).__name__ == "array"
        return [element(item) for item in value]

    return convert


def _map(kind):
    key, item = converter(kind.keyType), converter(kind.valueType)

    def convert(value):
        assert isinstance(value, dict)
        return {key(k): item(v) for k, v in value.items()}

    return convert


def _struct(kind):
    fields = [(field.name, converter(field.dataType)) for field in kind.fields]

    def convert(value):
        if isinstance(value, tuple):
            if len(value) != len(fields):
                raise PySparkValueError(
                    errorClass="AXIS_LENGTH_MISMATCH",
                    messageParameters={"expected_length": str(len(fields)), "actual_length": str(len(value))},
                )
            return tuple(make(item) for (_, make), item in zip(fields, value))
        if not isinstance(value, dict):
            assert hasattr(value, "__dict__"), f"{type(value)} {value}"
            value = value.__dict__
        return tuple(make(value.get(name)) for name, make in fields)

    return convert


def converter(kind):
    """A function that makes a value of the type, or raises; None stays None."""
    if type(kind) in _BITS:
        convert = _integer(_BITS[type(kind)])
    elif type(kind) in _SIMPLE:
        convert = _SIMPLE[type(kind)]
    else:
        nested = {DecimalType: _decimal, ArrayType: _array, MapType: _map, StructType: _struct}.get(type(kind))
        convert = nested(kind) if nested else lambda value: value
    return lambda value: None if value is None else convert(value)


def _mismatch(expected, actual):
    return PySparkRuntimeError(
        errorClass="DATA_SOURCE_RETURN_SCHEMA_MISMATCH",
        messageParameters={"expected": str(expected), "actual": str(actual)},
    )


def invalid_return(value, name, supported):
    return PySparkRuntimeError(
        errorClass="DATA_SOURCE_INVALID_RETURN_TYPE",
        messageParameters={"type": type(value).__name__, "name": name, "supported_types": supported},
    )


def columns_of(rows, schema, name):
    """The rows as one table: a list of columns."""
    names = [field.name for field in schema.fields]
    convert = [converter(field.dataType) for field in schema.fields]
    columns = [[] for _ in names]
    for row in rows:
        if hasattr(row, "__len__") and len(row) != len(names):
            raise _mismatch(len(names), len(row))
        if not isinstance(row, (list, tuple)):
            raise invalid_return(row, name, "tuple, list, `pyspark.sql.types.Row`, `pyarrow.RecordBatch`")
        if isinstance(row, Row) and hasattr(row, "__fields__"):
            if set(row.__fields__) != set(names):
                raise _mismatch(names, row.__fields__)
            row = [row[field] for field in names]
        for column, make, value in zip(columns, convert, row):
            column.append(make(value))
    return [columns]
