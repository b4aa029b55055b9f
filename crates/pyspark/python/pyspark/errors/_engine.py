"""Makes the exception of an engine error."""

from pyspark.errors.exceptions import base, captured


class Context(base.QueryContext):
    """Characters of a SQL text (`start`, `stop` inclusive), or a call of the DataFrame API with its place (`start`)."""

    def __init__(self, sql, fragment, start, stop, summary):
        self._sql = sql
        self._fragment = fragment
        self._start = start
        self._stop = stop
        self._summary = summary

    def _only(self, sql, method, value):
        if self._sql != sql:
            kind = "SQL" if self._sql else "DataFrame"
            raise base.UnknownException(f"{kind} context does not implement {method}.")
        return value

    def contextType(self):
        return base.QueryContextType.SQL if self._sql else base.QueryContextType.DataFrame

    def objectType(self):
        return self._only(True, "objectType", "")

    def objectName(self):
        return self._only(True, "objectName", "")

    def startIndex(self):
        return self._only(True, "startIndex", self._start)

    def stopIndex(self):
        return self._only(True, "stopIndex", self._stop)

    def fragment(self):
        return self._fragment

    def callSite(self):
        return self._only(False, "callSite", self._start)

    def summary(self):
        return self._summary


def exception(family, java, text, condition, state, parameters, summary, java_class, trace, cause, place):
    """`java`: PySpark does not convert that JVM exception, so the script sees py4j's."""
    if java:
        from py4j.protocol import Py4JJavaError, _JavaException

        origin = _JavaException(java_class, text, trace)
        return Py4JJavaError("An error occurred while calling a method of the engine.\n", origin)
    made = getattr(captured, family)(text, trace, cause)
    made._condition = condition
    made._parameters = dict(parameters) if condition is not None else None
    made._state = state
    made._summary = summary
    made._contexts = [Context(*place)] if place is not None else []
    return made
