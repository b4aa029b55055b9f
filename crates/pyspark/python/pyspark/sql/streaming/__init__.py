"""Structured Streaming."""

from pyspark.errors import StreamingQueryException  # noqa: F401
from pyspark.sql.streaming.listener import StreamingQueryListener
from pyspark.sql.streaming.query import StreamingQuery, StreamingQueryManager
from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

__all__ = [
    "StreamingQuery",
    "StreamingQueryManager",
    "StreamingQueryListener",
    "DataStreamReader",
    "DataStreamWriter",
    "StatefulProcessor",
    "StatefulProcessorHandle",
]
