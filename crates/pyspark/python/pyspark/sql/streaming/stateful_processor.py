"""transformWithState: the processor that a script derives from, its handle, its state variables."""

from abc import ABC, abstractmethod

import _tidemark_expr
import _tidemark_processor as _native

from pyspark.errors import PySparkRuntimeError
from pyspark.sql.types import StructType, _parse_datatype_json_string

__all__ = ["StatefulProcessor", "StatefulProcessorHandle"]


def _ask(prefix, operation, name="", key=None, values=(), number=None, schemas=(None, None)):
    """A request to the operator at work; its refusal is a PySparkRuntimeError that starts with `prefix`."""
    status, answer = _native.request(operation, name, key, list(values), number, list(schemas))
    if status != 0:
        raise PySparkRuntimeError(f"{prefix}: {answer}")
    return answer


def _schema(schema):
    if not isinstance(schema, str):
        return schema
    from pyspark.errors.exceptions.captured import ParseException

    try:
        return _parse_datatype_json_string(_tidemark_expr.parse_type(schema, True))
    except ParseException as error:
        raise PySparkRuntimeError(f"Error parsing string schema: {error}") from None


def _normal(value):
    """Times of pandas become Python's."""
    if isinstance(value, dict):
        return {_normal(k): _normal(v) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_normal, value))
    for method in ("to_pytimedelta", "to_pydatetime"):
        if hasattr(value, method):
            return getattr(value, method)()
    return value


def _row(schema, value):
    """A value as the row that the state keeps."""
    value = tuple(map(_normal, value))
    if isinstance(schema, StructType) and len(value) != len(schema.fields):
        raise ValueError(f"Unexpected tuple {value!r} with StructType")
    return value


class ValueState:
    def __init__(self, stateName, schema):
        self._stateName = stateName
        self._schema = schema

    def exists(self):
        return _ask("Error checking value state exists", "value_exists", self._stateName)

    def get(self):
        row = _ask("Error getting value state", "value_get", self._stateName)
        return None if row is None else tuple(row)

    def update(self, newValue):
        prefix = "Error updating value state"
        newValue = tuple(newValue)
        if isinstance(self._schema, StructType) and len(newValue) != len(self._schema.fields):
            raise PySparkRuntimeError(
                f"{prefix}: [STRUCT_ARRAY_LENGTH_MISMATCH] Input row doesn't have expected number of values required by "
                f"the schema. {len(self._schema.fields)} fields are required while {len(newValue)} values are provided. "
                "SQLSTATE: 2201E"
            )
        _ask(prefix, "value_update", self._stateName, values=[_row(self._schema, newValue)])

    def clear(self):
        _ask("Error clearing value state", "value_clear", self._stateName)


class ListState:
    def __init__(self, stateName, schema):
        self._stateName = stateName
        self._schema = schema

    def exists(self):
        return _ask("Error checking value state exists", "list_exists", self._stateName)

    def get(self):
        return _later(lambda: map(tuple, _ask("Error getting list state", "list_get", self._stateName)))

    def _add(self, operation, values):
        rows = [_row(self._schema, value) for value in values]
        _ask("Error updating value state", operation, self._stateName, values=rows)

    def put(self, newState):
        self._add("list_put", newState)

    def appendValue(self, newState):
        self._add("list_append_value", [newState])

    def appendList(self, newState):
        self._add("list_append_list", newState)

    def clear(self):
        _ask("Error clearing list state", "list_clear", self._stateName)


def _later(make):
    """An iterator that asks when its first element is wanted."""
    yield from make()


class MapState:
    def __init__(self, stateName, userKeySchema, valueSchema):
        self._stateName = stateName
        self._key = userKeySchema
        self._value = valueSchema

    def exists(self):
        return _ask("Error checking map state exists", "map_exists", self._stateName)

    def getValue(self, key):
        return _ask("Error getting map state value", "map_get_value", self._stateName, _row(self._key, key))

    def containsKey(self, key):
        return _ask(
            "Error checking if map state contains key", "map_contains_key", self._stateName, _row(self._key, key)
        )

    def updateValue(self, key, value):
        key, value = _row(self._key, key), _row(self._value, value)
        _ask("Error updating map state value", "map_update_value", self._stateName, key, [value])

    def _pairs(self):
        return _ask("Error getting map state entries", "map_iterator", self._stateName)

    def iterator(self):
        return _later(lambda: ((tuple(key), tuple(value)) for key, value in self._pairs()))

    def keys(self):
        return _later(lambda: (tuple(key) for key, _ in self._pairs()))

    def values(self):
        return _later(lambda: (tuple(value) for _, value in self._pairs()))

    def removeKey(self, key):
        _ask("Error removing key from map state", "map_remove_key", self._stateName, _row(self._key, key))

    def clear(self):
        _ask("Error clearing map state", "map_clear", self._stateName)


class TimerValues:
    def __init__(self, currentProcessingTimeInMs=-1, currentWatermarkInMs=-1):
        self._currentProcessingTimeInMs = currentProcessingTimeInMs
        self._currentWatermarkInMs = currentWatermarkInMs

    def getCurrentProcessingTimeInMs(self):
        return self._currentProcessingTimeInMs

    def getCurrentWatermarkInMs(self):
        return self._currentWatermarkInMs


class ExpiredTimerInfo:
    def __init__(self, expiryTimeInMs=-1):
        self._expiryTimeInMs = expiryTimeInMs

    def getExpiryTimeInMs(self):
        return self._expiryTimeInMs


class StatefulProcessorHandle:
    """What `init` gets: the way to state variables and timers."""

    def getValueState(self, stateName, schema, ttlDurationMs=None):
        schema = _schema(schema)
        _ask("Error initializing value state", "get_value_state", stateName, number=ttlDurationMs,
             schemas=(None, schema.json()))  # fmt: skip
        return ValueState(stateName, schema)

    def getListState(self, stateName, schema, ttlDurationMs=None):
        schema = _schema(schema)
        _ask("Error initializing list state", "get_list_state", stateName, number=ttlDurationMs,
             schemas=(None, schema.json()))  # fmt: skip
        return ListState(stateName, schema)

    def getMapState(self, stateName, userKeySchema, valueSchema, ttlDurationMs=None):
        key, value = _schema(userKeySchema), _schema(valueSchema)
        _ask("Error initializing map state", "get_map_state", stateName, number=ttlDurationMs,
             schemas=(key.json(), value.json()))  # fmt: skip
        return MapState(stateName, key, value)

    def registerTimer(self, expiryTimestampMs):
        _ask("Error register timer", "register_timer", number=expiryTimestampMs)

    def deleteTimer(self, expiryTimestampMs):
        _ask("Error deleting timer", "delete_timer", number=expiryTimestampMs)

    def listTimers(self):
        return _later(lambda: _ask("Error listing timers", "list_timers"))

    def deleteIfExists(self, stateName):
        _ask("Error deleting state", "delete_if_exists", stateName)


class StatefulProcessor(ABC):
    @abstractmethod
    def init(self, handle):
        ...

    @abstractmethod
    def handleInputRows(self, key, rows, timerValues):
        ...

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        return iter([])

    def close(self):
        ...

    def handleInitialState(self, key, initialState, timerValues):
        pass
