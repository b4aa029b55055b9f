"""Puts the session's output, files and clock where Python expects them. Imported once, before the script."""

import builtins
import sys

import _tidemark_system


class _Output:
    """A text stream to the host."""

    encoding = "utf-8"
    errors = "strict"
    newlines = None
    closed = False
    line_buffering = True
    mode = "w"

    def __init__(self, name, stderr):
        self.name = name
        self._stderr = stderr

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        _tidemark_system.write(self._stderr, text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def close(self):
        pass

    def isatty(self):
        return False

    def fileno(self):
        import io

        raise io.UnsupportedOperation("fileno")

    def readable(self):
        return False

    def writable(self):
        return True

    def seekable(self):
        return False

    def reconfigure(self, **_):
        pass

    @property
    def buffer(self):
        return _Bytes(self)


class _Bytes:
    """The bytes side of a text stream (sys.stdout.buffer)."""

    def __init__(self, text):
        self._text = text

    def write(self, data):
        self._text.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def flush(self):
        pass


class _NoInput:
    """Standard input, always at its end."""

    name = "<stdin>"
    encoding = "utf-8"
    closed = False

    def read(self, size=-1):
        return ""

    def readline(self, size=-1):
        return ""

    def readlines(self, hint=-1):
        return []

    def __iter__(self):
        return iter(())

    def isatty(self):
        return False


def _open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    import io

    return io.open(file, mode, buffering, encoding, errors, newline, closefd, opener)


def _input(prompt=""):
    sys.stdout.write(str(prompt))
    raise EOFError("EOF when reading a line")


class _ModulesBesideTheScript:
    """Finds modules among the session's files."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        import _tidemark_files as files

        tail = name.rpartition(".")[2]
        for folder in path if path is not None else sys.path:
            base = f"{folder or '.'}/{tail}"
            for file, package in ((f"{base}/__init__.py", True), (f"{base}.py", False)):
                try:
                    if files.stat(file)[0]:
                        continue
                except OSError:
                    continue
                return _spec(name, file, base if package else None)
        return None


def _spec(name, file, package):
    import _frozen_importlib

    spec = _frozen_importlib.ModuleSpec(name, _Loader(file), origin=file, is_package=package is not None)
    if package is not None:
        spec.submodule_search_locations.append(package)
    spec.has_location = True
    return spec


class _Loader:
    def __init__(self, file):
        self.file = file

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import _tidemark_files as files

        source = files.read(self.file).decode("utf-8")
        code = compile(source, self.file.removeprefix("./"), "exec")
        watch(code)
        exec(code, module.__dict__)


_MONITOR = 5


def watch(code):
    """Looks at the interrupt flag at every backward jump of a code object and those inside it."""
    events = sys.monitoring.events
    pending = [code]
    while pending:
        current = pending.pop()
        sys.monitoring.set_local_events(_MONITOR, current, events.JUMP)
        pending.extend(item for item in current.co_consts if type(item) is type(code))


def _install():
    sys.stdout = sys.__stdout__ = _Output("<stdout>", False)
    sys.stderr = sys.__stderr__ = _Output("<stderr>", True)
    sys.stdin = sys.__stdin__ = _NoInput()
    sys.argv = _tidemark_system.argv()
    sys.path = [""]
    sys.executable = "python"
    builtins.open = _open
    builtins.input = _input
    import _tidemark_time

    _tidemark_time.__name__ = "time"
    sys.modules["time"] = _tidemark_time
    sys.meta_path.append(_ModulesBesideTheScript)
    sys.monitoring.use_tool_id(_MONITOR, "tidemark")
    sys.monitoring.register_callback(_MONITOR, sys.monitoring.events.JUMP, _tidemark_system.poll)


_install()
