"""pandas functions of PySpark, over the small pandas that comes with Tidemark."""
