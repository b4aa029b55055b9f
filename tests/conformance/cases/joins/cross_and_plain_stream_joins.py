# Stream-stream joins without time bounds: an inner one keeps everything; a cross join is refused when it runs.
import json
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("cross").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.conf.set("spark.sql.shuffle.partitions", 2)
os.makedirs("in", exist_ok=True)
with open("in/1.json", "w") as f:
    for i in range(3):
        f.write(json.dumps({"k": i, "t": f"2026-01-01T10:0{i}:00Z"}) + "\n")
left = spark.readStream.schema("k int, t timestamp").json("in")
right = left.select(F.col("k").alias("r"), F.col("t").alias("u"))


def run(name, joined):
    print("##", name)
    try:
        query = joined.writeStream.format("memory").queryName(name).start()
        query.processAllAvailable()
        spark.table(name).orderBy("k").show()
        query.stop()
    except Exception as e:
        text = str(e)
        print(type(e).__name__, text.split("terminated with exception: ")[-1].split("\n")[0])


run("inner", left.join(right, F.expr("k = r")))
run("cross", left.join(right, F.expr("k = r"), "cross"))
run("cross_join", left.crossJoin(right).where("k = r"))
run("no_keys", left.join(right, F.expr("k < r")))
run("between", left.join(right, F.expr("k = r and t >= u - interval 1 minute and t <= u + interval 1 minute")))
for path in ("", None):
    for read in (spark.read, spark.readStream.schema("k int")):
        try:
            read.json(path) if path is not None else read.format("json").load()
        except Exception as e:
            print(type(e).__name__, str(e).split("\n")[0])
