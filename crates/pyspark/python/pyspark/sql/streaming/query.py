"""StreamingQuery and StreamingQueryManager."""

import json
import sys

import _tidemark_stream as _native
from _tidemark_system import now_us

from pyspark.errors import PySparkValueError
from pyspark.sql.streaming.listener import StreamingQueryProgress

__all__ = ["StreamingQuery", "StreamingQueryManager"]

# Ids of ended queries that resetTerminated has taken note of.
_forgotten = set()


def _waited(outcome):
    """Ends the script where nothing more can happen by itself and nobody drives."""
    if outcome == "parked":
        from _tidemark_park import ScriptEnd

        raise ScriptEnd
    return outcome == "ended"


def _patient(wait, timeout_ms):
    """A wait on whose way the script's timers fire."""
    threading = sys.modules.get("threading")
    end = None if timeout_ms is None else now_us() // 1000 + timeout_ms
    while threading is not None and threading._timers:
        due = min(timer._due for timer in threading._timers) // 1000 + 1
        if end is not None and due >= end:
            break
        outcome = wait(max(due - now_us() // 1000, 1))
        threading._run_due()
        if outcome == "ended":
            return outcome
    return wait(None if end is None else max(end - now_us() // 1000, 0))


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
            _waited(_patient(lambda ms: _native.await_termination(self._query, ms), None))
            return None
        if not isinstance(timeout, (int, float)) or timeout <= 0:
            raise PySparkValueError(
                errorClass="VALUE_NOT_POSITIVE",
                messageParameters={"arg_name": "timeout", "arg_value": type(timeout).__name__},
            )
        return _waited(_patient(lambda ms: _native.await_termination(self._query, ms), int(timeout * 1000)))

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
        java = getattr(cause, "java_exception", None)
        text = str(error if cause is None else cause) if java is None else java.getMessage()
        # The text of the JVM's exception: its cause's, and the query as it stood.
        whole, mark, query = str(error).partition("=== Streaming Query ===")
        if type(cause).__name__ == "PythonException":
            text = whole.removesuffix("\n")
        if mark:
            text = f"{text}\n{mark}{query}"
        return StreamingQueryException(text, "", cause)


class StreamingQueryManager:
    @property
    def active(self):
        return [StreamingQuery(query) for query in _native.active()]

    def get(self, id):
        if id is None:
            return None
        if [len(part) for part in str(id).split("-")] != [8, 4, 4, 4, 12]:
            from pyspark.errors.exceptions.captured import IllegalArgumentException

            raise IllegalArgumentException(f"Invalid UUID string: {id}")
        query = _native.get(str(id))
        return None if query is None or not _native.is_active(query) else StreamingQuery(query)

    def awaitAnyTermination(self, timeout=None):
        if timeout is None:
            _waited(_patient(_native.await_any, None))
            return None
        if not isinstance(timeout, (int, float)) or timeout < 0:
            raise PySparkValueError(
                errorClass="VALUE_NOT_POSITIVE",
                messageParameters={"arg_name": "timeout", "arg_value": type(timeout).__name__},
            )
        return _waited(_patient(_native.await_any, int(timeout * 1000)))

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
        _native.add_listener(listener._jlistener)

    def removeListener(self, listener):
        _native.remove_listener(listener._jlistener)
