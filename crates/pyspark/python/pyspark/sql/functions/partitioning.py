"""Partition transforms of DataFrameWriterV2: there to be named; tables here are not partitioned by them."""

from pyspark.sql._literals import not_yet


def _transform(name):
    def function(*args):
        raise not_yet(f"the partition transform {name}")

    function.__name__ = function.__qualname__ = name
    return function


years = _transform("years")
months = _transform("months")
days = _transform("days")
hours = _transform("hours")
bucket = _transform("bucket")
