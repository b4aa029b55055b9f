# Docstring examples that no session here can run, the one list: (file, docstring, text in the example, reason).
# `file` and `docstring` are patterns of fnmatch; a docstring is named as in its file (`DataFrame.show`). With a text only the
# examples that hold it are left out, without one (None) the whole docstring.
NOT_APPLICABLE = [
    ("*", "*", "import pandas", "needs pandas"),
    ("*", "*", "import pyarrow", "needs pyarrow"),
    ("*", "*", "pd.", "needs pandas"),
    ("*", "*", ".toPandas()", "needs pandas"),
]
