"""`os` over the session's file system. There are no processes, users, permissions or links here."""

import abc
import stat as _stat
import sys

import _tidemark_files as _files
import _tidemark_system

name = "posix"
linesep = "\n"
sep = "/"
altsep = None
extsep = "."
curdir = "."
pardir = ".."
pathsep = ":"
defpath = "/bin:/usr/bin"
devnull = "/dev/null"
error = OSError
F_OK, R_OK, W_OK, X_OK = 0, 4, 2, 1
O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND = 0, 1, 2, 64, 128, 512, 1024
SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
supports_fd = set()
supports_dir_fd = set()
supports_follow_symlinks = set()
supports_effective_ids = set()
supports_bytes_environ = False


class PathLike(abc.ABC):
    __slots__ = ()

    @abc.abstractmethod
    def __fspath__(self):
        raise NotImplementedError

    @classmethod
    def __subclasshook__(cls, subclass):
        return hasattr(subclass, "__fspath__") if cls is PathLike else NotImplemented

    def __class_getitem__(cls, item):
        return cls


def fspath(path):
    if isinstance(path, (str, bytes)):
        return path
    method = getattr(type(path), "__fspath__", None)
    if method is None:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    result = method(path)
    if not isinstance(result, (str, bytes)):
        kind = type(path).__name__
        raise TypeError(f"expected {kind}.__fspath__() to return str or bytes, not {type(result).__name__}")
    return result


def fsdecode(path):
    path = fspath(path)
    return path.decode("utf-8", "surrogateescape") if isinstance(path, bytes) else path


def fsencode(path):
    path = fspath(path)
    return path.encode("utf-8", "surrogateescape") if isinstance(path, str) else path


class _Environ(dict):
    def __setitem__(self, key, value):
        for item in (key, value):
            if not isinstance(item, str):
                raise TypeError(f"str expected, not {type(item).__name__}")
        super().__setitem__(key, value)

    def setdefault(self, key, value):
        if key not in self:
            self[key] = value
        return self[key]

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def copy(self):
        return dict(self)


environ = _Environ(_tidemark_system.environment())


def getenv(key, default=None):
    return environ.get(key, default)


def putenv(key, value):
    environ[key] = value


def unsetenv(key):
    environ.pop(key, None)


class stat_result(tuple):
    def __new__(cls, parts, extra=None):
        self = tuple.__new__(cls, parts)
        return self

    st_mode = property(lambda self: self[0])
    st_ino = property(lambda self: self[1])
    st_dev = property(lambda self: self[2])
    st_nlink = property(lambda self: self[3])
    st_uid = property(lambda self: self[4])
    st_gid = property(lambda self: self[5])
    st_size = property(lambda self: self[6])

    def __repr__(self):
        names = ("mode", "ino", "dev", "nlink", "uid", "gid", "size", "atime", "mtime", "ctime")
        return "os.stat_result(" + ", ".join(f"st_{n}={v}" for n, v in zip(names, self)) + ")"


def _stat_of(path):
    is_dir, size, modified_ms = _files.stat(fsdecode(path))
    mode = (_stat.S_IFDIR | 0o755) if is_dir else (_stat.S_IFREG | 0o644)
    seconds = modified_ms // 1000
    result = stat_result((mode, 0, 0, 1, 0, 0, size, seconds, seconds, seconds))
    for which in ("atime", "mtime", "ctime"):
        setattr(result, f"st_{which}", modified_ms / 1000)
        setattr(result, f"st_{which}_ns", modified_ms * 1_000_000)
    return result


def _no_descriptor(path):
    if isinstance(path, int):
        raise OSError(9, "Bad file descriptor")


def stat(path, *, dir_fd=None, follow_symlinks=True):
    _no_descriptor(path)
    return _stat_of(path)


def lstat(path, *, dir_fd=None):
    return stat(path)


def getcwd():
    return _files.cwd()


def getcwdb():
    return fsencode(getcwd())


def chdir(path):
    raise NotImplementedError("the working directory of a session is fixed")


def listdir(path="."):
    return [entry for entry, _ in _files.list(fsdecode(path))]


class DirEntry:
    def __init__(self, folder, entry, is_dir):
        self.name = entry
        self.path = folder + ("" if folder.endswith("/") else "/") + entry
        self._is_dir = is_dir

    def is_dir(self, *, follow_symlinks=True):
        return self._is_dir

    def is_file(self, *, follow_symlinks=True):
        return not self._is_dir

    def is_symlink(self):
        return False

    def is_junction(self):
        return False

    def stat(self, *, follow_symlinks=True):
        return stat(self.path)

    def inode(self):
        return 0

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<DirEntry {self.name!r}>"


