# CSV files
# Reads CSV with a header line and a date format of its own.
# theme: Files
# data/stream_in/1.csv
#   day;city;degrees
#   01.03.2026;Oslo;-3
#   01.03.2026;Rome;14
# data/stream_in/2.csv
#   day;city;degrees
#   02.03.2026;Oslo;1

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("csv files").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

readings = (
    spark.readStream
    .schema("day date, city string, degrees int")
    .option("header", True)
    .option("sep", ";")
    .option("dateFormat", "dd.MM.yyyy")
    .option("maxFilesPerTrigger", 1)
    .csv("data/stream_in")
)

query = readings.writeStream.format("console").start()
query.awaitTermination()
