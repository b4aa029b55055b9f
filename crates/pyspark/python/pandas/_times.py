"""Timestamp, Timedelta and NaT: Python's datetime and timedelta with pandas' names and texts."""

import datetime as _dt

from pandas._missing import not_there

_UNITS = {"D": 86400000000, "h": 3600000000, "H": 3600000000, "m": 60000000, "min": 60000000, "T": 60000000,
          "s": 1000000, "S": 1000000, "ms": 1000, "us": 1, "ns": 0.001}  # fmt: skip
_LONG = {"day": "D", "days": "D", "d": "D", "hour": "h", "hours": "h", "hr": "h", "minute": "min", "minutes": "min",
         "second": "s", "seconds": "s", "sec": "s", "millisecond": "ms", "milliseconds": "ms", "microsecond": "us",
         "microseconds": "us", "nanosecond": "ns", "nanoseconds": "ns"}  # fmt: skip
_EPOCH = _dt.datetime(1970, 1, 1)


class NaTType:
    """The one missing time. Compares unequal to everything, itself too."""

    def __repr__(self):
        return "NaT"

    __str__ = __repr__

    def __eq__(self, other):
        return False

    def __ne__(self, other):
        return True

    __lt__ = __le__ = __gt__ = __ge__ = __eq__

    def __hash__(self):
        return 0

    def _same(self, *_):
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = floor = ceil = round = normalize = to_pydatetime = _same

    def isoformat(self, *_):
        return "NaT"

    def __copy__(self):
        return self

    def __deepcopy__(self, _):
        return self

    def __reduce__(self):
        return "NaT"


NaT = NaTType()


class NAType:
    """The missing value of integer columns that keep their kind."""

    def __repr__(self):
        return "<NA>"

    __str__ = __repr__

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    def _same(self, *_):
        return self

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _same
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same

    def __hash__(self):
        return 2**61 - 1

    def __copy__(self):
        return self

    def __deepcopy__(self, _):
        return self

    def __reduce__(self):
        return "NA"


NA = NAType()


def unit_us(text):
    """Microseconds of a frequency such as "5min", "h" or "30 seconds"."""
    text = text.strip()
    digits = 0
    while digits < len(text) and (text[digits].isdigit() or text[digits] == "."):
        digits += 1
    number, unit = text[:digits] or "1", text[digits:].strip()
    unit = _LONG.get(unit.lower(), unit)
    if unit not in _UNITS:
        raise ValueError(f"Invalid frequency: {text}")
    return float(number) * _UNITS[unit]


