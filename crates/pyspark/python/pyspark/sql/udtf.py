"""User-defined table functions: classes whose objects turn the rows of a partition into other rows."""

import inspect
from dataclasses import dataclass, field, replace

import _tidemark_conf
import _tidemark_frame as _native

from pyspark.errors import PySparkAttributeError, PySparkRuntimeError, PySparkTypeError, PySparkValueError
from pyspark.sql.types import ArrayType, DataType, MapType, Row, StructType, _parse_datatype_string

__all__ = [
    "AnalyzeArgument", "AnalyzeResult", "OrderingColumn", "PartitioningColumn", "SelectedColumn",
    "SkipRestOfInputTableException", "UDTFRegistration",
]  # fmt: skip

SQL_TABLE_UDF, SQL_ARROW_TABLE_UDF, SQL_ARROW_UDTF = 300, 301, 302


@dataclass(frozen=True)
class AnalyzeArgument:
    dataType: DataType
    value: object
    isTable: bool
    isConstantExpression: bool


@dataclass(frozen=True)
class PartitioningColumn:
    name: str


@dataclass(frozen=True)
class OrderingColumn:
    name: str
    ascending: bool = True
    overrideNullsFirst: object = None


@dataclass(frozen=True)
class SelectedColumn:
    name: str
    alias: str = ""


@dataclass
class AnalyzeResult:
    schema: StructType
    withSinglePartition: bool = False
    partitionBy: object = field(default_factory=tuple)
    orderBy: object = field(default_factory=tuple)
    select: object = field(default_factory=tuple)


class SkipRestOfInputTableException(Exception):
    pass


def _checked(cls, returnType):
    if not isinstance(cls, type):
        raise PySparkTypeError(
            errorClass="INVALID_UDTF_HANDLER_TYPE", messageParameters={"type": type(cls).__name__}
        )
    name = {"name": cls.__name__}
    if not hasattr(cls, "eval"):
        raise PySparkAttributeError(errorClass="INVALID_UDTF_NO_EVAL", messageParameters=name)
    analyzes = hasattr(cls, "analyze")
    static = analyzes and isinstance(inspect.getattr_static(cls, "analyze"), staticmethod)
    if returnType is None and not static:
        raise PySparkAttributeError(errorClass="INVALID_UDTF_RETURN_TYPE", messageParameters=name)
    if returnType is not None and analyzes:
        raise PySparkAttributeError(errorClass="INVALID_UDTF_BOTH_RETURN_TYPE_AND_ANALYZE", messageParameters=name)


def _make(cls, returnType, useArrow):
    """udtf: results go through Arrow's conversions unless that is switched off."""
    if useArrow is None:
        useArrow = _tidemark_conf.get_or("spark.sql.execution.pythonUDTF.arrow.enabled", "true") == "true"
    return UserDefinedTableFunction(cls, returnType, evalType=SQL_ARROW_TABLE_UDF if useArrow else SQL_TABLE_UDF)


