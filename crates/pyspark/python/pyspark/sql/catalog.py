"""spark.catalog."""

from collections import namedtuple

import _tidemark_catalog as _native
import _tidemark_frame
from _tidemark_system import fail

from pyspark.errors import PySparkTypeError

__all__ = ["Catalog", "CatalogMetadata", "Column", "Database", "Function", "Table", "TablePartition"]

CatalogMetadata = namedtuple("CatalogMetadata", "name description")
Database = namedtuple("Database", "name catalog description locationUri")
Column = namedtuple("Column", "name description dataType nullable isPartition isBucket isCluster")
Function = namedtuple("Function", "name catalog namespace description className isTemporary")
TablePartition = namedtuple("TablePartition", "partition")
_Table = namedtuple("Table", "name catalog namespace description tableType isTemporary")


class Table(_Table):
    __slots__ = ()

    @property
    def database(self):
        return self.namespace[0] if self.namespace is not None and len(self.namespace) == 1 else None


_USER_CLASS = "org.apache.spark.sql.UDFRegistration"


def _table(found):
    name, namespace, kind, temporary = found
    return Table(name, None if temporary else "spark_catalog", namespace, None, kind, temporary)


def _matches(pattern, name):
    """StringUtils.filterPattern for one name."""
    import re

    shape = re.compile(pattern.replace("*", ".*"), re.IGNORECASE)
    return shape.fullmatch(name) is not None


def _function_parts(name):
    """Words of the grammar are names of functions, too."""
    return [name] if name.isidentifier() else _native.parts(name)


def _deprecated(method, example):
    import warnings

    warnings.warn(
        "`dbName` has been deprecated since Spark 3.4 and might be removed in a future version. "
        f"Use {method}(`dbName.{example}`) instead.",
        FutureWarning,
    )


