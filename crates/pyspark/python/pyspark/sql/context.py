"""SQLContext: the entry point before SparkSession."""

__all__ = ["SQLContext", "HiveContext"]


class SQLContext:
    _instance = None

    def __init__(self, sparkContext=None, sparkSession=None, jsqlContext=None):
        from pyspark.sql.session import SparkSession

        self.sparkSession = sparkSession or SparkSession.builder.getOrCreate()
        if SQLContext._instance is None:
            SQLContext._instance = self

    @classmethod
    def getOrCreate(cls, sc=None):
        return SQLContext._instance or cls(sc)

    def newSession(self):
        return type(self)(None, self.sparkSession.newSession())

    def setConf(self, key, value):
        self.sparkSession.conf.set(key, value)

    def getConf(self, key, *defaultValue):
        return self.sparkSession.conf.get(key, *defaultValue)

    @property
    def udf(self):
        return self.sparkSession.udf

    @property
    def udtf(self):
        return self.sparkSession.udtf

    def range(self, start, end=None, step=1, numPartitions=None):
        return self.sparkSession.range(start, end, step, numPartitions)

    def registerFunction(self, name, f, returnType=None):
        return self.sparkSession.udf.register(name, f, returnType)

    def registerJavaFunction(self, name, javaClassName, returnType=None):
        return self.sparkSession.udf.registerJavaFunction(name, javaClassName, returnType)

    def createDataFrame(self, data, schema=None, samplingRatio=None, verifySchema=True):
        return self.sparkSession.createDataFrame(data, schema, samplingRatio, verifySchema)

    def createExternalTable(self, tableName, path=None, source=None, schema=None, **options):
        return self.sparkSession.catalog.createExternalTable(tableName, path, source, schema, **options)

    def registerDataFrameAsTable(self, df, tableName):
        df.createOrReplaceTempView(tableName)

    def dropTempTable(self, tableName):
        self.sparkSession.catalog.dropTempView(tableName)

    def sql(self, sqlQuery):
        return self.sparkSession.sql(sqlQuery)

    def table(self, tableName):
        return self.sparkSession.table(tableName)

    def tables(self, dbName=None):
        return self.sparkSession.sql("SHOW TABLES" if dbName is None else f"SHOW TABLES IN {dbName}")

    def tableNames(self, dbName=None):
        return [row.tableName for row in self.tables(dbName).collect()]

    def cacheTable(self, tableName):
        self.sparkSession.catalog.cacheTable(tableName)

    def uncacheTable(self, tableName):
        self.sparkSession.catalog.uncacheTable(tableName)

    def clearCache(self):
        self.sparkSession.catalog.clearCache()

    @property
    def read(self):
        return self.sparkSession.read

    @property
    def readStream(self):
        return self.sparkSession.readStream

    @property
    def streams(self):
        return self.sparkSession.streams


class HiveContext(SQLContext):
    def refreshTable(self, tableName):
        self.sparkSession.catalog.refreshTable(tableName)