class UserDefinedTableFunction:
    """Called with columns and tables, makes a frame."""

    def __init__(self, func, returnType, name=None, evalType=SQL_TABLE_UDF, deterministic=False):
        _checked(func, returnType)
        self.func = func
        self._returnType = returnType
        self._schema = None
        self._name = name or func.__name__
        self.evalType = evalType
        self.deterministic = deterministic

    @property
    def returnType(self):
        if self._returnType is None:
            return None
        if self._schema is None:
            given = self._returnType
            schema = _parse_datatype_string(given) if isinstance(given, str) else given
            if not isinstance(schema, StructType):
                raise PySparkTypeError(
                    errorClass="UDTF_RETURN_TYPE_MISMATCH",
                    messageParameters={"name": self._name, "return_type": f"{schema}"},
                )
            self._schema = schema
        return self._schema

    def __call__(self, *args, **kwargs):
        from pyspark.sql.column import _to_expr
        from pyspark.sql.dataframe import DataFrame
        from pyspark.sql.session import SparkSession
        from pyspark.sql.table_arg import TableArg

        session = SparkSession._getActiveSessionOrCreate()
        # A declared type that is no struct is refused here, not in the analysis.
        _ = self.returnType
        arguments = [
            argument._parts() if isinstance(argument, TableArg) else _to_expr(argument)
            for argument in (*args, *kwargs.values())
        ]
        names = [None] * len(args) + list(kwargs)
        return DataFrame(_native.table_function(self._analysed, self._name, arguments, names), session)

    def asDeterministic(self):
        self.deterministic = True
        return self

    def _analysed(self, arguments):
        """What the engine asks of a call: what to call with rows, and what that gives. Arguments are names, types as JSON,
        whether they are constant, their values, and whether they are tables."""
        names = [name for name, *_ in arguments]
        table = next((i for i, argument in enumerate(arguments) if argument[4]), None)
        if self._returnType is not None:
            result, schema = None, self.returnType
        else:
            result = _analyze(self.func, self._name, arguments)
            schema = result.schema
        single, partition_by, order_by = False, [], []
        if result is not None:
            if result.select:
                from pyspark.sql._literals import not_yet

                raise not_yet("The select list of an AnalyzeResult")
            single = bool(result.withSinglePartition)
            partition_by = [column.name for column in result.partitionBy]
            order_by = [
                (
                    column.name,
                    column.ascending,
                    column.ascending if column.overrideNullsFirst is None else column.overrideNullsFirst,
                )
                for column in result.orderBy
            ]
        worker = _Worker(self.func, self._name, schema, result, names, table, self.evalType != SQL_TABLE_UDF)
        return worker, schema.json(), self.deterministic, single, partition_by, order_by


def _analyze(cls, name, arguments):
    from pyspark.sql.types import _parse_datatype_json_string

    args, kwargs = [], {}
    for named, kind, constant, value, is_table in arguments:
        argument = AnalyzeArgument(
            dataType=_parse_datatype_json_string(kind), value=value, isTable=is_table, isConstantExpression=constant
        )
        if named is None:
            args.append(argument)
        else:
            kwargs[named] = argument
    start = f"Failed to evaluate the user-defined table function '{name}'"
    try:
        inspect.signature(cls.analyze).bind(*args, **kwargs)
    except TypeError as error:
        raise PySparkValueError(
            f"{start} because the function arguments did not match the expected signature of the static 'analyze' "
            f"method ({error}). Please update the query so that this table function call provides arguments matching the "
            "expected signature, or else update the table function so that its static 'analyze' method accepts the "
            "provided arguments, and then try the query again."
        )
    result = cls.analyze(*args, **kwargs)
    expects = f"{start} because the static 'analyze' method expects a result of type pyspark.sql.udtf.AnalyzeResult"
    if not isinstance(result, AnalyzeResult):
        raise PySparkValueError(f"{expects}, but instead this method returned a value of type: {type(result)}")
    if not isinstance(result.schema, StructType):
        raise PySparkValueError(
            f"{expects} with a 'schema' field comprising a StructType, but the 'schema' field had the wrong type: "
            f"{type(result.schema)}"
        )
    returned = f"{start} because the static 'analyze' method returned an 'AnalyzeResult' object with the"
    again = "and then try the query again."
    if not any(argument.isTable for argument in (*args, *kwargs.values())):
        for wanted, set_to, without in (
            (result.withSinglePartition, "'withSinglePartition' field set to 'true'",
             "'withSinglePartition' field set to 'false'"),
            (len(result.partitionBy) > 0, "'partitionBy' list set to non-empty", "'partitionBy' list set to empty"),
        ):  # fmt: skip
            if wanted:
                raise PySparkValueError(
                    f"{returned} {set_to}, but the function call did not provide any table argument. Please update the "
                    "query so that it provides a table argument, or else update the table function so that its 'analyze' "
                    f"method returns an 'AnalyzeResult' object with the {without}, {again}"
                )
    for part, kind in (("partitionBy", PartitioningColumn), ("orderBy", OrderingColumn), ("select", SelectedColumn)):
        columns = getattr(result, part)
        if not isinstance(columns, (list, tuple)) or not all(isinstance(column, kind) for column in columns):
            raise PySparkValueError(
                f"{returned} '{part}' field set to a value besides a list or tuple of '{kind.__name__}' objects. Please "
                f"update the table function {again}"
            )
    return result


