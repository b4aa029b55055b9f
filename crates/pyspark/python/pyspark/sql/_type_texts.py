"""Data types from Spark's JSON and from DDL."""

from pyspark.errors import PySparkValueError
from pyspark.sql import types as T

_all_mappable_types = {
    cls.typeName(): cls
    for cls in (
        T.BinaryType, T.BooleanType, T.ByteType, T.CalendarIntervalType, T.DateType, T.DoubleType, T.FloatType,
        T.IntegerType, T.LongType, T.NullType, T.ShortType, T.TimestampNTZType, T.TimestampType, T.VariantType,
    )
}  # fmt: skip
_all_mappable_types["string"] = T.StringType
_all_mappable_types["decimal"] = T.DecimalType


def _whole(text, prefix):
    """The numbers in `prefix(1,2)`; None when the text is something else."""
    if not (text.startswith(prefix + "(") and text.endswith(")")):
        return None
    try:
        return [int(part) for part in text[len(prefix) + 1 : -1].split(",")]
    except ValueError:
        return None


def _parse_datatype_json_value(json_value, fieldPath="", collationsMap=None):
    if isinstance(json_value, dict):
        kind = json_value["type"]
        for cls, name in ((T.ArrayType, "array"), (T.MapType, "map"), (T.StructType, "struct")):
            if kind == name:
                return cls.fromJson(json_value)
        raise PySparkValueError(errorClass="CANNOT_PARSE_DATATYPE", messageParameters={"msg": str(kind)})
    if json_value in _all_mappable_types:
        return _all_mappable_types[json_value]()
    if numbers := _whole(json_value, "decimal"):
        return T.DecimalType(*numbers)
    for cls, name in ((T.CharType, "char"), (T.VarcharType, "varchar"), (T.TimeType, "time")):
        if numbers := _whole(json_value, name):
            return cls(numbers[0])
    if json_value.startswith("string collate "):
        return T.StringType(json_value[15:])
    if json_value.startswith("interval "):
        parts = json_value[9:].split(" to ")
        for cls in (T.DayTimeIntervalType, T.YearMonthIntervalType):
            if all(part in cls._inverted_fields for part in parts):
                return cls(*(cls._inverted_fields[part] for part in parts))
    raise PySparkValueError(errorClass="CANNOT_PARSE_DATATYPE", messageParameters={"msg": str(json_value)})


def _parse_datatype_json_string(json_string):
    import json

    return _parse_datatype_json_value(json.loads(json_string))


def _parse_datatype_string(s):
    """DDL: a table schema, else a type, else the fields of a struct; the first failure is the one that counts."""
    import _tidemark_expr

    from pyspark.errors import ParseException

    try:
        return _parse_datatype_json_string(_tidemark_expr.parse_type(s, True))
    except ParseException as error:
        for text in (s, f"struct<{s.strip()}>"):
            try:
                return _parse_datatype_json_string(_tidemark_expr.parse_type(text, False))
            except ParseException:
                pass
        raise error from None
