"""Spark's data types, and Row."""

from pyspark.errors import PySparkNotImplementedError, PySparkRuntimeError
from pyspark.sql._row import Row, _create_row  # noqa: F401

__all__ = [
    "DataType",
    "NullType",
    "CharType",
    "StringType",
    "VarcharType",
    "BinaryType",
    "BooleanType",
    "DateType",
    "TimeType",
    "TimestampType",
    "TimestampNTZType",
    "DecimalType",
    "DoubleType",
    "Geography",
    "Geometry",
    "FloatType",
    "ByteType",
    "IntegerType",
    "LongType",
    "DayTimeIntervalType",
    "YearMonthIntervalType",
    "CalendarIntervalType",
    "Row",
    "ShortType",
    "ArrayType",
    "MapType",
    "StructField",
    "StructType",
    "VariantType",
    "VariantVal",
    "GeographyType",
    "GeometryType",
]


class DataType:
    """Base of all data types; two are equal when their classes and fields are."""

    _name = None

    def __repr__(self):
        return f"{type(self).__name__}()"

    def __hash__(self):
        return hash(str(self))

    def __eq__(self, other):
        return isinstance(other, self.__class__) and self.__dict__ == other.__dict__

    def __ne__(self, other):
        return not self.__eq__(other)

    @classmethod
    def typeName(cls):
        return cls._name or cls.__name__[:-4].lower()

    def simpleString(self):
        return self.typeName()

    def jsonValue(self):
        return self.typeName()

    def json(self):
        import json

        return json.dumps(self.jsonValue(), separators=(",", ":"), sort_keys=True)

    def needConversion(self):
        return False

    def toInternal(self, obj):
        return obj

    def fromInternal(self, obj):
        return obj

    def _as_nullable(self):
        return self

    @classmethod
    def fromDDL(cls, ddl):
        return _parse_datatype_string(ddl)


class _OneInstance(type):
    """A type without parameters has one instance."""

    _instances = {}

    def __call__(cls):
        if cls not in cls._instances:
            cls._instances[cls] = super().__call__()
        return cls._instances[cls]


DataTypeSingleton = _OneInstance


class NullType(DataType, metaclass=_OneInstance):
    _name = "void"


class AtomicType(DataType):
    pass


class NumericType(AtomicType):
    pass


class IntegralType(NumericType, metaclass=_OneInstance):
    pass


class FractionalType(NumericType):
    pass


class StringType(AtomicType):
    def __init__(self, collation="UTF8_BINARY"):
        self.collation = collation

    def isUTF8BinaryCollation(self):
        return self.collation == "UTF8_BINARY"

    def simpleString(self):
        return "string" if self.isUTF8BinaryCollation() else f"string collate {self.collation}"

    def jsonValue(self):
        return self.simpleString()

    def __repr__(self):
        return "StringType()" if self.isUTF8BinaryCollation() else f"StringType('{self.collation}')"


class _SizedText(AtomicType):
    def __init__(self, length):
        self.length = length

    def simpleString(self):
        return f"{self.typeName()}({self.length})"

    def jsonValue(self):
        return self.simpleString()

    def __repr__(self):
        return f"{type(self).__name__}({self.length})"


class CharType(_SizedText):
    pass


class VarcharType(_SizedText):
    pass


class BinaryType(AtomicType, metaclass=_OneInstance):
    pass


class BooleanType(AtomicType, metaclass=_OneInstance):
    pass


class DatetimeType(AtomicType):
    pass


class DateType(DatetimeType, metaclass=_OneInstance):
    def needConversion(self):
        return True

    def toInternal(self, d):
        return None if d is None else d.toordinal() - 719163

    def fromInternal(self, v):
        import datetime

        return None if v is None else datetime.date.fromordinal(v + 719163)


class AnyTimeType(DatetimeType):
    pass


class TimeType(AnyTimeType):
    def __init__(self, precision=6):
        self.precision = precision

    def simpleString(self):
        return f"time({self.precision})"

    def jsonValue(self):
        return self.simpleString()

    def __repr__(self):
        return f"TimeType({self.precision})"


def _micros(dt):
    seconds = (dt.toordinal() - 719163) * 86400 + dt.hour * 3600 + dt.minute * 60 + dt.second
    return seconds * 1000000 + dt.microsecond


class TimestampType(DatetimeType, metaclass=_OneInstance):
    def needConversion(self):
        return True

    def toInternal(self, dt):
        if dt is None:
            return None
        offset = dt.utcoffset()
        shift = 0 if offset is None else (offset.days * 86400 + offset.seconds) * 1000000 + offset.microseconds
        return _micros(dt) - shift

    def fromInternal(self, ts):
        import datetime

        return None if ts is None else datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=ts)


class TimestampNTZType(DatetimeType, metaclass=_OneInstance):
    _name = "timestamp_ntz"

    def needConversion(self):
        return True

    def toInternal(self, dt):
        return None if dt is None else _micros(dt)

    def fromInternal(self, ts):
        import datetime

        return None if ts is None else datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=ts)