class Catalog:
    def __init__(self, sparkSession):
        self._sparkSession = sparkSession

    def __getattribute__(self, name):
        object.__getattribute__(self, "_sparkSession")._enter()
        return object.__getattribute__(self, name)

    # ---- catalogs and databases -------------------------------------------------------------------

    def currentCatalog(self):
        return "spark_catalog"

    def setCurrentCatalog(self, catalogName):
        if catalogName.lower() != "spark_catalog":
            fail("AnalysisException", "CATALOG_NOT_FOUND",
                 {"catalogName": f"`{catalogName}`", "config": f'"spark.sql.catalog.{catalogName}"'})  # fmt: skip

    def listCatalogs(self, pattern=None):
        shown = pattern is None or _matches(pattern, "spark_catalog")
        return [CatalogMetadata("spark_catalog", None)] if shown else []

    def currentDatabase(self):
        return _native.current_database()

    def setCurrentDatabase(self, dbName):
        _native.use_database(_native.parts(dbName))

    def _database(self, found):
        import os

        name, comment, folder = found
        warehouse = self._sparkSession.conf.get("spark.sql.warehouse.dir", "spark-warehouse")
        place = os.path.abspath(os.path.join(warehouse, folder) if folder else warehouse)
        return Database(name, "spark_catalog", comment, "file:" + place)

    def listDatabases(self, pattern=None):
        return [
            self._database(found) for found in _native.databases() if pattern is None or _matches(pattern, found[0])
        ]

    def getDatabase(self, dbName):
        parts = _native.parts(dbName)
        found = _native.database(parts)
        if found is None:
            _native.no_database(parts)
        return self._database(found)

    def databaseExists(self, dbName):
        return _native.database(_native.parts(dbName)) is not None

    def createDatabase(self, dbName, ifNotExists=False, properties=None):
        _native.create_database(_native.parts(dbName), ifNotExists)

    def dropDatabase(self, dbName, ifExists=False, cascade=False):
        self._sparkSession.sql(f"DROP DATABASE {'IF EXISTS ' if ifExists else ''}{dbName}{' CASCADE' if cascade else ''}")

    # ---- tables and views -------------------------------------------------------------------------

    def _in_database(self, dbName):
        return None if dbName is None else _native.parts(dbName)

    def listTables(self, dbName=None, pattern=None):
        return [_table(found) for found in _native.tables(self._in_database(dbName), pattern, False)]

    def listViews(self, dbName=None, pattern=None):
        return [_table(found) for found in _native.tables(self._in_database(dbName), pattern, True)]

    def getTable(self, tableName):
        parts = _native.parts(tableName)
        found = _native.table(parts)
        if found is None:
            _native.no_table(parts)
        return _table(found)

    def tableExists(self, tableName, dbName=None):
        if dbName is not None:
            _deprecated("tableExists", "tableName")
            return _native.table(["spark_catalog", dbName, tableName]) is not None
        parts = _native.parts(tableName)
        if len(parts) > 2 and parts[0].lower() != "spark_catalog":
            _native.no_table(parts)
        return _native.table(parts) is not None

    def listColumns(self, tableName, dbName=None):
        if dbName is not None:
            _deprecated("listColumns", "tableName")
            parts = ["spark_catalog", dbName, tableName]
        else:
            parts = _native.parts(tableName)
        return [Column(*found, False, False) for found in _native.columns(parts)]

    def listPartitions(self, tableName):
        return [TablePartition(row[0]) for row in self._sparkSession.sql(f"SHOW PARTITIONS {tableName}").collect()]

    def recoverPartitions(self, tableName):
        """Partitions are found in the folders every time."""
        _tidemark_frame.table(tableName, False)

    def createTable(self, tableName, path=None, source=None, schema=None, description=None, **options):
        if schema is not None:
            from pyspark.sql.types import StructType

            if not isinstance(schema, StructType):
                raise PySparkTypeError(
                    errorClass="NOT_EXPECTED_TYPE",
                    messageParameters={
                        "arg_name": "schema",
                        "expected_type": "struct type",
                        "arg_type": type(schema).__name__,
                    },
                )
        if path is not None:
            options["path"] = path
        return self._sparkSession._frame(_tidemark_frame.create_table(
            tableName, source, None if schema is None else schema.json(), {k: str(v) for k, v in options.items()}
        ))  # fmt: skip

    def createExternalTable(self, tableName, path=None, source=None, schema=None, **options):
        import warnings

        warnings.warn(
            "createExternalTable is deprecated since Spark 2.2, please use createTable instead.", FutureWarning
        )
        return self.createTable(tableName, path, source, schema, **options)

    def dropTable(self, tableName, ifExists=False, purge=False):
        self._sparkSession.sql(f"DROP TABLE {'IF EXISTS ' if ifExists else ''}{tableName}")

    def dropView(self, viewName, ifExists=False):
        self._sparkSession.sql(f"DROP VIEW {'IF EXISTS ' if ifExists else ''}{viewName}")

    def truncateTable(self, tableName):
        self._sparkSession.sql(f"TRUNCATE TABLE {tableName}")

    def analyzeTable(self, tableName, noScan=False):
        self._sparkSession.sql(f"ANALYZE TABLE {tableName} COMPUTE STATISTICS")

    def getCreateTableString(self, tableName, asSerde=False):
        return self._sparkSession.sql(f"SHOW CREATE TABLE {tableName}{' AS SERDE' if asSerde else ''}").first()[0]

    def getTableProperties(self, tableName):
        return {row[0]: row[1] for row in self._sparkSession.sql(f"SHOW TBLPROPERTIES {tableName}").collect()}

    def dropTempView(self, viewName):
        return _native.drop_view(viewName, False)

    def dropGlobalTempView(self, viewName):
        return _native.drop_view(viewName, True)

    # ---- functions --------------------------------------------------------------------------------

    def _function(self, name, kind):
        """What Spark's documentation says of its functions, and their JVM classes, are not here."""
        user = kind == "user"
        return Function(name, None, None, "N/A." if user else None, _USER_CLASS if user else None, True)

    def listFunctions(self, dbName=None, pattern=None):
        if dbName is not None:
            self.getDatabase(dbName)
        return [
            self._function(name, kind) for kind in ("system", "user") for name in _native.functions(kind, pattern)
        ]

    def getFunction(self, functionName):
        parts = _function_parts(functionName)
        kind = _native.function(parts)
        if kind is None:
            path = "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]"
            name = ".".join(f"`{part}`" for part in parts)
            fail("AnalysisException", "UNRESOLVED_ROUTINE", {"routineName": name, "searchPath": path})
        return self._function(parts[-1], kind)

    def functionExists(self, functionName, dbName=None):
        if dbName is not None:
            _deprecated("functionExists", "tableName")
            return False
        return _native.function(_function_parts(functionName)) is not None

    def registerFunction(self, name, f, returnType=None):
        import warnings

        warnings.warn("Deprecated in 2.3.0. Use spark.udf.register instead.", FutureWarning)
        return self._sparkSession.udf.register(name, f, returnType)

    # ---- what is cached ---------------------------------------------------------------------------

    def isCached(self, tableName):
        return _native.storage_level(_tidemark_frame.table(tableName, False)) is not None

    def cacheTable(self, tableName, storageLevel=None):
        from pyspark.sql._frame_views import level_text

        _native.cache(_tidemark_frame.table(tableName, False), level_text(storageLevel))

    def uncacheTable(self, tableName):
        _native.uncache(_tidemark_frame.table(tableName, False))

    def clearCache(self):
        _native.clear_cache()

    def refreshTable(self, tableName):
        _tidemark_frame.table(tableName, False)

    def refreshByPath(self, path):
        pass
