"""The Spark version whose behaviour this is."""

__version__ = "4.3.0"
