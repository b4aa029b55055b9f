"""Exceptions under their older path, and small helpers that scripts import."""

from pyspark.errors import (  # noqa: F401
    AnalysisException,
    IllegalArgumentException,
    ParseException,
    PySparkNotImplementedError,
    PySparkRuntimeError,
    PythonException,
    QueryExecutionException,
    StreamingQueryException,
    UnknownException,
)
from pyspark.errors.exceptions.captured import CapturedException  # noqa: F401


def is_remote():
    return False


is_remote_only = is_remote


def is_timestamp_ntz_preferred():
    from pyspark.sql.session import SparkSession

    return SparkSession._active().conf.get("spark.sql.timestampType") == "TIMESTAMP_NTZ"


def to_str(value):
    """A value as the text of an option or a setting."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if value is None else str(value)


def escape_meta_characters(s):
    for shown, mark in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\f", "\\f"), ("\b", "\\b"), ("\u000b", "\\v")):
        s = s.replace(shown, mark)
    return s


def get_active_spark_context():
    from pyspark.core.context import SparkContext
    from pyspark.errors import PySparkRuntimeError

    if SparkContext._active_spark_context is None:
        raise PySparkRuntimeError(errorClass="SESSION_OR_CONTEXT_NOT_EXISTS", messageParameters={})
    return SparkContext._active_spark_context
