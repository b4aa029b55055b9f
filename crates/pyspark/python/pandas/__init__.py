"""A small pandas of Tidemark's own: what functions over groups and state use. The rest raises NotImplementedError by name."""

from pandas._frame import DataFrame
from pandas._index import Index, RangeIndex
from pandas._join import concat, merge
from pandas._missing import refuse_attribute as _refuse
from pandas._series import Series
from pandas._times import NA, NaT, Timedelta, Timestamp, to_datetime, to_timedelta
from pandas._values import missing as _missing

__version__ = "3.1.1"
__all__ = ["DataFrame", "Index", "NA", "NaT", "RangeIndex", "Series", "Timedelta", "Timestamp", "concat", "isna", "isnull",
           "merge", "notna", "notnull", "to_datetime", "to_numeric", "to_timedelta", "unique"]  # fmt: skip

for _class in (DataFrame, Series, Index, RangeIndex, Timestamp, Timedelta):
    _class.__module__ = "pandas"
del _class


def isna(obj):
    return obj.isna() if isinstance(obj, (DataFrame, Series)) else _missing(obj)


isnull = isna


def notna(obj):
    return obj.notna() if isinstance(obj, (DataFrame, Series)) else not _missing(obj)


notnull = notna


def to_numeric(arg, errors="raise"):
    def number(value):
        if _missing(value) or isinstance(value, (int, float)):
            return value
        try:
            return int(value)
        except ValueError:
            try:
                return float(value)
            except ValueError:
                if errors == "coerce":
                    return float("nan")
                raise ValueError(f'Unable to parse string "{value}"') from None

    return arg._infer([number(value) for value in arg._values]) if isinstance(arg, Series) else number(arg)


def unique(values):
    return Series(values).unique()


def __getattr__(name):
    _refuse("pandas", name)
