"""Options of readers and writers, as `option`, `options` and the arguments of the format methods give them."""

from pyspark.sql.column import _plain

_GENERAL = ("pathGlobFilter", "recursiveFileLookup")
_CHANGED = ("modifiedBefore", "modifiedAfter")
_JSON = (
    "primitivesAsString", "prefersDecimal", "allowComments", "allowUnquotedFieldNames", "allowSingleQuotes",
    "allowNumericLeadingZero", "allowBackslashEscapingAnyCharacter", "mode", "columnNameOfCorruptRecord", "dateFormat",
    "timestampFormat", "multiLine", "allowUnquotedControlChars", "lineSep",
)  # fmt: skip
_CSV = (
    "sep", "encoding", "quote", "escape", "comment", "header", "inferSchema", "ignoreLeadingWhiteSpace",
    "ignoreTrailingWhiteSpace", "nullValue", "nanValue", "positiveInf", "negativeInf", "dateFormat", "timestampFormat",
    "maxColumns", "maxCharsPerColumn", "maxMalformedLogPerPartition", "mode", "columnNameOfCorruptRecord", "multiLine",
    "charToEscapeQuoteEscaping",
)  # fmt: skip
_XML = (
    "schema", "excludeAttribute", "attributePrefix", "valueTag", "ignoreSurroundingSpaces", "rowValidationXSDPath",
    "ignoreNamespace", "wildcardColName", "encoding", "inferSchema", "nullValue", "dateFormat", "timestampFormat",
    "mode",
    "columnNameOfCorruptRecord", "multiLine", "samplingRatio", "locale",
)  # fmt: skip

READ = {
    "json": (
        "schema", *_JSON, "samplingRatio", "dropFieldIfAllNull", "encoding", "locale", *_GENERAL, *_CHANGED,
        "allowNonNumericNumbers", "useUnsafeRow",
    ),
    "csv": (
        "schema", *_CSV, "samplingRatio", "enforceSchema", "emptyValue", "locale", "lineSep", *_GENERAL, *_CHANGED,
        "unescapedQuoteHandling",
    ),
    "text": ("wholetext", "lineSep", *_GENERAL, *_CHANGED),
    "parquet": ("mergeSchema", *_GENERAL, *_CHANGED, "datetimeRebaseMode", "int96RebaseMode"),
    "orc": ("mergeSchema", *_GENERAL, *_CHANGED),
    "xml": ("rowTag", *_XML),
}  # fmt: skip

READ_STREAM = {
    "json": (
        "schema", *_JSON, "locale", "dropFieldIfAllNull", "encoding", *_GENERAL, "allowNonNumericNumbers",
        "useUnsafeRow",
    ),
    "csv": ("schema", *_CSV, "enforceSchema", "emptyValue", "locale", "lineSep", *_GENERAL, "unescapedQuoteHandling"),
    "text": ("wholetext", "lineSep", *_GENERAL),
    "parquet": ("mergeSchema", *_GENERAL, "datetimeRebaseMode", "int96RebaseMode"),
    "orc": ("mergeSchema", *_GENERAL),
    "xml": ("rowTag", *_XML),
}  # fmt: skip

WRITE = {
    "json": ("mode", "compression", "dateFormat", "timestampFormat", "lineSep", "encoding", "ignoreNullFields"),
    "parquet": ("mode", "partitionBy", "compression"),
    "orc": ("mode", "partitionBy", "compression"),
    "text": ("compression", "lineSep"),
    "csv": (
        "mode", "compression", "sep", "quote", "escape", "header", "nullValue", "escapeQuotes", "quoteAll",
        "dateFormat",
        "timestampFormat", "ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace", "charToEscapeQuoteEscaping",
        "encoding",
        "emptyValue", "lineSep",
    ),
    "xml": (
        "rowTag", "mode", "attributePrefix", "valueTag", "rootTag", "declaration", "arrayElementName", "nullValue",
        "dateFormat", "timestampFormat", "compression", "encoding", "validateName",
    ),
}  # fmt: skip


def bind(method, names, args, kwargs):
    """The arguments of a format method after its path, by name."""
    if len(args) > len(names):
        most, got = len(names) + 2, len(args) + 2
        raise TypeError(f"{method}() takes at most {most} positional arguments but {got} were given")
    given = dict(zip(names, args))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"{method}() got an unexpected keyword argument '{name}'")
        if name in given:
            raise TypeError(f"{method}() got multiple values for argument '{name}'")
        given[name] = value
    if method.endswith("text") and "wholetext" in names:
        given.setdefault("wholetext", False)
    return given


def text(value):
    value = _plain(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


class Options:
    """Base of readers and writers. Keys are told apart without regard to case: the last one given counts."""

    def __init__(self):
        self._options = {}

    def option(self, key, value):
        if value is not None:
            for known in [known for known in self._options if known.lower() == key.lower()]:
                del self._options[known]
            self._options[key] = text(value)
        return self

    def options(self, **options):
        for key, value in options.items():
            self.option(key, value)
        return self
