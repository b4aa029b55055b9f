"""Grouped functions: applyInPandas, cogroups, applyInPandasWithState, transformWithState."""

import warnings

import _tidemark_expr
import _tidemark_processor as _native

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql.streaming.state import GroupStateTimeout
from pyspark.sql.types import StructType, _parse_datatype_json_string
from pyspark.util import PythonEvalType

__all__ = ["PandasGroupedOpsMixin", "PandasCogroupedOps"]


def _structure(schema):
    """A schema given as a type or as DDL of columns."""
    if isinstance(schema, str):
        return _parse_datatype_json_string(_tidemark_expr.parse_type(schema, True))
    return schema


_GROUPED_MAP = (
    "SQL_GROUPED_MAP_PANDAS_UDF or SQL_GROUPED_MAP_PANDAS_ITER_UDF or SQL_GROUPED_MAP_PANDAS_UDF_WITH_STATE"
)


def _result_type(schema, form=_GROUPED_MAP):
    """The schema of a function that gives rows: a struct."""
    from pyspark.sql.udf import _type_of

    kind = _type_of(schema)
    if not isinstance(kind, StructType):
        raise PySparkTypeError(
            errorClass="INVALID_RETURN_TYPE_FOR_PANDAS_UDF",
            messageParameters={"eval_type": form, "return_type": str(kind)},
        )
    return kind


def _check_function(func):
    """A name or type in the place of the function makes a decorator of pandas_udf, which then gets its type twice."""
    from pyspark.sql.types import DataType

    if func is None or isinstance(func, (str, DataType)):
        raise TypeError("_create_vectorized_udf() got multiple values for argument 'returnType'")
    if not callable(func):
        # inspect.getfullargspec
        raise TypeError("unsupported callable")


def _name(func):
    return getattr(func, "__name__", type(func).__name__)


def _key_fields(grouped):
    """Fields of the grouping columns, when they are first asked for."""
    from pyspark.sql.column import Column

    known = []

    def fields(count):
        if not known:
            schema = grouped._df.select(*[Column(expr) for expr in grouped._by]).schema.fields
            known.extend(schema[:count])
        return known

    return fields


def _arguments(func, allowed, detail):
    from pyspark.sql.pandas.functions import argument_count

    count, more = argument_count(func)
    if count not in allowed and not more:
        raise PySparkValueError(errorClass="INVALID_PANDAS_UDF", messageParameters={"detail": detail})
    return count


