"""DataFrame: an analysed plan and the methods that make new ones from it."""

import _tidemark_frame as _native

from pyspark.errors import PySparkAttributeError, PySparkIndexError, PySparkTypeError, PySparkValueError
from pyspark.sql import _frame_checks as checks
from pyspark.sql import _frame_repr
from pyspark.sql._frame_actions import Actions
from pyspark.sql._frame_views import Views
from pyspark.sql.column import Column, _expected, _exprs, _literal, _to_expr
from pyspark.sql.types import StructType, _parse_datatype_json_string

__all__ = ["DataFrame", "DataFrameNaFunctions", "DataFrameStatFunctions"]


class DataFrame(Actions, Views):
    def __init__(self, plan, session):
        self._held = plan
        self._session = session
        self._schema = None
        self.is_cached = False
        # Whether the plan was parsed from a text or a name, so that Spark's `logical` does not know of streams in it.
        self._is_parsed = False

    @classmethod
    def _of_name(cls, plan, session):
        made = cls(plan, session)
        made._is_parsed = True
        return made

    @property
    def _plan(self):
        """The plan; the engine turns to the frame's session first."""
        if self._session is not None:
            self._session._enter()
        return self._held

    def _with(self, plan):
        return DataFrame(plan, self._session)

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def sparkSession(self):
        return self._session

    @property
    def schema(self):
        if self._schema is None:
            self._schema = _parse_datatype_json_string(_native.schema(self._plan))
        return self._schema

    @property
    def dtypes(self):
        return [(field.name, field.dataType.simpleString()) for field in self.schema.fields]

    @property
    def columns(self):
        return [field.name for field in self.schema.fields]

    @property
    def isStreaming(self):
        return _native.is_streaming(self._plan)

    def isLocal(self):
        return _native.is_local(self._plan)

    @property
    def rdd(self):
        from pyspark.core.rdd import RDD

        _native.check_batch(self._plan)
        return RDD._of(self)

    @property
    def na(self):
        return DataFrameNaFunctions(self)

    @property
    def stat(self):
        return DataFrameStatFunctions(self)

    @property
    def write(self):
        from pyspark.sql.readwriter import DataFrameWriter

        if self.isStreaming:
            checks.fail("AnalysisException", "CALL_ON_STREAMING_DATASET_UNSUPPORTED", {"methodName": "`write`"})
        return DataFrameWriter(self)

    @property
    def writeStream(self):
        from pyspark.sql.streaming.readwriter import DataStreamWriter

        return DataStreamWriter(self)

    def __repr__(self):
        if _frame_repr.eager(self):
            return _frame_repr.text(self)
        return f"DataFrame[{', '.join(f'{name}: {kind}' for name, kind in self.dtypes)}]"

    def _repr_html_(self):
        return _frame_repr.table(self) if _frame_repr.eager(self) else None

    @property
    def executionInfo(self):
        raise PySparkValueError(
            errorClass="CLASSIC_OPERATION_NOT_SUPPORTED_ON_DF", messageParameters={"member": "queryExecution"}
        )

    @property
    def plot(self):
        from pyspark.sql.plot import PySparkPlotAccessor

        return PySparkPlotAccessor(self)

    def __dir__(self):
        return sorted({*dir(DataFrame), *(name for name in self.columns if name.isidentifier())})

    def _ipython_key_completions_(self):
        return self.columns

    # ---- columns ----------------------------------------------------------------------------------

    def __getitem__(self, item):
        if isinstance(item, str):
            return Column(_native.column(self._plan, item))
        if isinstance(item, Column):
            return self.filter(item)
        if isinstance(item, (list, tuple)):
            return self.select(*item)
        if isinstance(item, int):
            return Column(_native.column(self._plan, self.columns[item]))
        raise _expected("item", "Column, float, integer, list or string", item)

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.columns:
            raise PySparkAttributeError(errorClass="ATTRIBUTE_NOT_SUPPORTED", messageParameters={"attr_name": name})
        return Column(_native.column(self._plan, name))

    def colRegex(self, colName):
        if not isinstance(colName, str):
            raise _expected("colName", "str", colName)
        if len(colName) < 3 or not (colName.startswith("`") and colName.endswith("`")):
            return self[colName]
        import _tidemark_expr

        return Column(_tidemark_expr.regex(colName[1:-1]))

    def metadataColumn(self, colName):
        if not isinstance(colName, str):
            raise _expected("colName", "str", colName)
        return Column(_native.column(self._plan, colName))

    # ---- projections and filters ------------------------------------------------------------------

    def select(self, *cols):
        return self._with(_native.select(self._plan, _exprs(cols)))

    def selectExpr(self, *expr):
        import _tidemark_expr

        if len(expr) == 1 and isinstance(expr[0], list):
            expr = expr[0]
        return self._with(_native.select(self._plan, [_tidemark_expr.parse(text) for text in expr]))

    def filter(self, condition):
        if isinstance(condition, str):
            import _tidemark_expr

            return self._with(_native.filter(self._plan, _tidemark_expr.parse(condition)))
        if isinstance(condition, Column):
            return self._with(_native.filter(self._plan, condition._expr))
        raise _expected("condition", "Column or str", condition)

    where = filter

    def withColumn(self, colName, col):
        if not isinstance(col, Column):
            raise _expected("col", "Column", col)
        return self._with(_native.with_columns(self._plan, [colName], [col._expr]))

    def withColumns(self, *colsMap):
        assert len(colsMap) == 1
        colsMap = colsMap[0]
        if not isinstance(colsMap, dict):
            raise _expected("colsMap", "dict", colsMap)
        return self._with(_native.with_columns(self._plan, list(colsMap), _exprs([list(colsMap.values())])))

    def withColumnRenamed(self, existing, new):
        return self._with(_native.with_columns_renamed(self._plan, [existing], [new]))

    def withColumnsRenamed(self, colsMap):
        if not isinstance(colsMap, dict):
            raise _expected("colsMap", "dict", colsMap)
        return self._with(_native.with_columns_renamed(self._plan, list(colsMap), list(colsMap.values())))

    def withMetadata(self, columnName, metadata):
        if not isinstance(metadata, dict):
            raise _expected("metadata", "dict", metadata)
        import json

        return self._with(_native.with_metadata(self._plan, columnName, json.dumps(metadata)))

    def drop(self, *cols):
        for col in cols:
            if not isinstance(col, (str, Column)):
                raise _expected("col", "Column or str", col)
        plan = self._plan
        columns = [col._expr for col in cols if isinstance(col, Column)]
        if columns:
            plan = _native.drop(plan, columns)
        names = [col for col in cols if isinstance(col, str)]
        if names:
            plan = _native.drop_names(plan, names)
        return self._with(plan)

    def toDF(self, *cols):
        for col in cols:
            if not isinstance(col, str):
                raise _expected("cols", "list[str]", col)
        return self._with(_native.to_df(self._plan, list(cols)))

    def to(self, schema):
        assert schema is not None
        schema.json()
        from pyspark.sql import functions as F

        return self.select([F.col(f"`{field.name}`").cast(field.dataType).alias(field.name) for field in schema.fields])

    def alias(self, alias):
        assert isinstance(alias, str), "alias should be a string"
        return self._with(_native.alias(self._plan, alias))

    def transform(self, func, *args, **kwargs):
        result = func(self, *args, **kwargs)
        assert isinstance(result, DataFrame), (
            f"Func returned an instance of type [{type(result)}], should have been DataFrame."
        )
        return result

    # ---- grouping ---------------------------------------------------------------------------------

    def _grouping(self, cols):
        if len(cols) == 1 and isinstance(cols[0], (list, tuple)):
            cols = cols[0]
        exprs = []
        for col in cols:
            if isinstance(col, int) and not isinstance(col, bool):
                if col < 1:
                    raise PySparkIndexError(errorClass="INDEX_NOT_POSITIVE", messageParameters={"index": str(col)})
                col = self[col - 1]
            exprs.append(_to_expr(col))
        return exprs

    def groupBy(self, *cols):
        from pyspark.sql.group import GroupedData

        return GroupedData(self, "by", self._grouping(cols))

    groupby = groupBy

    def rollup(self, *cols):
        from pyspark.sql.group import GroupedData

        return GroupedData(self, "rollup", self._grouping(cols))

    def cube(self, *cols):
        from pyspark.sql.group import GroupedData

        return GroupedData(self, "cube", self._grouping(cols))

    def groupingSets(self, groupingSets, *cols):
        from pyspark.sql.group import GroupedData

        by = self._grouping(cols)
        names = [str(Column(expr)) for expr in by]
        sets = []
        for group in groupingSets:
            places = []
            for expr in self._grouping([list(group)]):
                text = str(Column(expr))
                if text not in names:
                    names.append(text)
                    by.append(expr)
                places.append(names.index(text))
            sets.append(places)
        return GroupedData(self, "sets", by, sets)

    def agg(self, *exprs):
        return self.groupBy().agg(*exprs)

    def observe(self, observation, *exprs):
        from pyspark.sql.observation import Observation

        if not exprs:
            raise PySparkValueError(errorClass="CANNOT_BE_EMPTY", messageParameters={"item": "exprs"})
        if not all(isinstance(col, Column) for col in exprs):
            raise _expected("exprs", "list[Column]", exprs)
        if isinstance(observation, Observation):
            return observation._on(self, *exprs)
        if isinstance(observation, str):
            return self._with(_native.observe(self._plan, observation, [col._expr for col in exprs]))
        raise _expected("observation", "Observation or str", observation)

    # ---- several frames ---------------------------------------------------------------------------

    def join(self, other, on=None, how=None):
        if on is not None and not isinstance(on, list):
            on = [on]
        using = condition = None
        if on:
            if isinstance(on[0], str):
                using = list(on)
            else:
                assert isinstance(on[0], Column), "on should be Column or list of Column"
                condition = on[0]
                for other_condition in on[1:]:
                    condition = condition & other_condition
        if how is not None:
            assert isinstance(how, str), "how should be a string"
        kind = checks.join_kind("inner" if how is None else how)
        condition = None if condition is None else condition._expr
        return self._with(_native.join(self._plan, other._jdf, kind, using, condition))

    @property
    def _jdf(self):
        """The JVM's frame, which is a plan here: what is no frame has none."""
        return self._plan

    def crossJoin(self, other):
        return self._with(_native.join(self._plan, other._jdf, "cross", None, None))

    def nearestByJoin(self, other, rankingExpression, numResults, mode, direction, *, joinType="inner"):
        right, ranking = other._jdf, rankingExpression._jc
        how = (int(numResults), mode, direction, joinType)
        return self._with(_native.nearest_by_join(self._plan, right, ranking, *how))

    def zip(self, other):
        return self._with(_native.zip(self._plan, other._jdf))

    def union(self, other):
        return self._with(_native.union(self._plan, other._jdf, False, False))

    unionAll = union

    def unionByName(self, other, allowMissingColumns=False):
        return self._with(_native.union(self._plan, other._jdf, True, allowMissingColumns))

    def intersect(self, other):
        return self._with(_native.set_operation(self._plan, other._jdf, False, False))

    def intersectAll(self, other):
        return self._with(_native.set_operation(self._plan, other._jdf, False, True))

    def subtract(self, other):
        return self._with(_native.set_operation(self._plan, other._jdf, True, False))

    def exceptAll(self, other):
        return self._with(_native.set_operation(self._plan, other._jdf, True, True))

    def lateralJoin(self, other, on=None, how=None):
        return checks.more().lateral_join(self, other, on, how)

    def scalar(self):
        return checks.more().subquery(self, "scalar")

    def exists(self):
        return checks.more().subquery(self, "exists")

    def asTable(self):
        from pyspark.sql.table_arg import TableArg

        return TableArg(self._plan)

    # ---- rows -------------------------------------------------------------------------------------

    def distinct(self):
        return self._with(_native.distinct(self._plan))

    def dropDuplicates(self, subset=None):
        return self._with(_native.drop_duplicates(self._plan, checks.subset(subset), False))

    drop_duplicates = dropDuplicates

    def dropDuplicatesWithinWatermark(self, subset=None):
        return self._with(_native.drop_duplicates(self._plan, checks.subset(subset), True))

    def sort(self, *cols, **kwargs):
        return self._with(_native.sort(self._plan, checks.sort_exprs(self, cols, kwargs), True))

    orderBy = sort

    def sortWithinPartitions(self, *cols, **kwargs):
        return self._with(_native.sort(self._plan, checks.sort_exprs(self, cols, kwargs), False))

    def limit(self, num):
        return self._with(_native.limit(self._plan, num))

    def offset(self, num):
        return self._with(_native.offset(self._plan, num))

    def sample(self, withReplacement=None, fraction=None, seed=None):
        replace, share, seed = checks.sample(withReplacement, fraction, seed)
        checks.sampling_fraction(replace, share)
        return self._with(_native.sample(self._plan, replace, share, seed))

    def withWatermark(self, eventTime, delayThreshold):
        if not eventTime or type(eventTime) is not str:
            raise _expected("eventTime", "str", eventTime)
        if not delayThreshold or type(delayThreshold) is not str:
            raise _expected("delayThreshold", "str", delayThreshold)
        return self._with(_native.with_watermark(self._plan, eventTime, delayThreshold))

    def hint(self, name, *parameters):
        if len(parameters) == 1 and isinstance(parameters[0], list):
            parameters = parameters[0]
        if not isinstance(name, str):
            raise _expected("name", "str", name)
        checks.hint_parameters(parameters)
        return self._with(_native.hint(self._plan, name, [_literal(parameter) for parameter in parameters]))

    def repartition(self, numPartitions, *cols):
        if isinstance(numPartitions, int):
            checks.positive_partitions(numPartitions)
            return self._with(_native.repartition(self._plan, numPartitions, True, False, _exprs(cols)))
        if isinstance(numPartitions, (str, Column)):
            return self._with(_native.repartition(self._plan, None, True, False, _exprs((numPartitions, *cols))))
        raise _expected("numPartitions", "Column or str", numPartitions)

    def repartitionByRange(self, numPartitions, *cols):
        if isinstance(numPartitions, int):
            if not cols:
                raise PySparkValueError(
                    errorClass="CANNOT_BE_EMPTY", messageParameters={"item": "partition-by expression"}
                )
            return self._with(_native.repartition(self._plan, numPartitions, True, True, _exprs(cols)))
        if isinstance(numPartitions, (str, Column)):
            return self._with(_native.repartition(self._plan, None, True, True, _exprs((numPartitions, *cols))))
        raise _expected("numPartitions", "Column, int or str", numPartitions)

    def repartitionById(self, numPartitions, partitionIdCol):
        if not isinstance(numPartitions, int):
            raise _expected("numPartitions", "int", numPartitions)
        if numPartitions <= 0:
            raise PySparkValueError(
                errorClass="VALUE_NOT_POSITIVE",
                messageParameters={"arg_name": "numPartitions", "arg_value": str(numPartitions)},
            )
        return self._with(_native.repartition_by_id(self._plan, numPartitions, _to_expr(partitionIdCol)))

    def coalesce(self, numPartitions):
        checks.positive_partitions(numPartitions)
        return self._with(_native.repartition(self._plan, numPartitions, False, False, []))


