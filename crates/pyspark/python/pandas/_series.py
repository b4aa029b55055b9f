"""Series: one labelled column."""

from pandas import _operators, _reduce
from pandas._index import Index, RangeIndex, same
from pandas._missing import not_there, refuse_attribute
from pandas._values import cast, common, dtype, empty_of, infer, is_numeric, kind_of, missing, nan


class Series:
    def __init__(self, data=None, index=None, dtype=None, name=None, copy=None):
        if isinstance(data, Series):
            name = data.name if name is None else name
            index = data.index if index is None else index
            values, kind = list(data._values), data._kind
        elif isinstance(data, dict):
            index = list(data) if index is None else index
            kind, values = infer([data.get(label, nan) for label in index])
        elif data is None:
            kind, values = infer([nan] * len(index or ()))
        elif isinstance(data, (str, bytes)) or not hasattr(data, "__iter__"):
            kind, values = infer([data] * (len(index) if index is not None else 1))
        else:
            kind, values = infer(list(data))
        if dtype is not None:
            kind = kind_of(dtype)
            values = cast(values, kind)
        self._values, self._kind, self.name = values, kind, name
        self.index = RangeIndex(len(values)) if index is None else Index.of(index)
        if len(self.index) != len(values):
            raise ValueError(f"Length of values ({len(values)}) does not match length of index ({len(self.index)})")

    @classmethod
    def _of(cls, values, index, kind, name=None):
        made = cls.__new__(cls)
        made._values, made.index, made._kind, made.name = values, index, kind, name
        return made

    def _infer(self, values, name=None):
        kind, values = infer(values)
        return Series._of(values, self.index, kind, self.name if name is None else name)

    # ---- what it is ---------------------------------------------------------------------------------

    @property
    def dtype(self):
        return dtype(self._kind)

    dtypes = dtype

    def __len__(self):
        return len(self._values)

    @property
    def size(self):
        return len(self._values)

    @property
    def shape(self):
        return (len(self._values),)

    @property
    def empty(self):
        return not self._values

    @property
    def values(self):
        return Values(self._values)

    def to_numpy(self):
        return self.values

    def __iter__(self):
        return iter(self._values)

    def __contains__(self, label):
        return label in self.index

    def __bool__(self):
        raise ValueError(
            "The truth value of a Series is ambiguous. Use a.empty, a.bool(), a.item(), a.any() or a.all()."
        )

    def __repr__(self):
        from pandas._text import series

        return series(self)

    __str__ = __repr__

    def to_string(self):
        return repr(self)

    def __getattr__(self, name):
        if not name.startswith("_") and name in self.__dict__.get("index", ()):
            return self[name]
        refuse_attribute("Series", name)

    # ---- elements -------------------------------------------------------------------------------------

    def tolist(self):
        return list(self._values)

    to_list = tolist

    def to_dict(self):
        return dict(zip(self.index, self._values))

    def items(self):
        return zip(self.index, self._values)

    def keys(self):
        return self.index

    def item(self):
        if len(self) != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._values[0]

    def get(self, label, default=None):
        return self[label] if label in self.index else default

    def _take(self, places):
        labels = [self.index[place] for place in places]
        return Series._of([self._values[place] for place in places], Index(labels, self.index.name), self._kind, self.name)

    def _mask(self, chosen):
        chosen = list(chosen)
        if len(chosen) != len(self):
            raise ValueError(f"Item wrong length {len(chosen)} instead of {len(self)}.")
        return self._take([place for place, keep in enumerate(chosen) if keep and not missing(keep)])

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self._take(range(len(self))[key])
        if isinstance(key, Series) and key._kind in ("bool", "object"):
            return self._mask(key)
        if isinstance(key, (list, Series)):
            if key and all(isinstance(item, bool) for item in key):
                return self._mask(key)
            return self._take([self.index.get_loc(label) for label in key])
        return self._values[self.index.get_loc(key)]

    def __setitem__(self, key, value):
        if isinstance(key, Series):
            places = [place for place, keep in enumerate(key) if keep]
        elif key in self.index:
            places = [self.index.get_loc(key)]
        else:
            self.index = Index([*self.index, key], self.index.name)
            self._values.append(value)
            places = []
        for place in places:
            self._values[place] = value
        self._kind, self._values = infer(self._values)

    @property
    def iloc(self):
        from pandas._locate import SeriesPlaces

        return SeriesPlaces(self)

    iat = iloc

    @property
    def loc(self):
        from pandas._locate import SeriesLabels

        return SeriesLabels(self)

    at = loc

    def head(self, n=5):
        return self._take(range(len(self))[:n])

    def tail(self, n=5):
        return self._take(range(len(self))[-n:] if n else [])

    def copy(self, deep=True):
        return Series._of(list(self._values), self.index, self._kind, self.name)

    def rename(self, name=None):
        made = self.copy()
        made.name = name
        return made

    def reset_index(self, drop=False, name=None):
        if drop:
            return Series._of(list(self._values), RangeIndex(len(self)), self._kind, self.name)
        return self.to_frame(name).reset_index()

    def to_frame(self, name=None):
        from pandas._frame import DataFrame

        name = name if name is not None else self.name if self.name is not None else 0
        return DataFrame._of({name: list(self._values)}, {name: self._kind}, self.index)

    # ---- missing values and kinds ---------------------------------------------------------------------

    def isna(self):
        return Series._of([missing(value) for value in self._values], self.index, "bool", self.name)

    isnull = isna

    def notna(self):
        return Series._of([not missing(value) for value in self._values], self.index, "bool", self.name)

    notnull = notna

    def fillna(self, value):
        return self._infer([value if missing(old) else old for old in self._values])

    def ffill(self):
        last, values = empty_of(self._kind), []
        for value in self._values:
            last = last if missing(value) else value
            values.append(last)
        return Series._of(values, self.index, self._kind, self.name)

    def dropna(self):
        return self._mask(not missing(value) for value in self._values)

    def astype(self, kind):
        kind = kind_of(kind)
        return Series._of(cast(self._values, kind), self.index, kind, self.name)

    # ---- functions --------------------------------------------------------------------------------------

    def apply(self, func, args=(), **options):
        if isinstance(func, str):
            return self.agg(func)
        return self._infer([func(value, *args, **options) for value in self._values])

    def map(self, arg, na_action=None):
        if isinstance(arg, (dict, Series)):
            return self._infer([arg.get(value, nan) for value in self._values])
        if na_action == "ignore":
            return self._infer([value if missing(value) else arg(value) for value in self._values])
        return self.apply(arg)

    def where(self, cond, other=nan):
        return self._infer([value if keep else other for value, keep in zip(self._values, cond)])

    def mask(self, cond, other=nan):
        return self._infer([other if hide else value for value, hide in zip(self._values, cond)])

    def clip(self, lower=None, upper=None):
        def one(value):
            if missing(value):
                return value
            value = value if lower is None or value >= lower else lower
            return value if upper is None or value <= upper else upper

        return self._infer([one(value) for value in self._values])

    def round(self, decimals=0):
        digits = decimals
        return self._infer([value if missing(value) or not is_numeric(self._kind) else
                            (round(value, digits) if isinstance(value, float) else value) for value in self._values])  # fmt: skip

    def abs(self):
        return self._infer([value if missing(value) else abs(value) for value in self._values])

    __abs__ = abs

    def isin(self, values):
        wanted = list(values)
        return Series._of([value in wanted for value in self._values], self.index, "bool", self.name)

    def between(self, left, right, inclusive="both"):
        low = self >= left if inclusive in ("both", "left") else self > left
        high = self <= right if inclusive in ("both", "right") else self < right
        return low & high

    def unique(self):
        return Values(_reduce.distinct(self._values, dropna=False))

    def duplicated(self, keep="first"):
        return self.to_frame(0).duplicated(keep=keep)

    def drop_duplicates(self, keep="first"):
        return self._mask(not double for double in self.duplicated(keep))

    def value_counts(self, normalize=False, sort=True, ascending=False, dropna=True):
        labels = _reduce.distinct(self._values, dropna)
        counts = [sum(missing(v) for v in self._values) if missing(label) else self._values.count(label) for label in labels]
        order = sorted(range(len(labels)), key=lambda at: counts[at], reverse=not ascending) if sort else range(len(labels))
        values = [counts[at] / (sum(counts) or 1) if normalize else counts[at] for at in order]
        name = "proportion" if normalize else "count"
        return Series(values, Index([labels[at] for at in order], self.name), name=name)

    def _order(self, ascending, na_position="last"):
        found = [place for place, value in enumerate(self._values) if not missing(value)]
        found.sort(key=self._values.__getitem__, reverse=not ascending)
        absent = [place for place, value in enumerate(self._values) if missing(value)]
        return absent + found if na_position == "first" else found + absent

    def sort_values(self, ascending=True, ignore_index=False, na_position="last"):
        made = self._take(self._order(ascending, na_position))
        return made.reset_index(drop=True) if ignore_index else made

    def sort_index(self, ascending=True):
        labels = self.index
        return self._take(sorted(range(len(self)), key=lambda at: labels[at], reverse=not ascending))

    def nlargest(self, n=5):
        return self._take(self._order(False)[:n])

    def nsmallest(self, n=5):
        return self._take(self._order(True)[:n])

    def _place_of(self, pick):
        found = [place for place, value in enumerate(self._values) if not missing(value)]
        if not found:
            raise ValueError("Encountered all NA values")
        return pick(found, key=self._values.__getitem__)

    def idxmax(self):
        return self.index[self._place_of(max)]

    def idxmin(self):
        return self.index[self._place_of(min)]

    def argmax(self):
        return self._place_of(max)

    def argmin(self):
        return self._place_of(min)

    def _running(self, step):
        total, values = None, []
        for value in self._values:
            if not missing(value):
                total = value if total is None else step(total, value)
            values.append(value if missing(value) else total)
        return self._infer(values)

    def cumsum(self):
        return self._running(lambda a, b: a + b)

    def cummax(self):
        return self._running(max)

    def cummin(self):
        return self._running(min)

    def shift(self, periods=1, fill_value=None):
        absent = empty_of(self._kind) if fill_value is None else fill_value
        count = len(self)
        values = [self._values[at - periods] if 0 <= at - periods < count else absent for at in range(count)]
        return self._infer(values)

    def diff(self, periods=1):
        return self - self.shift(periods)

    def agg(self, func):
        if isinstance(func, list):
            return Series([self.agg(one) for one in func], Index(func), name=self.name)
        name = _reduce.function_of(func)
        return name(self) if callable(name) else getattr(self, name)() if name != "size" else len(self)

    aggregate = agg

    def equals(self, other):
        if not isinstance(other, Series) or len(self) != len(other) or self._kind != other._kind:
            return False
        return all(a == b or (missing(a) and missing(b)) for a, b in zip(self._values, other._values))

    def groupby(self, by, sort=True):
        from pandas._groups import SeriesGroups

        keys = by if isinstance(by, Series) else Series(by)
        frame = self.to_frame("value")
        frame["key"] = Series._of(list(keys._values), frame.index, keys._kind)
        return SeriesGroups(frame, ["key"], "value", sort, self.name, keys.name)

    @property
    def str(self):
        from pandas._accessors import Texts

        return Texts(self)

    @property
    def dt(self):
        from pandas._accessors import Times

        return Times(self)

    # ---- operators --------------------------------------------------------------------------------------

    def _paired(self, other):
        """Pairs of elements by label, and their index."""
        if not isinstance(other, Series):
            if isinstance(other, (list, tuple, Values)):
                if len(other) != len(self):
                    raise ValueError(f"operands could not be broadcast together with shapes ({len(self)},) ({len(other)},)")
                return list(zip(self._values, other)), self.index
            return [(value, other) for value in self._values], self.index
        if same(self.index, other.index):
            return list(zip(self._values, other._values)), self.index
        if len(set(self.index)) != len(self) or len(set(other.index)) != len(other):
            raise not_there("arithmetic of Series whose labels repeat and differ")
        mine, theirs = dict(self.items()), dict(other.items())
        labels = sorted({*mine, *theirs})
        return [(mine.get(label, nan), theirs.get(label, nan)) for label in labels], Index(labels)

    def _compute(self, other, function, turned=False):
        pairs, index = self._paired(other)
        values = [function(b, a) if turned else function(a, b) for a, b in pairs]
        kind, values = infer(values)
        if not values:
            kind = self._kind
        kinds = {self._kind, other._kind if isinstance(other, Series) else kind}
        if kind == "int64" and "int64" not in {self._kind} and kinds <= {"int8", "int16", "int32", "int64"}:
            kind = common(kinds - {"int64"} or kinds) if not isinstance(other, Series) else common(kinds)
        name = self.name if not isinstance(other, Series) or other.name == self.name else None
        return Series._of(values, index, kind, name)

    def _compare(self, other, function):
        if isinstance(other, str) and self._kind == "datetime64[us]":
            from pandas._times import Timestamp

            other = Timestamp(other)
        if isinstance(other, Series) and not same(self.index, other.index):
            raise ValueError("Can only compare identically-labeled Series objects")
        pairs, index = self._paired(other)
        name = self.name if not isinstance(other, Series) or other.name == self.name else None
        return Series._of([function(a, b) for a, b in pairs], index, "bool", name)

    def __neg__(self):
        return self._infer([value if missing(value) else -value for value in self._values])

    def __invert__(self):
        if self._kind == "bool":
            return Series._of([not value for value in self._values], self.index, "bool", self.name)
        return self._infer([~value for value in self._values])

    __hash__ = None


