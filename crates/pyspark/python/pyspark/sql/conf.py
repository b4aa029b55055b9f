"""Runtime configuration of a session."""

import _tidemark_conf as _native

from pyspark.errors import PySparkTypeError
from pyspark.errors.exceptions import captured

__all__ = ["RuntimeConfig"]

_NONE = object()


class RuntimeConfig:
    def __init__(self, session):
        self._session = session

    def __getattribute__(self, name):
        object.__getattribute__(self, "_session")._enter()
        return object.__getattribute__(self, name)

    def set(self, key, value):
        if value is None:
            raise captured.IllegalArgumentException(f"requirement failed: value cannot be null for key: {key}")
        _native.set(key, str(value).lower() if isinstance(value, bool) else str(value))

    def get(self, key, default=_NONE):
        self._check(key, "key")
        if default is _NONE:
            return _native.get(key)
        if default is not None:
            self._check(default, "default")
        return _native.get_or(key, default)

    @property
    def getAll(self):
        return dict(_native.all())

    def unset(self, key):
        _native.unset(key)

    def isModifiable(self, key):
        self._check(key, "key")
        return _native.is_modifiable(key)

    @staticmethod
    def _check(value, name):
        if not isinstance(value, str):
            raise PySparkTypeError(
                errorClass="NOT_EXPECTED_TYPE",
                messageParameters={"expected_type": "str", "arg_name": name, "arg_type": type(value).__name__},
            )
