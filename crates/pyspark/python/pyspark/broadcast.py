"""Broadcast under its older path."""

from pyspark.core.broadcast import Broadcast  # noqa: F401