class Timedelta(_dt.timedelta):
    def __new__(cls, value=0, unit=None, **parts):
        if value is None or value is NaT:
            return NaT
        if parts:
            made = _dt.timedelta(**parts)
        elif isinstance(value, _dt.timedelta):
            made = value
        elif isinstance(value, str):
            made = _parse_delta(value)
        else:
            made = _dt.timedelta(microseconds=value * _UNITS[_LONG.get((unit or "ns").lower(), unit or "ns")])
        return _dt.timedelta.__new__(cls, made.days, made.seconds, made.microseconds)

    @property
    def value(self):
        return (self // _dt.timedelta(microseconds=1)) * 1000

    def to_pytimedelta(self):
        return _dt.timedelta(self.days, self.seconds, self.microseconds)

    def __str__(self):
        hours, rest = divmod(self.seconds, 3600)
        minutes, seconds = divmod(rest, 60)
        sign = "+" if self.days < 0 else ""
        fraction = f".{self.microseconds:06d}" if self.microseconds else ""
        return f"{self.days} days {sign}{hours:02d}:{minutes:02d}:{seconds:02d}{fraction}"

    def __repr__(self):
        return f"Timedelta('{self}')"

    def __add__(self, other):
        return _delta(_dt.timedelta.__add__(self, other))

    __radd__ = __add__

    def __sub__(self, other):
        return _delta(_dt.timedelta.__sub__(self, other))

    def __rsub__(self, other):
        return _delta(_dt.timedelta.__rsub__(self, other))

    def __mul__(self, other):
        return _delta(_dt.timedelta.__mul__(self, other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return _delta(_dt.timedelta.__truediv__(self, other))

    def __neg__(self):
        return _delta(_dt.timedelta.__neg__(self))

    def __abs__(self):
        return _delta(_dt.timedelta.__abs__(self))

    __hash__ = _dt.timedelta.__hash__


def _delta(value):
    if isinstance(value, _dt.datetime):
        return Timestamp(value)
    return Timedelta(value) if isinstance(value, _dt.timedelta) else value


def _parse_delta(text):
    if ":" in text:
        days, _, clock = text.rpartition(" ")
        parts = [float(part) for part in clock.lstrip("+").split(":")]
        while len(parts) < 3:
            parts.append(0.0)
        made = _dt.timedelta(hours=parts[0], minutes=parts[1], seconds=parts[2])
        return made + _dt.timedelta(days=float(days.split()[0])) if days else made
    words = text.replace(",", " ").split()
    if len(words) % 2 == 0 and words:
        return _dt.timedelta(microseconds=sum(unit_us("".join(words[at : at + 2])) for at in range(0, len(words), 2)))
    return _dt.timedelta(microseconds=unit_us(text))


class Timestamp(_dt.datetime):
    def __new__(cls, value=None, month=None, day=None, hour=0, minute=0, second=0, microsecond=0, tzinfo=None,
                *, year=None, unit=None, tz=None, fold=0):  # fmt: skip
        if month is not None or year is not None:
            made = _dt.datetime(year if year is not None else value, month, day, hour, minute, second, microsecond, tzinfo)
        else:
            made = _moment(value, unit)
        if made is NaT:
            return NaT
        zone = _zone(tz)
        if zone is not None:
            made = made.replace(tzinfo=zone) if made.tzinfo is None else made.astimezone(zone)
        return _dt.datetime.__new__(cls, made.year, made.month, made.day, made.hour, made.minute, made.second,
                                    made.microsecond, made.tzinfo)  # fmt: skip

    @classmethod
    def now(cls, tz=None):
        return cls(_dt.datetime.now(_zone(tz)))

    today = now

    @property
    def value(self):
        naive = self.replace(tzinfo=None) - (self.utcoffset() or _dt.timedelta())
        return ((naive.to_pydatetime() - _EPOCH) // _dt.timedelta(microseconds=1)) * 1000

    @property
    def tz(self):
        return self.tzinfo

    @property
    def dayofweek(self):
        return self.weekday()

    day_of_week = dayofweek

    @property
    def dayofyear(self):
        return self.timetuple().tm_yday

    @property
    def quarter(self):
        return (self.month - 1) // 3 + 1

    def timestamp(self):
        return self.value / 1000000000

    def day_name(self):
        return self.strftime("%A")

    def month_name(self):
        return self.strftime("%B")

    def to_pydatetime(self, warn=True):
        return _dt.datetime(self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond,
                            self.tzinfo)  # fmt: skip

    def tz_localize(self, tz):
        return Timestamp(self.replace(tzinfo=_zone(tz)))

    def tz_convert(self, tz):
        if self.tzinfo is None:
            raise TypeError("Cannot convert tz-naive Timestamp, use tz_localize to localize")
        zone = _zone(tz)
        return Timestamp(self.astimezone(zone) if zone else self.astimezone(_dt.timezone.utc).replace(tzinfo=None))

    def normalize(self):
        return self.floor("D")

    def floor(self, freq):
        return self._rounded(freq, lambda at, step: at // step)

    def ceil(self, freq):
        return self._rounded(freq, lambda at, step: -(-at // step))

    def round(self, freq):
        def nearest(at, step):
            low, rest = divmod(at, step)
            return low + (rest * 2 > step or (rest * 2 == step and low % 2))

        return self._rounded(freq, nearest)

    def _rounded(self, freq, to_step):
        step = int(unit_us(freq))
        wall = (self.to_pydatetime().replace(tzinfo=None) - _EPOCH) // _dt.timedelta(microseconds=1)
        made = _EPOCH + _dt.timedelta(microseconds=to_step(wall, step) * step)
        return Timestamp(made.replace(tzinfo=self.tzinfo))

    def isoformat(self, sep="T", timespec="auto"):
        return self.to_pydatetime().isoformat(sep, timespec)

    def __str__(self):
        return self.isoformat(" ")

    def __repr__(self):
        zone = f", tz='{self.tzinfo}'" if self.tzinfo is not None else ""
        return f"Timestamp('{self}'{zone})"

    def __add__(self, other):
        return other if other is NaT else _delta(_dt.datetime.__add__(self, other))

    __radd__ = __add__

    def __sub__(self, other):
        return other if other is NaT else _delta(_dt.datetime.__sub__(self, other))

    def __rsub__(self, other):
        return _delta(_dt.datetime.__rsub__(self, other))

    __hash__ = _dt.datetime.__hash__


def _zone(tz):
    if tz is None or isinstance(tz, _dt.tzinfo):
        return tz
    if tz.upper() == "UTC":
        return _dt.timezone.utc
    from zoneinfo import ZoneInfo

    return ZoneInfo(tz)


def _moment(value, unit=None):
    if value is None or value is NaT or (isinstance(value, float) and value != value):
        return NaT
    if isinstance(value, _dt.datetime):
        return value
    if isinstance(value, _dt.date):
        return _dt.datetime(value.year, value.month, value.day)
    if isinstance(value, (int, float)):
        return _EPOCH + _dt.timedelta(microseconds=value * _UNITS[unit or "ns"])
    if isinstance(value, str):
        text = value.strip()
        if text in ("", "NaT", "nan", "None"):
            return NaT
        if text in ("now", "today"):
            return _dt.datetime.now()
        try:
            return _dt.datetime.fromisoformat(text)
        except ValueError:
            for pattern in ("%m/%d/%Y", "%m/%d/%Y %H:%M:%S", "%Y/%m/%d", "%Y/%m/%d %H:%M:%S", "%d %b %Y", "%b %d, %Y"):
                try:
                    return _dt.datetime.strptime(text, pattern)
                except ValueError:
                    continue
            raise ValueError(f"Unknown datetime string format, unable to parse: {text}") from None
    raise TypeError(f"Cannot convert input [{value}] of type {type(value)} to Timestamp")


def to_timestamp(value, unit=None, format=None, errors="raise"):
    """One value of `to_datetime`."""
    try:
        if format is not None and isinstance(value, str) and format not in ("ISO8601", "mixed"):
            return Timestamp(_dt.datetime.strptime(value, format))
        return Timestamp(value, unit=unit)
    except ValueError:
        if errors == "coerce":
            return NaT
        raise


def to_datetime(arg, errors="raise", unit=None, format=None, utc=None, **options):
    if options:
        raise not_there(f"to_datetime({', '.join(options)}=)")
    from pandas._series import Series

    zone = "UTC" if utc else None

    def convert(value):
        made = to_timestamp(value, unit, format, errors)
        return made if zone is None or made is NaT else Timestamp(made, tz=zone)

    if isinstance(arg, Series):
        return Series._of([convert(value) for value in arg._values], arg.index, "datetime64[us]", arg.name)
    if isinstance(arg, (list, tuple)):
        from pandas._index import Index

        return Index([convert(value) for value in arg], kind="datetime64[us]")
    return convert(arg)


def to_timedelta(arg, unit=None):
    from pandas._series import Series

    if isinstance(arg, Series):
        return Series._of([Timedelta(v, unit=unit) for v in arg._values], arg.index, "timedelta64[us]", arg.name)
    return Timedelta(arg, unit=unit)
