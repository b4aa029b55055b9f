"""createDataFrame: schemas from rows, and the check of rows against a schema."""

import datetime
import decimal
from functools import reduce

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql.types import (
    ArrayType,
    AtomicType,
    BinaryType,
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
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VarcharType,
    VariantType,
    VariantVal,
)

_INFERRED = {
    type(None): NullType,
    bool: BooleanType,
    int: LongType,
    float: DoubleType,
    str: StringType,
    bytearray: BinaryType,
    bytes: BinaryType,
    decimal.Decimal: lambda: DecimalType(38, 18),
    datetime.date: DateType,
    datetime.datetime: TimestampType,
    datetime.time: TimeType,
    datetime.timedelta: DayTimeIntervalType,
    VariantVal: VariantType,
}

# Elements of array.array, by the size of C's types.
_ARRAY_CODES = {
    "f": FloatType,
    "d": DoubleType,
    "b": ByteType,
    "B": ShortType,
    "h": ShortType,
    "H": IntegerType,
    "i": IntegerType,
    "I": LongType,
    "l": LongType,
    "q": LongType,
}

_ACCEPTED = {
    BooleanType: (bool,),
    ByteType: (int,),
    ShortType: (int,),
    IntegerType: (int,),
    LongType: (int,),
    FloatType: (float,),
    DoubleType: (float,),
    DecimalType: (decimal.Decimal,),
    BinaryType: (bytearray, bytes),
    DateType: (datetime.date, datetime.datetime),
    TimeType: (datetime.time,),
    TimestampType: (datetime.datetime,),
    TimestampNTZType: (datetime.datetime,),
    DayTimeIntervalType: (datetime.timedelta,),
    ArrayType: (list, tuple),
    MapType: (dict,),
}

_BOUNDS = {ByteType: 7, ShortType: 15, IntegerType: 31, LongType: 63}


class Rules:
    """The session's configuration for inferring types."""

    def __init__(self, conf):
        def flag(key):
            return (conf.get(key, "false") or "false").lower() == "true"

        self.dict_as_struct = flag("spark.sql.pyspark.inferNestedDictAsStruct.enabled")
        self.first_element = flag("spark.sql.pyspark.legacy.inferArrayTypeFromFirstElement.enabled")
        self.first_pair = flag("spark.sql.pyspark.legacy.inferMapTypeFromFirstPair.enabled")
        self.ntz = (conf.get("spark.sql.timestampType", "") or "").upper() == "TIMESTAMP_NTZ"


def infer_type(value, rules):
    made = _INFERRED.get(type(value))
    if made is TimestampType and rules.ntz and value.tzinfo is None:
        return TimestampNTZType()
    if made is not None:
        return made()
    if isinstance(value, dict):
        return _infer_dict(value, rules)
    if type(value).__name__ == "array" and type(value).__module__ == "array":
        made = _ARRAY_CODES.get(value.typecode)
        if made is None:
            raise PySparkTypeError(
                errorClass="UNSUPPORTED_DATA_TYPE", messageParameters={"data_type": f"array({value.typecode})"}
            )
        return ArrayType(made(), False)
    if isinstance(value, list):
        if not value:
            return ArrayType(NullType(), True)
        if rules.first_element:
            return ArrayType(infer_type(value[0], rules), True)
        return ArrayType(reduce(merge_type, (infer_type(item, rules) for item in value)), True)
    try:
        return infer_row(value, None, rules)
    except TypeError:
        raise PySparkTypeError(
            errorClass="UNSUPPORTED_DATA_TYPE", messageParameters={"data_type": type(value).__name__}
        ) from None


def _infer_dict(value, rules):
    pairs = [(k, v) for k, v in value.items() if k is not None and v is not None]
    if rules.dict_as_struct:
        return StructType([StructField(k, infer_type(v, rules), True) for k, v in pairs])
    if rules.first_pair:
        if not pairs:
            return MapType(NullType(), NullType(), True)
        return MapType(infer_type(pairs[0][0], rules), infer_type(pairs[0][1], rules), True)
    keys = [infer_type(k, rules) for k in value if k is not None]
    values = [infer_type(v, rules) for v in value.values() if v is not None]
    return MapType(reduce(merge_type, keys, NullType()), reduce(merge_type, values, NullType()), True)


