"""What the engine calls to write to a data source of the script's: one object for a batch, or for a streaming query."""

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import datasource as api
from pyspark.sql._crossing import crossed
from pyspark.sql._source_worker import mismatch
from pyspark.sql.types import _parse_datatype_json_string


class Writing:
    """Tasks and the commit get copies of the writer, as they come to Python processes of their own in Spark."""

    def __init__(self, registered, provider, options, schema, overwrite):
        self._registered, self._provider, self._options = registered, provider, options
        self._schema = _parse_datatype_json_string(schema)
        self._overwrite = overwrite == "true"
        self._source = self._writer = None
        self._messages = []

    def begin(self, stream):
        """Makes instance and writer, for every batch anew."""
        source = self._registered.instance(self._provider, self._options)
        if stream == "true":
            writer = source.streamWriter(self._schema, self._overwrite)
            kind, expected = api.DataSourceStreamWriter, "DataSourceStreamWriter or DataSourceStreamArrowWriter"
        else:
            writer = source.writer(self._schema, self._overwrite)
            kind = api.DataSourceWriter
            expected = kind.__name__
        if not isinstance(writer, kind):
            raise mismatch(f"an instance of {expected}", writer)
        if isinstance(writer, (api.DataSourceArrowWriter, api.DataSourceStreamArrowWriter)):
            from pyspark.sql._literals import not_yet

            raise not_yet(f"{type(writer).__name__}, which writes batches of pyarrow,")
        self._writer = crossed(writer)
        self._messages = []

    def write(self, rows):
        """A task: the rows of one partition."""
        # Where it fails there is no message.
        self._messages.append(None)
        message = crossed(self._writer).write(iter(rows))
        if not isinstance(message, api.WriterCommitMessage):
            raise PySparkRuntimeError(
                errorClass="DATA_SOURCE_TYPE_MISMATCH",
                messageParameters={
                    "expected": "'WriterCommitMessage' as the return type of the `write` method",
                    "actual": type(message).__name__,
                },
            )
        self._messages[-1] = crossed(message)

    def finish(self, method, tasks):
        """commit() or abort() of a batch of so many tasks."""
        writer, messages = crossed((self._writer, self._of(tasks)))
        getattr(writer, method)(messages)

    def finish_stream(self, method, tasks, batch):
        """The same of a micro-batch: by a writer that an instance kept for the query makes."""
        if self._source is None:
            self._source = crossed(self._registered.instance(self._provider, self._options))
        source, messages = crossed((self._source, self._of(tasks)))
        writer = source.streamWriter(schema=self._schema, overwrite=self._overwrite)
        getattr(writer, method)(messages, int(batch))

    def _of(self, tasks):
        return self._messages + [None] * (int(tasks) - len(self._messages))
