"""DataFrames and Series as text, as pandas prints small ones."""

from pandas._times import NA, NaT
from pandas._values import FLOATS, INTEGERS, is_numeric

WIDTH = 80
ROWS = 60


def cell(value):
    if value is None:
        return "None"
    if value is NaT or value is NA:
        return str(value)
    if isinstance(value, float):
        return "NaN" if value != value else repr(value) if abs(value) in (float("inf"),) else _float(value)
    return str(value)


def _float(value):
    text = f"{value:.6f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _finite(value):
    return value == value and abs(value) != float("inf")


def floats(values):
    """A column of floats: as many digits as one of them needs, six at most; a place for the sign."""
    found = [value for value in values if _finite(value)]
    texts = [f"{value: .6f}" for value in found]
    while texts and all(text.endswith("0") and not text.endswith(".0") for text in texts):
        texts = [text[:-1] for text in texts]
    large = any(abs(value) > 1e6 for value in found)
    small = any(0 < abs(value) < 1e-6 for value in found)
    if small or (large and max(map(len, texts)) > 12):
        texts = [f"{value: .6e}" for value in found]
    shown = iter(texts)
    odd = {float("inf"): "inf", -float("inf"): "-inf"}
    return [next(shown) if _finite(value) else odd.get(value, "NaN") for value in values]


def column(values, kind):
    """Texts of a column; numbers and objects start with a space, times do not."""
    if kind in FLOATS:
        return floats(values)
    if kind in INTEGERS:
        return [f"{value: d}" for value in values]
    if kind == "timedelta64[us]":
        return [cell(value) for value in values]
    if kind == "datetime64[us]":
        found = [value for value in values if value is not NaT]
        if found and all((v.hour, v.minute, v.second, v.microsecond) == (0, 0, 0, 0) for v in found):
            return ["NaT" if value is NaT else value.strftime("%Y-%m-%d") for value in values]
        if any(value.microsecond for value in found):
            return ["NaT" if value is NaT else value.isoformat(" ", "microseconds") for value in values]
        return ["NaT" if value is NaT else str(value) for value in values]
    return [" " + cell(value) for value in values]


def _labels(index):
    return [str(label) for label in index]


def frame(df, index=True):
    if not len(df.columns) or not len(df):
        return f"Empty DataFrame\nColumns: [{', '.join(map(str, df.columns))}]\nIndex: [{', '.join(_labels(df.index))}]"
    if len(df) > ROWS:
        shown, tail = df, f"\n\n[{len(df)} rows x {len(df.columns)} columns]"
        head, foot = shown.iloc[:5], shown.iloc[-5:]
        lines = _table(head, foot, index)
        return "\n".join(lines) + tail
    return "\n".join(_table(df, None, index))


def _table(df, foot, index):
    columns = []
    for name in df.columns:
        values = list(df._data[name])
        if foot is not None:
            values += foot._data[name]
        texts = column(values, df._kinds[name])
        if foot is not None:
            texts.insert(5, "..")
        head = " " + str(name) if is_numeric(df._kinds[name]) else str(name)
        columns.append((head, texts))
    labels = _labels(df.index)
    if foot is not None:
        labels += ["..", *_labels(foot.index)]
    title = [str(df.index.name)] if df.index.name is not None else []
    wide = max(map(len, labels + title))
    columns = _fitting(columns, wide if index else 0)
    head = [" " * wide] if index else []
    rows = [[label.ljust(wide)] if index else [] for label in labels]
    for name, texts in columns:
        if not index and all(text.startswith(" ") for text in texts) and not name.startswith(" "):
            texts = [text[1:] for text in texts]
        width = max(len(name), *map(len, texts))
        head.append(name.rjust(width))
        for row, text in zip(rows, texts):
            row.append(text.rjust(width))
    lines = [" ".join(head)]
    if title:
        lines.append(title[0].ljust(len(lines[0])))
    lines += [" ".join(row) for row in rows]
    if (" ...", [" ..."] * len(labels)) in columns and foot is None:
        lines.append(f"\n[{len(df)} rows x {len(df.columns)} columns]")
    return lines


def _fitting(columns, label_width):
    """The columns that fit the width of the display; in the place of those in the middle that do not, dots."""
    widths = [label_width] + [max(len(name), *map(len, texts)) for name, texts in columns]
    over = sum(widths) + len(widths) - 1 - WIDTH
    while over > 0 and len(widths) > 1:
        over -= widths.pop(round(len(widths) / 2)) + 1
    fitted = max(len(widths) - 1, 2)
    if fitted >= len(columns):
        return columns
    side = fitted // 2
    dots = (" ...", [" ..."] * len(columns[0][1]))
    return columns[:side] + [dots] + columns[-side:]


def series(s):
    if not len(s):
        return f"Series([], {_footer(s)})"
    texts = column(s._values, s._kind)
    labels = _labels(s.index)
    wide = max(map(len, labels))
    width = max(map(len, texts))
    lines = [f"{label.ljust(wide)}   {text.rjust(width)}" for label, text in zip(labels, texts)]
    if s.index.name is not None:
        lines.insert(0, str(s.index.name))
    return "\n".join([*lines, _footer(s)])


def _footer(s):
    name = f"Name: {s.name}, " if s.name is not None else ""
    return f"{name}dtype: {s.dtype}"


