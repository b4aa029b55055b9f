# A stream joined with a frame made from itself through columns of the frames: equal columns are told apart by side, other
# uses are refused as ambiguous when the join is made, before any query starts.
import json
import os
from pyspark.sql import SparkSession, functions as F
from pyspark.errors import PySparkException

spark = SparkSession.builder.appName("ss-self-columns").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

os.makedirs("data/clicks")
with open("data/clicks/a.json", "w") as f:
    for row in ((1, "buy", "08:00:00"), (1, "view", "08:01:00"), (2, "view", "08:02:00"), (2, "buy", "08:03:00")):
        f.write(json.dumps(dict(zip(("user", "what", "ts"), (row[0], row[1], f"2026-03-03T{row[2]}")))) + "\n")

clicks = spark.readStream.schema("user int, what string, ts timestamp").json("data/clicks").withWatermark("ts", "5 minutes")
buys = clicks.filter("what = 'buy'")
views = clicks.filter("what = 'view'")
seen = clicks.select("user", F.col("ts").alias("seen"))


def ask(label, build):
    try:
        print(label, build().columns)
    except PySparkException as e:
        print(label, type(e).__name__, e.getCondition())
        print("   ", str(e).splitlines()[0])


ask("equal", lambda: buys.join(views, buys.user == views.user))
ask("equal and later", lambda: buys.join(views, (buys.user == views.user) & (buys.ts > views.ts)))
ask("renamed", lambda: buys.join(seen, (buys.user == seen.user) & (buys.ts >= seen.seen)))
ask("renamed, other way", lambda: seen.join(buys, (buys.user == seen.user) & (buys.ts >= seen.seen)))
ask("with a static frame", lambda: clicks.join(spark.range(3), clicks.user == F.col("id")).select(clicks.user))
joined = buys.join(views, buys.user == views.user)
ask("select", lambda: joined.select(views.ts))
ask("union", lambda: buys.union(views).select(buys.user))

query = joined.toDF("u", "w", "t", "u2", "w2", "t2").select("u", "w", "w2").writeStream.format("console").start()
query.processAllAvailable()
query.stop()
good = buys.join(seen, (buys.user == seen.user) & (buys.ts >= seen.seen))
query = good.select("what", "seen").writeStream.format("memory").queryName("good").start()
query.processAllAvailable()
query.stop()
spark.sql("select * from good order by seen").show()
