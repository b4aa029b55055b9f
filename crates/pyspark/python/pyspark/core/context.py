"""SparkContext: what scripts ask of it; there is no cluster behind it."""

__all__ = ["SparkContext"]


class SparkContext:
    PACKAGE_EXTENSIONS = (".zip", ".egg", ".jar")
    _active_spark_context = None
    _next_accum_id = 0
    resources = {}

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
        self._checkpoints = dirName

    def setLocalProperty(self, key, value):
        self._properties = {**self.__dict__.get("_properties", {}), key: value}

    def getLocalProperty(self, key):
        return self.__dict__.get("_properties", {}).get(key)

    # Jobs run one after another, so tags mark nothing that could be ended.

    def addJobTag(self, tag):
        if not tag or "," in tag:
            from pyspark.errors import IllegalArgumentException

            raise IllegalArgumentException(
                "Spark job tag cannot contain ','." if tag else "Spark job tag cannot be an empty string."
            )
        self._tags = {*self.getJobTags(), tag}

    def removeJobTag(self, tag):
        self._tags = self.getJobTags() - {tag}

    def getJobTags(self):
        return set(self.__dict__.get("_tags", ()))

    def clearJobTags(self):
        self._tags = set()

    def cancelAllJobs(self):
        pass

    def cancelJobGroup(self, groupId):
        pass

    def cancelJobsWithTag(self, tag):
        pass

    def setInterruptOnCancel(self, interruptOnCancel):
        pass

    def getCheckpointDir(self):
        return self.__dict__.get("_checkpoints")

    @classmethod
    def setSystemProperty(cls, key, value):
        pass

    @classmethod
    def getSystemProperty(cls, key):
        return None

    @property
    def listFiles(self):
        return []

    listArchives = listFiles

    def sparkUser(self):
        return "tidemark"

    def _unprofiled(self):
        from pyspark.errors import PySparkRuntimeError

        raise PySparkRuntimeError(errorClass="INCORRECT_CONF_FOR_PROFILE", messageParameters={})

    def show_profiles(self):
        self._unprofiled()

    def dump_profiles(self, path):
        self._unprofiled()

    def setJobGroup(self, groupId, description, interruptOnCancel=False):
        pass

    def setJobDescription(self, value):
        pass

    def addPyFile(self, path):
        pass

    addArchive = addPyFile

    def addFile(self, path, recursive=False):
        pass

    def parallelize(self, c, numSlices=None):
        from pyspark.core.rdd import RDD
        from pyspark.sql.session import SparkSession

        return RDD(c, SparkSession._active(), numSlices or self.defaultParallelism)

    def broadcast(self, value):
        from pyspark.core.broadcast import Broadcast

        return Broadcast(self, value)

    def accumulator(self, value, accum_param=None):
        from pyspark.accumulators import Accumulator, param_of

        made = Accumulator(SparkContext._next_accum_id, value, accum_param or param_of(value))
        SparkContext._next_accum_id += 1
        return made

    def range(self, start, end=None, step=1, numSlices=None):
        if end is None:
            start, end = 0, start
        return self.parallelize(range(start, end, step), numSlices)

    def emptyRDD(self):
        return self.parallelize([], 1)

    def union(self, rdds):
        return self.parallelize([row for rdd in rdds for row in rdd.collect()], len(rdds))

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

