"""`platform`: the same answers everywhere, so that scripts run the same."""

import sys


def system():
    return "Linux"


def node():
    return "tidemark"


def release():
    return ""


def version():
    return ""


def machine():
    return "wasm32"


def processor():
    return ""


def platform(aliased=False, terse=False):
    return "Linux-tidemark"


def python_version():
    return ".".join(str(part) for part in sys.version_info[:3])


def python_implementation():
    return "RustPython"


def libc_ver(*args, **kwargs):
    return ("", "")
