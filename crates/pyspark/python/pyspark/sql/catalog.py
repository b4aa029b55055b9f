"""spark.catalog."""

from collections import namedtuple

import _tidemark_conf as _native
import _tidemark_frame

from pyspark.errors import AnalysisException

__all__ = ["Catalog"]

CatalogMetadata = namedtuple("CatalogMetadata", "name description")
Database = namedtuple("Database", "name catalog description locationUri")
CatalogColumn = namedtuple("Column", "name description dataType nullable isPartition isBucket isCluster")
Function = namedtuple("Function", "name catalog namespace description className isTemporary")
_Table = namedtuple("Table", "name catalog namespace description tableType isTemporary")


class Table(_Table):
    @property
    def database(self):
        return self.namespace[0] if self.namespace is not None and len(self.namespace) == 1 else None


class Catalog:
    def __init__(self, sparkSession):
        self._sparkSession = sparkSession

    def currentCatalog(self):
        return "spark_catalog"

    def currentDatabase(self):
        return "default"

    def setCurrentDatabase(self, dbName):
        if dbName.lower() != "default":
            self._sparkSession.sql(f"USE {dbName}")

    def listDatabases(self, pattern=None):
        return [Database("default", "spark_catalog", "default database", "")]

    def databaseExists(self, dbName):
        return dbName.lower() in ("default", "spark_catalog.default")

    def listTables(self, dbName=None, pattern=None):
        tables = []
        for name, namespace, kind, temporary in _native.temp_views():
            tables.append(Table(name, None if temporary else "spark_catalog", list(namespace),
                                None, kind, temporary))  # fmt: skip
        if pattern is not None:
            import re

            shape = re.compile(pattern.replace("*", ".*"), re.IGNORECASE)
            tables = [table for table in tables if shape.fullmatch(table.name)]
        return tables

    def getTable(self, tableName):
        for table in self.listTables():
            if table.name.lower() == tableName.lower():
                return table
        _tidemark_frame.table(tableName, False)
        return Table(tableName, "spark_catalog", ["default"], None, "MANAGED", False)

    def tableExists(self, tableName, dbName=None):
        try:
            _tidemark_frame.table(tableName if dbName is None else f"{dbName}.{tableName}", False)
        except AnalysisException:
            return False
        return True

    def listColumns(self, tableName, dbName=None):
        name = tableName if dbName is None else f"{dbName}.{tableName}"
        schema = self._sparkSession.table(name).schema
        return [
            CatalogColumn(f.name, f.metadata.get("comment"), f.dataType.simpleString(), f.nullable, False, False, False)
            for f in schema.fields
        ]

    def dropTempView(self, viewName):
        return _native.drop_view(viewName, False)

    def dropGlobalTempView(self, viewName):
        return _native.drop_view(viewName, True)

    def isCached(self, tableName):
        return False

    def cacheTable(self, tableName, storageLevel=None):
        _tidemark_frame.table(tableName, False)

    def uncacheTable(self, tableName):
        pass

    def clearCache(self):
        pass

    def refreshTable(self, tableName):
        _tidemark_frame.table(tableName, False)

    def refreshByPath(self, path):
        pass

    def functionExists(self, functionName, dbName=None):
        from pyspark.sql.functions import __all__ as known

        return functionName.lower() in known

    def createTable(self, *args, **kwargs):
        from pyspark.sql._literals import not_yet

        raise not_yet("Catalog.createTable")
