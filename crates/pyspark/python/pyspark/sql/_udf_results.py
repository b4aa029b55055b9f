"""Results of Python functions brought to their declared type, as Spark's Arrow-based evaluation does."""

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
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)


class ArrowInvalid(ValueError):
    pass


class ArrowTypeError(TypeError):
    pass


for _error in (ArrowInvalid, ArrowTypeError):
    _error.__module__ = "pyarrow.lib"
del _error

_BITS = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}


def _integer(bits):
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1

    def convert(value):
        if isinstance(value, bool):
            raise ArrowTypeError("Expected integer, got bool")
        if isinstance(value, str):
            try:
                value = int(value)
            except ValueError:
                raise ArrowInvalid(f"Failed to parse string: '{value}' as a scalar of type int{bits}") from None
        elif not isinstance(value, int):
            if not hasattr(value, "__int__"):
                raise ArrowTypeError(f"object of type {type(value)} cannot be converted to int")
            value = int(value)
        if not low <= value <= high:
            raise ArrowInvalid(f"Integer value {value} not in range: {low} to {high}")
        return value

    return convert


def _float(value):
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            raise ArrowInvalid(f"Failed to parse string: '{value}' as a scalar of type double") from None
    if not hasattr(value, "__float__"):
        raise ArrowTypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def _boolean(value):
    if isinstance(value, str):
        if value.lower() in ("true", "1"):
            return True
        if value.lower() in ("false", "0"):
            return False
        raise ArrowInvalid(f"Failed to parse string: '{value}' as a scalar of type bool")
    return bool(value)


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _date(value):
    import datetime

    if isinstance(value, datetime.datetime):
        return value.date()
    if not isinstance(value, datetime.date):
        raise ArrowTypeError(f"object of type {type(value)} cannot be converted to int")
    return value


def _timestamp(value):
    import datetime

    if not isinstance(value, datetime.datetime):
        raise ArrowTypeError(f"object of type {type(value)} cannot be converted to int")
    return value


def _decimal(value):
    from decimal import Decimal

    assert isinstance(value, Decimal)
    return value


def _binary(value):
    return value.encode() if isinstance(value, str) else bytes(value)


_SIMPLE = {
    DoubleType: _float,
    FloatType: _float,
    BooleanType: _boolean,
    StringType: _text,
    DateType: _date,
    TimestampType: _timestamp,
    TimestampNTZType: _timestamp,
    DecimalType: _decimal,
    BinaryType: _binary,
}


def _nullable(convert):
    return lambda value: None if value is None else convert(value)


def converter(kind):
    """A function that makes a result of the type, or raises; None stays None."""
    if type(kind) in _BITS:
        return _nullable(_integer(_BITS[type(kind)]))
    if type(kind) in _SIMPLE:
        return _nullable(_SIMPLE[type(kind)])
    if isinstance(kind, ArrayType):
        element = converter(kind.elementType)
        return _nullable(lambda value: [element(item) for item in value])
    if isinstance(kind, MapType):
        key, item = converter(kind.keyType), converter(kind.valueType)
        return _nullable(lambda value: {key(k): item(v) for k, v in value.items()})
    if isinstance(kind, StructType):
        return _nullable(_struct(kind))
    return lambda value: value


def row_of(kind):
    """A function that makes a tuple of a result as Python gives it: a row, a dict, or an object with attributes."""
    names = [field.name for field in kind.fields]

    def convert(value):
        if isinstance(value, dict):
            return tuple(value.get(name) for name in names)
        if isinstance(value, (tuple, list)) or value is None:
            return value
        return tuple(getattr(value, name) for name in names)

    return convert


def _struct(kind):
    fields = [(field.name, converter(field.dataType)) for field in kind.fields]

    def convert(value):
        if isinstance(value, dict):
            return tuple(make(value.get(name)) for name, make in fields)
        if not isinstance(value, (tuple, list)):
            value = [getattr(value, name) for name, _ in fields]
        return tuple(make(item) for (_, make), item in zip(fields, value))

    return convert
