"""From what a script gives `DataFrame(...)` to columns: names, kinds, values and row labels."""

from pandas._index import Index, RangeIndex
from pandas._missing import not_there
from pandas._series import Series
from pandas._values import cast, infer, kind_of, nan


def columns_of(data, index, columns, dtype):
    from pandas._frame import DataFrame

    if data is None:
        data = {name: [nan] * len(index or ()) for name in columns or ()}
    if isinstance(data, DataFrame):
        index = data.index if index is None else index
        made = dict(data._data), dict(data._kinds)
    elif isinstance(data, Series):
        index = data.index if index is None else index
        name = data.name if data.name is not None else 0
        made = {name: data._values}, {name: data._kind}
    elif isinstance(data, dict):
        made, index = _from_dict(data, index, columns)
    elif hasattr(data, "__iter__") and not isinstance(data, str):
        made, index = _from_rows(list(data), index, columns)
        columns = None
    else:
        raise ValueError("DataFrame constructor not properly called!")
    values, kinds = made
    if columns is not None:
        length = len(next(iter(values.values()), index if index is not None else ()))
        wanted = list(columns)
        values = {name: values.get(name, [nan] * length) for name in wanted}
        kinds = {name: kinds.get(name, "object") for name in wanted}
    length = len(next(iter(values.values()), ()))
    if index is None:
        index = RangeIndex(length) if values else RangeIndex(0)
    index = Index.of(index)
    if values and len(index) != length:
        raise ValueError(f"Shape of passed values is ({length}, {len(values)}), indices imply ({len(index)}, {len(values)})")
    if dtype is not None:
        kind = kind_of(dtype)
        values = {name: cast(column, kind) for name, column in values.items()}
        kinds = dict.fromkeys(kinds, kind)
    return {name: list(column) for name, column in values.items()}, kinds, index


def _from_dict(data, index, columns):
    series = [value for value in data.values() if isinstance(value, Series)]
    lengths = {len(v) for v in data.values() if not isinstance(v, (str, bytes, dict, Series)) and hasattr(v, "__len__")}
    if series and index is None:
        index = _joined([one.index for one in series])
    length = len(index) if index is not None else max(lengths, default=None)
    if length is None:
        if data:
            raise ValueError("If using all scalar values, you must pass an index")
        length = 0
    if len(lengths | ({length} if lengths else set())) > 1:
        raise ValueError("All arrays must be of the same length")
    values, kinds = {}, {}
    for name, value in data.items():
        if isinstance(value, Series):
            if value.index is index or list(value.index) == list(index):
                column, kind = value._values, value._kind
            else:
                kind, column = infer([value.get(label, nan) for label in index])
        elif isinstance(value, dict):
            labels = list(index) if index is not None else list(value)
            index = Index(labels)
            kind, column = infer([value.get(label, nan) for label in labels])
        elif isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            kind, column = infer([value] * length)
        else:
            kind, column = infer(list(value))
        values[name], kinds[name] = column, kind
    return (values, kinds), index


def _joined(indices):
    first = indices[0]
    if all(list(one) == list(first) for one in indices):
        return first
    labels = list(first)
    for one in indices[1:]:
        labels += [label for label in one if label not in labels]
    return Index(sorted(labels))


def _from_rows(rows, index, columns):
    if rows and all(isinstance(row, dict) for row in rows):
        names = list(columns) if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
        lists = [[row.get(name, nan) for row in rows] for name in names]
    elif rows and all(isinstance(row, Series) for row in rows):
        names = list(columns) if columns is not None else list(dict.fromkeys(n for row in rows for n in row.index))
        lists = [[row.get(name, nan) for row in rows] for name in names]
        if index is None and any(row.name is not None for row in rows):
            index = [row.name for row in rows]
    elif rows and all(isinstance(row, (list, tuple)) for row in rows):
        width = max(map(len, rows))
        names = columns
        if names is None:
            names = getattr(rows[0], "_fields", None) or range(width)
        names = list(names)
        if len(names) < width:
            raise ValueError(f"{len(names)} columns passed, passed data had {width} columns")
        lists = [[row[at] if at < len(row) else None for row in rows] for at in range(len(names))]
    elif not rows:
        names = list(columns) if columns is not None else []
        lists = [[] for _ in names]
    elif any(isinstance(row, (dict, Series, list, tuple)) for row in rows):
        raise not_there("DataFrame of rows of different kinds")
    else:
        names = list(columns) if columns is not None else [0]
        lists = [rows]
    inferred = [infer(column) for column in lists]
    values = {name: column for name, (_, column) in zip(names, inferred)}
    return (values, {name: kind for name, (kind, _) in zip(names, inferred)}), index
