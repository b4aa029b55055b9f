"""Exceptions that come out of the engine; each is the class of the same name that scripts catch."""

from pyspark.errors.exceptions import base


class CapturedException(base.PySparkException):
    def __init__(self, desc=None, stackTrace=None, cause=None, origin=None):
        self._desc = desc or ""
        self._message = self._desc
        self._stackTrace = stackTrace or ""
        self._cause = cause
        self._origin = origin
        self._condition = None
        self._parameters = None
        self._state = None
        self._summary = ""
        self._contexts = []

    def __str__(self):
        return self._desc

    def getCondition(self):
        return self._condition

    def getMessageParameters(self):
        return self._parameters

    def getSqlState(self):
        return self._state

    def getMessage(self):
        return self._summary if self._condition is not None else ""


class AnalysisException(CapturedException, base.AnalysisException):
    pass


class ParseException(AnalysisException, base.ParseException):
    pass


class IllegalArgumentException(CapturedException, base.IllegalArgumentException):
    pass


class StreamingQueryException(CapturedException, base.StreamingQueryException):
    pass


class QueryExecutionException(CapturedException, base.QueryExecutionException):
    pass


class PythonException(CapturedException, base.PythonException):
    def __str__(self):
        parameters = self.getMessageParameters()
        if not parameters or "msg" not in parameters or "traceback" not in parameters:
            return super().__str__()
        return f"{parameters['msg']}:\n{parameters['traceback'].strip()}"


class ArithmeticException(CapturedException, base.ArithmeticException):
    pass


class UnsupportedOperationException(CapturedException, base.UnsupportedOperationException):
    pass


class ArrayIndexOutOfBoundsException(CapturedException, base.ArrayIndexOutOfBoundsException):
    pass


class DateTimeException(CapturedException, base.DateTimeException):
    pass


class NumberFormatException(IllegalArgumentException, base.NumberFormatException):
    pass


class SparkRuntimeException(CapturedException, base.SparkRuntimeException):
    pass


class SparkUpgradeException(CapturedException, base.SparkUpgradeException):
    pass


class SparkNoSuchElementException(CapturedException, base.SparkNoSuchElementException):
    pass


class UnknownException(CapturedException, base.UnknownException):
    pass
