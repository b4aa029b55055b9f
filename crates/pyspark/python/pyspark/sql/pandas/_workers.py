"""What the engine calls for functions of tables: from columns to frames, through the function, and back.

The engine gives a list of tables, each (number of rows, columns); a wrapper gives a list of tables as lists of columns.
Tables of groups have the grouping columns first, then the columns of the frame."""

from collections.abc import Iterator

from pyspark.errors import PySparkRuntimeError, PySparkValueError
from pyspark.sql.pandas import _frames
from pyspark.sql.types import StructField, StructType


def _key(columns, fields, zone):
    """The grouping key as the function sees it: scalars of pandas."""
    return tuple(_frames.column(values[:1], field.dataType, zone)[1][0] for values, field in zip(columns, fields))


class _Table:
    """Stands for a pyarrow Table: it can be looked at in the plainest ways and handed back."""

    def __init__(self, columns, rows, names):
        self._columns, self.num_rows, self.column_names = columns, rows, names

    @property
    def num_columns(self):
        return len(self.column_names)

    def to_pydict(self):
        return dict(zip(self.column_names, self._columns))

    def to_pylist(self):
        return [dict(zip(self.column_names, row)) for row in zip(*self._columns)]

    def __len__(self):
        return self.num_rows

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"Tidemark does not have pyarrow: Table.{name}")


def _rows_match(made, expected):
    if made != expected:
        raise PySparkRuntimeError(
            errorClass="RESULT_ROWS_MISMATCH",
            messageParameters={"output_length": str(made), "input_length": str(expected)},
        )


def _results(result, rows, kind, zone):
    """The column that a scalar pandas udf gave."""
    from pandas import DataFrame, Series

    if not hasattr(result, "__len__"):
        raise _frames.returned("pandas.DataFrame" if isinstance(kind, StructType) else "pandas.Series", result)
    _rows_match(len(result), rows)
    if isinstance(kind, StructType) and not isinstance(result, DataFrame):
        raise PySparkValueError(
            "Invalid return type. Please make sure that the UDF returns a pandas.DataFrame when the specified return type is "
            "StructType."
        )
    if not isinstance(result, (Series, DataFrame)):
        result = Series(list(result))
    return _frames.values_of(result, StructField("_0", kind), zone)


def _split(columns, names, zone):
    """Positional and keyword arguments as Series."""
    made = [_frames.series(values, zone) for values in columns]
    positional = [one for one, name in zip(made, names) if name is None]
    return positional, {name: one for one, name in zip(made, names) if name is not None}


def scalar(func, kind, names):
    def call(tables):
        _, zone = _frames.session_zone()
        made = []
        for rows, columns in tables:
            positional, named = _split(columns, names or [None] * len(columns), zone)
            made.append([_results(func(*positional, **named), rows, kind, zone)])
        return made

    return call


def scalar_iterator(func, kind, names):
    def call(tables):
        _, zone = _frames.session_zone()
        seen = 0

        def inputs():
            nonlocal seen
            for rows, columns in tables:
                seen += rows
                made = [_frames.series(values, zone) for values in columns]
                yield made[0] if len(made) == 1 else tuple(made)

        given = inputs()
        results = func(given)
        label = "iterator of pandas.DataFrame" if isinstance(kind, StructType) else "iterator of pandas.Series"
        if not isinstance(results, Iterator):
            raise _frames.returned(label, results)
        made, total = [], 0
        for result in results:
            if not hasattr(result, "_kind") and not hasattr(result, "_kinds"):
                raise _frames.returned(label, f"iterator of {type(result).__name__}")
            total += len(result)
            if total > seen:
                raise PySparkRuntimeError(errorClass="OUTPUT_EXCEEDS_INPUT_ROWS", messageParameters={})
            made += _results(result, len(result), kind, zone)
        _rows_match(total, seen)
        if next(given, None) is not None:
            raise PySparkRuntimeError(errorClass="INPUT_NOT_FULLY_CONSUMED", messageParameters={})
        return [[made]]

    return call


def aggregate(func, kind, names, iterator=False):
    def call(tables):
        from pandas import Series

        _, zone = _frames.session_zone()
        (_, columns), = tables
        positional, named = _split(columns, names or [None] * len(columns), zone)
        if iterator:
            result = func(iter([positional[0] if len(positional) == 1 else tuple(positional)]))
        else:
            result = func(*positional, **named)
        return [[_frames.values_of(Series([result]), StructField("_0", kind), zone)]]

    return call


