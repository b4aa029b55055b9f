"""Prints the names that the editor's help knows, with their signatures, as JSON lines: [kind, name, signature]."""

import inspect  # noqa: F401  (there, as scripts may want it; signatures are read from the code objects)
import json

from pyspark.sql import Column, DataFrame, GroupedData, SparkSession, Window, functions
from pyspark.sql.functions import _plain
from pyspark.sql import DataFrameReader, DataFrameWriter, _options
from pyspark.sql.streaming import DataStreamReader, DataStreamWriter, StreamingQuery, StreamingQueryManager
from pyspark.sql.streaming.state import GroupState

FILES = ("json", "csv", "text", "parquet")


def shown(value):
    return repr(value) if isinstance(value, (str, int, float, bool, type(None))) else "..."


def signature(function):
    code = getattr(function, "__code__", None)
    if code is None:
        return "(...)"
    names = list(code.co_varnames[: code.co_argcount])
    only = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    defaults = list(function.__defaults__ or ())
    parts = [name if at < len(names) - len(defaults) else f"{name}={shown(defaults[at - len(names)])}" for at, name in enumerate(names)]
    if parts and parts[0] in ("self", "cls"):
        parts.pop(0)
    rest = code.co_argcount + code.co_kwonlyargcount
    if code.co_flags & 4:
        parts.append("*" + code.co_varnames[rest])
        rest += 1
    elif only:
        parts.append("*")
    parts += [f"{name}={shown(function.__kwdefaults__[name])}" if name in (function.__kwdefaults__ or {}) else name for name in only]
    if code.co_flags & 8:
        parts.append("**" + code.co_varnames[rest])
    return f"({', '.join(parts)})"


def of_table(name):
    parts = []
    for word in _plain.LINES[name].split(" ")[1:]:
        parameter, kind, default, optional = _plain._parameter(word)
        parts.append(parameter if default is _plain._MISSING else f"{parameter}={shown(default)}")
    return f"({', '.join(parts)})"


def say(kind, name, text=""):
    print(json.dumps([kind, name, text]))


for name in sorted(set(functions.__all__) - set(functions._CLASSES)):
    say("function", name, of_table(name) if name in _plain.LINES else signature(getattr(functions, name)))

CLASSES = (
    DataFrame, Column, GroupedData, SparkSession, DataFrameReader, DataStreamReader, DataFrameWriter, DataStreamWriter,
    StreamingQuery, StreamingQueryManager, Window, GroupState,
)  # fmt: skip
for owner in CLASSES:
    for name in sorted(dir(owner)):
        if name.startswith("_"):
            continue
        found = inspect.getattr_static(owner, name)
        found = getattr(found, "__func__", found)
        say(owner.__name__, name, signature(found) if callable(found) and not isinstance(found, type) else "")

import pyspark.sql.types as types  # noqa: E402

for name in sorted(types.__all__):
    say("type", name)

for kind, table in (("read", _options.READ_STREAM), ("write", _options.WRITE)):
    for source in FILES:
        for name in sorted(set(table[source]) - {"schema", "mode", "partitionBy", "useUnsafeRow"}):
            say(kind, name, source)

for name in DataStreamWriter.trigger.__code__.co_varnames[1:6]:
    say("trigger", name)
