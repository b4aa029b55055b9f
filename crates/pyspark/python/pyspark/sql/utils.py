"""Exceptions under their older path, and small helpers that scripts import."""

from pyspark.errors import (  # noqa: F401
    AnalysisException,
    IllegalArgumentException,
    ParseException,
    PythonException,
    QueryExecutionException,
    StreamingQueryException,
    UnknownException,
)


def is_remote():
    return False
