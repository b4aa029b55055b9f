# Ads and their clicks
# Joins two streams: a click belongs to an ad shown within the minute before it.
# theme: Joins
# data/shown/1.json
#   {"ad": "tea", "shown_at": "2026-03-02T09:00:00"}
#   {"ad": "hat", "shown_at": "2026-03-02T09:00:10"}
# data/clicks/1.json
#   {"clicked_ad": "hat", "clicked_at": "2026-03-02T09:00:30"}
# data/shown/2.json
#   {"ad": "car", "shown_at": "2026-03-02T09:05:00"}
# data/clicks/2.json
#   {"clicked_ad": "car", "clicked_at": "2026-03-02T09:05:20"}

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("ads and their clicks").getOrCreate()
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

clicked = shown.join(clicks, within_a_minute).select("ad", "shown_at", "clicked_at")

query = clicked.writeStream.format("console").option("truncate", False).start()
query.awaitTermination()
