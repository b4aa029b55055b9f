# Only whether it was clicked
# A left semi join puts each ad out once, however many clicks it gets.
# theme: Joins
# data/shown/1.json
#   {"ad": "tea", "shown_at": "2026-03-02T09:00:00"}
#   {"ad": "hat", "shown_at": "2026-03-02T09:00:10"}
# data/clicks/1.json
#   {"clicked_ad": "hat", "clicked_at": "2026-03-02T09:00:30"}
# data/clicks/2.json
#   {"clicked_ad": "hat", "clicked_at": "2026-03-02T09:00:40"}
#   {"clicked_ad": "hat", "clicked_at": "2026-03-02T09:00:45"}

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("only whether it was clicked").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

shown = (
    spark.readStream.schema("ad string, shown_at timestamp")
    .option("maxFilesPerTrigger", 1).json("data/shown")
    .withWatermark("shown_at", "10 seconds")
)
clicks = (
    spark.readStream.schema("clicked_ad string, clicked_at timestamp")
    .option("maxFilesPerTrigger", 1).json("data/clicks")
    .withWatermark("clicked_at", "10 seconds")
)
within_a_minute = F.expr(
    "ad = clicked_ad AND clicked_at BETWEEN shown_at AND shown_at + INTERVAL 1 MINUTE"
)

clicked = shown.join(clicks, within_a_minute, "left_semi")

query = clicked.writeStream.format("console").option("truncate", False).start()
query.awaitTermination()
