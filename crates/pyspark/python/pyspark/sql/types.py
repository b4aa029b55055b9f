"""Spark's data types, and Row."""

from pyspark.errors import (
    PySparkIndexError,
    PySparkKeyError,
    PySparkNotImplementedError,
    PySparkRuntimeError,
    PySparkTypeError,
    PySparkValueError,
)
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


class ArrayType(DataType):
    def __init__(self, elementType, containsNull=True):
        assert isinstance(elementType, DataType), f"elementType {elementType} should be an instance of {DataType}"
        self.elementType = elementType
        self.containsNull = containsNull

    def simpleString(self):
        return f"array<{self.elementType.simpleString()}>"

    def _as_nullable(self):
        return ArrayType(self.elementType._as_nullable(), containsNull=True)

    def toNullable(self):
        return self._as_nullable()

    def __repr__(self):
        return f"ArrayType({self.elementType}, {self.containsNull})"

    def jsonValue(self):
        return {
            "type": "array",
            "elementType": self.elementType.jsonValue(),
            "containsNull": self.containsNull,
        }

    @classmethod
    def fromJson(cls, json, fieldPath="", collationsMap=None):
        return ArrayType(_parse_datatype_json_value(json["elementType"]), json["containsNull"])

    def needConversion(self):
        return self.elementType.needConversion()

    def toInternal(self, obj):
        if not self.needConversion():
            return obj
        return obj and [self.elementType.toInternal(v) for v in obj]

    def fromInternal(self, obj):
        if not self.needConversion():
            return obj
        return obj and [self.elementType.fromInternal(v) for v in obj]


class MapType(DataType):
    def __init__(self, keyType, valueType, valueContainsNull=True):
        assert isinstance(keyType, DataType), f"keyType {keyType} should be an instance of {DataType}"
        assert isinstance(valueType, DataType), f"valueType {valueType} should be an instance of {DataType}"
        self.keyType = keyType
        self.valueType = valueType
        self.valueContainsNull = valueContainsNull

    def simpleString(self):
        return f"map<{self.keyType.simpleString()},{self.valueType.simpleString()}>"

    def _as_nullable(self):
        return MapType(self.keyType._as_nullable(), self.valueType._as_nullable(), valueContainsNull=True)

    def toNullable(self):
        return self._as_nullable()

    def __repr__(self):
        return f"MapType({self.keyType}, {self.valueType}, {self.valueContainsNull})"

    def jsonValue(self):
        return {
            "type": "map",
            "keyType": self.keyType.jsonValue(),
            "valueType": self.valueType.jsonValue(),
            "valueContainsNull": self.valueContainsNull,
        }

    @classmethod
    def fromJson(cls, json, fieldPath="", collationsMap=None):
        return MapType(
            _parse_datatype_json_value(json["keyType"]),
            _parse_datatype_json_value(json["valueType"]),
            json["valueContainsNull"],
        )

    def needConversion(self):
        return self.keyType.needConversion() or self.valueType.needConversion()

    def toInternal(self, obj):
        return obj and {self.keyType.toInternal(k): self.valueType.toInternal(v) for k, v in obj.items()}

    def fromInternal(self, obj):
        return obj and {self.keyType.fromInternal(k): self.valueType.fromInternal(v) for k, v in obj.items()}


class StructField(DataType):
    def __init__(self, name, dataType, nullable=True, metadata=None):
        assert isinstance(dataType, DataType), f"dataType {dataType} should be an instance of {DataType}"
        assert isinstance(name, str), f"field name {name} should be a string"
        self.name = name
        self.dataType = dataType
        self.nullable = nullable
        self.metadata = metadata or {}

    def simpleString(self):
        return f"{self.name}:{self.dataType.simpleString()}"

    def __repr__(self):
        return f"StructField('{self.name}', {self.dataType}, {self.nullable})"

    def jsonValue(self):
        return {
            "name": self.name,
            "type": self.dataType.jsonValue(),
            "nullable": self.nullable,
            "metadata": self.metadata,
        }

    @classmethod
    def fromJson(cls, json):
        return StructField(
            json["name"],
            _parse_datatype_json_value(json["type"]),
            json.get("nullable", True),
            json.get("metadata"),
        )

    def needConversion(self):
        return self.dataType.needConversion()

    def toInternal(self, obj):
        return self.dataType.toInternal(obj)

    def fromInternal(self, obj):
        return self.dataType.fromInternal(obj)

    def typeName(self):
        raise PySparkTypeError(errorClass="INVALID_TYPENAME_CALL", messageParameters={})


