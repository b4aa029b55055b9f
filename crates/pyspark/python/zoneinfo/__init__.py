"""Time zones by name, from the engine's own table: there is no tz database among the session's files."""

import datetime as _dt

import _tidemark_system

__all__ = ["ZoneInfo", "ZoneInfoNotFoundError", "available_timezones", "reset_tzpath", "TZPATH"]

TZPATH = ()
_EPOCH = _dt.datetime(1970, 1, 1)
_MICRO = _dt.timedelta(microseconds=1)
_made = {}


class ZoneInfoNotFoundError(KeyError):
    """Raised when a ZoneInfo key is not found."""


class ZoneInfo(_dt.tzinfo):
    def __new__(cls, key):
        if cls is ZoneInfo and key in _made:
            return _made[key]
        made = super().__new__(cls)
        made._key = key
        if _tidemark_system.zone_offset(key, 0, False) is None:
            raise ZoneInfoNotFoundError(f"No time zone found with key {key}")
        if cls is ZoneInfo:
            _made[key] = made
        return made

    def __init__(self, key):
        pass

    @classmethod
    def no_cache(cls, key):
        made = _dt.tzinfo.__new__(cls)
        made._key = key
        return made

    @property
    def key(self):
        return self._key

    def _wall(self, moment):
        return (moment.replace(tzinfo=None, fold=0) - _EPOCH) // _MICRO

    def utcoffset(self, moment):
        if moment is None:
            return None
        seconds = _tidemark_system.zone_offset(self._key, self._wall(moment), True)
        return _dt.timedelta(seconds=seconds)

    def dst(self, moment):
        """Zero: the engine's table does not tell summer time from standard time."""
        return None if moment is None else _dt.timedelta(0)

    def tzname(self, moment):
        if self._key in ("UTC", "Etc/UTC"):
            return "UTC"
        offset = self.utcoffset(moment)
        return None if offset is None else _dt.timezone(offset).tzname(moment)

    def fromutc(self, moment):
        if moment.tzinfo is not self:
            raise ValueError("fromutc: dt.tzinfo is not self")
        seconds = _tidemark_system.zone_offset(self._key, self._wall(moment), False)
        return moment + _dt.timedelta(seconds=seconds)

    def __reduce__(self):
        return ZoneInfo, (self._key,)

    def __str__(self):
        return self._key

    def __repr__(self):
        return f"zoneinfo.ZoneInfo(key={self._key!r})"


def available_timezones():
    raise NotImplementedError("available_timezones")


def reset_tzpath(to=None):
    pass
