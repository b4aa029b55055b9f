"""Observation: metrics of a frame, known after its first action."""

from pyspark.errors import PySparkAssertionError, PySparkTypeError, PySparkValueError

__all__ = ["Observation"]


class Observation:
    def __init__(self, name=None):
        if name is not None:
            if not isinstance(name, str):
                raise PySparkTypeError(
                    errorClass="NOT_EXPECTED_TYPE",
                    messageParameters={
                        "expected_type": "str",
                        "arg_name": "name",
                        "arg_type": type(name).__name__,
                    },
                )
            if name == "":
                raise PySparkValueError(
                    errorClass="VALUE_NOT_NON_EMPTY_STR",
                    messageParameters={"arg_name": "name", "arg_value": name},
                )
        self._name = name
        self._frame = None

    def _on(self, df, *exprs):
        if self._frame is not None:
            raise PySparkAssertionError(errorClass="REUSE_OBSERVATION", messageParameters={})
        if df.isStreaming:
            from pyspark.errors.exceptions import captured

            raise captured.IllegalArgumentException("Observation does not support streaming Datasets")
        if self._name is None:
            import uuid

            self._name = str(uuid.uuid4())
        self._frame = df.agg(*exprs)
        return df.observe(self._name, *exprs)

    @property
    def get(self):
        if self._frame is None:
            raise PySparkAssertionError(errorClass="NO_OBSERVE_BEFORE_GET", messageParameters={})
        return self._frame.collect()[0].asDict()
