"""Arithmetic, comparisons and logic element by element, with numpy's answers for missing values and zero divisors."""

import math
import operator

from pandas._times import NA, NaT
from pandas._values import missing, nan


def _divide(a, b):
    if b == 0 and isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return nan if a == 0 else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _floor_divide(a, b):
    if b == 0 and isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if isinstance(a, int) and isinstance(b, int):
            return nan if a == 0 else math.copysign(math.inf, a)
        return _divide(a, b)
    return a // b


def _modulo(a, b):
    return nan if b == 0 and isinstance(b, (int, float)) else a % b


def _arithmetic(function):
    def apply(a, b):
        if missing(a) or missing(b):
            return NaT if a is NaT or b is NaT else NA if a is NA or b is NA else nan
        return function(a, b)

    return apply


def _comparison(function, absent=False):
    def apply(a, b):
        return absent if missing(a) or missing(b) else function(a, b)

    return apply


ARITHMETIC = {
    "add": _arithmetic(operator.add),
    "sub": _arithmetic(operator.sub),
    "mul": _arithmetic(operator.mul),
    "truediv": _arithmetic(_divide),
    "floordiv": _arithmetic(_floor_divide),
    "mod": _arithmetic(_modulo),
    "pow": _arithmetic(operator.pow),
}
COMPARISONS = {
    "eq": _comparison(operator.eq),
    "ne": _comparison(operator.ne, True),
    "lt": _comparison(operator.lt),
    "le": _comparison(operator.le),
    "gt": _comparison(operator.gt),
    "ge": _comparison(operator.ge),
}


def _logic(function):
    def apply(a, b):
        if missing(a) or missing(b):
            return False
        return function(a, b)

    return apply


LOGIC = {"and": _logic(operator.and_), "or": _logic(operator.or_), "xor": _logic(operator.xor)}
