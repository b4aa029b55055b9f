"""Spark SQL."""

from pyspark.sql.column import Column
from pyspark.sql.dataframe import DataFrame, DataFrameNaFunctions, DataFrameStatFunctions
from pyspark.sql.session import SparkSession
from pyspark.sql.types import Row
from pyspark.sql.window import Window, WindowSpec

__all__ = [
    "SparkSession",
    "SQLContext",
    "HiveContext",
    "UDFRegistration",
    "DataFrame",
    "Column",
    "Catalog",
    "Observation",
    "Row",
    "DataFrameNaFunctions",
    "DataFrameStatFunctions",
    "VariantVal",
    "Window",
    "WindowSpec",
    "GroupedData",
    "DataFrameReader",
    "DataFrameWriter",
]

_HOMES = {
    "SQLContext": "context",
    "HiveContext": "context",
    "UDFRegistration": "udf",
    "Catalog": "catalog",
    "Observation": "observation",
    "VariantVal": "types",
    "GroupedData": "group",
    "DataFrameReader": "readwriter",
    "DataFrameWriter": "readwriter",
    "DataFrameWriterV2": "_writer_v2",
    "PandasCogroupedOps": "pandas.group_ops",
    "UDTFRegistration": "udtf",
    "is_remote": "utils",
}


def __getattr__(name):
    if name in _HOMES:
        import sys

        home = f"pyspark.sql.{_HOMES[name]}"
        __import__(home)
        return getattr(sys.modules[home], name)
    raise AttributeError(f"module 'pyspark.sql' has no attribute '{name}'")