class PandasGroupedOpsMixin:
    def _side(self):
        return (self._df._plan, self._by)

    def apply(self, udf):
        from pyspark.sql.column import Column

        form = getattr(udf, "evalType", None)
        if isinstance(udf, Column) or form != PythonEvalType.SQL_GROUPED_MAP_PANDAS_UDF:
            raise PySparkTypeError(
                errorClass="INVALID_UDF_EVAL_TYPE", messageParameters={"eval_type": "SQL_GROUPED_MAP_PANDAS_UDF"}
            )
        warnings.warn(
            "It is preferred to use 'applyInPandas' over this API. This API will be deprecated in the future releases. See "
            "SPARK-28264 for more details.",
            UserWarning,
        )
        return self.applyInPandas(udf.func, udf.returnType)

    def applyInPandas(self, func, schema):
        from pyspark.sql.pandas import _workers
        from pyspark.sql.pandas.functions import hints

        _check_function(func)
        schema = _result_type(schema)
        iterator = any("Iterator" in hint for hint in hints(func)[0])
        detail = (
            "pandas_udfs with function type GROUPED_MAP or the function in groupby.applyInPandas must take either one "
            "argument (data) or two arguments (key, data)."
        )
        count = _arguments(func, (1, 2), detail)
        fields = self._df.schema.fields
        call = _workers.groups(func, schema, _key_fields(self), fields, count == 2, iterator)
        return self._df._with(_native.apply_in_groups(self._side(), (call, _name(func), schema.json())))

    def applyInArrow(self, func, schema):
        from pyspark.sql.pandas import _workers

        _check_function(func)
        schema = _result_type(schema, "SQL_GROUPED_MAP_ARROW_UDF or SQL_GROUPED_MAP_ARROW_ITER_UDF")
        detail = (
            "the function in groupby.applyInArrow must take either one argument (data) or two arguments (key, data)."
        )
        count = _arguments(func, (1, 2), detail)
        call = _workers.groups(func, schema, _key_fields(self), self._df.schema.fields, count == 2, arrow=True)
        return self._df._with(_native.apply_in_groups(self._side(), (call, _name(func), schema.json())))

    def cogroup(self, other):
        return PandasCogroupedOps(self, other)

    def applyInPandasWithState(self, func, outputStructType, stateStructType, outputMode, timeoutConf):
        from pyspark.sql.pandas import _workers

        assert timeoutConf in [
            GroupStateTimeout.NoTimeout,
            GroupStateTimeout.ProcessingTimeTimeout,
            GroupStateTimeout.EventTimeTimeout,
        ]
        output, state = _structure(outputStructType), _structure(stateStructType)
        _check_function(func)
        call = _workers.group_state(func, output, state, _key_fields(self), self._df.schema.fields)
        made = _native.apply_with_state(
            self._side(), (call, _name(func), output.json()), state.json(), outputMode, timeoutConf
        )
        return self._df._with(made)

    def transformWithStateInPandas(
        self, statefulProcessor, outputStructType, outputMode, timeMode, initialState=None, eventTimeColumnName=""
    ):
        return self._transform(
            statefulProcessor, outputStructType, outputMode, timeMode, True, initialState, eventTimeColumnName
        )

    def transformWithState(
        self, statefulProcessor, outputStructType, outputMode, timeMode, initialState=None, eventTimeColumnName=""
    ):
        return self._transform(
            statefulProcessor, outputStructType, outputMode, timeMode, False, initialState, eventTimeColumnName
        )

    def _transform(self, processor, output, outputMode, timeMode, pandas, initial, eventTimeColumnName):
        from pyspark.sql.group import GroupedData
        from pyspark.sql.streaming import _processor_worker

        if initial is not None:
            assert isinstance(initial, GroupedData)
        output = _structure(output)
        call = _processor_worker.worker(processor, output, timeMode, pandas, self, initial)
        side = None if initial is None else initial._side()
        name = "transformWithStateUDF" if initial is None else "transformWithStateWithInitStateUDF"
        made = _native.transform_with_state(
            self._side(), (call, name, output.json()), pandas, outputMode, timeMode, side, eventTimeColumnName
        )
        return self._df._with(made)


class PandasCogroupedOps:
    def __init__(self, gd1, gd2):
        self._gd1 = gd1
        self._gd2 = gd2

    def applyInPandas(self, func, schema):
        detail = (
            "the function in cogroup.applyInPandas must take either two arguments (left, right) or three arguments (key, "
            "left, right)."
        )
        return self._apply(func, schema, detail, False)

    def applyInArrow(self, func, schema):
        detail = (
            "the function in cogroup.applyInArrow must take either two arguments (left, right) or three arguments (key, "
            "left, right)."
        )
        return self._apply(func, schema, detail, True)

    def _apply(self, func, schema, detail, arrow):
        from pyspark.sql.pandas import _workers

        _check_function(func)
        form = "SQL_COGROUPED_MAP_ARROW_UDF" if arrow else "SQL_COGROUPED_MAP_PANDAS_UDF"
        schema = _result_type(schema, form)
        count = _arguments(func, (2, 3), detail)
        left, right = self._gd1._df.schema.fields, self._gd2._df.schema.fields
        call = _workers.co_groups(func, schema, _key_fields(self._gd1), left, right, count == 3, arrow)
        made = _native.co_groups(self._gd1._side(), self._gd2._side(), (call, _name(func), schema.json()))
        return self._gd1._df._with(made)