class Values(list):
    """What stands for a numpy array: a list with the few methods that scripts use."""

    def tolist(self):
        return list(self)

    @property
    def size(self):
        return len(self)

    def sum(self):
        return _reduce.total(self, infer(self)[0])

    def max(self):
        return max(self)

    def min(self):
        return min(self)

    def mean(self):
        return _reduce.mean(self, infer(self)[0])

    def __repr__(self):
        return f"array([{', '.join(map(repr, self))}])"


def _binary(name, function):
    def forward(self, other):
        return self._compute(other, function)

    def turned(self, other):
        return self._compute(other, function, True)

    setattr(Series, f"__{name}__", forward)
    setattr(Series, f"__r{name}__", turned)
    setattr(Series, {"truediv": "div"}.get(name, name), forward)


def _comparing(name, function):
    def compare(self, other):
        return self._compare(other, function)

    setattr(Series, f"__{name}__", compare)
    setattr(Series, name, compare)


def _reducing(name, function):
    def reduce(self, axis=None, skipna=True, **options):
        if name in ("sum", "min", "max", "mean") and not skipna:
            return function(self._values, self._kind, False)
        options.pop("numeric_only", None)
        return function(self._values, self._kind, **options)

    setattr(Series, name, reduce)


for _name, _function in _operators.ARITHMETIC.items():
    _binary(_name, _function)
for _name, _function in _operators.LOGIC.items():
    _binary(_name, _function)
for _name, _function in _operators.COMPARISONS.items():
    _comparing(_name, _function)
for _name in ("sum", "min", "max", "mean", "median", "std", "var", "count", "nunique", "prod", "any", "all"):
    _reducing(_name, _reduce.FUNCTIONS[_name])
Series.quantile = lambda self, q=0.5: _reduce.quantile(self._values, self._kind, q)
del _name, _function
