"""DataFrame.plot: there is no plotly here, which is what the methods say."""

__all__ = ["PySparkPlotAccessor"]

from pyspark.sql.plot.core import PySparkPlotAccessor
