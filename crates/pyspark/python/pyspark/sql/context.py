"""SQLContext: the entry point before SparkSession."""

__all__ = ["SQLContext", "HiveContext"]


class SQLContext:
    def __init__(self, sparkContext=None, sparkSession=None, jsqlContext=None):
        from pyspark.sql.session import SparkSession

        self.sparkSession = sparkSession or SparkSession.builder.getOrCreate()

    def __getattr__(self, name):
        return getattr(self.sparkSession, name)


HiveContext = SQLContext
