"""Functions of columns. The plain ones are made from a table when they are first asked for."""

from pyspark.sql.functions import _plain, builtin
from pyspark.sql.functions._plain import lit  # noqa: F401

_WRITTEN = [
    "broadcast", "call_function", "col", "column", "expr", "coalesce", "when", "asc", "asc_nulls_first",
    "asc_nulls_last", "desc", "desc_nulls_first", "desc_nulls_last", "greatest", "least", "log", "rand",
    "randn", "concat_ws", "elt", "format_string", "printf", "make_timestamp", "make_timestamp_ntz",
    "session_window", "try_make_timestamp", "try_make_timestamp_ntz", "unix_timestamp", "window", "hash",
    "sha2", "xxhash64", "uuid", "trim", "ltrim", "rtrim", "aggregate", "array_sort", "concat", "exists", "filter", "forall", "map_filter",
    "map_zip_with", "reduce", "transform", "transform_keys", "transform_values", "zip_with", "array",
    "arrays_zip", "shuffle", "named_struct", "struct", "create_map", "map_concat", "any_value",
    "count_distinct", "first_value", "grouping_id", "last_value", "ntile", "stack", "years", "months", "days",
    "hours", "bucket", "from_csv", "schema_of_csv", "to_csv", "from_json", "json_tuple", "schema_of_json",
    "to_json", "try_variant_get", "variant_delete", "variant_get", "from_xml", "schema_of_xml", "to_xml",
    "assert_true", "java_method", "raise_error", "reflect", "try_reflect", "arrow_udf", "st_asbinary",
    "call_udf", "pandas_udf", "udf", "udtf", "arrow_udtf",
]  # fmt: skip
_CLASSES = [
    "AnalyzeArgument", "AnalyzeResult", "ArrowUDFType", "OrderingColumn", "PandasUDFType", "PartitioningColumn",
    "SelectedColumn", "SkipRestOfInputTableException", "UserDefinedFunction", "UserDefinedTableFunction",
]  # fmt: skip
_OLD = [
    "approxCountDistinct", "bitwiseNOT", "countDistinct", "shiftLeft", "shiftRight", "shiftRightUnsigned",
    "sumDistinct",
    "toDegrees", "toRadians",
]  # fmt: skip

__all__ = [*_plain.LINES, *_WRITTEN, *_CLASSES, "lit"]

for _name in (*_WRITTEN, *_OLD):
    globals()[_name] = getattr(builtin, _name)
del _name


def __getattr__(name):
    if name in _plain.LINES:
        made = globals()[name] = _plain.make(name)
        return made
    if name in _CLASSES:
        from pyspark.sql.functions import _tables

        return getattr(_tables, name)
    if name == "partitioning":
        import importlib

        return importlib.import_module("pyspark.sql.functions.partitioning")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *__all__})
