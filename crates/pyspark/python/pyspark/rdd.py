"""RDD under its older path."""

from pyspark.core.rdd import RDD  # noqa: F401
