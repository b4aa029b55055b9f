"""Classes of Python functions and table functions, which few scripts name."""

import enum

from pyspark.sql.pandas.functions import PandasUDFType  # noqa: F401
from pyspark.sql.udf import UserDefinedFunction  # noqa: F401
from pyspark.sql.udtf import (  # noqa: F401
    AnalyzeArgument,
    AnalyzeResult,
    OrderingColumn,
    PartitioningColumn,
    SelectedColumn,
    SkipRestOfInputTableException,
    UserDefinedTableFunction,
)


class ArrowUDFType(enum.IntEnum):
    SCALAR = 250
    SCALAR_ITER = 251
    GROUPED_AGG = 252
