"""groupby: of one key, or of several where the result has them as columns."""

from pandas import _reduce
from pandas._index import Index
from pandas._missing import not_there, refuse_attribute
from pandas._series import Series
from pandas._values import infer, missing


class FrameGroups:
    def __init__(self, frame, keys, as_index, sort, dropna=True):
        self._frame, self._keys, self._as_index, self._sort, self._dropna = frame, keys, as_index, sort, dropna
        self._grouped = None

    @classmethod
    def of(cls, frame, by, as_index, sort, dropna):
        if isinstance(by, Series) or callable(by):
            values = by._values if isinstance(by, Series) else [by(label) for label in frame.index]
            name = by.name if isinstance(by, Series) and by.name is not None else "key"
            if isinstance(by, Series) and name in frame._data and frame._data[name] == values:
                return cls(frame, [name], as_index, sort, dropna)
            frame = frame.copy()
            frame[name] = values
            return cls(frame, [name], as_index, sort, dropna)
        keys = list(by) if isinstance(by, (list, tuple)) else [by]
        for name in keys:
            if name not in frame._data:
                raise KeyError(name)
        made = cls(frame, keys, as_index, sort, dropna)
        made._listed = isinstance(by, (list, tuple))
        return made

    _listed = False

    def _places(self):
        """Places of the rows by key, keys in order."""
        if self._grouped is None:
            groups = {}
            for place, key in enumerate(zip(*(self._frame._data[name] for name in self._keys))):
                if any(missing(part) for part in key):
                    if self._dropna:
                        continue
                    key = tuple(None if missing(part) else part for part in key)
                groups.setdefault(key, []).append(place)
            if self._sort:
                try:
                    groups = dict(sorted(groups.items(), key=lambda item: item[0]))
                except TypeError:
                    pass
            self._grouped = groups
        return self._grouped

    def _label(self, key):
        return key if self._listed or len(self._keys) > 1 else key[0]

    @property
    def ngroups(self):
        return len(self._places())

    @property
    def groups(self):
        labels = self._frame.index
        return {self._label(key): [labels[place] for place in places] for key, places in self._places().items()}

    def __len__(self):
        return self.ngroups

    def __iter__(self):
        return ((self._label(key), self._frame._take(places)) for key, places in self._places().items())

    def get_group(self, name):
        key = name if isinstance(name, tuple) else (name,)
        if key not in self._places():
            raise KeyError(name)
        return self._frame._take(self._places()[key])

    def __getitem__(self, key):
        if isinstance(key, list):
            frame = self._frame[[*self._keys, *(name for name in key if name not in self._keys)]]
            made = FrameGroups(frame, self._keys, self._as_index, self._sort, self._dropna)
            made._listed = self._listed
            return made
        if key not in self._frame._data:
            raise KeyError(f"Column not found: {key}")
        return SeriesGroups(self._frame, self._keys, key, self._sort, key, as_index=self._as_index, dropna=self._dropna)

    def _key_index(self):
        if len(self._keys) > 1:
            raise not_there("groupby of several keys with an index of several levels (use as_index=False)")
        return Index([key[0] for key in self._places()], self._keys[0])

    def _result(self, columns):
        """A frame of one row a group; `columns`: name to values (and kind)."""
        from pandas._frame import DataFrame

        made = DataFrame._of({}, {}, Index([]))
        if self._as_index:
            index = self._key_index()
        else:
            index = list(range(len(self._places())))
            for at, name in enumerate(self._keys):
                made._data[name] = [key[at] for key in self._places()]
                made._kinds[name] = self._frame._kinds[name]
        for name, (kind, values) in columns.items():
            made._data[name], made._kinds[name] = values, kind
        object.__setattr__(made, "index", Index.of(index))
        return made

    def _reduce_column(self, column, function):
        values, kind = self._frame._data[column], self._frame._kinds[column]
        name = _reduce.function_of(function)
        groups = [[values[place] for place in places] for places in self._places().values()]
        if callable(name):
            return infer([name(Series._of(group, Index(range(len(group))), kind, column)) for group in groups])
        made = [_reduce.FUNCTIONS[name](group, kind) for group in groups]
        wanted = _reduce.result_kind(name, kind)
        inferred, normal = infer(made)
        return (wanted if inferred in ("int64", wanted) or wanted == "object" else inferred), normal

    def _reduce_all(self, function, numeric_only=False):
        from pandas._values import is_numeric

        names = [name for name in self._frame._data if name not in self._keys
                 and (not numeric_only or is_numeric(self._frame._kinds[name]))]  # fmt: skip
        return self._result({name: self._reduce_column(name, function) for name in names})

    def size(self):
        counts = [len(places) for places in self._places().values()]
        if not self._as_index:
            return self._result({"size": ("int64", counts)})
        return Series._of(counts, self._key_index(), "int64")

    def agg(self, func=None, **named):
        if named:
            return self._result({name: self._reduce_column(*pair) for name, pair in named.items()})
        if isinstance(func, dict):
            if any(isinstance(one, list) for one in func.values()):
                raise not_there("groupby.agg of lists of functions")
            return self._result({name: self._reduce_column(name, one) for name, one in func.items()})
        if isinstance(func, list):
            raise not_there("groupby.agg of lists of functions")
        return self._reduce_all(func)

    aggregate = agg

    def apply(self, func, include_groups=False):
        from pandas import concat
        from pandas._frame import DataFrame

        results = {}
        for key, places in self._places().items():
            part = self._frame._take(places)
            results[key] = func(part.drop(columns=self._keys))
        if results and all(isinstance(one, DataFrame) for one in results.values()):
            return concat(list(results.values()))
        if results and any(isinstance(one, (Series, DataFrame)) for one in results.values()):
            return DataFrame([dict(one.items()) for one in results.values()], index=self._key_index())
        kind, values = infer(list(results.values()))
        return Series._of(values, self._key_index(), kind)

    def _picked(self, choose):
        return self._frame._take(sorted(place for places in self._places().values() for place in choose(places)))

    def head(self, n=5):
        return self._picked(lambda places: places[:n])

    def tail(self, n=5):
        return self._picked(lambda places: places[-n:])

    def cumcount(self):
        counts = {place: nth for places in self._places().values() for nth, place in enumerate(places)}
        return Series._of([counts[place] for place in range(len(self._frame))], self._frame.index, "int64")

    def __getattr__(self, name):
        refuse_attribute("DataFrameGroupBy", name)


