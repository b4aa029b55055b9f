"""SparkConf: key-value pairs for a new context."""

__all__ = ["SparkConf"]


class SparkConf:
    def __init__(self, loadDefaults=True, _jvm=None, _jconf=None):
        self._values = {}

    def set(self, key, value):
        self._values[key] = str(value).lower() if isinstance(value, bool) else str(value)
        return self

    def setIfMissing(self, key, value):
        return self if key in self._values else self.set(key, value)

    def setMaster(self, value):
        return self.set("spark.master", value)

    def setAppName(self, value):
        return self.set("spark.app.name", value)

    def setSparkHome(self, value):
        return self.set("spark.home", value)

    def setExecutorEnv(self, key=None, value=None, pairs=None):
        if (key is not None and pairs is not None) or (key is None and pairs is None):
            from pyspark.errors import PySparkRuntimeError

            raise PySparkRuntimeError(errorClass="KEY_VALUE_PAIR_REQUIRED", messageParameters={})
        for name, given in [(key, value)] if pairs is None else pairs:
            self.set(f"spark.executorEnv.{name}", given)
        return self

    def setAll(self, pairs):
        for key, value in pairs:
            self.set(key, value)
        return self

    def get(self, key, defaultValue=None):
        return self._values.get(key, defaultValue)

    def getAll(self):
        return list(self._values.items())

    def contains(self, key):
        return key in self._values

    def toDebugString(self):
        return "\n".join(f"{key}={value}" for key, value in sorted(self._values.items()))
