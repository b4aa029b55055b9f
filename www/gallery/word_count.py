# Words of text files
# Splits lines into words and counts them.
# theme: Files
# data/stream_in/1.txt
#   the tide comes in
#   the tide goes out
# data/stream_in/2.txt
#   what the tide leaves is the tidemark

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("words of text files").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

lines = spark.readStream.option("maxFilesPerTrigger", 1).text("data/stream_in")
words = lines.select(F.explode(F.split("value", " ")).alias("word"))
counts = words.groupBy("word").count().orderBy(F.desc("count"), "word")

query = counts.writeStream.outputMode("complete").format("console").start()
query.awaitTermination()
