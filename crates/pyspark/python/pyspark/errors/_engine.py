"""Makes the exception of an engine error."""

from pyspark.errors.exceptions import captured


def exception(family, java, text, condition, state, parameters, summary, java_class, trace, cause):
    """`java`: PySpark does not convert that JVM exception, so the script sees py4j's."""
    if java:
        from py4j.protocol import Py4JJavaError, _JavaException

        origin = _JavaException(java_class, text, trace)
        return Py4JJavaError("An error occurred while calling a method of the engine.\n", origin)
    made = getattr(captured, family)(text, trace, cause)
    made._condition = condition
    made._parameters = dict(parameters) if condition is not None else None
    made._state = state
    made._summary = summary
    return made