class _Worker:
    """Called by the engine with the arguments of one partition's rows: columns of what the function makes of them, and
    before them the number of the input row that each output row belongs to."""

    def __init__(self, cls, name, schema, result, names, table, arrow):
        self.arrow = arrow
        self.cls, self.name, self.schema, self.result = cls, name, schema, result
        self.names, self.table = names, table
        self.check = _null_check(schema)

    def _make(self):
        takes = len(inspect.getfullargspec(self.cls).args)
        if self.result is not None:
            if takes > 2:
                raise PySparkRuntimeError(
                    errorClass="UDTF_CONSTRUCTOR_INVALID_IMPLEMENTS_ANALYZE_METHOD", messageParameters={"name": self.name}
                )
            if takes == 2:
                return lambda: self.cls(replace(self.result))
        elif takes > 1:
            raise PySparkRuntimeError(
                errorClass="UDTF_CONSTRUCTOR_INVALID_NO_ANALYZE_METHOD", messageParameters={"name": self.name}
            )
        return self.cls

    def __call__(self, tables):
        from pyspark.sql._udf_results import converter, row_of

        (rows, columns), = tables
        keys = 0
        if self.table is not None:
            keys = columns.pop()[0] if rows else 0
        make = self._make()
        try:
            made = make()
        except Exception as error:
            raise PySparkRuntimeError(
                errorClass="UDTF_EXEC_ERROR", messageParameters={"method_name": "__init__", "error": str(error)}
            )
        try:
            positional = [None for name in self.names if name is None]
            inspect.signature(made.eval).bind(*positional, **{name: None for name in self.names if name is not None})
        except TypeError as error:
            raise PySparkRuntimeError(
                errorClass="UDTF_EVAL_METHOD_ARGUMENTS_DO_NOT_MATCH_SIGNATURE",
                messageParameters={"name": self.name, "reason": str(error)},
            ) from None
        convert = converter(self.schema) if self.arrow else row_of(self.schema)
        out = [[] for _ in range(len(self.schema) + 1)]

        def put(row, values):
            for value in values:
                value = convert(value)
                out[0].append(row)
                for column, item in zip(out[1:], value if value is not None else [None] * len(self.schema)):
                    column.append(item)

        skipping = False
        before = None
        row = 0
        try:
            for row in range(rows):
                args, kwargs = self._arguments(columns, row)
                if keys:
                    key = tuple(columns[self.table][row])[-keys:]
                    args = [_without(arg, keys) for arg in args]
                    kwargs = {name: _without(arg, keys) for name, arg in kwargs.items()}
                    if before is not None and key != before:
                        # The next partition: the object before it ends, and its rows go with the row at hand.
                        if hasattr(made, "terminate"):
                            put(row, self._rows(made.terminate))
                        made, skipping = make(), False
                    before = key
                if skipping:
                    continue
                try:
                    given = self._rows(made.eval, *args, **kwargs)
                    # What a call gave before it says that it skips the rest counts only where there are partitions.
                    put(row, given if keys else list(given))
                except SkipRestOfInputTableException:
                    if not keys:
                        break
                    skipping = True
            if hasattr(made, "terminate"):
                put(row, self._rows(made.terminate))
        finally:
            if hasattr(made, "cleanup"):
                made.cleanup()
        return [out]

    def _arguments(self, columns, row):
        args, kwargs = [], {}
        for name, column in zip(self.names, columns):
            if name is None:
                args.append(column[row])
            else:
                kwargs[name] = column[row]
        return args, kwargs

    def _rows(self, method, *args, **kwargs):
        """The rows that a method gives, checked."""
        name, size = method.__name__, len(self.schema)
        try:
            given = method(*args, **kwargs)
        except SkipRestOfInputTableException:
            raise
        except Exception as error:
            raise PySparkRuntimeError(
                errorClass="UDTF_EXEC_ERROR", messageParameters={"method_name": name, "error": str(error)}
            )
        if given is None:
            return
        if not hasattr(given, "__iter__"):
            raise PySparkRuntimeError(
                errorClass="UDTF_RETURN_NOT_ITERABLE", messageParameters={"type": type(given).__name__, "func": name}
            )
        for value in given:
            if self.arrow and size == 1 and not isinstance(value, tuple):
                value = (value,)
            if value is not None:
                if hasattr(value, "__len__") and len(value) != size:
                    raise PySparkRuntimeError(
                        errorClass="UDTF_RETURN_SCHEMA_MISMATCH",
                        messageParameters={"expected": str(size), "actual": str(len(value)), "func": name},
                    )
                if not (isinstance(value, (list, dict, tuple)) or hasattr(value, "__dict__")):
                    raise PySparkRuntimeError(
                        errorClass="UDTF_INVALID_OUTPUT_ROW_TYPE",
                        messageParameters={"type": type(value).__name__, "func": name},
                    )
                if self.check is not None:
                    self.check(value)
            yield value


