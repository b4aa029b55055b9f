"""Makes the functions of the table when they are first used."""

from pyspark.sql.column import Column, _call, _literal, _plain, _to_expr
from pyspark.sql.functions._table import TABLE

LINES = {line.split(" ", 1)[0].split("=", 1)[0]: line for line in TABLE.splitlines()}
_MISSING = object()


def lit(col):
    """A literal column; lists become arrays, columns stay."""
    if isinstance(col, Column):
        return col
    if isinstance(col, list):
        from pyspark.errors import PySparkValueError

        if any(isinstance(item, Column) for item in col):
            raise PySparkValueError(errorClass="COLUMN_IN_LIST", messageParameters={"func_name": "lit"})
        return _call("array", *(lit(item)._expr for item in col))
    return Column(_literal(_plain(col)))


def _numeric(value, any_number):
    value = _plain(value)
    return lit(value)._expr if isinstance(value, (int, float) if any_number else int) else _to_expr(value)


_KINDS = {
    "c": _to_expr,
    "l": lambda value: lit(list(value) if isinstance(value, tuple) else value)._expr,
    "n": lambda value: _numeric(value, False),
    "m": lambda value: _numeric(value, True),
}


def _default(text):
    if text.startswith("Decimal("):
        from decimal import Decimal

        return Decimal(0)
    return eval(text, {})


def _parameter(text):
    """(name, kind, default, left out when None)"""
    name, _, default = text.partition("=")
    optional = name.endswith("?")
    name, _, kind = name.rstrip("?").partition(":")
    if default:
        return name, kind or "c", _default(default.replace("~", " ")), False
    return name, kind or "c", None if optional else _MISSING, optional


def _too_many(name, parameters, given):
    least = sum(parameter[2] is _MISSING for parameter in parameters)
    most = len(parameters)
    takes = f"{most}" if least == most else f"from {least} to {most}"
    plural = "" if most == 1 else "s"
    return TypeError(f"{name}() takes {takes} positional argument{plural} but {given} were given")


def _missing(name, names):
    quoted = [f"'{missing}'" for missing in names]
    text = quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + f" and {quoted[-1]}"
    plural = "" if len(quoted) == 1 else "s"
    return TypeError(f"{name}() missing {len(quoted)} required positional argument{plural}: {text}")


def make(name):
    """The function of a line of the table."""
    words = LINES[name].split(" ")
    target = words[0].partition("=")[2] or name
    distinct = target.startswith("!")
    target = target.lstrip("!")
    parameters = [_parameter(word) for word in words[1:]]
    places = {parameter[0]: index for index, parameter in enumerate(parameters)}

    def function(*args, **kwargs):
        if len(args) > len(parameters):
            raise _too_many(name, parameters, len(args))
        values = list(args) + [_MISSING] * (len(parameters) - len(args))
        for key, value in kwargs.items():
            if key not in places:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            if values[places[key]] is not _MISSING:
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            values[places[key]] = value
        missing = [p[0] for p, v in zip(parameters, values) if v is _MISSING and p[2] is _MISSING]
        if missing:
            raise _missing(name, missing)
        exprs = []
        for (_, kind, default, optional), value in zip(parameters, values):
            if value is _MISSING or value is None and not optional and default is not _MISSING:
                if optional:
                    continue
                exprs.append(lit(default)._expr)
            elif value is None and optional:
                continue
            else:
                exprs.append(_KINDS[kind](value))
        return _call(target, *exprs, distinct=distinct)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "pyspark.sql.functions"
    return function
