"""SparkContext under its older path."""

from pyspark.core.context import SparkContext  # noqa: F401
