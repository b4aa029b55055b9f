"""The types that hold other types; pyspark.sql.types is where they are imported from."""

from pyspark.errors import PySparkIndexError, PySparkKeyError, PySparkTypeError, PySparkValueError
from pyspark.sql import _type_texts
from pyspark.sql._row import Row, _create_row
from pyspark.sql.types import DataType


class ArrayType(DataType):
    __module__ = "pyspark.sql.types"

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
        return ArrayType(_type_texts._parse_datatype_json_value(json["elementType"]), json["containsNull"])

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
    __module__ = "pyspark.sql.types"

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
            _type_texts._parse_datatype_json_value(json["keyType"]),
            _type_texts._parse_datatype_json_value(json["valueType"]),
            json["valueContainsNull"],
        )

    def needConversion(self):
        return self.keyType.needConversion() or self.valueType.needConversion()

    def toInternal(self, obj):
        return obj and {self.keyType.toInternal(k): self.valueType.toInternal(v) for k, v in obj.items()}

    def fromInternal(self, obj):
        return obj and {self.keyType.fromInternal(k): self.valueType.fromInternal(v) for k, v in obj.items()}


class StructField(DataType):
    __module__ = "pyspark.sql.types"

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
            _type_texts._parse_datatype_json_value(json["type"]),
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
    __module__ = "pyspark.sql.types"

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
                data_type = _type_texts._parse_datatype_json_value(data_type)
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
