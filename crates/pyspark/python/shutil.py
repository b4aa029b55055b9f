"""`shutil` over the session's file system."""

import fnmatch
import os

import _tidemark_files as _files

__all__ = [
    "copyfileobj", "copyfile", "copymode", "copystat", "copy", "copy2", "copytree", "move", "rmtree", "Error",
    "SameFileError", "ignore_patterns", "disk_usage", "which", "get_terminal_size",
]  # fmt: skip


class Error(OSError):
    pass


class SameFileError(Error):
    pass


def copyfileobj(source, target, length=65536):
    while data := source.read(length):
        target.write(data)


def copyfile(src, dst, *, follow_symlinks=True):
    if os.path.abspath(src) == os.path.abspath(dst):
        raise SameFileError(f"{src!r} and {dst!r} are the same file")
    _files.write(os.fsdecode(dst), _files.read(os.fsdecode(src)))
    return dst


def copymode(src, dst, *, follow_symlinks=True):
    pass


def copystat(src, dst, *, follow_symlinks=True):
    found = os.stat(src)
    os.utime(dst, ns=(found.st_atime_ns, found.st_mtime_ns))


def copy(src, dst, *, follow_symlinks=True):
    if os.path.isdir(dst):
        dst = os.path.join(dst, os.path.basename(src))
    return copyfile(src, dst)


def copy2(src, dst, *, follow_symlinks=True):
    dst = copy(src, dst)
    copystat(src, dst)
    return dst


def ignore_patterns(*patterns):
    def ignored(folder, names):
        return {name for pattern in patterns for name in fnmatch.filter(names, pattern)}

    return ignored


def copytree(
    src, dst, symlinks=False, ignore=None, copy_function=copy2, ignore_dangling_symlinks=False, dirs_exist_ok=False
):
    names = os.listdir(src)
    skipped = set(ignore(os.fspath(src), names)) if ignore is not None else set()
    os.makedirs(dst, exist_ok=dirs_exist_ok)
    for name in names:
        if name in skipped:
            continue
        source, target = os.path.join(src, name), os.path.join(dst, name)
        if os.path.isdir(source):
            copytree(source, target, symlinks, ignore, copy_function, ignore_dangling_symlinks, dirs_exist_ok)
        else:
            copy_function(source, target)
    return dst


def rmtree(path, ignore_errors=False, onerror=None, *, onexc=None, dir_fd=None):
    try:
        if not os.path.isdir(path) and os.path.exists(path):
            raise NotADirectoryError(20, "Not a directory", os.fspath(path))
        _files.rmtree(os.fsdecode(path))
    except OSError as failure:
        if ignore_errors:
            return
        if onexc is not None:
            onexc(os.rmdir, path, failure)
        elif onerror is not None:
            onerror(os.rmdir, path, (type(failure), failure, failure.__traceback__))
        else:
            raise


def move(src, dst, copy_function=copy2):
    target = dst
    if os.path.isdir(dst):
        target = os.path.join(dst, os.path.basename(os.fspath(src).rstrip("/")))
        if os.path.exists(target):
            raise Error(f"Destination path '{target}' already exists")
    os.rename(src, target)
    return target


def disk_usage(path):
    raise NotImplementedError("a session's file system has no size")


def which(cmd, mode=1, path=None):
    return None


def get_terminal_size(fallback=(80, 24)):
    return os.get_terminal_size()
