"""The exception classes that scripts catch."""

import enum

from pyspark.errors.utils import ErrorClassesReader


class PySparkException(Exception):
    """An error with a condition (its name), parameters and a text."""

    def __init__(self, message=None, errorClass=None, messageParameters=None, contexts=None):
        self._error_reader = ErrorClassesReader()
        if message is None:
            message = self._error_reader.get_error_message(errorClass, messageParameters or {})
        self._message = message
        self._errorClass = errorClass
        self._messageParameters = messageParameters
        self._contexts = contexts or []

    def getCondition(self):
        return self._errorClass

    def getErrorClass(self):
        import warnings

        warnings.warn("Deprecated in 4.0.0, use getCondition instead.", FutureWarning)
        return self.getCondition()

    def getMessageParameters(self):
        return self._messageParameters

    def getSqlState(self):
        return self._error_reader.get_sqlstate(self._errorClass)

    def getMessage(self):
        return f"[{self.getCondition()}] {self._message}"

    def getBreakingChangeInfo(self):
        return None

    def getQueryContext(self):
        return self._contexts

    def __str__(self):
        return self._message if self.getCondition() is None else self.getMessage()


class AnalysisException(PySparkException):
    """The plan is wrong: a name, a type, something that streams do not allow."""


class SessionNotSameException(PySparkException):
    pass


class TempTableAlreadyExistsException(AnalysisException):
    pass


class ParseException(AnalysisException):
    pass


class IllegalArgumentException(PySparkException):
    pass


class ArithmeticException(PySparkException):
    pass


class UnsupportedOperationException(PySparkException):
    pass


class ArrayIndexOutOfBoundsException(PySparkException):
    pass


class DateTimeException(PySparkException):
    pass


class NumberFormatException(IllegalArgumentException):
    pass


class StreamingQueryException(PySparkException):
    pass


class StreamingPythonRunnerInitializationException(PySparkException):
    pass


class QueryExecutionException(PySparkException):
    pass


class PythonException(PySparkException):
    pass


class SparkRuntimeException(PySparkException):
    pass


class SparkUpgradeException(PySparkException):
    pass


class SparkNoSuchElementException(PySparkException):
    pass


class UnknownException(PySparkException):
    pass


class PySparkValueError(PySparkException, ValueError):
    pass


class PySparkTypeError(PySparkException, TypeError):
    pass


class PySparkIndexError(PySparkException, IndexError):
    pass


class PySparkAttributeError(PySparkException, AttributeError):
    pass


class PySparkRuntimeError(PySparkException, RuntimeError):
    pass


class PySparkAssertionError(PySparkException, AssertionError):
    def __init__(self, message=None, errorClass=None, messageParameters=None, data=None):
        super().__init__(message, errorClass, messageParameters)
        self.data = data


class PySparkNotImplementedError(PySparkException, NotImplementedError):
    pass


class PySparkPicklingError(PySparkException):
    pass


class PySparkKeyError(PySparkException, KeyError):
    pass


class PySparkImportError(PySparkException, ImportError):
    pass


class PickleException(PySparkException):
    pass


class QueryContextType(enum.Enum):
    SQL = 0
    DataFrame = 1


class QueryContext:
    """Where in SQL text or in the script an error arose."""

    def contextType(self):
        raise NotImplementedError

    def objectType(self):
        raise NotImplementedError

    def objectName(self):
        raise NotImplementedError

    def startIndex(self):
        raise NotImplementedError

    def stopIndex(self):
        raise NotImplementedError

    def fragment(self):
        raise NotImplementedError

    def callSite(self):
        raise NotImplementedError

    def summary(self):
        raise NotImplementedError
