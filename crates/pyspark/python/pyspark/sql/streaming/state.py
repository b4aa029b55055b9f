"""Group state of applyInPandasWithState."""

import datetime
import json

from pyspark.errors import PySparkRuntimeError, PySparkTypeError, PySparkValueError

__all__ = ["GroupState", "GroupStateTimeout"]


class GroupStateTimeout:
    NoTimeout = "NoTimeout"
    ProcessingTimeTimeout = "ProcessingTimeTimeout"
    EventTimeTimeout = "EventTimeTimeout"


def _cannot(what, without):
    return PySparkRuntimeError(
        errorClass="CANNOT_WITHOUT", messageParameters={"condition1": what, "condition2": without}
    )


_NO_TIMEOUT = ("set timeout duration", "enabling processing time timeout in applyInPandasWithState")


def _not_positive(name, value):
    return PySparkValueError(
        errorClass="VALUE_NOT_POSITIVE", messageParameters={"arg_name": name, "arg_value": type(value).__name__}
    )


def _python_value(value):
    """Times of pandas become Python's, as the engine takes them."""
    for method in ("to_pytimedelta", "to_pydatetime"):
        if hasattr(value, method):
            return getattr(value, method)()
    return value


class GroupState:
    """The state of one key while its function runs."""

    NO_TIMESTAMP = -1

    def __init__(self, optionalValue, batchProcessingTimeMs, eventTimeWatermarkMs, timeoutConf, hasTimedOut,
                 watermarkPresent, defined, updated, removed, timeoutTimestamp, keyAsUnsafe, valueSchema):  # fmt: skip
        self._keyAsUnsafe = keyAsUnsafe
        self._value = optionalValue
        self._batch_processing_time_ms = batchProcessingTimeMs
        self._event_time_watermark_ms = eventTimeWatermarkMs
        self._timeout_conf = timeoutConf
        self._has_timed_out = hasTimedOut
        self._watermark_present = watermarkPresent
        self._defined = defined
        self._updated = updated
        self._removed = removed
        self._timeout_timestamp = timeoutTimestamp
        self._old_timeout_timestamp = timeoutTimestamp
        self._value_schema = valueSchema

    @property
    def exists(self):
        return self._defined

    @property
    def get(self):
        if not self.exists:
            raise PySparkValueError(errorClass="STATE_NOT_EXISTS", messageParameters={})
        return tuple(self._value)

    @property
    def getOption(self):
        return tuple(self._value) if self.exists else None

    @property
    def hasTimedOut(self):
        return self._has_timed_out

    @property
    def oldTimeoutTimestamp(self):
        return self._old_timeout_timestamp

    def update(self, newValue):
        if newValue is None:
            raise PySparkTypeError(errorClass="CANNOT_BE_NONE", messageParameters={"arg_name": "newValue"})
        self._value = tuple(_python_value(value) for value in newValue)
        self._defined = True
        self._updated = True
        self._removed = False

    def remove(self):
        self._defined = False
        self._updated = False
        self._removed = True

    def setTimeoutDuration(self, durationMs):
        if isinstance(durationMs, str):
            raise PySparkTypeError(
                errorClass="NOT_EXPECTED_TYPE",
                messageParameters={"expected_type": "int", "arg_name": "durationMs", "arg_type": "str"},
            )
        if self._timeout_conf != GroupStateTimeout.ProcessingTimeTimeout:
            raise _cannot(*_NO_TIMEOUT)
        if durationMs <= 0:
            raise _not_positive("durationMs", durationMs)
        self._timeout_timestamp = durationMs + self._batch_processing_time_ms

    def setTimeoutTimestamp(self, timestampMs):
        if self._timeout_conf != GroupStateTimeout.EventTimeTimeout:
            raise _cannot(*_NO_TIMEOUT)
        if isinstance(timestampMs, datetime.datetime):
            timestampMs = timestampMs.timestamp() * 1000
        if timestampMs <= 0:
            raise _not_positive("timestampMs", timestampMs)
        watermark = self._event_time_watermark_ms
        if watermark != GroupState.NO_TIMESTAMP and timestampMs < watermark:
            raise PySparkValueError(
                errorClass="INVALID_TIMEOUT_TIMESTAMP",
                messageParameters={"timestamp": str(timestampMs), "watermark": str(watermark)},
            )
        self._timeout_timestamp = timestampMs

    def getCurrentWatermarkMs(self):
        if not self._watermark_present:
            raise _cannot("get event time watermark timestamp", "setting watermark before applyInPandasWithState")
        return self._event_time_watermark_ms

    def getCurrentProcessingTimeMs(self):
        return self._batch_processing_time_ms

    def __str__(self):
        return f"GroupState({self.get})" if self.exists else "GroupState(<undefined>)"

    def json(self):
        return json.dumps(
            {
                "optionalValue": None,
                "batchProcessingTimeMs": self._batch_processing_time_ms,
                "eventTimeWatermarkMs": self._event_time_watermark_ms,
                "timeoutConf": self._timeout_conf,
                "hasTimedOut": self._has_timed_out,
                "watermarkPresent": self._watermark_present,
                "defined": self._defined,
                "updated": self._updated,
                "removed": self._removed,
                "timeoutTimestamp": self._timeout_timestamp,
            }
        )