def infer_row(row, names, rules):
    if isinstance(row, dict):
        items = sorted(row.items())
    elif isinstance(row, (tuple, list)):
        if hasattr(row, "__fields__"):
            items = zip(row.__fields__, tuple(row))
        elif hasattr(row, "_fields"):
            items = zip(row._fields, tuple(row))
        else:
            if names is None:
                names = [f"_{i}" for i in range(1, len(row) + 1)]
            elif len(names) < len(row):
                names.extend(f"_{i}" for i in range(len(names) + 1, len(row) + 1))
            items = zip(names, row)
    elif hasattr(row, "__dict__"):
        items = sorted(row.__dict__.items())
    else:
        raise PySparkTypeError(
            errorClass="CANNOT_INFER_SCHEMA_FOR_TYPE", messageParameters={"data_type": type(row).__name__}
        )
    fields = []
    for name, value in items:
        try:
            fields.append(StructField(name, infer_type(value, rules), True))
        except TypeError:
            raise PySparkTypeError(
                errorClass="CANNOT_INFER_TYPE_FOR_FIELD", messageParameters={"field_name": name}
            ) from None
    return StructType(fields)


def merge_type(a, b):
    if isinstance(a, NullType):
        return b
    if isinstance(b, NullType):
        return a
    if isinstance(a, TimestampType) and isinstance(b, TimestampNTZType):
        return a
    if isinstance(a, TimestampNTZType) and isinstance(b, TimestampType):
        return b
    if isinstance(a, AtomicType) and isinstance(b, StringType):
        return b
    if isinstance(a, StringType) and isinstance(b, AtomicType):
        return a
    if type(a) is not type(b):
        raise PySparkTypeError(
            errorClass="CANNOT_MERGE_TYPE",
            messageParameters={"data_type1": type(a).__name__, "data_type2": type(b).__name__},
        )
    if isinstance(a, StructType):
        others = {field.name: field.dataType for field in b.fields}
        fields = [StructField(f.name, merge_type(f.dataType, others.get(f.name, NullType()))) for f in a.fields]
        known = {field.name for field in fields}
        fields.extend(StructField(name, kind) for name, kind in others.items() if name not in known)
        return StructType(fields)
    if isinstance(a, ArrayType):
        return ArrayType(merge_type(a.elementType, b.elementType), True)
    if isinstance(a, MapType):
        return MapType(merge_type(a.keyType, b.keyType), merge_type(a.valueType, b.valueType), True)
    return a


def _has_null_type(kind):
    if isinstance(kind, StructType):
        return any(_has_null_type(field.dataType) for field in kind.fields)
    if isinstance(kind, ArrayType):
        return _has_null_type(kind.elementType)
    if isinstance(kind, MapType):
        return _has_null_type(kind.keyType) or _has_null_type(kind.valueType)
    return isinstance(kind, NullType)


def infer_schema(rows, names, rules):
    if not rows:
        raise PySparkValueError(errorClass="CANNOT_INFER_EMPTY_SCHEMA", messageParameters={})
    schema = reduce(merge_type, (infer_row(row, names, rules) for row in rows))
    if _has_null_type(schema):
        raise PySparkValueError(errorClass="CANNOT_DETERMINE_TYPE", messageParameters={})
    return schema


def _text(value):
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def converter(kind):
    """Brings a row of an inferred schema into the schema's shape; None where values can stay as they are."""
    if isinstance(kind, ArrayType):
        inner = converter(kind.elementType)
        return inner and (lambda v: None if v is None else [inner(item) for item in v])
    if isinstance(kind, MapType):
        key, value = converter(kind.keyType), converter(kind.valueType)
        if key is None and value is None:
            return None
        key, value = key or (lambda v: v), value or (lambda v: v)
        return lambda v: None if v is None else {key(k): value(item) for k, item in v.items()}
    if isinstance(kind, NullType):
        return lambda v: None
    if isinstance(kind, StringType):
        return _text
    if not isinstance(kind, StructType):
        return None
    names = [field.name for field in kind.fields]
    inner = [converter(field.dataType) or (lambda v: v) for field in kind.fields]

    def convert(value):
        if value is None:
            return None
        if isinstance(value, (tuple, list)):
            return tuple(make(item) for item, make in zip(value, inner))
        if isinstance(value, dict):
            found = value
        elif hasattr(value, "__dict__"):
            found = value.__dict__
        else:
            raise PySparkTypeError(
                errorClass="UNSUPPORTED_DATA_TYPE", messageParameters={"data_type": type(value).__name__}
            )
        return tuple(make(found.get(name)) for name, make in zip(names, inner))

    return convert


