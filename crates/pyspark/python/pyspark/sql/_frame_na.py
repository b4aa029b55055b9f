"""DataFrame.dropna, fillna and replace."""

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql import functions as F
from pyspark.sql.column import _expected
from pyspark.sql.types import BooleanType, DoubleType, FloatType, NumericType, StringType

_NO_VALUE = object()


def _quoted(name):
    return F.col("`" + name.replace("`", "``") + "`")


def _names(df, subset, expected):
    if subset is None:
        return df.columns
    if isinstance(subset, str):
        return [subset]
    if not isinstance(subset, (list, tuple)):
        raise _expected("subset", expected, subset)
    for name in subset:
        df[name]
    return list(subset)


def drop(df, how, thresh, subset):
    if how is not None and how not in ["any", "all"]:
        raise PySparkValueError(
            errorClass="VALUE_NOT_ALLOWED", messageParameters={"arg_name": "how", "allowed_values": "['any', 'all']"}
        )
    names = _names(df, subset, "list, str or tuple")
    if thresh is None:
        thresh = len(names) if how == "any" else 1
    kinds = {field.name: field.dataType for field in df.schema.fields}
    present = [
        F.when(_quoted(name).isNotNull() & ~F.isnan(_quoted(name)), 1).otherwise(0)
        if isinstance(kinds.get(name), (DoubleType, FloatType))
        else F.when(_quoted(name).isNotNull(), 1).otherwise(0)
        for name in names
    ]
    if not present:
        return df
    total = present[0]
    for one in present[1:]:
        total = total + one
    return df.filter(total >= thresh)


def _fills(kind, value):
    """Whether a value may fill columns of a type."""
    if isinstance(value, bool):
        return isinstance(kind, BooleanType)
    if isinstance(value, (int, float)):
        return isinstance(kind, NumericType)
    return isinstance(kind, StringType)


def fill(df, value, subset):
    if not isinstance(value, (float, int, str, bool, dict)):
        raise _expected("value", "bool, dict, float, int or str", value)
    # A whole number is a fraction in Java, but for those of a dict.
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(value, dict):
        for name in value:
            df[name]
        fills = {name.lower(): given for name, given in value.items()}
    else:
        fills = {name.lower(): value for name in _names(df, subset, "list or tuple")}
    columns = []
    for field in df.schema.fields:
        column = _quoted(field.name)
        given = fills.get(field.name.lower())
        if given is not None and (isinstance(value, dict) or _fills(field.dataType, given)):
            filled = F.lit(given).cast(field.dataType)
            source = F.nanvl(column, F.lit(None)) if isinstance(field.dataType, (DoubleType, FloatType)) else column
            column = F.coalesce(source, filled).alias(field.name)
        columns.append(column)
    return df.select(columns)


def replace(df, to_replace, value=_NO_VALUE, subset=None):
    if value is _NO_VALUE:
        if not isinstance(to_replace, dict):
            raise PySparkTypeError(
                errorClass="ARGUMENT_REQUIRED",
                messageParameters={"arg_name": "value", "condition": "`to_replace` is dict"},
            )
        value = None
    simple = (bool, float, int, str, list, tuple)
    if not isinstance(to_replace, (*simple, dict)):
        raise _expected("to_replace", "bool, dict, float, int, str or tuple", to_replace)
    if not isinstance(value, simple) and value is not None and not isinstance(to_replace, dict):
        raise _expected("value", "bool, float, int, list, None, str or tuple", value)
    if isinstance(to_replace, (list, tuple)) and isinstance(value, (list, tuple)) and len(to_replace) != len(value):
        raise PySparkValueError(
            errorClass="LENGTH_SHOULD_BE_THE_SAME",
            messageParameters={
                "arg1": "to_replace",
                "arg2": "value",
                "arg1_length": str(len(to_replace)),
                "arg2_length": str(len(value)),
            },
        )
    if not (subset is None or isinstance(subset, (list, tuple, str))):
        raise _expected("subset", "list, str or tuple", subset)
    if isinstance(to_replace, (float, int, str)):
        to_replace = [to_replace]
    if isinstance(to_replace, dict):
        pairs = to_replace
    else:
        if isinstance(value, (float, int, str)) or value is None:
            value = [value] * len(to_replace)
        pairs = dict(zip(to_replace, value))
    kinds = (bool, str, (float, int))
    given = [*pairs, *(item for item in pairs.values() if item is not None)]
    if not any(all(isinstance(item, kind) for item in given) for kind in kinds):
        raise PySparkValueError(errorClass="MIXED_TYPE_REPLACEMENT", messageParameters={})
    names = {name.lower() for name in _names(df, subset, "list, str or tuple")}
    columns = []
    for field in df.schema.fields:
        column = _quoted(field.name)
        if field.name.lower() in names and pairs and _fills(field.dataType, next(iter(pairs))):
            changed = None
            for old, new in pairs.items():
                new = F.lit(new).cast(field.dataType)
                changed = F.when(column == old, new) if changed is None else changed.when(column == old, new)
            column = changed.otherwise(column).alias(field.name)
        columns.append(column)
    return df.select(columns)
