"""DataFrame.describe, summary, corr, cov and approxQuantile, in terms of other methods."""

from _tidemark_system import fail

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.errors.exceptions import captured
from pyspark.sql import functions as F
from pyspark.sql.column import _expected
from pyspark.sql.types import DecimalType, NumericType, StringType

_ALL = ["count", "mean", "stddev", "min", "25%", "50%", "75%", "max"]


def describe(df, cols):
    if len(cols) == 1 and isinstance(cols[0], list):
        cols = cols[0]
    return _statistics(df, list(cols), ["count", "mean", "stddev", "min", "max"])


def summary(df, statistics):
    if len(statistics) == 1 and isinstance(statistics[0], list):
        statistics = statistics[0]
    return _statistics(df, [], list(statistics) or _ALL)


def _statistic(name, column, text, decimal):
    if name == "count":
        return F.count(column)
    if name == "count_distinct":
        return F.count_distinct(column)
    if name == "approx_count_distinct":
        return F.approx_count_distinct(column)
    if name in ("min", "max"):
        return getattr(F, name)(column)
    number = column.try_cast("double") if text else column
    if name == "mean":
        return F.avg(number)
    if name == "stddev":
        return F.stddev(number)
    value = F.percentile_approx(number, float(name[:-1]) / 100)
    # The summary keeps doubles, and makes decimals of them that have as many digits as they show.
    return value.cast("double") if decimal else value


def _check_statistics(statistics):
    """Percentiles first, as Spark reads them before it looks at the names."""
    known = ("count", "count_distinct", "approx_count_distinct", "mean", "stddev", "min", "max")
    for name in statistics:
        if name.endswith("%"):
            try:
                share = float(name[:-1]) / 100
            except ValueError:
                fail("IllegalArgumentException", "UNRECOGNIZED_STATISTIC", {"stats": f"'{name}'"})
            if not 0 <= share <= 1:
                raise captured.IllegalArgumentException(
                    "requirement failed: Percentiles must be in the range [0, 1]"
                )
        elif name not in known:
            fail("IllegalArgumentException", "UNRECOGNIZED_STATISTIC", {"stats": f"'{name}'"})


def _statistics(df, cols, statistics):
    df.select(*cols)
    kinds = {field.name: field.dataType for field in df.schema.fields}
    names = cols or [name for name, kind in kinds.items() if isinstance(kind, (NumericType, StringType))]
    _check_statistics(statistics)
    exprs = []
    for statistic in statistics:
        for name in names:
            text = isinstance(kinds.get(name), StringType)
            decimal = isinstance(kinds.get(name), DecimalType)
            exprs.append(_statistic(statistic, df[name], text, decimal).cast("string"))
    exprs = [expr.alias(f"c{index}") for index, expr in enumerate(exprs)]
    rows = [
        F.struct(
            # Spark's column may be null.
            F.nullif(F.lit(statistic), F.lit("")).alias("summary"),
            *(F.col(f"c{index * len(names) + place}").alias(name) for place, name in enumerate(names)),
        )
        for index, statistic in enumerate(statistics)
    ]
    if not exprs:
        exprs = [F.count(F.lit(1)).alias("rows")]
    return df.agg(*exprs).select(F.inline(F.array(*rows)))


def pair(df, function, col1, col2, method):
    for name, value in (("col1", col1), ("col2", col2)):
        if not isinstance(value, str):
            raise _expected(name, "str", value)
    if method and method != "pearson":
        raise PySparkValueError(
            errorClass="VALUE_NOT_ALLOWED", messageParameters={"arg_name": "method", "allowed_values": "['pearson']"}
        )
    kind = "correlation" if function == "corr" else "covariance"
    for name in (col1, col2):
        if not isinstance(df.schema[name].dataType, NumericType):
            text = df.schema[name].dataType.simpleString()
            raise captured.IllegalArgumentException(
                f"requirement failed: Currently {kind} calculation for columns with dataType {text} not supported."
            )
    # Spark reads the rows as they lie in memory, where a null is a zero.
    pair = [F.coalesce(df[name].cast("double"), F.lit(0.0)) for name in (col1, col2)]
    value = df.agg(getattr(F, function)(*pair)).collect()[0][0]
    return float("nan") if value is None else value


def quantiles(df, col, probabilities, relativeError):
    if not isinstance(col, (str, list, tuple)):
        raise _expected("col", "list, str or tuple", col)
    if not isinstance(probabilities, (list, tuple)):
        raise _expected("probabilities", "list or tuple", probabilities)
    for probability in probabilities:
        if not isinstance(probability, (float, int)) or not 0 <= probability <= 1:
            raise _expected("probabilities", "list[float, int]", probability)
    if not isinstance(relativeError, (float, int)):
        raise _expected("relativeError", "float or int", relativeError)
    if relativeError < 0:
        raise PySparkValueError(
            errorClass="NEGATIVE_VALUE",
            messageParameters={"arg_name": "relativeError", "arg_value": str(relativeError)},
        )
    for name in [col] if isinstance(col, str) else col:
        kind = df.schema[name].dataType
        if not isinstance(kind, NumericType):
            raise captured.IllegalArgumentException(
                f"requirement failed: Quantile calculation for column {name} with data type "
                f"{type(kind).__name__} is not supported."
            )
    accuracy = max(10000, int(1 / relativeError)) if relativeError else 2147483647
    exprs = [
        F.percentile_approx(F.nanvl(df[name].cast("double"), F.lit(None)), list(map(float, probabilities)), accuracy).alias(f"q{index}")
        for index, name in enumerate([col] if isinstance(col, str) else col)
    ]
    found = [list(value or []) for value in df.agg(*exprs).collect()[0]]
    return found[0] if isinstance(col, str) else found