def _without(value, keys):
    """A row of a table without the partitioning columns at its end."""
    if not isinstance(value, Row):
        return value
    made = Row(*value.__fields__[:-keys])
    return made(*tuple(value)[:-keys])


def _null_check(schema):
    """A check that no None stands where the schema has no nulls; None when nulls may stand everywhere."""

    def required(kind):
        if isinstance(kind, ArrayType):
            return not kind.containsNull or required(kind.elementType)
        if isinstance(kind, MapType):
            return True
        if isinstance(kind, StructType):
            return any(not f.nullable or required(f.dataType) for f in kind.fields)
        return False

    if not required(schema):
        return None

    def refuse(at):
        raise PySparkRuntimeError(
            errorClass="UDTF_EXEC_ERROR",
            messageParameters={
                "method_name": "eval' or 'terminate",
                "error": f"Column {at} within a returned row had a value of None, either directly or within "
                "array/struct/map subfields, but the corresponding column type was declared as non-nullable; please "
                "update the UDTF to return a non-None value at this location or otherwise declare the column type as "
                "nullable.",
            },
        )

    def look(value, kind, nullable, at):
        if value is None:
            if not nullable:
                refuse(at)
        elif isinstance(kind, ArrayType) and isinstance(value, list):
            for item in value:
                look(item, kind.elementType, kind.containsNull, at)
        elif isinstance(kind, MapType) and isinstance(value, dict):
            for key, item in value.items():
                look(key, kind.keyType, False, at)
                look(item, kind.valueType, kind.valueContainsNull, at)
        elif isinstance(kind, StructType) and isinstance(value, tuple):
            for f, item in zip(kind.fields, value):
                look(item, f.dataType, f.nullable, at)

    def check(row):
        if isinstance(row, tuple):
            for at, (f, value) in enumerate(zip(schema.fields, row)):
                look(value, f.dataType, f.nullable, at)

    return check


class UDTFRegistration:
    """spark.udtf."""

    def __init__(self, sparkSession):
        self.sparkSession = sparkSession

    def register(self, name, f):
        if not isinstance(f, UserDefinedTableFunction):
            raise PySparkTypeError(errorClass="CANNOT_REGISTER_UDTF", messageParameters={"name": name})
        made = UserDefinedTableFunction(f.func, f.returnType, name, f.evalType, f.deterministic)
        _tidemark_conf.register_table(name, made._analysed)
        return made
