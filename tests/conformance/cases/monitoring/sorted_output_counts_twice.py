# A global sort (and repartitionByRange) samples its input, which runs the operators below it once more: state counters, memory
# and rows read count both runs. One shuffle partition needs no samples; a limit finds its rows without.
import os, json
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.appName("p").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.conf.set("spark.sql.shuffle.partitions", 3)
os.makedirs("in", exist_ok=True)
for n in range(3):
    with open(f"in/{n}.json", "w") as f:
        for i in range(3): f.write(json.dumps({"k": "abcde"[(n + i) % 5], "v": i + n, "t": "2026-01-01T10:0%d:00Z" % (n*2)}) + "\n")
    os.utime(f.name, (1.7e9 + 10 * n,) * 2)
s = spark.readStream.schema("k string, v double, t timestamp").option("maxFilesPerTrigger", 1).json("in")
def run(name, df, mode="complete", fmt="memory"):
    print("##", name)
    w = df.writeStream.format(fmt).queryName(name).outputMode(mode)
    q = (w.foreachBatch(lambda d, i: print(d.count())) if fmt == "x" else w).start()
    q.processAllAvailable()
    for p in q.recentProgress:
        print(p.batchId, p.numInputRows, p.sink.numOutputRows, [(o.operatorName, o.numRowsTotal, o.numRowsUpdated, o.numRowsDroppedByWatermark, o.numRowsRemoved, o.numShufflePartitions, o.memoryUsedBytes, o.customMetrics) for o in p.stateOperators])
    q.stop()
g = s.groupBy("k")
run("a", g.count().orderBy("count"))
run("b", g.agg(F.collect_set("v")).orderBy("k"))
run("c", g.agg(F.collect_set("v")))
run("d", g.agg(F.sum("v").alias("s")).orderBy("s"))
run("e", g.agg(F.sum("v").alias("s")).orderBy("s").limit(2))
run("f", g.agg(F.collect_list("v").alias("s")).orderBy(F.size("s")), fmt="console")
run("g", g.agg(F.max("k").alias("s")).orderBy("s"))
run("h", g.agg(F.sum("v").alias("s")).repartition(2))
run("i", g.agg(F.sum("v").alias("s")).repartitionByRange(2, "s"))
run("j", g.agg(F.sum("v").alias("s")).orderBy("s"), fmt="console")
run("k1", g.agg(F.sum("v").alias("s")).where("s > 0").orderBy("s", "k"))
run("l", s.withWatermark("t", "1 minute").groupBy("k", F.window("t", "1 minute")).agg(F.sum("v").alias("s")).orderBy("s"))
run("m", s.withWatermark("t", "1 minute").dropDuplicates(["k"]).repartitionByRange(2, "k"), "append")
run("n", s.withWatermark("t", "1 minute").repartitionByRange(2, "k").groupBy("k").count(), "update")
spark.conf.set("spark.sql.shuffle.partitions", 1)
run("o", g.agg(F.sum("v").alias("s")).orderBy("s"))
run("p1", g.agg(F.collect_set("v").alias("s")).orderBy("s"))
