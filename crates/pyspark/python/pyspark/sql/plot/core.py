"""The plot accessor of a DataFrame."""

from pyspark.errors import PySparkImportError

_KINDS = ("area", "bar", "barh", "box", "hist", "kde", "line", "pie", "scatter")


def _refuse(*_, **__):
    raise PySparkImportError(
        errorClass="PACKAGE_NOT_INSTALLED", messageParameters={"package_name": "Plotly", "minimum_version": "4.8"}
    )


class PySparkPlotAccessor:
    def __init__(self, data):
        self.data = data

    def __call__(self, kind="line", backend=None, **kwargs):
        return _refuse()

    def __getattr__(self, name):
        if name in _KINDS:
            return _refuse
        raise AttributeError(f"'PySparkPlotAccessor' object has no attribute '{name}'")
