"""Errors for what cannot be a literal, and for what Tidemark does not do yet."""

from _tidemark_system import fail

from pyspark.errors import PySparkNotImplementedError, SparkRuntimeException

_JAVA = {list: "java.util.ArrayList", dict: "java.util.HashMap", set: "java.util.HashSet", tuple: "[Ljava.lang.Object;"}


def refuse(value):
    """Spark's refusal of a Java object as a literal; what py4j cannot even send is a TypeError there too."""
    kind = next((name for cls, name in _JAVA.items() if isinstance(value, cls)), None)
    if kind is None:
        return AttributeError(f"'{type(value).__name__}' object has no attribute '_get_object_id'")
    try:
        parameters = {"value": str(value), "type": f"class {kind}"}
        fail("SparkRuntimeException", "UNSUPPORTED_FEATURE.LITERAL_TYPE", parameters)
    except SparkRuntimeException as error:
        return error


def not_yet(feature):
    return PySparkNotImplementedError(
        errorClass="NOT_IMPLEMENTED", messageParameters={"feature": f"{feature} (Tidemark does not have it yet)"}
    )
