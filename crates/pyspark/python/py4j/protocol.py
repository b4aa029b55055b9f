"""py4j's exceptions: a JVM exception that PySpark does not turn into one of its own."""


class Py4JError(Exception):
    def __init__(self, args=None, cause=None):
        super().__init__(args)
        self.cause = cause


class Py4JNetworkError(Py4JError):
    pass


class _JavaException:
    """Stands for the JVM's exception object."""

    def __init__(self, java_class, message, trace):
        self._class = java_class
        self._message = message
        self._trace = trace

    def getMessage(self):
        return self._message

    def toString(self):
        return f"{self._class}: {self._message}" if self._message else self._class

    def getClass(self):
        return _JavaClass(self._class)

    def getCause(self):
        return None


class _JavaClass:
    def __init__(self, name):
        self._name = name

    def getName(self):
        return self._name

    def getSimpleName(self):
        return self._name.rpartition(".")[2]


class Py4JJavaError(Py4JError):
    def __init__(self, msg, java_exception):
        super().__init__(msg)
        self.errmsg = msg
        self.java_exception = java_exception

    def __str__(self):
        return f"{self.errmsg}: {self.java_exception._trace}\n"
