# Columns of the state's keys where the query groups by expressions and constants.
import json, os, glob
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
os.makedirs("in")
with open("in/a.json", "w") as f:
    for i in range(6): f.write(json.dumps({"k": "ab"[i % 2], "v": i, "ts": f"2026-01-01T00:0{i}:00Z"}) + "\n")
st = spark.readStream.schema("k string, v long, ts timestamp").json("in")
def q(name, d, mode="complete"):
    print("########", name)
    w = d.writeStream.format("memory").queryName(name).option("checkpointLocation", "cp/" + name).outputMode(mode).start()
    w.processAllAvailable(); w.stop()
    d = spark.read.format("statestore").load("cp/" + name)
    d.printSchema(); d.orderBy(F.col("key").cast("string")).show(truncate=False)
    for p in sorted(glob.glob("cp/" + name + "/state/0/_metadata/schema*")) : print(open(p, "rb").read()[:400] if os.path.isfile(p) else sorted(os.listdir(p)))
q("upper", st.groupBy(F.upper("k").alias("u"), "v").count())
q("both", st.groupBy(F.upper("k").alias("u"), (F.col("v") % 2)).count())
q("win", st.withWatermark("ts", "1 minute").groupBy(F.window("ts", "2 minutes"), F.upper("k")).agg(F.sum("v")), "append")
q("session", st.withWatermark("ts", "1 minute").groupBy(F.session_window("ts", "2 minutes"), F.upper("k")).agg(F.sum("v")), "append")
q("distinct", st.select(F.upper("k").alias("u"), "v").dropDuplicates(["u"]), "append")
q("lit", st.groupBy(F.lit(1), "k").count())