def map_frames(func, schema, fields, arrow=False):
    def call(tables):
        _, zone = _frames.session_zone()
        names = [field.name for field in fields]
        if arrow:
            given = (_Table(columns, rows, names) for rows, columns in tables)
        else:
            given = (_frames.frame(columns, rows, fields, zone, extension=True) for rows, columns in tables)
        results = func(given)
        label = "iterator of pyarrow.RecordBatch" if arrow else "iterator of pandas.DataFrame"
        if not isinstance(results, Iterator):
            raise _frames.returned(label, results)
        made = []
        for result in results:
            if arrow:
                made.append(_table_columns(result, schema))
                continue
            if not hasattr(result, "_kinds"):
                raise _frames.returned(label, f"iterator of {type(result).__name__}")
            _frames.check_frame(result, schema.fields, by_name=True, cut=True)
            made.append(_frames.columns_of(result, schema.fields, zone))
        return made

    return call


def _table_columns(result, schema):
    if not isinstance(result, _Table):
        raise _frames.returned("pyarrow.Table", result)
    columns = result.to_pydict()
    return [columns.get(field.name, [None] * len(result)) for field in schema.fields]


def groups(func, schema, keys, fields, with_key, iterator=False, arrow=False):
    """applyInPandas and applyInArrow: one call a group."""

    def call(tables):
        _, zone = _frames.session_zone()
        (rows, columns), = tables
        count = len(columns) - len(fields)
        kinds = keys(count)
        if arrow:
            given = _Table(columns[count:], rows, [field.name for field in fields])
            key = tuple(values[0] for values in columns[:count])
            return [_table_columns(func(key, given) if with_key else func(given), schema)]
        given = _frames.frame(columns[count:], rows, fields, zone)
        if iterator:
            given = iter([given])
        result = func(_key(columns, kinds, zone), given) if with_key else func(given)
        results = list(result) if iterator else [result]
        for one in results:
            _frames.check_frame(one, schema.fields, by_name=True)
        return [_frames.columns_of(one, schema.fields, zone) for one in results]

    return call


def co_groups(func, schema, keys, left, right, with_key, arrow=False):
    def call(tables):
        _, zone = _frames.session_zone()
        frames, key = [], ()
        for (rows, columns), fields in zip(tables, (left, right)):
            count = len(columns) - len(fields)
            if arrow:
                frames.append(_Table(columns[count:], rows, [field.name for field in fields]))
            else:
                frames.append(_frames.frame(columns[count:], rows, fields, zone))
            if rows and not key:
                key = _key(columns[:count], keys(count), zone)
        result = func(key, *frames) if with_key else func(*frames)
        if arrow:
            return [_table_columns(result, schema)]
        _frames.check_frame(result, schema.fields, by_name=True)
        return [_frames.columns_of(result, schema.fields, zone)]

    return call


def _check_state_schema(kind):
    """Spark 4.3.0 hands the worker the state schema's JSON in lower case: the parts of arrays and maps are not found."""
    from pyspark.sql.types import ArrayType, MapType

    if isinstance(kind, ArrayType):
        raise KeyError("elementType")
    if isinstance(kind, MapType):
        raise KeyError("keyType")
    if isinstance(kind, StructType):
        for field in kind.fields:
            _check_state_schema(field.dataType)


def group_state(func, schema, state_schema, keys, fields):
    """applyInPandasWithState: rows and state of one key."""
    from pyspark.sql.streaming.state import GroupState

    def call(table, before, batch_ms, watermark_ms, timeout, timed_out, watermark_present, timeout_ms):
        from pandas import DataFrame

        _check_state_schema(state_schema)
        _, zone = _frames.session_zone()
        rows, columns = table
        count = len(columns) - len(fields)
        key = _key(columns, keys(count), zone)
        state = GroupState(before, batch_ms, watermark_ms, timeout, timed_out, watermark_present, before is not None, False,
                           False, timeout_ms, None, state_schema)  # fmt: skip
        if timed_out:
            values = [DataFrame(columns=[field.name for field in fields])]
        else:
            values = (one for one in [_frames.frame(columns[count:], rows, fields, zone)])
        results = func(key, values, state)
        if isinstance(results, DataFrame):
            raise _frames.returned("iterable of pandas.DataFrame", results)
        try:
            results = iter(results)
        except TypeError:
            raise _frames.returned("iterable", results) from None
        made = []
        for result in results:
            if not isinstance(result, DataFrame):
                raise _frames.returned("iterator of pandas.DataFrame", f"iterator of {type(result).__name__}")
            if len(result.columns) != len(schema.fields) and not (len(result.columns) == 0 and result.empty):
                raise _frames.wrong_count(len(schema.fields), len(result.columns))
            if len(result) > 0:
                made.append(_frames.columns_of(result, schema.fields, zone, absent_is_null=True, loose=True))
        after = tuple(state._value) if state.exists else None
        return made, after, state.exists, state._updated, state._removed, state._timeout_timestamp

    return call
