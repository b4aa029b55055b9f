"""`time` on the session's clock. The local zone is UTC."""

import time as _host

import _tidemark_system

struct_time = _host.struct_time
timezone = 0
altzone = 0
daylight = 0
tzname = ("UTC", "UTC")
CLOCK_REALTIME = 0
CLOCK_MONOTONIC = 1


def time():
    return _tidemark_system.now_us() / 1e6


def time_ns():
    return _tidemark_system.now_us() * 1000


def monotonic():
    return time()


def monotonic_ns():
    return time_ns()


def perf_counter():
    return time()


def perf_counter_ns():
    return time_ns()


def process_time():
    return time()


def process_time_ns():
    return time_ns()


def thread_time():
    return time()


def clock_gettime(clock):
    return time()


def sleep(seconds):
    if isinstance(seconds, str) or not hasattr(seconds, "__float__") and not hasattr(seconds, "__index__"):
        raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer or float")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    _tidemark_system.sleep(int(seconds * 1000))
    import sys

    threading = sys.modules.get("threading")
    if threading is not None:
        threading._run_due()


def _civil(days):
    """Year, month and day of a day count since the epoch."""
    days += 719468
    era, day_of_era = divmod(days, 146097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    part = (5 * day_of_year + 2) // 153
    month = part + 3 if part < 10 else part - 9
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * part + 2) // 5 + 1


def _days(year, month, day):
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


def gmtime(seconds=None):
    total = int((time() if seconds is None else seconds) // 1)
    days, rest = divmod(total, 86400)
    year, month, day = _civil(days)
    weekday = (days + 3) % 7
    yearday = days - _days(year, 1, 1) + 1
    return struct_time((year, month, day, rest // 3600, rest // 60 % 60, rest % 60, weekday, yearday, 0))


def localtime(seconds=None):
    return gmtime(seconds)


def mktime(parts):
    year, month, day, hour, minute, second = parts[:6]
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return float(_days(year, month, 1) * 86400 + (day - 1) * 86400 + hour * 3600 + minute * 60 + second)


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def _week(parts, first):
    """Week of the year, counting from the first `first` weekday (0: Monday, 6: Sunday)."""
    return (parts[7] + 6 - (parts[6] - first) % 7) // 7


def _iso(parts):
    from datetime import date

    return date(parts[0], parts[1], parts[2]).isocalendar()


def _directive(letter, t):
    if letter == "a":
        return _DAYS[t[6]][:3]
    if letter == "A":
        return _DAYS[t[6]]
    if letter in "bh":
        return _MONTHS[t[1] - 1][:3]
    if letter == "B":
        return _MONTHS[t[1] - 1]
    if letter == "c":
        return strftime("%a %b %e %H:%M:%S %Y", t)
    if letter == "C":
        return f"{t[0] // 100:02d}"
    if letter == "d":
        return f"{t[2]:02d}"
    if letter == "D" or letter == "x":
        return strftime("%m/%d/%y", t)
    if letter == "e":
        return f"{t[2]:2d}"
    if letter == "F":
        return strftime("%Y-%m-%d", t)
    if letter == "g":
        return f"{_iso(t)[0] % 100:02d}"
    if letter == "G":
        return str(_iso(t)[0])
    if letter == "H":
        return f"{t[3]:02d}"
    if letter == "I":
        return f"{(t[3] + 11) % 12 + 1:02d}"
    if letter == "j":
        return f"{t[7]:03d}"
    if letter == "k":
        return f"{t[3]:2d}"
    if letter == "l":
        return f"{(t[3] + 11) % 12 + 1:2d}"
    if letter == "m":
        return f"{t[1]:02d}"
    if letter == "M":
        return f"{t[4]:02d}"
    if letter == "n":
        return "\n"
    if letter == "p":
        return "AM" if t[3] < 12 else "PM"
    if letter == "P":
        return "am" if t[3] < 12 else "pm"
    if letter == "r":
        return strftime("%I:%M:%S %p", t)
    if letter == "R":
        return strftime("%H:%M", t)
    if letter == "s":
        return str(int(mktime(t)))
    if letter == "S":
        return f"{t[5]:02d}"
    if letter == "t":
        return "\t"
    if letter == "T" or letter == "X":
        return strftime("%H:%M:%S", t)
    if letter == "u":
        return str(t[6] + 1)
    if letter == "U":
        return f"{_week(t, 6):02d}"
    if letter == "V":
        return f"{_iso(t)[1]:02d}"
    if letter == "w":
        return str((t[6] + 1) % 7)
    if letter == "W":
        return f"{_week(t, 0):02d}"
    if letter == "y":
        return f"{t[0] % 100:02d}"
    if letter == "Y":
        return str(t[0])
    if letter == "z":
        return "+0000"
    if letter == "Z":
        return "UTC"
    if letter == "%":
        return "%"
    return "%" + letter


def strftime(format, t=None):
    parts = tuple(localtime() if t is None else t)
    out = []
    pieces = iter(format)
    for piece in pieces:
        if piece != "%":
            out.append(piece)
            continue
        letter = next(pieces, None)
        out.append("%" if letter is None else _directive(letter, parts))
    return "".join(out)


def strptime(text, format="%a %b %d %H:%M:%S %Y"):
    import _strptime

    return _strptime._strptime_time(text, format)


def asctime(t=None):
    parts = tuple(localtime() if t is None else t)
    return f"{_DAYS[parts[6]][:3]} {_MONTHS[parts[1] - 1][:3]} {parts[2]:2d} {strftime('%H:%M:%S', parts)} {parts[0]}"


def ctime(seconds=None):
    return asctime(localtime(seconds))


def get_clock_info(name):
    import types

    return types.SimpleNamespace(implementation="session", monotonic=True, adjustable=False, resolution=1e-6)


def tzset():
    pass
