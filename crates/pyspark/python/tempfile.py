"""`tempfile` in the session's file system: under /tmp, or under the working directory where that cannot be made."""

import os as _os
import shutil as _shutil

__all__ = [
    "NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile", "TemporaryDirectory", "mkstemp", "mkdtemp", "mktemp",
    "gettempdir", "gettempprefix", "tempdir",
]  # fmt: skip

tempdir = None
template = "tmp"
_letters = "abcdefghijklmnopqrstuvwxyz0123456789_"


def gettempprefix():
    return template


def gettempdir():
    if tempdir is not None:
        return tempdir
    folder = _os.environ.get("TMPDIR") or "/tmp"
    try:
        _os.makedirs(folder, exist_ok=True)
        return folder
    except OSError:
        return _os.getcwd()


def mktemp(suffix="", prefix=template, dir=None):
    folder = gettempdir() if dir is None else _os.fspath(dir)
    for _ in range(1000):
        tail = "".join(_letters[byte % len(_letters)] for byte in _os.urandom(8))
        candidate = _os.path.join(folder, f"{prefix or template}{tail}{suffix or ''}")
        if not _os.path.exists(candidate):
            return candidate
    raise FileExistsError(17, "No usable temporary name found")


def mkdtemp(suffix=None, prefix=None, dir=None):
    folder = _os.path.abspath(mktemp(suffix, prefix, dir))
    _os.mkdir(folder)
    return folder


def mkstemp(suffix=None, prefix=None, dir=None, text=False):
    raise NotImplementedError("a session has no file descriptors; use NamedTemporaryFile")


class _File:
    def __init__(self, file, name, delete):
        self.file = file
        self.name = name
        self._delete = delete

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __iter__(self):
        return iter(self.file)

    def close(self):
        self.file.close()
        if self._delete:
            self._delete = False
            _os.remove(self.name)

    def __enter__(self):
        self.file.__enter__()
        return self

    def __exit__(self, *_):
        self.close()


def NamedTemporaryFile(
    mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None, delete=True, *,
    errors=None, delete_on_close=True,
):  # fmt: skip
    name = mktemp(suffix, prefix, dir)
    return _File(open(name, mode, buffering, encoding, errors, newline), name, delete)


def TemporaryFile(mode="w+b", *args, **kwargs):
    return NamedTemporaryFile(mode, *args, **kwargs)


def SpooledTemporaryFile(max_size=0, mode="w+b", *args, **kwargs):
    return NamedTemporaryFile(mode, *args, **kwargs)


class TemporaryDirectory:
    def __init__(self, suffix=None, prefix=None, dir=None, ignore_cleanup_errors=False, *, delete=True):
        self.name = mkdtemp(suffix, prefix, dir)
        self._delete = delete

    def cleanup(self):
        _shutil.rmtree(self.name, ignore_errors=True)

    def __enter__(self):
        return self.name

    def __exit__(self, *_):
        if self._delete:
            self.cleanup()
