"""Argument checks of DataFrame methods, with PySpark's errors."""

from _tidemark_system import fail

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql.column import Column, _expected, _to_expr

_KINDS = {
    "inner": "inner",
    "cross": "cross",
    "outer": "fullouter",
    "full": "fullouter",
    "fullouter": "fullouter",
    "leftouter": "leftouter",
    "left": "leftouter",
    "rightouter": "rightouter",
    "right": "rightouter",
    "leftsemi": "leftsemi",
    "semi": "leftsemi",
    "leftanti": "leftanti",
    "anti": "leftanti",
}


def join_kind(how):
    """JoinType.apply: case and underscores do not count."""
    kind = _KINDS.get(how.lower().replace("_", ""))
    if kind is None:
        supported = (
            "'inner', 'outer', 'full', 'fullouter', 'full_outer', 'leftouter', 'left', 'left_outer', 'rightouter', "
            "'right', 'right_outer', 'leftsemi', 'left_semi', 'semi', 'leftanti', 'left_anti', 'anti', 'cross'"
        )
        fail("AnalysisException", "UNSUPPORTED_JOIN_TYPE", {"typ": how, "supported": supported})
    return kind


def subset(value):
    if value is None:
        return None
    if isinstance(value, str) or not hasattr(type(value), "__iter__"):
        raise _expected("subset", "list or tuple", value)
    names = list(value)
    for name in names:
        if not isinstance(name, str):
            raise _expected("subset", "str", name)
    return names


def sort_exprs(df, cols, kwargs):
    from pyspark.errors import PySparkIndexError

    if not cols:
        raise PySparkValueError(errorClass="CANNOT_BE_EMPTY", messageParameters={"item": "cols"})
    if len(cols) == 1 and isinstance(cols[0], list):
        cols = cols[0]
    made = []
    for col in cols:
        if isinstance(col, int) and not isinstance(col, bool):
            if col == 0:
                raise PySparkIndexError(errorClass="ZERO_INDEX", messageParameters={})
            made.append(df[col - 1] if col > 0 else df[-col - 1].desc())
        elif isinstance(col, Column):
            made.append(col)
        elif isinstance(col, str):
            made.append(Column(_to_expr(col)))
        else:
            raise _expected("col", "Column, int or str", col)
    ascending = kwargs.get("ascending", True)
    if isinstance(ascending, (bool, int)):
        if not ascending:
            made = [col.desc() for col in made]
    elif isinstance(ascending, list):
        made = [col if up else col.desc() for up, col in zip(ascending, made)]
    else:
        raise _expected("ascending", "Column, int or str", ascending)
    return [col._expr for col in made]


def positive_partitions(number):
    if number <= 0:
        _refuse(f"Number of partitions ({number}) must be positive.")


def sampling_fraction(replace, fraction):
    if replace and fraction < 0:
        _refuse(f"Sampling fraction ({fraction}) must be nonnegative with replacement")
    if not replace and not 0 <= fraction <= 1:
        _refuse(f"Sampling fraction ({fraction}) must be on interval [0, 1] without replacement")


def _refuse(requirement):
    """Scala's require()."""
    from pyspark.errors.exceptions import captured

    raise captured.IllegalArgumentException(f"requirement failed: {requirement}")


def sample(replace, fraction, seed):
    def whole(value):
        return isinstance(value, (int, float)) and not isinstance(value, bool)

    flagged = isinstance(replace, bool) and isinstance(fraction, float)
    omitted = replace is None and isinstance(fraction, float)
    positional = isinstance(replace, float)
    if not (flagged or omitted or positional):
        kinds = [type(value).__name__ for value in (replace, fraction, seed)]
        raise PySparkTypeError(
            errorClass="NOT_EXPECTED_TYPE",
            messageParameters={"arg_name": "withReplacement (optional), fraction (required) and seed (optional)",
                               "expected_type": "bool, float or int", "arg_type": ", ".join(kinds)},
        )  # fmt: skip
    if positional:
        seed = fraction if fraction is not None else seed
        fraction, replace = replace, None
    if seed is None:
        import random

        seed = random.randint(0, (1 << 63) - 1)
    return bool(replace), float(fraction), int(seed)


def hint_parameters(parameters):
    allowed = "str, float, int, Column, list[str], list[float], list[int]"
    for parameter in parameters:
        if not isinstance(parameter, (str, float, int, Column, list)):
            raise PySparkTypeError(
                errorClass="DISALLOWED_TYPE_FOR_CONTAINER",
                messageParameters={
                    "arg_name": "parameters",
                    "arg_type": type(parameters).__name__,
                    "allowed_types": allowed,
                    "item_type": type(parameter).__name__,
                },
            )


def explain_mode(extended, mode):
    if extended is not None and mode is not None:
        raise PySparkValueError(
            errorClass="CANNOT_SET_TOGETHER", messageParameters={"arg_list": "extended and mode"}
        )
    if extended is not None and not isinstance(extended, (bool, str)):
        raise _expected("extended", "bool or str", extended)
    if mode is not None and not isinstance(mode, str):
        raise _expected("mode", "str", mode)
    if mode is None:
        mode = extended if isinstance(extended, str) else "extended" if extended else "simple"
    if mode.lower() not in ("simple", "extended", "codegen", "cost", "formatted"):
        from pyspark.errors import IllegalArgumentException

        modes = "'simple', 'extended', 'codegen', 'cost', 'formatted'"
        raise IllegalArgumentException(f"Unknown explain mode: {mode}. Accepted explain modes are {modes}.")
    return mode.lower()


def more():
    """The methods that are written out in terms of others; loaded once needed."""
    from pyspark.sql import _frame_more

    return _frame_more
