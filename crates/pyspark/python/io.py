"""`io` over the session's file system: the interpreter's own buffers and text layer, our raw files."""

import _io
import abc
from _io import (
    DEFAULT_BUFFER_SIZE,
    BlockingIOError,
    BufferedRandom,
    BufferedReader,
    BufferedRWPair,
    BufferedWriter,
    BytesIO,
    IncrementalNewlineDecoder,
    StringIO,
    TextIOWrapper,
    UnsupportedOperation,
)

import _tidemark_files as _files

__all__ = [
    "BlockingIOError", "open", "open_code", "IOBase", "RawIOBase", "FileIO", "BytesIO", "StringIO", "BufferedIOBase",
    "BufferedReader", "BufferedWriter", "BufferedRWPair", "BufferedRandom", "TextIOBase", "TextIOWrapper",
    "UnsupportedOperation", "SEEK_SET", "SEEK_CUR", "SEEK_END", "DEFAULT_BUFFER_SIZE", "IncrementalNewlineDecoder",
    "text_encoding",
]  # fmt: skip

SEEK_SET = 0
SEEK_CUR = 1
SEEK_END = 2

UnsupportedOperation.__module__ = "io"


class IOBase(_io._IOBase, metaclass=abc.ABCMeta):
    pass


class RawIOBase(_io._RawIOBase, IOBase):
    pass


class BufferedIOBase(_io._BufferedIOBase, IOBase):
    pass


class TextIOBase(_io._TextIOBase, IOBase):
    pass


for _class in (BytesIO, BufferedReader, BufferedWriter, BufferedRandom, BufferedRWPair):
    BufferedIOBase.register(_class)
for _class in (StringIO, TextIOWrapper):
    TextIOBase.register(_class)
del _class


def text_encoding(encoding, stacklevel=2):
    return "utf-8" if encoding is None else encoding


class FileIO(_io._RawIOBase):
    """A file of the session. Its content is held here while it is open; `flush` and `close` write it back."""

    def __init__(self, name, mode="r", closefd=True, opener=None):
        import os

        if isinstance(name, int):
            raise OSError(9, "Bad file descriptor")
        self.name = name
        self._path = os.fsdecode(os.fspath(name))
        self._reading = "r" in mode or "+" in mode
        self._writing = "r" not in mode or "+" in mode
        self._appending = "a" in mode
        self._position = 0
        self._dirty = False
        if "x" in mode and os.path.exists(self._path):
            raise FileExistsError(17, "File exists", self._path)
        if os.path.isdir(self._path):
            raise IsADirectoryError(21, "Is a directory", self._path)
        if "w" in mode or "x" in mode:
            self._content = bytearray()
            _files.write(self._path, b"")
        elif self._appending:
            _files.append(self._path, b"")
            self._content = bytearray()
            if "+" in mode:
                self._content = bytearray(_files.read(self._path))
                self._position = len(self._content)
                self._flushed = self._position
            else:
                self._flushed = 0
        else:
            self._content = _files.read(self._path)
            if self._writing:
                self._content = bytearray(self._content)
        self.mode = ("ab" if self._appending else "wb" if not self._reading else "rb") + ("+" if "+" in mode else "")

    def readable(self):
        return self._reading

    def writable(self):
        return self._writing

    def seekable(self):
        return True

    def fileno(self):
        raise UnsupportedOperation("fileno")

    def isatty(self):
        return False

    def _open(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def readinto(self, buffer):
        self._open()
        if not self._reading:
            raise UnsupportedOperation("not readable")
        data = self._content[self._position : self._position + len(buffer)]
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def readall(self):
        self._open()
        if not self._reading:
            raise UnsupportedOperation("not readable")
        data = bytes(self._content[self._position :])
        self._position += len(data)
        return data

    def write(self, data):
        self._open()
        if not self._writing:
            raise UnsupportedOperation("not writable")
        data = bytes(data)
        if self._appending:
            self._position = len(self._content)
        elif self._position > len(self._content):
            self._content.extend(bytes(self._position - len(self._content)))
        self._content[self._position : self._position + len(data)] = data
        self._position += len(data)
        self._dirty = True
        # The interpreter's buffers stand in front: what comes here has been flushed.
        self._store()
        return len(data)

    def _store(self):
        if not self._dirty:
            return
        self._dirty = False
        if self._appending:
            _files.append(self._path, bytes(self._content[self._flushed :]))
            self._flushed = len(self._content)
        else:
            _files.write(self._path, bytes(self._content))

    def seek(self, offset, whence=0):
        self._open()
        base = 0 if whence == 0 else self._position if whence == 1 else len(self._content)
        if base + offset < 0:
            raise OSError(22, "Invalid argument")
        self._position = base + offset
        return self._position

    def tell(self):
        self._open()
        return self._position

    def truncate(self, size=None):
        self._open()
        if not self._writing:
            raise UnsupportedOperation("truncate")
        size = self._position if size is None else size
        if size < len(self._content):
            del self._content[size:]
        else:
            self._content.extend(bytes(size - len(self._content)))
        self._dirty = True
        self._store()
        return size

    def __repr__(self):
        return f"<_io.FileIO name={self.name!r} mode={self.mode!r}>"


RawIOBase.register(FileIO)


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    letters = set(mode)
    if letters - set("axrwb+t") or len(mode) > len(letters):
        raise ValueError(f"invalid mode: '{mode}'")
    binary = "b" in letters
    if binary and "t" in letters:
        raise ValueError("can't have text and binary mode at once")
    if len(letters & set("axrw")) != 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    if binary and encoding is not None:
        raise ValueError("binary mode doesn't take an encoding argument")
    if binary and errors is not None:
        raise ValueError("binary mode doesn't take an errors argument")
    if binary and newline is not None:
        raise ValueError("binary mode doesn't take a newline argument")
    raw = FileIO(file, mode.replace("b", "").replace("t", ""), closefd, opener)
    if buffering == 0:
        if binary:
            return raw
        raise ValueError("can't have unbuffered text I/O")
    if "+" in letters:
        buffer = BufferedRandom(raw)
    elif "r" in letters:
        buffer = BufferedReader(raw)
    else:
        buffer = BufferedWriter(raw)
    if binary:
        return buffer
    text = TextIOWrapper(buffer, encoding or "utf-8", errors, newline, buffering == 1)
    text.mode = mode
    return text


def open_code(path):
    return open(path, "rb")
