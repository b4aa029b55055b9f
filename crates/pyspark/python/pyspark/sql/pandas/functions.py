"""pandas_udf, and which form of it a function's type hints mean."""

import functools
import warnings

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql.types import DataType
from pyspark.util import PythonEvalType

__all__ = ["pandas_udf", "PandasUDFType"]

_FORMS = (200, 201, 202, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, None)


def _annotation(value):
    return value if isinstance(value, str) else repr(value)


def hints(func):
    """Texts of the annotations of the parameters, and of the return value."""
    found = dict(getattr(func, "__annotations__", None) or {})
    result = found.pop("return", None)
    return [_annotation(one) for one in found.values()], None if result is None else _annotation(result)


def _inferred(func):
    parameters, result = hints(func)
    if result is None:
        return PythonEvalType.SQL_SCALAR_PANDAS_UDF
    if "Iterator" in result:
        return PythonEvalType.SQL_SCALAR_PANDAS_ITER_UDF
    if "Series" in result or "DataFrame" in result:
        return PythonEvalType.SQL_SCALAR_PANDAS_UDF
    if any("Iterator" in one for one in parameters):
        return PythonEvalType.SQL_GROUPED_AGG_PANDAS_ITER_UDF
    return PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF


def argument_count(func):
    """Number of positional parameters, and whether there are more."""
    func = getattr(func, "__func__", func)
    if isinstance(func, functools.partial):
        count, more = argument_count(func.func)
        return count - len(func.args), more
    code = getattr(func, "__code__", None)
    if code is None:
        code = getattr(getattr(type(func), "__call__", None), "__code__", None)
        return (code.co_argcount - 1, bool(code.co_flags & 4)) if code is not None else (1, True)
    return code.co_argcount, bool(code.co_flags & 4)


def _create_vectorized_udf(f, returnType, evalType, kind="pandas"):
    from pyspark.sql.udf import UserDefinedFunction

    explicit = (PythonEvalType.SQL_SCALAR_PANDAS_UDF, PythonEvalType.SQL_SCALAR_PANDAS_ITER_UDF,
                PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF, PythonEvalType.SQL_GROUPED_AGG_PANDAS_ITER_UDF)  # fmt: skip
    if evalType in explicit:
        warnings.warn(
            "In Python 3.6+ and Spark 3.0+, it is preferred to specify type hints for pandas UDF instead of specifying "
            "pandas UDF type which will be deprecated in the future releases. See SPARK-28264 for more details.",
            UserWarning,
        )
    elif evalType is None:
        evalType = _inferred(f)
    if evalType in explicit[:2] and argument_count(f) == (0, False):
        raise PySparkValueError(
            errorClass="INVALID_PANDAS_UDF",
            messageParameters={
                "detail": "0-arg pandas_udfs are not supported. Instead, create a 1-arg pandas_udf and ignore the arg in "
                "your function."
            },
        )
    return UserDefinedFunction(f, returnType, evalType=int(evalType))._wrapped()


def pandas_udf(f=None, returnType=None, functionType=None):
    decorator = f is None or isinstance(f, (str, DataType))
    kind = (f or returnType) if decorator else returnType
    form = functionType
    if form is None and decorator and isinstance(returnType, int):
        form = returnType
    if kind is None:
        raise PySparkTypeError(errorClass="CANNOT_BE_NONE", messageParameters={"arg_name": "returnType"})
    if form not in _FORMS:
        raise PySparkTypeError(
            errorClass="INVALID_PANDAS_UDF_TYPE", messageParameters={"arg_name": "functionType", "arg_type": str(form)}
        )
    if decorator:
        return functools.partial(_create_vectorized_udf, returnType=kind, evalType=form, kind="pandas")
    return _create_vectorized_udf(f, kind, form)


class PandasUDFType:
    SCALAR = PythonEvalType.SQL_SCALAR_PANDAS_UDF
    SCALAR_ITER = PythonEvalType.SQL_SCALAR_PANDAS_ITER_UDF
    GROUPED_MAP = PythonEvalType.SQL_GROUPED_MAP_PANDAS_UDF
    GROUPED_AGG = PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF
