"""Group state of applyInPandasWithState: there to be named; without pandas it cannot be used."""

__all__ = ["GroupState", "GroupStateTimeout"]


class GroupStateTimeout:
    NoTimeout = "NoTimeout"
    ProcessingTimeTimeout = "ProcessingTimeTimeout"
    EventTimeTimeout = "EventTimeTimeout"


class GroupState:
    def __init__(self, *args, **kwargs):
        from pyspark.sql._literals import not_yet

        raise not_yet("GroupState")
