"""Values as they come out on the other side when Spark pickles them: copies, with the script's own functions and classes.

Those go by value, with the globals that they name as they are at that moment: what a process does to its copies is not seen
by the script, and what the script does later is not seen by the process. Modules, and what they hold, are shared."""

import copy
import enum
import types
import weakref

_SHARED = (types.ModuleType, types.BuiltinFunctionType, types.CodeType, type(None), str, bytes, int, float, complex, bool)
# Objects of the driver, which no process has.
_DRIVER = ("pyspark.sql.session", "pyspark.sql.dataframe", "pyspark.core.context", "pyspark.sql.streaming.query")
# What a class makes for itself when it is made.
_OWN = {"__dict__", "__weakref__", "__abstractmethods__", "_abc_impl", "__module__", "__qualname__", "__doc__", "__slots__"}


# Copies of one class are one class where they meet in a process.
_ORIGINS = weakref.WeakKeyDictionary()


def crossed(value):
    """A copy of the value as another process has it. What cannot be pickled raises a TypeError."""
    return _Crossing().value(value)


def _is_script(thing):
    return getattr(thing, "__module__", None) == "__main__"


def _names(code):
    """Names that the code of a function may look up among its globals."""
    names = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            names |= _names(inner)
    return names


class _Crossing:
    def __init__(self):
        self._made = {}
        self._classes = {}
        self._globals = {"__builtins__": __builtins__, "__name__": "__main__"}

    def value(self, value):
        if isinstance(value, _SHARED) and type(value).__module__ == "builtins" or type(value).__module__ in _DRIVER:
            return value
        known = self._made.get(id(value))
        if known is not None:
            return known[0]
        if isinstance(value, types.FunctionType):
            return self._function(value) if _is_script(value) else value
        if isinstance(value, type):
            return self._class(value) if _is_script(value) and not issubclass(value, enum.Enum) else value
        if type(value) in (list, set):
            made = self._keep(value, type(value)())
            add = made.append if type(value) is list else made.add
            for item in value:
                add(self.value(item))
            return made
        if type(value) is dict:
            made = self._keep(value, {})
            for key, item in value.items():
                made[self.value(key)] = self.value(item)
            return made
        if type(value) in (tuple, frozenset):
            return self._keep(value, type(value)(self.value(item) for item in value))
        if type(value) in (classmethod, staticmethod):
            return self._keep(value, type(value)(self.value(value.__func__)))
        if type(value) is property:
            return self._keep(value, property(*(self.value(part) for part in (value.fget, value.fset, value.fdel))))
        if type(value) is types.MethodType:
            return self._keep(value, types.MethodType(self.value(value.__func__), self.value(value.__self__)))
        return self._object(value)

    def _keep(self, value, made):
        # The value is held too: its id is its own as long as it lives.
        self._made[id(value)] = (made, value)
        return made

    def _function(self, function):
        closure = function.__closure__
        cells = None if closure is None else tuple(types.CellType() for _ in closure)
        made = types.FunctionType(function.__code__, self._globals, function.__name__, None, cells)
        self._keep(function, made)
        for name in _names(function.__code__):
            if name in function.__globals__ and name not in self._globals:
                self._global(name, function.__globals__[name])
        for cell, old in zip(cells or (), closure or ()):
            try:
                cell.cell_contents = self.value(old.cell_contents)
            except ValueError:
                # A cell that is empty still.
                pass
        made.__defaults__ = self.value(function.__defaults__)
        made.__kwdefaults__ = self.value(function.__kwdefaults__)
        made.__qualname__, made.__module__, made.__doc__ = function.__qualname__, function.__module__, function.__doc__
        made.__dict__.update(self.value(dict(function.__dict__)))
        return made

    def _global(self, name, value):
        # There already, for functions that name each other.
        self._globals[name] = value
        # An attribute of the same name may have been meant.
        self._globals[name] = self._or_shared(value)

    def _or_shared(self, value):
        try:
            return self.value(value)
        except Exception:
            return value

    def _class(self, cls):
        origin = _ORIGINS.setdefault(cls, object())
        if origin in self._classes:
            return self._keep(cls, self._classes[origin])
        bases = tuple(self.value(base) for base in cls.__bases__)
        own = {key: cls.__dict__[key] for key in ("__module__", "__qualname__", "__doc__", "__slots__") if key in cls.__dict__}
        made = self._keep(cls, type(cls)(cls.__name__, bases, own))
        self._classes[origin], _ORIGINS[made] = made, origin
        for name, member in cls.__dict__.items():
            if name not in _OWN and type(member).__name__ not in ("member_descriptor", "getset_descriptor"):
                setattr(made, name, self._or_shared(member))
        if "__abstractmethods__" in cls.__dict__:
            made.__abstractmethods__ = cls.__abstractmethods__
        return made

    def _object(self, value):
        cls = type(value)
        made_of = self.value(cls) if _is_script(cls) else cls
        plain = cls.__reduce_ex__ is object.__reduce_ex__ and cls.__reduce__ is object.__reduce__
        if not plain or not hasattr(value, "__dict__") or "__getstate__" in vars(cls):
            return self._keep(value, copy.deepcopy(value))
        # Raises where the object cannot be pickled.
        new, arguments, *_ = value.__reduce_ex__(4)
        if new.__name__ != "__newobj__" or isinstance(value, (list, dict)):
            return self._keep(value, copy.deepcopy(value))
        made = self._keep(value, made_of.__new__(made_of, *(self.value(argument) for argument in arguments[1:])))
        made.__dict__.update(self.value(vars(value)))
        return made
