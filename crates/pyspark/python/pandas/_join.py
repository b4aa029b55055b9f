"""merge and concat."""

from pandas._index import Index, RangeIndex
from pandas._missing import not_there
from pandas._series import Series
from pandas._values import cast, common, empty_of, infer, nan


def merge(left, right, how="inner", on=None, left_on=None, right_on=None, suffixes=("_x", "_y")):
    from pandas._frame import DataFrame

    if how not in ("inner", "left"):
        raise not_there(f"merge(how={how!r})")
    listed = lambda names: [names] if isinstance(names, str) else list(names)  # noqa: E731
    if on is None and left_on is None:
        on = [name for name in left._data if name in right._data]
    ours, theirs = (listed(on), listed(on)) if on is not None else (listed(left_on), listed(right_on))
    by_key = {}
    for place, key in enumerate(zip(*(right._data[name] for name in theirs))):
        by_key.setdefault(key, []).append(place)
    pairs = []
    for place, key in enumerate(zip(*(left._data[name] for name in ours))):
        found = by_key.get(key, [])
        pairs += [(place, other) for other in found] or ([(place, None)] if how == "left" else [])
    joined = set(ours) & set(theirs)
    rest = [name for name in right._data if name not in joined]
    values, kinds = {}, {}
    for name in left._data:
        shown = name + suffixes[0] if name in rest and name not in joined else name
        values[shown], kinds[shown] = [left._data[name][place] for place, _ in pairs], left._kinds[name]
    for name in rest:
        shown = name + suffixes[1] if name in left._data else name
        absent = empty_of(right._kinds[name])
        kinds[shown], values[shown] = right._kinds[name], [
            absent if other is None else right._data[name][other] for _, other in pairs
        ]
        if any(other is None for _, other in pairs):
            kinds[shown], values[shown] = infer(values[shown])
    return DataFrame._of(values, kinds, RangeIndex(len(pairs)))


def concat(objs, axis=0, ignore_index=False, keys=None, sort=False, join="outer"):
    from pandas._frame import DataFrame

    if keys is not None:
        raise not_there("concat(keys=)")
    parts = [part for part in (objs.values() if isinstance(objs, dict) else objs) if part is not None]
    if not parts:
        raise ValueError("No objects to concatenate")
    if axis in (1, "columns"):
        return _beside(parts, ignore_index)
    if all(isinstance(part, Series) for part in parts):
        names = {part.name for part in parts}
        values = [value for part in parts for value in part._values]
        kind = common(part._kind for part in parts)
        kind, values = (kind, cast(values, kind)) if kind != "object" else infer(values)
        return Series._of(values, _index(parts, ignore_index), kind, names.pop() if len(names) == 1 else None)
    parts = [part.to_frame() if isinstance(part, Series) else part for part in parts]
    names = list(dict.fromkeys(name for part in parts for name in part._data))
    values, kinds = {}, {}
    for name in names:
        column, seen = [], set()
        for part in parts:
            if name in part._data:
                column += part._data[name]
                if len(part) or len(parts) == 1:
                    seen.add(part._kinds[name])
            else:
                column += [nan] * len(part)
                if len(part):
                    seen.add(None)
        kind = common(seen) if seen and None not in seen else None
        kinds[name], values[name] = infer(column) if kind in (None, "object") else (kind, cast(column, kind))
    return DataFrame._of(values, kinds, _index(parts, ignore_index))


def _index(parts, ignore_index):
    if ignore_index:
        return RangeIndex(sum(map(len, parts)))
    names = {part.index.name for part in parts}
    return Index([label for part in parts for label in part.index], names.pop() if len(names) == 1 else None)


def _beside(parts, ignore_index):
    from pandas._frame import DataFrame

    columns, unnamed = {}, 0
    for part in parts:
        if isinstance(part, Series):
            name = part.name
            if name is None:
                name, unnamed = unnamed, unnamed + 1
            columns[name] = part
        else:
            columns.update(part.items())
    if ignore_index:
        columns = dict(enumerate(columns.values()))
    return DataFrame(columns)
