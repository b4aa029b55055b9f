"""Row."""

from pyspark.errors import (
    PySparkAttributeError,
    PySparkKeyError,
    PySparkRuntimeError,
    PySparkTypeError,
    PySparkValueError,
)


def _create_row(fields, values):
    row = Row(*values)
    row.__fields__ = fields
    return row


class Row(tuple):
    """A row: a tuple whose values also have names."""

    def __new__(cls, *args, **kwargs):
        if args and kwargs:
            raise PySparkValueError(
                errorClass="CANNOT_SET_TOGETHER", messageParameters={"arg_list": "args and kwargs"}
            )
        if kwargs:
            row = tuple.__new__(cls, kwargs.values())
            row.__fields__ = list(kwargs)
            return row
        return tuple.__new__(cls, args)

    def asDict(self, recursive=False):
        if not hasattr(self, "__fields__"):
            raise PySparkTypeError(
                errorClass="CANNOT_CONVERT_TYPE", messageParameters={"from_type": "Row", "to_type": "dict"}
            )
        if not recursive:
            return dict(zip(self.__fields__, self))

        def plain(value):
            if isinstance(value, Row):
                return value.asDict(True)
            if isinstance(value, list):
                return [plain(item) for item in value]
            if isinstance(value, dict):
                return {key: plain(item) for key, item in value.items()}
            return value

        return dict(zip(self.__fields__, (plain(value) for value in self)))

    def __contains__(self, item):
        return item in self.__fields__ if hasattr(self, "__fields__") else super().__contains__(item)

    def __call__(self, *args):
        if len(args) > len(self):
            raise PySparkValueError(
                errorClass="TOO_MANY_VALUES",
                messageParameters={"expected": str(len(self)), "item": "fields", "actual": str(len(args))},
            )
        return _create_row(self, args)

    def __getitem__(self, item):
        if isinstance(item, (int, slice)):
            return super().__getitem__(item)
        try:
            return super().__getitem__(self.__fields__.index(item))
        except IndexError:
            raise PySparkKeyError(errorClass="KEY_NOT_EXISTS", messageParameters={"key": str(item)}) from None
        except ValueError:
            raise PySparkValueError(item) from None

    def __getattr__(self, item):
        if not item.startswith("__"):
            try:
                return self[self.__fields__.index(item)]
            except (IndexError, ValueError):
                pass
        raise PySparkAttributeError(errorClass="ATTRIBUTE_NOT_SUPPORTED", messageParameters={"attr_name": item})

    def __setattr__(self, key, value):
        if key != "__fields__":
            raise PySparkRuntimeError(errorClass="READ_ONLY", messageParameters={"object": "Row"})
        self.__dict__[key] = value

    def __reduce__(self):
        if hasattr(self, "__fields__"):
            return (_create_row, (self.__fields__, tuple(self)))
        return tuple.__reduce__(self)

    def __repr__(self):
        if hasattr(self, "__fields__"):
            return f"Row({', '.join(f'{name}={value!r}' for name, value in zip(self.__fields__, tuple(self)))})"
        return f"<Row({', '.join(repr(value) for value in self)})>"


Row.__module__ = "pyspark.sql.types"