class DataFrameNaFunctions:
    def __init__(self, df):
        self.df = df

    def drop(self, how="any", thresh=None, subset=None):
        return self.df.dropna(how=how, thresh=thresh, subset=subset)

    def fill(self, value, subset=None):
        return self.df.fillna(value=value, subset=subset)

    def replace(self, to_replace, *args, **kwargs):
        return self.df.replace(to_replace, *args, **kwargs)


class DataFrameStatFunctions:
    def __init__(self, df):
        self.df = df

    def corr(self, col1, col2, method=None):
        return self.df.corr(col1, col2, method)

    def cov(self, col1, col2):
        return self.df.cov(col1, col2)

    def approxQuantile(self, col, probabilities, relativeError):
        return self.df.approxQuantile(col, probabilities, relativeError)

    def crosstab(self, col1, col2):
        return self.df.crosstab(col1, col2)

    def freqItems(self, cols, support=None):
        return self.df.freqItems(cols, support)

    def sampleBy(self, col, fractions, seed=None):
        return self.df.sampleBy(col, fractions, seed)


def _schema_of(value):
    """A StructType from one, or from DDL; readers share it."""
    if isinstance(value, StructType):
        return value
    if isinstance(value, str):
        import _tidemark_expr

        return _parse_datatype_json_string(_tidemark_expr.parse_type(value, True))
    raise PySparkTypeError(
        errorClass="NOT_EXPECTED_TYPE",
        messageParameters={
            "expected_type": "StructType or str",
            "arg_name": "schema",
            "arg_type": type(value).__name__,
        },
    )
