"""PySpark as scripts know it, over Tidemark's engine."""

from pyspark.version import __version__  # noqa: F401

__all__ = ["SparkConf", "SparkContext", "StorageLevel", "RDD", "Row", "__version__"]

_HOMES = {
    "SparkConf": "pyspark.conf",
    "SparkContext": "pyspark.core.context",
    "StorageLevel": "pyspark.storagelevel",
    "RDD": "pyspark.core.rdd",
    "Row": "pyspark.sql.types",
    "SQLContext": "pyspark.sql.context",
    "TaskContext": "pyspark.taskcontext",
    "BarrierTaskContext": "pyspark.taskcontext",
    "Broadcast": "pyspark.core.broadcast",
    "Accumulator": "pyspark.accumulators",
    "AccumulatorParam": "pyspark.accumulators",
    "SparkFiles": "pyspark.files",
}


def __getattr__(name):
    if name in _HOMES:
        import sys

        __import__(_HOMES[name])
        return getattr(sys.modules[_HOMES[name]], name)
    raise AttributeError(f"module 'pyspark' has no attribute '{name}'")
