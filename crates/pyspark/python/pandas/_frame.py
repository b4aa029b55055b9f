"""DataFrame: columns of one length under one index."""

from pandas import _reduce
from pandas._build import columns_of
from pandas._index import Index, RangeIndex, same
from pandas._missing import not_there, refuse_attribute
from pandas._series import Series, Values
from pandas._values import cast, dtype, empty_of, infer, is_numeric, kind_of, missing, nan


class DataFrame:
    def __init__(self, data=None, index=None, columns=None, dtype=None, copy=None):
        if isinstance(index, (list, tuple, range)):
            index = list(index)
        values, kinds, index = columns_of(data, index, columns, dtype)
        self._set(values, kinds, index)

    def _set(self, values, kinds, index):
        object.__setattr__(self, "_data", values)
        object.__setattr__(self, "_kinds", kinds)
        object.__setattr__(self, "index", index)

    @classmethod
    def _of(cls, values, kinds, index):
        made = cls.__new__(cls)
        made._set(values, kinds, index)
        return made

    @classmethod
    def from_dict(cls, data, orient="columns", columns=None):
        if orient == "index":
            return cls(list(data.values()), index=list(data), columns=columns)
        return cls(data, columns=columns)

    @classmethod
    def from_records(cls, data, columns=None):
        return cls(list(data), columns=columns)

    # ---- what it is ---------------------------------------------------------------------------------

    @property
    def columns(self):
        return Index(self._data, kind="str" if all(isinstance(name, str) for name in self._data) else None)

    @property
    def dtypes(self):
        return Series._of([dtype(kind) for kind in self._kinds.values()], Index(self._kinds), "object")

    @property
    def empty(self):
        return not self._data or not len(self.index)

    @property
    def shape(self):
        return (len(self.index), len(self._data))

    @property
    def size(self):
        return len(self.index) * len(self._data)

    @property
    def values(self):
        return Values(list(row) for row in zip(*self._data.values()))

    def __len__(self):
        return len(self.index)

    def __iter__(self):
        return iter(self._data)

    def __contains__(self, name):
        return name in self._data

    def keys(self):
        return self.columns

    def items(self):
        return ((name, self[name]) for name in self._data)

    def __bool__(self):
        raise ValueError(
            "The truth value of a DataFrame is ambiguous. Use a.empty, a.bool(), a.item(), a.any() or a.all()."
        )

    def __repr__(self):
        from pandas._text import frame

        return frame(self)

    __str__ = __repr__

    def to_string(self, index=True):
        from pandas._text import frame

        return frame(self, index)

    def equals(self, other):
        return (isinstance(other, DataFrame) and list(self._data) == list(other._data)
                and all(self[name].equals(other[name]) for name in self._data))  # fmt: skip

    def copy(self, deep=True):
        return DataFrame._of({name: list(column) for name, column in self._data.items()}, dict(self._kinds), self.index)

    # ---- columns --------------------------------------------------------------------------------------

    def _column(self, name):
        return Series._of(self._data[name], self.index, self._kinds[name], name)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self._take(range(len(self))[key])
        if isinstance(key, DataFrame):
            raise not_there("DataFrame[DataFrame]")
        if isinstance(key, Series) and key._kind in ("bool", "object"):
            return self._mask(key)
        if isinstance(key, (list, Index, Series)):
            key = list(key)
            if key and all(isinstance(item, bool) for item in key):
                return self._mask(key)
            absent = [name for name in key if name not in self._data]
            if absent:
                raise KeyError(f"{absent} not in index" if len(absent) < len(key) else
                               f"None of [{Index(key, kind='str')!r}] are in the [columns]")  # fmt: skip
            return DataFrame._of({name: list(self._data[name]) for name in key}, {name: self._kinds[name] for name in key},
                                 self.index)  # fmt: skip
        if key not in self._data:
            raise KeyError(key)
        return self._column(key)

    def __setitem__(self, key, value):
        if isinstance(key, Series):
            for name in self._data:
                self._data[name] = [value if chosen else old for chosen, old in zip(key, self._data[name])]
                self._kinds[name], self._data[name] = infer(self._data[name])
            return
        if isinstance(key, list):
            columns = value._data.values() if isinstance(value, DataFrame) else [value] * len(key)
            for name, column in zip(key, columns):
                self[name] = column
            return
        if not self._data and not isinstance(value, str) and hasattr(value, "__len__") and not len(self.index):
            object.__setattr__(self, "index", value.index if isinstance(value, Series) else RangeIndex(len(value)))
        if isinstance(value, Series):
            if same(value.index, self.index):
                kind, column = value._kind, list(value._values)
            else:
                kind, column = infer([value.get(label, nan) for label in self.index])
        elif isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            kind, column = infer([value] * len(self))
        else:
            kind, column = infer(list(value))
            if len(column) != len(self):
                raise ValueError(f"Length of values ({len(column)}) does not match length of index ({len(self)})")
        self._data[key], self._kinds[key] = column, kind

    def __delitem__(self, name):
        del self._data[name]
        del self._kinds[name]

    def __getattr__(self, name):
        if not name.startswith("_") and name in self._data:
            return self._column(name)
        refuse_attribute("DataFrame", name)

    def __setattr__(self, name, value):
        if name == "columns":
            names = list(value)
            if len(names) != len(self._data):
                raise ValueError(
                    f"Length mismatch: Expected axis has {len(self._data)} elements, new values have {len(names)} elements"
                )
            self._set(dict(zip(names, self._data.values())), dict(zip(names, self._kinds.values())), self.index)
        elif name == "index":
            object.__setattr__(self, "index", Index.of(value))
        elif name in self._data:
            self[name] = value
        else:
            object.__setattr__(self, name, value)

    def get(self, name, default=None):
        return self[name] if name in self._data else default

    def pop(self, name):
        column = self[name]
        del self[name]
        return column

    def insert(self, loc, column, value):
        self[column] = value
        names = [name for name in self._data if name != column]
        names.insert(loc, column)
        self._set({name: self._data[name] for name in names}, {name: self._kinds[name] for name in names}, self.index)

    def assign(self, **columns):
        made = self.copy()
        for name, value in columns.items():
            made[name] = value(made) if callable(value) else value
        return made

    def drop(self, labels=None, axis=0, columns=None, index=None, errors="raise"):
        if labels is not None:
            columns, index = (labels, index) if axis in (1, "columns") else (columns, labels)
        listed = lambda given: [] if given is None else list(given) if isinstance(given, (list, tuple, Index)) else [given]  # noqa: E731
        gone, rows = listed(columns), listed(index)
        absent = [name for name in gone if name not in self._data]
        if absent and errors == "raise":
            raise KeyError(f"{absent} not found in axis")
        made = self[[name for name in self._data if name not in gone]]
        return made._take([at for at, label in enumerate(made.index) if label not in rows]) if rows else made

    def rename(self, mapper=None, columns=None, index=None, axis=0):
        if mapper is not None:
            columns, index = (mapper, index) if axis in (1, "columns") else (columns, mapper)
        name_of = columns if callable(columns) else lambda name: (columns or {}).get(name, name)
        made = self.copy()
        made.columns = [name_of(name) for name in self._data]
        if index is not None:
            made.index = [index(label) if callable(index) else index.get(label, label) for label in self.index]
        return made

    def add_prefix(self, prefix):
        return self.rename(columns=lambda name: f"{prefix}{name}")

    # ---- rows -------------------------------------------------------------------------------------------

    def _take(self, places):
        places = list(places)
        index = Index([self.index[place] for place in places], self.index.name)
        return DataFrame._of({name: [column[place] for place in places] for name, column in self._data.items()},
                             dict(self._kinds), index)  # fmt: skip

    def _mask(self, chosen):
        chosen = list(chosen)
        if len(chosen) != len(self):
            raise ValueError(f"Item wrong length {len(chosen)} instead of {len(self)}.")
        return self._take([place for place, keep in enumerate(chosen) if keep and not missing(keep)])

    def _row(self, place):
        kind, values = self._row_values(place)
        return Series._of(values, self.columns, kind, self.index[place])

    def _row_values(self, place):
        values = [column[place] for column in self._data.values()]
        kinds = set(self._kinds.values())
        if len(kinds) == 1:
            return kinds.pop(), values
        if kinds and all(is_numeric(kind) and kind != "bool" for kind in kinds):
            return infer(values)
        return "object", values

    def _append(self, label):
        for name in self._data:
            self._data[name].append(empty_of(self._kinds[name]))
        object.__setattr__(self, "index", Index([*self.index, label], self.index.name))

    @property
    def iloc(self):
        from pandas._locate import FramePlaces

        return FramePlaces(self)

    iat = iloc

    @property
    def loc(self):
        from pandas._locate import FrameLabels

        return FrameLabels(self)

    at = loc

    def iterrows(self):
        return ((self.index[place], self._row(place)) for place in range(len(self)))

    def itertuples(self, index=True, name="Pandas"):
        columns = ([list(self.index)] if index else []) + list(self._data.values())
        if name is None:
            return zip(*columns)
        from collections import namedtuple

        made = namedtuple(name, (["Index"] if index else []) + [str(column) for column in self._data], rename=True)
        return map(made._make, zip(*columns))

    def head(self, n=5):
        return self._take(range(len(self))[:n])

    def tail(self, n=5):
        return self._take(range(len(self))[-n:] if n else [])

    def to_dict(self, orient="dict"):
        if orient == "records":
            return [dict(zip(self._data, row)) for row in zip(*self._data.values())]
        if orient == "list":
            return {name: list(column) for name, column in self._data.items()}
        if orient == "series":
            return dict(self.items())
        if orient == "index":
            return {label: dict(zip(self._data, row)) for label, row in zip(self.index, zip(*self._data.values()))}
        if orient == "dict":
            return {name: dict(zip(self.index, column)) for name, column in self._data.items()}
        raise not_there(f"to_dict(orient={orient!r})")

    def reset_index(self, drop=False):
        made = self.copy()
        if not drop:
            made.insert(0, self.index.name if self.index.name is not None else "index", list(self.index))
        object.__setattr__(made, "index", RangeIndex(len(self)))
        return made

    def set_index(self, keys, drop=True):
        if not isinstance(keys, str):
            raise not_there("set_index of several columns")
        made = self.drop(columns=keys) if drop else self.copy()
        object.__setattr__(made, "index", Index(self._data[keys], keys))
        return made

    def sort_values(self, by, ascending=True, ignore_index=False, na_position="last", kind=None):
        names = [by] if isinstance(by, str) or not isinstance(by, (list, tuple)) else list(by)
        rising = [ascending] * len(names) if isinstance(ascending, bool) else list(ascending)
        places = list(range(len(self)))
        for name, up in reversed(list(zip(names, rising))):
            column = self[name]._values
            found = [place for place in places if not missing(column[place])]
            absent = [place for place in places if missing(column[place])]
            found.sort(key=column.__getitem__, reverse=not up)
            places = absent + found if na_position == "first" else found + absent
        made = self._take(places)
        return made.reset_index(drop=True) if ignore_index else made

    def sort_index(self, ascending=True):
        labels = self.index
        return self._take(sorted(range(len(self)), key=lambda at: labels[at], reverse=not ascending))

    def nlargest(self, n, columns):
        return self.sort_values(columns, ascending=False).head(n)

    def nsmallest(self, n, columns):
        return self.sort_values(columns).head(n)

    def duplicated(self, subset=None, keep="first"):
        names = list(self._data) if subset is None else [subset] if isinstance(subset, str) else list(subset)
        rows = [tuple(None if missing(v) else v for v in row) for row in zip(*(self._data[name] for name in names))]
        order = range(len(rows)) if keep == "first" else range(len(rows) - 1, -1, -1)
        seen, double = set(), [False] * len(rows)
        for at in order:
            double[at] = rows[at] in seen or (keep is False and rows.count(rows[at]) > 1)
            seen.add(rows[at])
        return Series._of(double, self.index, "bool")

    def drop_duplicates(self, subset=None, keep="first", ignore_index=False):
        made = self._mask(not double for double in self.duplicated(subset, keep))
        return made.reset_index(drop=True) if ignore_index else made

    # ---- missing values, kinds, functions -----------------------------------------------------------------

    def _each(self, function):
        made = {name: function(self._column(name)) for name in self._data}
        return DataFrame._of({name: one._values for name, one in made.items()},
                             {name: one._kind for name, one in made.items()}, self.index)  # fmt: skip

    def isna(self):
        return self._each(Series.isna)

    isnull = isna

    def notna(self):
        return self._each(Series.notna)

    notnull = notna

    def fillna(self, value):
        if isinstance(value, dict):
            return self._each(lambda column: column.fillna(value[column.name]) if column.name in value else column)
        return self._each(lambda column: column.fillna(value))

    def dropna(self, subset=None, how="any"):
        names = list(self._data) if subset is None else [subset] if isinstance(subset, str) else list(subset)
        test = any if how == "any" else all
        rows = zip(*(self._data[name] for name in names)) if names else [()] * len(self)
        return self._mask(not test(missing(value) for value in row) for row in rows)

    def astype(self, kind):
        if isinstance(kind, dict):
            return self._each(lambda column: column.astype(kind[column.name]) if column.name in kind else column)
        kind = kind_of(kind)
        return self._each(lambda column: Series._of(cast(column._values, kind), self.index, kind, column.name))

    def round(self, decimals=0):
        return self._each(lambda column: column.round(decimals))

    def map(self, func):
        return self._each(lambda column: column.apply(func))

    def apply(self, func, axis=0, args=(), result_type=None):
        if axis in (0, "index"):
            results = {name: func(column, *args) for name, column in self.items()}
            if results and all(isinstance(one, Series) for one in results.values()):
                return DataFrame(results)
            return Series(list(results.values()), Index(results))
        rows = [func(row, *args) for _, row in self.iterrows()]
        if rows and all(isinstance(one, Series) for one in rows):
            return DataFrame([dict(one.items()) for one in rows], index=self.index)
        return Series(rows, self.index) if rows else Series([], Index([]))

    def pipe(self, func, *args, **options):
        return func(self, *args, **options)

    def agg(self, func):
        if isinstance(func, dict):
            if any(isinstance(one, list) for one in func.values()):
                raise not_there("DataFrame.agg of lists of functions")
            return Series([self[name].agg(one) for name, one in func.items()], Index(func))
        if isinstance(func, list):
            return DataFrame({name: [self[name].agg(one) for one in func] for name in self._data}, index=func)
        return Series([self[name].agg(func) for name in self._data], Index(self._data))

    aggregate = agg

    def groupby(self, by, as_index=True, sort=True, dropna=True):
        from pandas._groups import FrameGroups

        return FrameGroups.of(self, by, as_index, sort, dropna)

    def merge(self, right, how="inner", on=None, left_on=None, right_on=None, suffixes=("_x", "_y")):
        from pandas._join import merge

        return merge(self, right, how, on, left_on, right_on, suffixes)


def _reducing(name, function):
    def reduce(self, axis=0, skipna=True, numeric_only=False, **options):
        if axis in (1, "columns"):
            rows = (infer(self._row_values(place)[1]) for place in range(len(self)))
            return Series([function(values, kind, **options) for kind, values in rows], self.index)
        names = [name for name in self._data if not numeric_only or is_numeric(self._kinds[name])]
        return Series([function(self._data[n], self._kinds[n], **options) for n in names], Index(names))

    setattr(DataFrame, name, reduce)


def _operating(name):
    def operate(self, other):
        if isinstance(other, DataFrame):
            return self._each(lambda column: getattr(column, name)(other[column.name]))
        if isinstance(other, Series):
            raise not_there(f"DataFrame.{name} with a Series")
        return self._each(lambda column: getattr(column, name)(other))

    setattr(DataFrame, name, operate)


for _name in ("sum", "min", "max", "mean", "median", "std", "var", "count", "nunique", "prod", "any", "all"):
    _reducing(_name, _reduce.FUNCTIONS[_name])
for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "mod", "pow", "eq", "ne",
              "lt", "le", "gt", "ge", "and", "or"):  # fmt: skip
    _operating(f"__{_name}__")
DataFrame.__hash__ = None
del _name
