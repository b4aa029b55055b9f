"""StreamingQuery and StreamingQueryManager."""

import json

import _tidemark_stream as _native

from pyspark.errors import PySparkValueError
from pyspark.sql.streaming.listener import StreamingQueryListener, StreamingQueryProgress

__all__ = ["StreamingQuery", "StreamingQueryManager"]

# Ids of ended queries that resetTerminated has taken note of.
_forgotten = set()


def _waited(outcome):
    """Ends the script where nothing more can happen by itself and nobody drives."""
    if outcome == "parked":
        from _tidemark_park import ScriptEnd

        raise ScriptEnd
    return outcome == "ended"


class StreamingQuery:
    def __init__(self, query):
        self._query = query

    @property
    def id(self):
        return _native.id(self._query)

    @property
    def runId(self):
        return _native.run_id(self._query)

    @property
    def name(self):
        return _native.name(self._query)

    @property
    def isActive(self):
        return _native.is_active(self._query)

    def awaitTermination(self, timeout=None):
        if timeout is None:
            _waited(_native.await_termination(self._query, None))
            return None
        if not isinstance(timeout, (int, float)) or timeout <= 0:
            raise PySparkValueError(
                errorClass="VALUE_NOT_POSITIVE",
                messageParameters={"arg_name": "timeout", "arg_value": type(timeout).__name__},
            )
        return _waited(_native.await_termination(self._query, int(timeout * 1000)))

    @property
    def status(self):
        return json.loads(_native.status(self._query))

    @property
    def recentProgress(self):
        return [StreamingQueryProgress.fromJson(json.loads(text)) for text in _native.recent_progress(self._query)]

    @property
    def lastProgress(self):
        text = _native.last_progress(self._query)
        return None if text is None else StreamingQueryProgress.fromJson(json.loads(text))

    def processAllAvailable(self):
        _native.process_all_available(self._query)

    def stop(self):
        _native.stop(self._query)

    def explain(self, extended=False):
        print(_native.explain(self._query, extended))

    def exception(self):
        error = _native.exception(self._query)
        if error is None:
            return None
        from pyspark.errors.exceptions.captured import StreamingQueryException

        cause = error._cause
        return StreamingQueryException(str(error if cause is None else cause), "", cause)


class StreamingQueryManager:
    @property
    def active(self):
        return [StreamingQuery(query) for query in _native.active()]

    def get(self, id):
        query = _native.get(str(id))
        return None if query is None or not _native.is_active(query) else StreamingQuery(query)

    def awaitAnyTermination(self, timeout=None):
        if timeout is None:
            _waited(_native.await_any(None))
            return None
        if not isinstance(timeout, (int, float)) or timeout < 0:
            raise PySparkValueError(
                errorClass="VALUE_NOT_POSITIVE",
                messageParameters={"arg_name": "timeout", "arg_value": type(timeout).__name__},
            )
        return _waited(_native.await_any(int(timeout * 1000)))

    def _any_terminated(self):
        return any(
            not _native.is_active(query) and _native.run_id(query) not in _forgotten for query in _native.started()
        )

    def resetTerminated(self):
        for query in _native.started():
            if not _native.is_active(query):
                _forgotten.add(_native.run_id(query))
        _native.reset_terminated()

    def addListener(self, listener):
        assert isinstance(listener, StreamingQueryListener), "listener should be a StreamingQueryListener"
        _native.add_listener(listener)

    def removeListener(self, listener):
        _native.remove_listener(listener)
