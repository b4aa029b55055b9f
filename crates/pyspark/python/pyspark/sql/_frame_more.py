"""Less common DataFrame methods: tables of counts, samples by stratum, transposition, indices, frames as subqueries."""

import _tidemark_frame as _native
from _tidemark_system import fail

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql import functions as F
from pyspark.sql.column import Column, _expected, _to_expr
from pyspark.sql.types import ArrayType, IntegralType, StringType, StructField, StructType

_LATERAL = {"inner": "inner", "cross": "inner", "left": "leftouter", "leftouter": "leftouter"}


def _seed(seed):
    if seed is None:
        import random

        return random.randint(0, (1 << 63) - 1)
    return int(seed)


def random_split(df, weights, seed):
    for weight in weights:
        if weight < 0.0:
            raise PySparkValueError(
                errorClass="VALUE_NOT_POSITIVE", messageParameters={"arg_name": "weights", "arg_value": str(weight)}
            )
    plans = _native.random_split(df._plan, [float(weight) for weight in weights], _seed(seed))
    return [df._with(plan) for plan in plans]


def sample_by(df, col, fractions, seed):
    """Rows whose number of rand(seed) lies below their stratum's fraction; other strata give none."""
    if isinstance(col, str):
        col = F.col(col)
    elif not isinstance(col, Column):
        raise _expected("col", "Column or str", col)
    if not isinstance(fractions, dict):
        raise _expected("fractions", "dict", fractions)
    share = None
    for key, fraction in fractions.items():
        if not isinstance(key, (float, int, str)):
            raise PySparkTypeError(
                errorClass="DISALLOWED_TYPE_FOR_CONTAINER",
                messageParameters={
                    "arg_name": "fractions",
                    "arg_type": type(fractions).__name__,
                    "allowed_types": "float, int, str",
                    "item_type": type(key).__name__,
                },
            )
        fraction = float(fraction)
        if not 0.0 <= fraction <= 1.0:
            from pyspark.errors.exceptions import captured

            raise captured.IllegalArgumentException(
                f"requirement failed: Fractions must be in [0, 1], but got Map({key} -> {fraction})."
            )
        made = F.lit(fraction)
        share = F.when(col == F.lit(key), made) if share is None else share.when(col == F.lit(key), made)
    share = F.lit(0.0) if share is None else share.otherwise(F.lit(0.0))
    return df.filter(F.rand(_seed(seed)) < share)


def crosstab(df, col1, col2):
    for name, value in (("col1", col1), ("col2", col2)):
        if not isinstance(value, str):
            raise _expected(name, "str", value)

    def text(name):
        return F.when(df[name].isNull(), "null").otherwise(df[name].cast("string"))

    rows = df.groupBy(text(col1).alias(f"{col1}_{col2}"))
    return rows.pivot(F.regexp_replace(text(col2), "`", "")).count().fillna(0)


def java_double(value):
    """A small number as Java prints it: 1.0E-5."""
    digits, mark, power = repr(float(value)).partition("e")
    return digits if not mark else f"{digits if '.' in digits else digits + '.0'}E{int(power)}"


def freq_items(df, cols, support):
    """The items of each column that may be frequent (FrequentItems): counts of a bounded number of candidates."""
    if isinstance(cols, tuple):
        cols = list(cols)
    if not isinstance(cols, list):
        raise _expected("cols", "list or tuple", cols)
    support = support or 0.01
    if not 1e-4 <= support <= 1.0:
        from pyspark.errors.exceptions import captured

        raise captured.IllegalArgumentException(
            f"requirement failed: Support must be in [1e-4, 1], but got {java_double(support)}."
        )
    size = int(1 / support)
    frame = df.select(*cols)
    fields = frame.schema.fields
    counts = [{} for _ in fields]
    for row in frame.collect():
        for known, item in zip(counts, row):
            _count(known, item, size)
    schema = StructType([StructField(f"{f.name}_freqItems", ArrayType(f.dataType, f.nullable), False) for f in fields])
    row = tuple(_in_map_order(df.sparkSession, f.dataType, list(known)) for f, known in zip(fields, counts))
    return df.sparkSession.createDataFrame([row], schema)


def _in_map_order(session, kind, items):
    """Items as Scala's mutable map has them, which is the order of its sets, too."""
    if not isinstance(kind, (StringType, IntegralType)):
        return items
    present = [(item,) for item in items if item is not None]
    frame = session.createDataFrame(present, StructType([StructField("item", kind)])).coalesce(1)
    return [None] * (len(items) - len(present)) + frame.agg(F.collect_set("item")).collect()[0][0]


def _count(known, item, size):
    if item in known:
        known[item] += 1
    elif len(known) < size:
        known[item] = 1
    else:
        least = min(known.values(), default=0)
        if 1 >= least:
            known[item] = 1
            for key in [key for key, count in known.items() if count <= least]:
                del known[key]
            for key in known:
                known[key] -= least
        else:
            for key in known:
                known[key] -= 1


def transpose(df, index):
    """Rows to columns: the index column's values, sorted, become names."""
    index = df[df.columns[0]] if index is None else index if isinstance(index, Column) else df[index]
    name = str(index)[8:-2].strip("`")
    others = [column for column in df.columns if column != name]
    session = df.sparkSession
    key = StructField("key", StringType(), False)
    if not others:
        return session.createDataFrame([], StructType([key]))
    values = F.array(*(F.col(f"`{column}`") for column in others)).alias("values")
    frame = df.select(index.cast("string").alias("name"), index.alias("order"), values).where("name IS NOT NULL")
    limit = int(session.conf.get("spark.sql.transposeMaxValues", "500"))
    rows = frame.sort("order").limit(limit + 1).collect()
    if len(rows) > limit:
        fail("AnalysisException", "TRANSPOSE_EXCEED_ROW_LIMIT",
             {"maxValues": str(limit), "config": "spark.sql.transposeMaxValues"})  # fmt: skip
    element = frame.schema["values"].dataType.elementType
    schema = StructType([key, *(StructField(row.name, element, True) for row in rows)])
    data = [(column, *(row["values"][place] for row in rows)) for place, column in enumerate(others)]
    return session.createDataFrame(data, schema)


def zip_with_index(df, name):
    from pyspark.sql.window import Window

    order = Window.orderBy(F.monotonically_increasing_id())
    return df.select("*", (F.row_number().over(order).cast("long") - F.lit(1).cast("long")).alias(name))


def lateral_join(df, other, on, how):
    kind = _LATERAL.get("inner" if how is None else how.lower().replace("_", ""))
    if kind is None:
        fail("AnalysisException", "UNSUPPORTED_JOIN_TYPE",
             {"typ": how, "supported": "'inner', 'leftouter', 'left', 'left_outer', 'cross'"})  # fmt: skip
    return df._with(_native.lateral_join(df._plan, other._plan, kind, None if on is None else on._expr))


def subquery(df, kind, value=None):
    return Column(_native.subquery(df._plan, kind, None if value is None else _to_expr(value)))


def on_workers(function, *args):
    """Calls a function as the executors do, whose standard output is the terminal's error stream."""
    import contextlib
    import sys

    with contextlib.redirect_stdout(sys.stderr):
        return function(*args)
