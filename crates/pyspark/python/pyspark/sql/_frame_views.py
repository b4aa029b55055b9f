"""DataFrame's methods that leave something behind: views, cached rows, tables; and those that compare plans."""

import _tidemark_catalog
import _tidemark_frame as _native

from pyspark.sql.column import _expected


def level_text(level):
    """A storage level as the engine keeps it; MEMORY_AND_DISK_DESER where none is given."""
    from pyspark.storagelevel import StorageLevel

    level = level or StorageLevel.MEMORY_AND_DISK_DESER
    flags = (level.useDisk, level.useMemory, level.useOffHeap, level.deserialized, level.replication)
    return " ".join(str(int(flag)) for flag in flags)


class Views:
    __slots__ = ()

    # ---- views and caching ------------------------------------------------------------------------

    def createTempView(self, name):
        _native.create_temp_view(self._plan, name, False, False)

    def createOrReplaceTempView(self, name):
        _native.create_temp_view(self._plan, name, True, False)

    def createGlobalTempView(self, name):
        _native.create_temp_view(self._plan, name, False, True)

    def createOrReplaceGlobalTempView(self, name):
        _native.create_temp_view(self._plan, name, True, True)

    def registerTempTable(self, name):
        import warnings

        warnings.warn("Deprecated in 2.0, use createOrReplaceTempView instead.", FutureWarning)
        self.createOrReplaceTempView(name)

    def cache(self):
        """Plans are cheap to run again here: only the batch of a foreachBatch function is kept."""
        return self.persist()

    def persist(self, storageLevel=None):
        from pyspark.storagelevel import StorageLevel

        if storageLevel is not None and not isinstance(storageLevel, StorageLevel):
            raise TypeError("storageLevel must be of type pyspark.StorageLevel")
        self.is_cached = True
        _tidemark_catalog.cache(self._plan, level_text(storageLevel))
        _native.persist(self._plan, True)
        return self

    def unpersist(self, blocking=False):
        self.is_cached = False
        _tidemark_catalog.uncache(self._plan)
        _native.persist(self._plan, False)
        return self

    @property
    def storageLevel(self):
        from pyspark.storagelevel import StorageLevel

        level = _tidemark_catalog.storage_level(self._plan)
        if level is None:
            return StorageLevel.NONE
        *flags, replicas = level.split()
        return StorageLevel(*(flag == "1" for flag in flags), int(replicas))

    def checkpoint(self, eager=True):
        return self.sparkSession.createDataFrame(self.collect(), self.schema, verifySchema=False)

    def localCheckpoint(self, eager=True, storageLevel=None):
        return self.checkpoint(eager)

    def inputFiles(self):
        return _native.input_files(self._plan)

    def sameSemantics(self, other):
        if not isinstance(other, Views):
            raise _expected("other", "DataFrame", other)
        return _native.same_semantics(self._plan, other._plan)

    def semanticHash(self):
        return _native.semantic_hash(self._plan)

    def writeTo(self, table):
        from pyspark.sql import _frame_checks as checks
        from pyspark.sql._writer_v2 import DataFrameWriterV2

        if self.isStreaming:
            checks.fail("AnalysisException", "CALL_ON_STREAMING_DATASET_UNSUPPORTED", {"methodName": "`writeTo`"})
        return DataFrameWriterV2(self, table)

    def mergeInto(self, table, condition):
        from pyspark.sql._literals import not_yet

        raise not_yet("DataFrame.mergeInto")
