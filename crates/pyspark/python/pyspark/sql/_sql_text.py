"""spark.sql(text, name=value): values written into the text as Spark's formatter does."""

import string


def fill(text, values):
    return _Formatter().vformat(text, (), values)


class _Formatter(string.Formatter):
    def format_field(self, value, spec):
        from pyspark.sql.column import Column
        from pyspark.sql.dataframe import DataFrame

        if isinstance(value, DataFrame):
            name = f"_pyspark_{id(value):x}"
            value.createOrReplaceTempView(name)
            return name
        if isinstance(value, Column):
            return str(value)[8:-2]
        if isinstance(value, str):
            escaped = value.replace("\\", "\\\\").replace("'", "\\'")
            return f"'{escaped}'"
        return super().format_field(value, spec)