class _Scan:
    def __init__(self, entries):
        self._entries = iter(entries)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._entries)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._entries = iter(())


def scandir(path="."):
    folder = fsdecode(path)
    return _Scan([DirEntry(folder, entry, is_dir) for entry, is_dir in _files.list(folder)])


def mkdir(path, mode=0o777, *, dir_fd=None):
    _files.mkdir(fsdecode(path))


def makedirs(name, mode=0o777, exist_ok=False):
    head, tail = path.split(name)
    if not tail:
        head, tail = path.split(head)
    if head and tail and not path.exists(head):
        try:
            makedirs(head, exist_ok=exist_ok)
        except FileExistsError:
            pass
        if tail == curdir:
            return
    try:
        mkdir(name, mode)
    except OSError:
        if not exist_ok or not path.isdir(name):
            raise


def rmdir(path, *, dir_fd=None):
    _files.rmdir(fsdecode(path))


def removedirs(name):
    rmdir(name)
    head, tail = path.split(name)
    while head and tail:
        try:
            rmdir(head)
        except OSError:
            break
        head, tail = path.split(head)


def remove(path, *, dir_fd=None):
    _files.remove(fsdecode(path))


unlink = remove


def rename(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
    _files.rename(fsdecode(src), fsdecode(dst))


def renames(old, new):
    head, _ = path.split(new)
    if head and not path.exists(head):
        makedirs(head)
    rename(old, new)


def replace(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
    _files.rename(fsdecode(src), fsdecode(dst))


def utime(path, times=None, *, ns=None, dir_fd=None, follow_symlinks=True):
    if ns is not None:
        modified_ms = ns[1] // 1_000_000
    elif times is not None:
        modified_ms = int(times[1] * 1000)
    else:
        modified_ms = _tidemark_system.now_us() // 1000
    _files.set_modified(fsdecode(path), modified_ms)


def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    try:
        stat(path)
    except OSError:
        return False
    return True


def chmod(path, mode, *, dir_fd=None, follow_symlinks=True):
    stat(path)


def walk(top, topdown=True, onerror=None, followlinks=False):
    top = fspath(top)
    try:
        entries = _files.list(fsdecode(top))
    except OSError as failure:
        if onerror is not None:
            onerror(failure)
        return
    folders = [entry for entry, is_dir in entries if is_dir]
    files = [entry for entry, is_dir in entries if not is_dir]
    if topdown:
        yield top, folders, files
    for folder in folders:
        yield from walk(path.join(top, folder), topdown, onerror, followlinks)
    if not topdown:
        yield top, folders, files


def getpid():
    return 1


def getppid():
    return 0


def getuid():
    return 0


getgid = geteuid = getegid = getuid


def cpu_count():
    return 1


process_cpu_count = cpu_count


def umask(mask):
    return 0o022


def fsync(fd):
    pass


def isatty(fd):
    return False


def strerror(code):
    import errno

    return errno.errorcode.get(code, f"Unknown error {code}")


def get_terminal_size(fd=1):
    return terminal_size((80, 24))


class terminal_size(tuple):
    columns = property(lambda self: self[0])
    lines = property(lambda self: self[1])


def uname():
    raise OSError(38, "Function not implemented")


class _Bytes:
    """Bytes that follow from the session's seed: a session gives the same run every time."""

    def __init__(self):
        self.state = _tidemark_system.seed() ^ 0x9E3779B97F4A7C15

    def take(self, count):
        out = bytearray()
        while len(out) < count:
            self.state = (self.state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
            word = self.state
            word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
            word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
            out += (word ^ (word >> 31)).to_bytes(8, "little")
        return bytes(out[:count])


_random = _Bytes()


def urandom(size):
    return _random.take(size)


getrandom = urandom


def system(command):
    raise NotImplementedError("there is no shell in a session")


def popen(command, mode="r", buffering=-1):
    raise NotImplementedError("there is no shell in a session")


def kill(pid, signal):
    raise NotImplementedError("there are no processes in a session")


def _exit(status):
    raise SystemExit(status)


def symlink(src, dst, target_is_directory=False, *, dir_fd=None):
    raise NotImplementedError("the session's file system has no links")


link = readlink = symlink


import posixpath as path  # noqa: E402

sys.modules["os.path"] = path
