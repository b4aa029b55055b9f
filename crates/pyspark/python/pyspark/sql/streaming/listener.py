"""StreamingQueryListener, its events, and the progress of a query."""

import json
from abc import ABC, abstractmethod

import _tidemark_frame as _native

__all__ = ["StreamingQueryListener"]


def _uuid(text):
    import uuid

    return uuid.UUID(text)


class StreamingQueryListener(ABC):
    @property
    def spark(self):
        from pyspark.sql.session import SparkSession

        return getattr(self, "_sparkSession", None) or SparkSession.getActiveSession()

    @spark.setter
    def spark(self, session):
        self._sparkSession = session

    @property
    def _jlistener(self):
        """What is registered; named as in PySpark, whose error for other objects speaks of it."""
        return self

    @abstractmethod
    def onQueryStarted(self, event):
        pass

    @abstractmethod
    def onQueryProgress(self, event):
        pass

    def onQueryIdle(self, event):
        pass

    @abstractmethod
    def onQueryTerminated(self, event):
        pass


def _dispatch(listener, kind, text):
    """Hands an engine event to a listener."""
    event = json.loads(text)
    if kind == "started":
        listener.onQueryStarted(QueryStartedEvent.fromJson(event))
    elif kind == "progress":
        listener.onQueryProgress(QueryProgressEvent._fromEvent(event))
    elif kind == "idle":
        listener.onQueryIdle(QueryIdleEvent.fromJson(event))
    else:
        listener.onQueryTerminated(QueryTerminatedEvent.fromJson(event))


class _Event:
    @property
    def id(self):
        return _uuid(self._id)

    @property
    def runId(self):
        return _uuid(self._runId)


class QueryStartedEvent(_Event):
    def __init__(self, id, runId, name, timestamp, jobTags):
        self._id = id
        self._runId = runId
        self.name = name
        self.timestamp = timestamp
        self.jobTags = jobTags

    @classmethod
    def fromJson(cls, j):
        return cls(j["id"], j["runId"], j.get("name"), j.get("timestamp"), set(j.get("jobTags", ())))


def _as_java_map(items):
    """The items in the order of a java.util.HashMap that was made of them."""
    return {name: items[name] for name in _native.java_map_order(list(items))}


def _row(metrics):
    """A row of observed metrics, from its schema and its internal values."""
    from pyspark.sql.types import _parse_datatype_json_string

    return _value(metrics["row"], _parse_datatype_json_string(metrics["schema"]))


def _value(value, data_type):
    from pyspark.sql import types

    if value is None:
        return None
    if isinstance(data_type, types.StructType):
        values = [_value(item, field.dataType) for item, field in zip(value, data_type.fields)]
        return types.Row(*data_type.names)(*values)
    if isinstance(data_type, types.ArrayType):
        return [_value(item, data_type.elementType) for item in value]
    if isinstance(data_type, types.MapType):
        return {_value(k, data_type.keyType): _value(v, data_type.valueType) for k, v in value}
    if isinstance(data_type, types.DecimalType):
        from decimal import Decimal

        return Decimal(value)
    if isinstance(data_type, types.BinaryType):
        return bytes(value)
    return data_type.fromInternal(value)


class QueryProgressEvent:
    def __init__(self, progress):
        self.progress = progress

    @classmethod
    def fromJson(cls, j):
        return cls(StreamingQueryProgress.fromJson(j.get("progress", j)))

    @classmethod
    def _fromEvent(cls, j):
        """As a listener gets it: made from Java objects, not from JSON. Offsets are the sources' own texts, None where there
        is none; metrics have Python's values; names come in the order of Java's maps."""
        event = cls.fromJson(j)
        progress = event.progress
        progress["durationMs"] = _as_java_map(dict(sorted(progress["durationMs"].items(), reverse=True)))
        times = progress["eventTime"]
        names = [name for name in ("max", "min", "avg", "watermark") if name in times]
        progress["eventTime"] = _as_java_map({name: times[name] for name in names})
        for operator in progress["stateOperators"]:
            operator["customMetrics"] = _as_java_map(dict(sorted(operator["customMetrics"].items(), reverse=True)))
        for name, metrics in j.get("observed", {}).items():
            if metrics is not None:
                progress["observedMetrics"][name] = _row(metrics)
        for source in event.progress["sources"]:
            for name in _OFFSETS:
                value = source._source[name]
                source[name] = None if value is None else json.dumps(value, separators=(",", ":"))
        return event


class QueryIdleEvent(_Event):
    def __init__(self, id, runId, timestamp):
        self._id = id
        self._runId = runId
        self.timestamp = timestamp

    @classmethod
    def fromJson(cls, j):
        return cls(j["id"], j["runId"], j.get("timestamp"))