def _unacceptable(kind, name, value):
    parameters = {"data_type": str(kind), "obj": repr(value), "obj_type": str(type(value))}
    if name is None:
        raise PySparkTypeError(errorClass="FIELD_DATA_TYPE_UNACCEPTABLE", messageParameters=parameters)
    raise PySparkTypeError(
        errorClass="FIELD_DATA_TYPE_UNACCEPTABLE_WITH_NAME", messageParameters={"field_name": str(name), **parameters}
    )


def verifier(kind, nullable=True, name=None):
    """A function that raises when a value does not fit a type."""
    check = _struct_check(kind, name) if isinstance(kind, StructType) else _check(kind, name)

    def verify(value):
        if value is None or (isinstance(value, decimal.Decimal) and value.is_nan()):
            if not nullable:
                if name is None:
                    raise PySparkValueError(errorClass="FIELD_NOT_NULLABLE", messageParameters={})
                raise PySparkValueError(
                    errorClass="FIELD_NOT_NULLABLE_WITH_NAME", messageParameters={"field_name": str(name)}
                )
        else:
            check(value)

    return verify


def _check(kind, name):
    cls = type(kind)
    if isinstance(kind, (StringType, CharType, VarcharType, VariantType)):
        return lambda value: None

    def accept(value):
        assert cls in _ACCEPTED, (f"{name}: " if name else "") + f"unknown datatype: {kind} for object {value!r}"
        if type(value) not in _ACCEPTED[cls]:
            _unacceptable(kind, name, value)

    if cls in _BOUNDS:
        limit = 1 << _BOUNDS[cls]

        def check(value):
            accept(value)
            if value < -limit or value >= limit:
                raise PySparkValueError(
                    errorClass="VALUE_OUT_OF_BOUNDS",
                    messageParameters={
                        "arg_name": "obj",
                        "lower_bound": str(-limit),
                        "upper_bound": str(limit - 1),
                        "actual": str(value),
                    },
                )

        return check
    if isinstance(kind, ArrayType):
        element = verifier(kind.elementType, kind.containsNull, f"element in array {name}")

        def check(value):
            accept(value)
            for item in value:
                element(item)

        return check
    if isinstance(kind, MapType):
        key = verifier(kind.keyType, False, f"key of map {name}")
        item = verifier(kind.valueType, kind.valueContainsNull, f"value of map {name}")

        def check(value):
            accept(value)
            for k, v in value.items():
                key(k)
                item(v)

        return check
    return accept


def _struct_check(kind, name):
    inside = "" if name is None else f" in {name}"
    fields = [(f.name, verifier(f.dataType, f.nullable, f"field {f.name}{inside}")) for f in kind.fields]

    def check(value):
        if isinstance(value, dict):
            for field, verify in fields:
                verify(value.get(field))
        elif isinstance(value, (tuple, list)):
            if len(value) != len(fields):
                parameters = {"object_length": str(len(value)), "field_length": str(len(fields))}
                if name is None:
                    raise PySparkValueError(errorClass="FIELD_STRUCT_LENGTH_MISMATCH", messageParameters=parameters)
                raise PySparkValueError(
                    errorClass="FIELD_STRUCT_LENGTH_MISMATCH_WITH_NAME",
                    messageParameters={"field_name": str(name), **parameters},
                )
            for item, (_, verify) in zip(value, fields):
                verify(item)
        elif hasattr(value, "__dict__"):
            for field, verify in fields:
                verify(value.__dict__.get(field))
        else:
            _unacceptable(kind, name, value)

    return check
