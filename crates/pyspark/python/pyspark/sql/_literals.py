"""Errors for what cannot be a literal, and for what Tidemark does not do yet."""

from _tidemark_system import fail

from pyspark.errors import PySparkNotImplementedError, SparkRuntimeException

_JAVA = {list: "java.util.ArrayList", dict: "java.util.HashMap", set: "java.util.HashSet", tuple: "java.util.ArrayList"}


def _java_text(value):
    """A value as toString of the Java object that py4j makes of it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        # A HashMap of few string keys is walked by their hash codes, which order short keys by their letters.
        pairs = sorted(value.items(), key=lambda pair: str(pair[0]))
        return "{" + ", ".join(f"{_java_text(key)}={_java_text(item)}" for key, item in pairs) + "}"
    if isinstance(value, (list, tuple, set)):
        return "[" + ", ".join(map(_java_text, value)) + "]"
    return str(value)


def refuse(value):
    """Spark's refusal of a Java object as a literal; what py4j cannot even send is a TypeError there too."""
    kind = next((name for cls, name in _JAVA.items() if isinstance(value, cls)), None)
    if kind is None and isinstance(value, type):
        return AttributeError(f"type object '{value.__name__}' has no attribute '_get_object_id'")
    if kind is None:
        return AttributeError(f"'{type(value).__name__}' object has no attribute '_get_object_id'")
    try:
        parameters = {"value": _java_text(value), "type": f"class {kind}"}
        fail("SparkRuntimeException", "UNSUPPORTED_FEATURE.LITERAL_TYPE", parameters)
    except SparkRuntimeException as error:
        return error


def not_yet(feature):
    return PySparkNotImplementedError(
        errorClass="NOT_IMPLEMENTED", messageParameters={"feature": f"{feature} (Tidemark does not have it yet)"}
    )
