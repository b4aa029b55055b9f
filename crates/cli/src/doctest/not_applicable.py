# Docstring examples that no session here can run, the one list: (file, docstring, text in the example, reason).
# `file` and `docstring` are patterns of fnmatch; a docstring is named as in its file (`DataFrame.show`). With a text only the
# examples that hold it are left out, without one (None) the whole docstring.
NOT_APPLICABLE = [
    ("*", "*", "import pandas", "needs pandas"),
    ("*", "*", "import pyarrow", "needs pyarrow"),
    ("*", "*", "pd.", "needs pandas"),
    ("*", "*", ".toPandas()", "needs pandas"),
    ("sql/dataframe.py", "DataFrame.mapInPandas", None, "needs pandas"),
    ("sql/dataframe.py", "DataFrame.pandas_api", None, "needs pandas"),
    ("sql/dataframe.py", "DataFrame.plot", None, "needs pandas"),
    ("sql/dataframe.py", "DataFrame.mapInArrow", None, "needs pyarrow"),
    ("sql/dataframe.py", "DataFrame.toArrow", None, "needs pyarrow"),
    ("sql/dataframe.py", "DataFrame._joinAsOf", None, "private, for pandas on Spark"),
    ("sql/types.py", "Geography", None, "geospatial values need a native library"),
    ("sql/types.py", "Geometry", None, "geospatial values need a native library"),
    ("sql/*readwriter.py", "*.orc", None, "ORC files are refused"),
    ("sql/*readwriter.py", "*.xml", None, "XML files are refused"),
]
