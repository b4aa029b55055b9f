"""iloc and loc."""

from pandas._missing import not_there
from pandas._series import Series, infer


def _places(index, key):
    """Places that a key of iloc means; None: one row."""
    if isinstance(key, slice):
        return range(len(index))[key]
    if isinstance(key, (list, tuple, Series)):
        key = list(key)
        if key and all(isinstance(item, bool) for item in key):
            return [place for place, keep in enumerate(key) if keep]
        return key
    return None


def _at(index, place):
    if not -len(index) <= place < len(index):
        raise IndexError("single positional indexer is out-of-bounds")
    return place % len(index)


def _labelled(index, key):
    """Places that a key of loc means; None: one row."""
    if isinstance(key, slice):
        labels = index._labels
        start = 0 if key.start is None else labels.index(key.start)
        stop = len(labels) if key.stop is None else len(labels) - labels[::-1].index(key.stop)
        return range(start, stop, key.step or 1)
    if isinstance(key, (list, Series)):
        key = list(key)
        if key and all(isinstance(item, bool) for item in key):
            return [place for place, keep in enumerate(key) if keep]
        return [index.get_loc(label) for label in key]
    if index._labels.count(key) > 1:
        return [place for place, label in enumerate(index._labels) if label == key]
    return None


class SeriesPlaces:
    def __init__(self, series):
        self._series = series

    def __getitem__(self, key):
        places = _places(self._series.index, key)
        if places is None:
            return self._series._values[_at(self._series.index, key)]
        return self._series._take(places)

    def __setitem__(self, key, value):
        places = _places(self._series.index, key)
        for place in [_at(self._series.index, key)] if places is None else places:
            self._series._values[place] = value
        self._series._kind, self._series._values = infer(self._series._values)


class SeriesLabels(SeriesPlaces):
    def __getitem__(self, key):
        places = _labelled(self._series.index, key)
        if places is None:
            return self._series._values[self._series.index.get_loc(key)]
        return self._series._take(places)

    def __setitem__(self, key, value):
        places = None if isinstance(key, Series) else _labelled(self._series.index, key)
        if places is None:
            self._series[key] = value
            return
        for place in places:
            self._series._values[place] = value
        self._series._kind, self._series._values = infer(self._series._values)


class FramePlaces:
    """df.iloc"""

    def __init__(self, frame):
        self._frame = frame

    def _rows(self, key):
        places = _places(self._frame.index, key)
        return (_at(self._frame.index, key), True) if places is None else (places, False)

    def _columns(self, key):
        names = list(self._frame.columns)
        if isinstance(key, slice):
            return names[key], False
        if isinstance(key, (list, tuple, range)):
            return [names[place] for place in key], False
        return names[_at(names, key)], True

    def _split(self, key):
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        return self._rows(rows), self._columns(columns)

    def __getitem__(self, key):
        (rows, one_row), (columns, one_column) = self._split(key)
        frame = self._frame
        if one_column:
            series = frame[columns]
            return series._values[rows] if one_row else series._take(rows)
        chosen = frame[columns] if columns != list(frame.columns) else frame
        return chosen._row(rows) if one_row else chosen._take(rows)

    def __setitem__(self, key, value):
        (rows, one_row), (columns, one_column) = self._split(key)
        rows = [rows] if one_row else list(rows)
        names = [columns] if one_column else list(columns)
        for at, name in enumerate(names):
            old = self._frame._data.setdefault(name, [None] * len(self._frame))
            for nth, place in enumerate(rows):
                given = value
                if isinstance(value, (list, tuple, Series)):
                    given = list(value)[nth if one_column else at]
                old[place] = given
            self._frame._kinds[name], self._frame._data[name] = infer(old)


class FrameLabels(FramePlaces):
    """df.loc"""

    def _rows(self, key):
        places = _labelled(self._frame.index, key)
        if places is None and isinstance(key, tuple):
            raise not_there("labels of several levels")
        return (self._frame.index.get_loc(key), True) if places is None else (places, False)

    def _columns(self, key):
        names = list(self._frame.columns)
        if isinstance(key, slice):
            start = 0 if key.start is None else names.index(key.start)
            stop = len(names) if key.stop is None else names.index(key.stop) + 1
            return names[start:stop], False
        if isinstance(key, list):
            return key, False
        return key, True

    def __setitem__(self, key, value):
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        alone = not isinstance(rows, (slice, list, Series))
        if alone and rows not in self._frame.index:
            self._frame._append(rows)
        super().__setitem__((rows, columns), value)