class SeriesGroups(FrameGroups):
    def __init__(self, frame, keys, column, sort, name, key_name=None, as_index=True, dropna=True):
        super().__init__(frame, keys, as_index, sort, dropna)
        self._column, self._name, self._key_name = column, name, key_name

    def _key_index(self):
        index = super()._key_index()
        if self._key_name is not None or self._keys == ["key"]:
            index.name = self._key_name
        return index

    def __iter__(self):
        return ((self._label(key), self._frame[self._column]._take(places)) for key, places in self._places().items())

    def agg(self, func=None, **named):
        if named:
            return self._result({name: self._reduce_column(self._column, one) for name, one in named.items()})
        if isinstance(func, list):
            columns = {one if isinstance(one, str) else one.__name__: self._reduce_column(self._column, one) for one in func}
            return self._result(columns)
        kind, values = self._reduce_column(self._column, func)
        if not self._as_index:
            return self._result({self._name: (kind, values)})
        return Series._of(values, self._key_index(), kind, self._name)

    aggregate = agg

    def _reduce_all(self, function, numeric_only=False):
        return self.agg(function)

    def apply(self, func):
        return self.agg(func)

    def transform(self, func):
        _, values = self._reduce_column(self._column, func)
        by_place = {place: value for places, value in zip(self._places().values(), values) for place in places}
        kind, values = infer([by_place[place] for place in range(len(self._frame))])
        return Series._of(values, self._frame.index, kind, self._name)

    def unique(self):
        values = self._frame._data[self._column]
        made = [_reduce.distinct([values[place] for place in places], False) for places in self._places().values()]
        return Series._of(made, self._key_index(), "object", self._name)


def _reducing(name):
    def reduce(self, numeric_only=False):
        return self._reduce_all(name, numeric_only)

    setattr(FrameGroups, name, reduce)


for _name in ("sum", "min", "max", "mean", "median", "std", "var", "count", "nunique", "first", "last", "prod", "any", "all"):
    _reducing(_name)
del _name
