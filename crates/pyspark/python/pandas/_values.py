"""Values and their kinds (dtypes): what is missing, what a list of values is, and conversions between kinds."""

import datetime as _dt

from pandas._missing import not_there
from pandas._times import NA, NaT, Timedelta, Timestamp, to_timestamp

nan = float("nan")
INTEGERS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
EXTENSION = ("Int8", "Int16", "Int32", "Int64")
FLOATS = ("float64", "float32")
_ALIASES = {
    int: "int64", float: "float64", str: "str", bool: "bool", object: "object", "int": "int64", "float": "float64",
    "string": "str", "boolean": "bool", "O": "object", "Int64": "int64", "Int32": "int32", "datetime64[ns]": "datetime64[us]",
    "double": "float64", "long": "int64", "datetime": "datetime64[us]",
}  # fmt: skip
KINDS = {*INTEGERS, *EXTENSION, *FLOATS, "bool", "str", "object", "datetime64[us]", "timedelta64[us]"}


class dtype(str):
    """A kind as `Series.dtype` shows it; equal to its name and to the Python class that it stands for."""

    @property
    def name(self):
        return str(self)

    @property
    def kind(self):
        return {"b": "b", "i": "i", "f": "f", "d": "M", "t": "m"}.get(self[0], "O")

    def __eq__(self, other):
        return str.__eq__(self, other) is True or (other in _ALIASES and str.__eq__(self, _ALIASES[other]) is True)

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__

    def __repr__(self):
        if self == "str":
            return "<StringDtype(na_value=nan)>"
        short = {"object": "O", "datetime64[us]": "<M8[us]", "timedelta64[us]": "<m8[us]"}.get(str(self), str(self))
        return f"dtype('{short}')"


def kind_of(name):
    """The kind that a user's dtype names."""
    name = _ALIASES.get(name, name) if not isinstance(name, dtype) else str(name)
    if name not in KINDS:
        raise not_there(f"dtype {name!r}")
    return str(name)


def missing(value):
    return value is None or value is NaT or value is NA or (isinstance(value, float) and value != value)


def infer(values):
    """Kind of a list of values, and the values as that kind holds them."""
    seen = set()
    absent = False
    for value in values:
        if value is None or (type(value) is float and value != value):
            absent = True
        elif value is NaT:
            seen.add("time")
            absent = True
        elif value is NA:
            seen.add("na")
        elif isinstance(value, bool):
            seen.add("bool")
        elif isinstance(value, int):
            seen.add("int")
        elif isinstance(value, float):
            seen.add("float")
        elif isinstance(value, str):
            seen.add("str")
        elif isinstance(value, _dt.datetime):
            seen.add("time")
        elif isinstance(value, _dt.timedelta):
            seen.add("delta")
        else:
            seen.add("object")
    if not seen:
        floats = absent and any(isinstance(value, float) for value in values)
        return ("float64", [nan] * len(values)) if floats else ("object", list(values))
    if seen == {"int", "na"}:
        return "Int64", [NA if missing(value) else value for value in values]
    if seen == {"bool"}:
        return ("object", list(values)) if absent else ("bool", list(values))
    if seen == {"int"}:
        if absent:
            return "float64", [nan if missing(value) else float(value) for value in values]
        fits = all(-(1 << 63) <= value < 1 << 63 for value in values)
        return ("int64" if fits else "object"), list(values)
    if seen <= {"int", "float"}:
        return "float64", [nan if value is None else float(value) for value in values]
    if seen == {"str"}:
        return "str", [nan if missing(value) else value for value in values]
    if seen == {"time"}:
        return "datetime64[us]", [_time(value) for value in values]
    if seen == {"delta"}:
        return "timedelta64[us]", [NaT if missing(value) else Timedelta(value) for value in values]
    return "object", list(values)


def _time(value):
    if missing(value):
        return NaT
    return value if isinstance(value, Timestamp) else Timestamp(value)


def empty_of(kind):
    """What stands for a missing value in a column of a kind."""
    if kind in ("datetime64[us]", "timedelta64[us]"):
        return NaT
    return None if kind == "object" else nan


def cast(values, kind):
    """The values as another kind (`astype`)."""
    if kind in EXTENSION:
        return [NA if missing(value) else _to_integer(value, kind.lower()) for value in values]
    if kind in INTEGERS:
        return [_to_integer(value, kind) for value in values]
    if kind in FLOATS:
        return [nan if missing(value) else float(value) for value in values]
    if kind == "bool":
        return [bool(value) for value in values]
    if kind == "str":
        return [nan if missing(value) else value if isinstance(value, str) else str(value) for value in values]
    if kind == "datetime64[us]":
        return [to_timestamp(value) for value in values]
    if kind == "timedelta64[us]":
        return [Timedelta(value) for value in values]
    return list(values)


def _to_integer(value, kind):
    if missing(value):
        raise ValueError("Cannot convert non-finite values (NA or inf) to integer")
    made = int(value)
    bits = INTEGERS[kind]
    # numpy wraps around.
    return (made + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def common(kinds):
    """The kind of columns put one below the other (`concat`)."""
    kinds = set(kinds)
    if len(kinds) == 1:
        return kinds.pop()
    if kinds <= {*INTEGERS, *FLOATS}:
        if kinds & set(FLOATS):
            return "float64"
        return max(kinds, key=INTEGERS.get)
    return "object"


def is_numeric(kind):
    return kind in INTEGERS or kind in FLOATS or kind in EXTENSION or kind == "bool"
