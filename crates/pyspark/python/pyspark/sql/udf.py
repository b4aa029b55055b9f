"""User-defined functions, row at a time."""

import _tidemark_conf
import _tidemark_expr as _native

from pyspark.errors import PySparkNotImplementedError, PySparkTypeError
from pyspark.sql.column import Column, _to_expr
from pyspark.sql.types import DataType, StringType, _parse_datatype_string

__all__ = ["UserDefinedFunction", "UDFRegistration"]


def _type_of(returnType):
    if returnType is None:
        return StringType()
    return returnType if isinstance(returnType, DataType) else _parse_datatype_string(returnType)


def _vectorized(func):
    """Whether the type hints are those of a pandas udf: whole columns in, columns or one value out."""
    try:
        hints = dict(getattr(func, "__annotations__", None) or {})
    except NameError:
        return False
    if "return" not in hints or len(hints) == 1:
        return False
    del hints["return"]
    texts = [hint if isinstance(hint, str) else repr(hint) for hint in hints.values()]
    return all("Series" in text or "DataFrame" in text for text in texts)


class UserDefinedFunction:
    """Called with columns, makes a column; the engine calls the function itself once per row."""

    def __init__(self, func, returnType=None, name=None, evalType=100, deterministic=True):
        if not callable(func):
            raise PySparkTypeError(
                errorClass="NOT_EXPECTED_TYPE",
                messageParameters={"expected_type": "callable", "arg_name": "func", "arg_type": type(func).__name__},
            )
        if returnType is not None and not isinstance(returnType, (DataType, str)):
            raise PySparkTypeError(
                errorClass="NOT_EXPECTED_TYPE",
                messageParameters={
                    "expected_type": "DataType or str",
                    "arg_name": "returnType",
                    "arg_type": type(returnType).__name__,
                },
            )
        self.func = func
        self._returnType = returnType
        self._resolved = None
        self._name = name or (func.__name__ if hasattr(func, "__name__") else func.__class__.__name__)
        self.evalType = evalType
        self.deterministic = deterministic

    @classmethod
    def _wrap(cls, func, returnType, useArrow=None):
        if useArrow is None and _vectorized(func):
            from pyspark.sql.pandas.functions import pandas_udf

            return pandas_udf(func, returnType or StringType())
        if useArrow is None:
            useArrow = _tidemark_conf.get_or("spark.sql.execution.pythonUDF.arrow.enabled", "true") == "true"
        return cls(func, returnType, evalType=101 if useArrow else 100)._wrapped()

    def _wrapped(self):
        """What scripts hold: a function that carries the udf's attributes."""

        def wrapper(*args, **kwargs):
            return self(*args, **kwargs)

        for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
            if hasattr(self.func, attribute):
                setattr(wrapper, attribute, getattr(self.func, attribute))
        wrapper.__name__ = self._name
        wrapper.func = self.func
        wrapper.returnType = self.returnType
        wrapper.evalType = self.evalType
        wrapper.deterministic = self.deterministic
        wrapper.asNondeterministic = lambda: self.asNondeterministic()._wrapped()
        wrapper._udf = self
        return wrapper

    @property
    def returnType(self):
        if self._resolved is None:
            self._resolved = _type_of(self._returnType)
        return self._resolved

    def __call__(self, *args, **kwargs):
        exprs = [_to_expr(arg) for arg in args] + [_to_expr(arg) for arg in kwargs.values()]
        names = [None] * len(args) + list(kwargs)
        kind = self._kind()
        if kind is None:
            raise PySparkNotImplementedError(
                errorClass="NOT_IMPLEMENTED", messageParameters={"feature": f"Evaluation type {self.evalType} in a column"}
            )
        call = self._converted(names)
        return Column(_native.udf(call, self._name, exprs, names, self.returnType.json(), self.deterministic, kind))

    def _kind(self):
        """How the engine calls it: row by row, by columns, or as an aggregate; None: not as a column."""
        return {100: "scalar", 101: "arrow", 200: "pandas", 204: "pandas", 202: "aggregate", 217: "aggregate"}.get(
            self.evalType
        )

    def _converted(self, names=None):
        """The function with its result brought to the declared type."""
        if self.evalType >= 200:
            from pyspark.sql.pandas import _workers

            if self.evalType == 200:
                return _workers.scalar(self.func, self.returnType, names)
            if self.evalType == 204:
                return _workers.scalar_iterator(self.func, self.returnType, names)
            return _workers.aggregate(self.func, self.returnType, names, self.evalType == 217)
        from pyspark.sql._udf_results import converter

        func, convert = self.func, converter(self.returnType)
        return lambda *args, **kwargs: convert(func(*args, **kwargs))

    def asNondeterministic(self):
        self.deterministic = False
        return self


class UDFRegistration:
    """spark.udf."""

    def __init__(self, session):
        self.sparkSession = session

    def register(self, name, f, returnType=None):
        f = getattr(f, "_udf", f)
        if isinstance(f, UserDefinedFunction):
            if returnType is not None:
                raise PySparkTypeError(
                    errorClass="CANNOT_SPECIFY_RETURN_TYPE_FOR_UDF",
                    messageParameters={"arg_name": "f", "return_type": str(returnType)},
                )
            made = UserDefinedFunction(f.func, f._returnType, name, f.evalType, f.deterministic)
        else:
            made = UserDefinedFunction(f, returnType, name)
        _tidemark_conf.register(
            name, made._converted(), made.returnType.json(), made.deterministic, made._kind() or "scalar"
        )
        return made._wrapped()

    def registerJavaFunction(self, name, javaClassName, returnType=None):
        from pyspark.sql._literals import not_yet

        raise not_yet("spark.udf.registerJavaFunction")

    def registerJavaUDAF(self, name, javaClassName):
        return self.registerJavaFunction(name, javaClassName)