class QueryTerminatedEvent(_Event):
    def __init__(self, id, runId, exception, errorClassOnException):
        self._id = id
        self._runId = runId
        self.exception = exception
        self.errorClassOnException = errorClassOnException

    @classmethod
    def fromJson(cls, j):
        return cls(j["id"], j["runId"], j.get("exception"), j.get("errorClassOnException"))


class _Progress(dict):
    """A dict whose keys are attributes too. Printed as the JSON it came from."""

    _source = None

    @property
    def json(self):
        return json.dumps(self._source)

    @property
    def prettyJson(self):
        return json.dumps(self._source, indent=4)

    def __str__(self):
        return self.prettyJson

    __repr__ = __str__


def _attributes(cls, names):
    for name in names:
        setattr(cls, name, property(lambda self, name=name: self[name]))


class _Id(str):
    """An id among the items: text, so that `json.dumps` takes it, and shown as the UUID that stands there in Spark."""

    def __repr__(self):
        return f"UUID('{self}')"


class StreamingQueryProgress(_Progress):
    @classmethod
    def fromJson(cls, j):
        from pyspark.sql.types import Row

        made = cls(
            id=_Id(j["id"]),
            runId=_Id(j["runId"]),
            name=j["name"],
            timestamp=j["timestamp"],
            batchId=j["batchId"],
            batchDuration=j["batchDuration"],
            durationMs=dict(j.get("durationMs", {})),
            eventTime=dict(j.get("eventTime", {})),
            stateOperators=[StateOperatorProgress.fromJson(item) for item in j["stateOperators"]],
            sources=[SourceProgress.fromJson(item) for item in j["sources"]],
            sink=SinkProgress.fromJson(j["sink"]),
            numInputRows=j.get("numInputRows"),
            inputRowsPerSecond=j.get("inputRowsPerSecond"),
            processedRowsPerSecond=j.get("processedRowsPerSecond"),
            observedMetrics={
                name: Row(*metrics.keys())(*metrics.values()) for name, metrics in j.get("observedMetrics", {}).items()
            },
        )
        made._source = j
        return made

    def __getitem__(self, key):
        # A UUID as an attribute, text where it is looked up.
        value = super().__getitem__(key)
        return str(value) if key in ("id", "runId") else value

    @property
    def id(self):
        return _uuid(self["id"])

    @property
    def runId(self):
        return _uuid(self["runId"])

    def _total(self, name):
        value = self[name]
        return sum(source[name] for source in self["sources"]) if value is None else value

    @property
    def numInputRows(self):
        return self._total("numInputRows")

    @property
    def inputRowsPerSecond(self):
        return self._total("inputRowsPerSecond")

    @property
    def processedRowsPerSecond(self):
        return self._total("processedRowsPerSecond")


_attributes(
    StreamingQueryProgress,
    (
        "name", "timestamp", "batchId", "batchDuration", "durationMs", "eventTime", "stateOperators",
        "sources", "sink", "observedMetrics",
    ),
)  # fmt: skip


class StateOperatorProgress(_Progress):
    _fields = (
        "operatorName", "numRowsTotal", "numRowsUpdated", "numRowsRemoved", "allUpdatesTimeMs", "allRemovalsTimeMs",
        "commitTimeMs", "memoryUsedBytes", "numRowsDroppedByWatermark", "numShufflePartitions",
        "numStateStoreInstances",
    )  # fmt: skip

    @classmethod
    def fromJson(cls, j):
        made = cls({name: j[name] for name in cls._fields})
        made["customMetrics"] = dict(j.get("customMetrics", {}))
        made._source = j
        return made


_attributes(StateOperatorProgress, (*StateOperatorProgress._fields, "customMetrics"))


_OFFSETS = ("startOffset", "endOffset", "latestOffset")


class SourceProgress(_Progress):
    _fields = ("numInputRows", "inputRowsPerSecond", "processedRowsPerSecond")

    @classmethod
    def fromJson(cls, j):
        def text(value):
            return value if isinstance(value, str) else json.dumps(value)

        made = cls(description=j["description"])
        for name in _OFFSETS:
            made[name] = text(j[name])
        made.update((name, j[name]) for name in cls._fields)
        made["metrics"] = dict(j.get("metrics", {}))
        made._source = j
        return made


_attributes(
    SourceProgress, ("description", *_OFFSETS, *SourceProgress._fields, "metrics")
)


class SinkProgress(_Progress):
    @classmethod
    def fromJson(cls, j):
        made = cls(description=j["description"], numOutputRows=j["numOutputRows"], metrics=dict(j.get("metrics", {})))
        made._source = j
        return made


_attributes(SinkProgress, ("description", "numOutputRows", "metrics"))
