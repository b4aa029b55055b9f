"""Sums, means and the other functions of a column that give one value."""

import math

from pandas._missing import not_there
from pandas._values import INTEGERS, missing, nan


def present(values):
    return [value for value in values if not missing(value)]


def total(values, kind, skipna=True):
    if not skipna and any(missing(value) for value in values):
        return nan
    if kind == "str":
        return "".join(present(values))
    result = 0.0 if kind.startswith("float") else 0
    if kind == "timedelta64[us]":
        from pandas._times import Timedelta

        result = Timedelta(0)
    for value in present(values):
        result = result + value
    return int(result) if kind == "bool" else result


def product(values, kind):
    return math.prod(present(values))


def _extreme(pick):
    def extreme(values, kind, skipna=True):
        if not skipna and any(missing(value) for value in values):
            return nan
        found = present(values)
        if not found:
            from pandas._times import NaT

            return NaT if "64[us]" in kind else nan
        return pick(found)

    return extreme


def mean(values, kind, skipna=True):
    if kind == "str":
        raise TypeError("Cannot perform reduction 'mean' with string dtype")
    if not skipna and any(missing(value) for value in values):
        return nan
    found = present(values)
    if not found:
        return nan
    if kind == "datetime64[us]":
        first = found[0]
        return first + sum(((value - first) for value in found[1:]), first - first) / len(found)
    if kind == "timedelta64[us]":
        return total(found, kind) / len(found)
    return float(_pairwise(found)) / len(found) if kind != "object" else sum(found) / len(found)


def _pairwise(values):
    """numpy's pairwise sum in blocks of 128, eight partial sums in each."""
    count = len(values)
    if count < 8:
        result = 0.0
        for value in values:
            result += value
        return result
    if count <= 128:
        sums = [values[at] for at in range(8)]
        end = count - count % 8
        for start in range(8, end, 8):
            for at in range(8):
                sums[at] += values[start + at]
        result = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
        for value in values[end:]:
            result += value
        return result
    half = count // 2
    half -= half % 8
    return _pairwise(values[:half]) + _pairwise(values[half:])


def variance(values, kind, ddof=1):
    found = present(values)
    if len(found) <= ddof:
        return nan
    middle = _pairwise(found) / len(found)
    return _pairwise([(value - middle) ** 2 for value in found]) / (len(found) - ddof)


def deviation(values, kind, ddof=1):
    result = variance(values, kind, ddof)
    return math.sqrt(result) if result == result else nan


def quantile(values, kind, q=0.5):
    found = sorted(present(values))
    if not found:
        return nan
    place = (len(found) - 1) * q
    low = math.floor(place)
    high = min(low + 1, len(found) - 1)
    return found[low] + (found[high] - found[low]) * (place - low)


def distinct(values, dropna=True):
    """Different values in order of appearance; all missing ones count as one."""
    seen, found, absent = set(), [], False
    for value in values:
        if missing(value):
            if not absent and not dropna:
                found.append(value)
            absent = True
        elif value not in seen:
            seen.add(value)
            found.append(value)
    return found


def _first(values, kind):
    found = present(values)
    return found[0] if found else nan


def _last(values, kind):
    found = present(values)
    return found[-1] if found else nan


FUNCTIONS = {
    "sum": total,
    "min": _extreme(min),
    "max": _extreme(max),
    "mean": mean,
    "median": quantile,
    "std": deviation,
    "var": variance,
    "count": lambda values, kind: len(present(values)),
    "nunique": lambda values, kind: len(distinct(values)),
    "size": lambda values, kind: len(values),
    "first": _first,
    "last": _last,
    "prod": product,
    "any": lambda values, kind: any(present(values)),
    "all": lambda values, kind: all(present(values)),
}

#: Kinds of the results that are not the kind of the column.
_RESULTS = {"mean": "float64", "median": "float64", "std": "float64", "var": "float64", "count": "int64",
            "nunique": "int64", "size": "int64", "any": "bool", "all": "bool"}  # fmt: skip


def function_of(name):
    name = {"average": "mean", len: "size", sum: "sum", min: "min", max: "max"}.get(name, name)
    if isinstance(name, str) and name not in FUNCTIONS:
        raise not_there(f"aggregation {name!r}")
    return name


def result_kind(name, kind):
    if name == "sum" and (kind in INTEGERS or kind == "bool"):
        return "int64"
    if name in ("mean", "median") and "64[us]" in kind:
        return kind
    return _RESULTS.get(name, kind)