class DecimalType(FractionalType):
    def __init__(self, precision=10, scale=0):
        self.precision = precision
        self.scale = scale
        self.hasPrecisionInfo = True

    def simpleString(self):
        return f"decimal({self.precision},{self.scale})"

    def jsonValue(self):
        return self.simpleString()

    def __repr__(self):
        return f"DecimalType({self.precision},{self.scale})"


class DoubleType(FractionalType, metaclass=_OneInstance):
    pass


class FloatType(FractionalType, metaclass=_OneInstance):
    pass


class SpatialType(AtomicType):
    def __init__(self, srid):
        raise PySparkNotImplementedError(
            errorClass="NOT_IMPLEMENTED", messageParameters={"feature": f"{type(self).__name__} in Tidemark"}
        )


class GeographyType(SpatialType):
    pass


class GeometryType(SpatialType):
    pass


class Geography:
    def __init__(self, wkb, srid):
        GeographyType(srid)


class Geometry:
    def __init__(self, wkb, srid):
        GeometryType(srid)


class ByteType(IntegralType):
    def simpleString(self):
        return "tinyint"


class IntegerType(IntegralType):
    def simpleString(self):
        return "int"


class LongType(IntegralType):
    def simpleString(self):
        return "bigint"


class ShortType(IntegralType):
    def simpleString(self):
        return "smallint"


class AnsiIntervalType(AtomicType):
    _default = (0, 0)

    def __init__(self, startField=None, endField=None):
        if startField is None and endField is None:
            startField, endField = self._default
        elif endField is None:
            endField = startField
        if startField not in self._fields or endField not in self._fields:
            raise PySparkRuntimeError(
                errorClass="INVALID_INTERVAL_CASTING",
                messageParameters={"start_field": str(startField), "end_field": str(endField)},
            )
        self.startField = startField
        self.endField = endField

    def simpleString(self):
        start, end = self._fields[self.startField], self._fields[self.endField]
        return f"interval {start}" if start == end else f"interval {start} to {end}"

    def jsonValue(self):
        return self.simpleString()

    def __repr__(self):
        return f"{type(self).__name__}({self.startField}, {self.endField})"


class DayTimeIntervalType(AnsiIntervalType):
    DAY, HOUR, MINUTE, SECOND = 0, 1, 2, 3
    _fields = {0: "day", 1: "hour", 2: "minute", 3: "second"}
    _inverted_fields = {"day": 0, "hour": 1, "minute": 2, "second": 3}
    _default = (0, 3)

    def needConversion(self):
        return True

    def toInternal(self, dt):
        return None if dt is None else (dt.days * 86400 + dt.seconds) * 1000000 + dt.microseconds

    def fromInternal(self, micros):
        import datetime

        return None if micros is None else datetime.timedelta(microseconds=micros)


class YearMonthIntervalType(AnsiIntervalType):
    YEAR, MONTH = 0, 1
    _fields = {0: "year", 1: "month"}
    _inverted_fields = {"year": 0, "month": 1}
    _default = (0, 1)

    def needConversion(self):
        return True

    def _refuse(self, method):
        raise PySparkNotImplementedError(
            errorClass="NOT_IMPLEMENTED", messageParameters={"feature": f"{type(self).__name__}.{method}"}
        )

    def toInternal(self, obj):
        self._refuse("toInternal")

    def fromInternal(self, obj):
        self._refuse("fromInternal")


class CalendarIntervalType(DataType, metaclass=_OneInstance):
    _name = "interval"

    def needConversion(self):
        return True

    def toInternal(self, obj):
        YearMonthIntervalType._refuse(self, "toInternal")

    def fromInternal(self, obj):
        YearMonthIntervalType._refuse(self, "fromInternal")


class VariantType(AtomicType):
    pass


class VariantVal:
    """Bytes of a VARIANT value."""

    def __init__(self, value, metadata):
        self.value = value
        self.metadata = metadata

    def __repr__(self):
        return f"VariantVal({self.value!r}, {self.metadata!r})"

    def __str__(self):
        return self.toJson()

    def toPython(self):
        from pyspark.sql import _variant

        return _variant.to_python(self.value, self.metadata)

    def toJson(self, zone_id="UTC"):
        from pyspark.sql import _variant

        return _variant.to_json(self.value, self.metadata, zone_id)

    @classmethod
    def parseJson(cls, json_str):
        raise PySparkNotImplementedError(
            errorClass="NOT_IMPLEMENTED", messageParameters={"feature": "VariantVal.parseJson in Tidemark"}
        )


class UserDefinedType(DataType):
    @classmethod
    def typeName(cls):
        return cls.__name__.lower()

    @classmethod
    def sqlType(cls):
        raise PySparkNotImplementedError(errorClass="NOT_IMPLEMENTED", messageParameters={"feature": "sqlType()"})


from pyspark.sql._nested_types import ArrayType, MapType, StructField, StructType  # noqa: E402
from pyspark.sql._rows import verifier as _make_type_verifier  # noqa: E402, F401
from pyspark.sql._type_texts import (  # noqa: E402, F401
    _all_mappable_types,
    _parse_datatype_json_string,
    _parse_datatype_json_value,
    _parse_datatype_string,
)
