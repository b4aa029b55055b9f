"""Series.str and Series.dt."""

import re as _re

from pandas._missing import refuse_attribute
from pandas._times import NaT
from pandas._values import missing, nan


class Texts:
    def __init__(self, series):
        if series._kind not in ("str", "object"):
            raise AttributeError("Can only use .str accessor with string values, not " + series._kind)
        self._series = series

    def _each(self, function, absent=nan):
        return self._series._infer([absent if missing(v) else function(v) for v in self._series._values])

    def len(self):
        return self._each(len)

    def contains(self, pat, case=True, regex=True):
        if not regex:
            return self._each(lambda v: pat in v, False)
        found = _re.compile(pat, 0 if case else _re.IGNORECASE)
        return self._each(lambda v: bool(found.search(v)), False)

    def match(self, pat):
        found = _re.compile(pat)
        return self._each(lambda v: bool(found.match(v)), False)

    def startswith(self, pat):
        return self._each(lambda v: v.startswith(pat), False)

    def endswith(self, pat):
        return self._each(lambda v: v.endswith(pat), False)

    def replace(self, pat, repl, n=-1, regex=False):
        if regex:
            return self._each(lambda v: _re.sub(pat, repl, v, count=max(n, 0)))
        return self._each(lambda v: v.replace(pat, repl, n))

    def split(self, pat=None, n=-1):
        return self._each(lambda v: v.split(pat, n or -1))

    def slice(self, start=None, stop=None, step=None):
        return self._each(lambda v: v[start:stop:step])

    def get(self, i):
        return self._each(lambda v: v[i] if -len(v) <= i < len(v) else nan)

    def cat(self, others=None, sep=""):
        if others is None:
            return sep.join(v for v in self._series._values if not missing(v))
        return self._series._infer([nan if missing(a) or missing(b) else a + sep + b for a, b in zip(self._series, others)])

    def zfill(self, width):
        return self._each(lambda v: v.zfill(width))

    def __getitem__(self, key):
        return self._each(lambda v: v[key])

    def __getattr__(self, name):
        plain = ("upper", "lower", "strip", "lstrip", "rstrip", "title", "capitalize", "swapcase", "isdigit", "isalpha",
                 "isalnum", "isnumeric", "isupper", "islower", "count", "find", "join", "center", "ljust", "rjust")  # fmt: skip
        if name in plain:
            return lambda *args: self._each(lambda v: getattr(v, name)(*args))
        refuse_attribute("Series.str", name)


class Times:
    def __init__(self, series):
        if series._kind not in ("datetime64[us]", "timedelta64[us]"):
            raise AttributeError("Can only use .dt accessor with datetimelike values")
        self._series = series

    def _each(self, function, absent=nan):
        return self._series._infer([absent if v is NaT else function(v) for v in self._series._values])

    def __getattr__(self, name):
        fields = ("year", "month", "day", "hour", "minute", "second", "microsecond", "dayofweek", "day_of_week", "dayofyear",
                  "quarter", "days", "seconds", "microseconds")  # fmt: skip
        calls = ("floor", "ceil", "round", "normalize", "tz_localize", "tz_convert")
        texts = ("strftime", "day_name", "month_name", "isoformat", "total_seconds")
        if name in fields:
            return self._each(lambda v: getattr(v, name))
        if name == "weekday":
            return self._each(lambda v: v.weekday())
        if name in ("date", "time"):
            values = [NaT if v is NaT else getattr(v, name)() for v in self._series._values]
            return type(self._series)._of(values, self._series.index, "object", self._series.name)
        if name in calls:
            return lambda *args: self._each(lambda v: getattr(v, name)(*args), NaT)
        if name in texts:
            return lambda *args: self._each(lambda v: getattr(v, name)(*args))
        refuse_attribute("Series.dt", name)
