"""Arguments of table functions that are no columns."""


class TableValuedFunctionArgument:
    pass
