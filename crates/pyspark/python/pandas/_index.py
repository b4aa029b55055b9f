"""Index: the labels of rows or columns."""

from pandas._missing import refuse_attribute
from pandas._values import dtype, infer


class Index:
    def __init__(self, labels=(), name=None, kind=None):
        self._labels = list(labels)
        self.name = name
        self._kind = kind

    @classmethod
    def of(cls, labels):
        return labels if isinstance(labels, Index) else cls(labels)

    def __len__(self):
        return len(self._labels)

    def __iter__(self):
        return iter(self._labels)

    def __contains__(self, label):
        return label in self._labels

    def __getitem__(self, at):
        if isinstance(at, slice):
            return Index(self._labels[at], self.name)
        if isinstance(at, list):
            return Index([self._labels[place] for place in at], self.name)
        return self._labels[at]

    def __eq__(self, other):
        from pandas._series import Series

        others = other if isinstance(other, (Index, list, tuple)) else [other] * len(self)
        return Series([a == b for a, b in zip(self, others)])

    __hash__ = None

    def equals(self, other):
        return self._labels == list(other)

    @property
    def dtype(self):
        return dtype(self._kind or infer(self._labels)[0])

    @property
    def empty(self):
        return not self._labels

    @property
    def names(self):
        return [self.name]

    def tolist(self):
        return list(self._labels)

    to_list = tolist

    def get_loc(self, label):
        if label not in self._labels:
            raise KeyError(label)
        return self._labels.index(label)

    def isin(self, values):
        wanted = list(values)
        return [label in wanted for label in self._labels]

    def max(self):
        return max(self._labels)

    def min(self):
        return min(self._labels)

    def __repr__(self):
        name = f", name={self.name!r}" if self.name is not None else ""
        return f"Index({self._labels!r}, dtype='{self.dtype}'{name})"

    def __getattr__(self, name):
        refuse_attribute("Index", name)


class RangeIndex(Index):
    """The labels 0, 1, 2 ..."""

    def __init__(self, length, name=None):
        super().__init__(range(length), name, "int64")

    def __repr__(self):
        return f"RangeIndex(start=0, stop={len(self)}, step=1)"


def same(one, other):
    return one is other or one._labels == other._labels
