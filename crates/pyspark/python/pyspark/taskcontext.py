"""TaskContext: functions on rows run on the driver here, outside of any task."""

from pyspark.errors import PySparkRuntimeError

__all__ = ["TaskContext", "BarrierTaskContext"]


class TaskContext:
    @classmethod
    def get(cls):
        return None


class BarrierTaskContext(TaskContext):
    @classmethod
    def get(cls):
        raise PySparkRuntimeError(errorClass="NOT_IN_BARRIER_STAGE", messageParameters={})
