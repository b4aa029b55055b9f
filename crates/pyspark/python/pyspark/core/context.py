"""SparkContext: what scripts ask of it; there is no cluster behind it."""

__all__ = ["SparkContext"]


class SparkContext:
    _active_spark_context = None

    def __init__(self, master=None, appName=None, conf=None, **kwargs):
        from pyspark.conf import SparkConf
        from pyspark.sql.session import SparkSession

        self._conf = conf or SparkConf()
        if master is not None:
            self._conf.setMaster(master)
        if appName is not None:
            self._conf.setAppName(appName)
        SparkContext._active_spark_context = self
        session = SparkSession(self)
        session._apply(dict(self._conf.getAll()))

    @classmethod
    def getOrCreate(cls, conf=None):
        return cls._active_spark_context or cls(conf=conf)

    @classmethod
    def _for(cls, session):
        self = object.__new__(cls)
        from pyspark.conf import SparkConf

        self._conf = SparkConf()
        cls._active_spark_context = self
        return self

    def __repr__(self):
        return f"<SparkContext master={self.master} appName={self.appName}>"

    @property
    def version(self):
        from pyspark.version import __version__

        return __version__

    @property
    def master(self):
        return self._conf.get("spark.master", "local[2]")

    @property
    def appName(self):
        return self._conf.get("spark.app.name", "tidemark")

    @property
    def applicationId(self):
        return "local-tidemark"

    @property
    def uiWebUrl(self):
        return None

    @property
    def defaultParallelism(self):
        import _tidemark_conf

        return _tidemark_conf.parallelism()

    defaultMinPartitions = defaultParallelism

    @property
    def startTime(self):
        return 0

    def getConf(self):
        return self._conf

    def setLogLevel(self, logLevel):
        known = ("ALL", "DEBUG", "ERROR", "FATAL", "INFO", "OFF", "TRACE", "WARN")
        if str(logLevel).upper() not in known:
            from pyspark.errors import IllegalArgumentException

            raise IllegalArgumentException(
                f"requirement failed: Supplied level {logLevel} did not match one of: {','.join(known)}"
            )

    def setCheckpointDir(self, dirName):
        pass

    def setLocalProperty(self, key, value):
        pass

    def setJobGroup(self, groupId, description, interruptOnCancel=False):
        pass

    def setJobDescription(self, value):
        pass

    def addPyFile(self, path):
        pass

    addFile = addPyFile

    def parallelize(self, c, numSlices=None):
        from pyspark.core.rdd import RDD
        from pyspark.sql.session import SparkSession

        return RDD(c, SparkSession._active(), numSlices or self.defaultParallelism)

    def broadcast(self, value):
        return _Broadcast(value)

    def stop(self):
        from pyspark.sql.session import SparkSession

        session = SparkSession._instantiatedSession
        if session is not None:
            session.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        from pyspark.errors import PySparkAttributeError

        raise PySparkAttributeError(
            errorClass="ATTRIBUTE_NOT_SUPPORTED", messageParameters={"attr_name": f"SparkContext.{name}"}
        )


class _Broadcast:
    def __init__(self, value):
        self.value = value

    def unpersist(self, blocking=False):
        pass

    def destroy(self, blocking=False):
        pass
