"""What this small pandas does not have says so by name."""


class _NotThere(NotImplementedError, AttributeError):
    """Also an AttributeError, so that `hasattr` and `getattr` with a default answer."""


_NotThere.__name__ = _NotThere.__qualname__ = "NotImplementedError"
_NotThere.__module__ = "builtins"


def not_there(name):
    return _NotThere(f"Tidemark's pandas does not have {name}")


def refuse_attribute(owner, name):
    """For `__getattr__`: private names are plainly absent, public ones not supported."""
    if name.startswith("_"):
        raise AttributeError(f"'{owner.rpartition('.')[2]}' object has no attribute '{name}'")
    raise not_there(f"{owner}.{name}")
