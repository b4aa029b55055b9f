"""What a SparkSession has for Spark Connect, and what of it works without."""

from pyspark.errors import PySparkRuntimeError, PySparkValueError


def _remote_only(name):
    """A method that only sessions of Spark Connect have."""

    def refused(self, *args, **kwargs):
        raise PySparkRuntimeError(
            errorClass="ONLY_SUPPORTED_WITH_SPARK_CONNECT", messageParameters={"feature": f"SparkSession.{name}"}
        )

    refused.__name__ = name
    return refused


class ConnectMembers:
    client = property(_remote_only("client"))

    def copyFromLocalToFs(self, local_path, dest_path):
        _remote_only("copyFromLocalToFs")(self)

    def registerProgressHandler(self, handler):
        _remote_only("registerProgressHandler")(self)

    def removeProgressHandler(self, handler):
        _remote_only("removeProgressHandler")(self)

    def clearProgressHandlers(self):
        _remote_only("clearProgressHandlers")(self)

    def addArtifacts(self, *path, pyfile=False, archive=False, file=False):
        if sum([file, pyfile, archive]) > 1:
            raise PySparkValueError(
                errorClass="INVALID_MULTIPLE_ARGUMENT_CONDITIONS",
                messageParameters={"arg_names": "'pyfile', 'archive' and/or 'file'", "condition": "True together"},
            )
        for one in path:
            if archive:
                self._sc.addArchive(one)
            elif pyfile:
                self._sc.addPyFile(one)
            elif file:
                self._sc.addFile(one)

    addArtifact = addArtifacts

    @property
    def profile(self):
        from pyspark.sql.profiler import Profile

        return Profile()
