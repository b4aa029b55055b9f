"""Classes for table functions and grouped Python functions: there to be named; their use is refused."""

import enum

from pyspark.sql._literals import not_yet
from pyspark.sql.pandas.functions import PandasUDFType  # noqa: F401
from pyspark.sql.udf import UserDefinedFunction  # noqa: F401


class ArrowUDFType(enum.IntEnum):
    SCALAR = 250
    SCALAR_ITER = 251
    GROUPED_AGG = 252


class _TableFunctionPart:
    def __init__(self, *args, **kwargs):
        raise not_yet("udtf")


class AnalyzeArgument(_TableFunctionPart):
    pass


class AnalyzeResult(_TableFunctionPart):
    pass


class OrderingColumn(_TableFunctionPart):
    pass


class PartitioningColumn(_TableFunctionPart):
    pass


class SelectedColumn(_TableFunctionPart):
    pass


class UserDefinedTableFunction(_TableFunctionPart):
    pass


class SkipRestOfInputTableException(Exception):
    pass