class StructType(DataType):
    def __init__(self, fields=None):
        self.fields = fields if fields else []
        self.names = [field.name for field in self.fields]
        assert all(isinstance(field, StructField) for field in self.fields), "fields should be a list of StructField"

    def add(self, field, data_type=None, nullable=True, metadata=None):
        if not isinstance(field, StructField):
            if isinstance(field, str) and data_type is None:
                raise PySparkValueError(
                    errorClass="ARGUMENT_REQUIRED",
                    messageParameters={
                        "arg_name": "data_type",
                        "condition": "passing name of struct_field to create",
                    },
                )
            if isinstance(data_type, str):
                data_type = _parse_datatype_json_value(data_type)
            field = StructField(field, data_type, nullable, metadata)
        self.fields.append(field)
        self.names.append(field.name)
        return self

    def __iter__(self):
        return iter(self.fields)

    def __len__(self):
        return len(self.fields)

    def __getitem__(self, key):
        if isinstance(key, str):
            for field in self:
                if field.name == key:
                    return field
            raise PySparkKeyError(errorClass="KEY_NOT_EXISTS", messageParameters={"key": str(key)})
        if isinstance(key, int):
            try:
                return self.fields[key]
            except IndexError:
                raise PySparkIndexError(
                    errorClass="INDEX_OUT_OF_RANGE",
                    messageParameters={"arg_name": "StructType", "index": str(key)},
                ) from None
        if isinstance(key, slice):
            return StructType(self.fields[key])
        raise PySparkTypeError(
            errorClass="NOT_EXPECTED_TYPE",
            messageParameters={
                "expected_type": "int, slice or str",
                "arg_name": "key",
                "arg_type": type(key).__name__,
            },
        )

    def simpleString(self):
        return f"struct<{','.join(field.simpleString() for field in self)}>"

    def _as_nullable(self):
        return StructType(
            [StructField(f.name, f.dataType._as_nullable(), nullable=True, metadata=f.metadata) for f in self.fields]
        )

    def toNullable(self):
        return self._as_nullable()

    def __repr__(self):
        return f"StructType([{', '.join(str(field) for field in self)}])"

    def jsonValue(self):
        return {"type": "struct", "fields": [field.jsonValue() for field in self]}

    @classmethod
    def fromJson(cls, json):
        return StructType([StructField.fromJson(field) for field in json["fields"]])

    def fieldNames(self):
        return list(self.names)

    def needConversion(self):
        return True

    def toInternal(self, obj):
        if obj is None:
            return None
        if isinstance(obj, dict):
            values = [obj.get(name) for name in self.names]
        elif isinstance(obj, (tuple, list)):
            values = obj
        elif hasattr(obj, "__dict__"):
            values = [obj.__dict__.get(name) for name in self.names]
        else:
            raise PySparkValueError(
                errorClass="UNEXPECTED_TUPLE_WITH_STRUCT", messageParameters={"tuple": str(obj)}
            )
        return tuple(field.toInternal(value) for field, value in zip(self.fields, values))

    def fromInternal(self, obj):
        if obj is None or isinstance(obj, Row):
            return obj
        return _create_row(self.names, [field.fromInternal(value) for field, value in zip(self.fields, obj)])

    def treeString(self, maxDepth=2147483647):
        import _tidemark_expr

        return _tidemark_expr.type_tree(self.json(), maxDepth if maxDepth < 2147483647 else 0)

    def toDDL(self):
        import _tidemark_expr

        return _tidemark_expr.type_ddl(self.json())


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


from pyspark.sql._rows import verifier as _make_type_verifier  # noqa: E402, F401
from pyspark.sql._type_texts import (  # noqa: E402, F401
    _all_mappable_types,
    _parse_datatype_json_string,
    _parse_datatype_json_value,
    _parse_datatype_string,
)
