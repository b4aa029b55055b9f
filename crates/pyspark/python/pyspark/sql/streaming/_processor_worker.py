"""What the engine calls for a stateful processor: `init` on the driver, then partition after partition."""

import copy

from pyspark.errors import PySparkValueError
from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, StatefulProcessorHandle, TimerValues, _ask
from pyspark.sql.types import TimestampType, _create_row


def _phase(name):
    _ask("Error setting handle state", "set_phase", name)


def _times(time_mode):
    if time_mode.lower() == "none":
        return -1, -1
    return (_ask("Error getting processing timestamp", "processing_time"),
            _ask("Error getting eventtime timestamp", "watermark"))  # fmt: skip


def _use_key(key):
    _ask("Error setting implicit key", "set_key", key=tuple(None if value != value else value for value in key))


def worker(processor, output, time_mode, pandas, grouped, initial):
    fields = grouped._df.schema.fields
    initial_fields = None if initial is None else initial._df.schema.fields
    rows_of = _PandasRows if pandas else _Rows

    def call(groups):
        if groups is None:
            _phase("PRE_INIT")
            processor.init(StatefulProcessorHandle())
            processor.close()
            return []
        # Every task has its own copy: what a processor notes on itself ends with the partition.
        try:
            mine = copy.deepcopy(processor)
        except Exception:
            mine = processor
        mine.init(StatefulProcessorHandle())
        _phase("INITIALIZED")
        rows = rows_of(output, fields, initial_fields, groups)
        made = []
        for key, given, states in rows.groups():
            _use_key(key)
            times = TimerValues(*_times(time_mode))
            for state in states:
                mine.handleInitialState(key, state, times)
            if given is not None:
                rows.take(mine.handleInputRows(key, given, times), made)
        _phase("DATA_PROCESSED")
        _expired(mine, time_mode, rows, made)
        _phase("TIMER_PROCESSED")
        _ask("Error removing implicit key", "remove_key")
        mine.close()
        _phase("CLOSED")
        return made

    return call


def _put_out(count):
    """Rows have come out for the key at hand."""
    _ask("Error noting rows", "put_out", number=count)


def _expired(processor, time_mode, rows, made):
    batch, watermark = _times(time_mode)
    if time_mode.lower() == "none":
        return
    threshold = batch if time_mode.lower() == "processingtime" else watermark
    for key, expiry in _ask("Error getting expired timers", "expired_timers", number=threshold):
        _use_key(key)
        times = TimerValues(batch, watermark)
        rows.take(processor.handleExpiredTimer(key=key, timerValues=times, expiredTimerInfo=ExpiredTimerInfo(expiry)), made)
        _ask("Error deleting timer", "delete_timer", number=expiry)


class _Rows:
    """Rows for the row-based form."""

    def __init__(self, output, fields, initial_fields, groups):
        from pyspark.sql._udf_results import converter

        self._groups, self._fields, self._initial_fields = groups, fields, initial_fields
        self._names = [field.name for field in output.fields]
        self._converters = [converter(field.dataType) for field in output.fields]
        self._zone = None

    def _local(self, value):
        """Times with the session's zone, as Arrow gives them."""
        if self._zone is None:
            from zoneinfo import ZoneInfo

            from pyspark.sql.pandas._frames import session_zone

            self._zone = ZoneInfo(session_zone()[0])
        import datetime

        return None if value is None else value.replace(tzinfo=datetime.timezone.utc).astimezone(self._zone)

    def _table(self, table, fields):
        """Key and rows of a table: the columns that only the key has come first."""
        rows, columns = table
        count = len(columns) - len(fields)
        key = tuple(column[0] for column in columns[:count])
        values = columns[count:]
        values = [
            [self._local(value) for value in column] if isinstance(field.dataType, TimestampType) else column
            for column, field in zip(values, fields)
        ]
        names = [field.name for field in fields]
        return key, [_create_row(names, row) for row in zip(*values)]

    def groups(self):
        for table, initial in self._groups:
            key, given, states = (), None, []
            if initial is not None:
                key, states = self._table(initial, self._initial_fields)
            if table is not None:
                key, rows = self._table(table, self._fields)
                given = iter(rows)
            yield key, given, states

    def take(self, results, made):
        rows = [row.asDict(True) for row in results]
        if rows:
            _put_out(len(rows))
            made.append([[convert(row.get(name)) for row in rows] for name, convert in zip(self._names, self._converters)])


class _PandasRows:
    """DataFrames for the pandas form."""

    def __init__(self, output, fields, initial_fields, groups):
        self._output, self._groups = output, groups
        self._fields, self._initial_fields = fields, initial_fields
        from pyspark.sql.pandas import _frames

        self._frames = _frames
        self._zone = _frames.session_zone()[1]

    def _tables(self, at, fields):
        """Key and frame of each group. Kinds are those of the whole partition: one null makes floats of all integers."""
        from pandas import DataFrame

        tables = [group[at] for group in self._groups]
        present = [table for table in tables if table is not None]
        if not present:
            return [None] * len(tables)
        width = len(present[0][1])
        count = width - len(fields)
        whole = [[value for _, columns in present for value in columns[place]] for place in range(width)]
        shown = [self._frames.column(values, field.dataType, self._zone)[1] for values, field in zip(whole[count:], fields)]
        keys = [self._frames.series(values, self._zone)._values for values in whole[:count]]
        start, made = 0, []
        for table in tables:
            if table is None:
                made.append(None)
                continue
            end = start + table[0]
            data = DataFrame({field.name: column[start:end] for field, column in zip(fields, shown)})
            made.append((tuple(column[start] for column in keys), data))
            start = end
        return made

    def groups(self):
        rows = self._tables(0, self._fields)
        states = self._tables(1, self._initial_fields) if self._initial_fields is not None else [None] * len(rows)
        for table, initial in zip(rows, states):
            key = table[0] if table is not None else initial[0]
            yield key, None if table is None else iter([table[1]]), [] if initial is None else [initial[1]]

    def take(self, results, made):
        from pandas import DataFrame

        for result in results:
            if not isinstance(result, DataFrame):
                raise PySparkValueError(
                    "Invalid return type. Please make sure that the UDF returns a pandas.DataFrame when the specified return "
                    "type is StructType."
                )
            _put_out(len(result))
            made.append(self._frames.columns_of(result, self._output.fields, self._zone))
