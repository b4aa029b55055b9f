# Broken lines kept apart
# Puts what is no JSON into a column of its own instead of losing it.
# theme: Files
# data/stream_in/1.json
#   {"user": "ana", "amount": 12.5}
#   {"user": "ben", "amount": oops
#   {"user": "cho", "amount": 3.0}

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("broken lines kept apart").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

rows = (
    spark.readStream
    .schema("user string, amount double, broken string")
    .option("columnNameOfCorruptRecord", "broken")
    .json("data/stream_in")
)

query = rows.writeStream.format("console").option("truncate", False).start()
query.awaitTermination()
