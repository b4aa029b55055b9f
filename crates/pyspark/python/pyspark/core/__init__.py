"""Parts of PySpark below SQL."""
