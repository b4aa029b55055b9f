# Sinks without and with functions, console and memory options, tables.
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
clock = [1770000000]


def drop(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open("staging", "w") as f:
        f.write(text)
    clock[0] += 1
    os.utime("staging", (clock[0], clock[0]))
    os.replace("staging", f"{folder}/{name}")


def ask(label, act):
    try:
        print(label, "->", act())
    except Exception as e:
        print(label, "->", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        lines = [line.replace(os.getcwd(), "<cwd>")[:400] for line in str(e).splitlines() if line] or [""]
        inner = [line for line in lines[1:] if "Error: " in line or "Exception: " in line]
        # py4j names its object by a number of the run.
        print("   ", *[line for line in lines[:1] if "An error occurred while calling" not in line], *inner[-1:], sep="\n    ")

def lines(text): return [l for l in text.splitlines()]
drop("in", "a.csv", "1,a\n2,b\n")
def src(): return spark.readStream.schema("k int, v string").option("maxFilesPerTrigger", 1).csv("in")
def run(w):
    q = w.start()
    try:
        q.processAllAvailable()
        if q.exception(): raise q.exception()
        return [p["numInputRows"] for p in q.recentProgress if "addBatch" in p["durationMs"]]
    finally:
        q.stop()
ask("foreachBatch format", lambda: run(src().writeStream.format("foreachBatch")))
ask("foreach none", lambda: run(src().writeStream.foreach(None)))
ask("foreach number", lambda: run(src().writeStream.foreach(3)))
ask("foreachBatch number", lambda: run(src().writeStream.foreachBatch(3)))
ask("foreach no process", lambda: run(src().writeStream.foreach(type("X", (), {})())))
ask("foreach open number", lambda: run(src().writeStream.foreach(type("X", (), {"process": lambda s, r: None, "open": 3})())))
class W:
    def open(self, p, e): print("open", e); return e % 2 == 0
    def process(self, r): print("row", r)
    def close(self, err): print("close", type(err).__name__ if err else None)
ask("foreach object", lambda: run(src().coalesce(1).writeStream.foreach(W())))
class Bad(W):
    def process(self, r): raise ValueError("bad " + str(r.k))
ask("foreach raising", lambda: run(src().coalesce(1).writeStream.foreach(Bad())))
for o in ({}, dict(numRows=1), dict(truncate=False), dict(numRows=0), dict(truncate=3), dict(numRows="x"), dict(truncate="x"), dict(numRows=-1)):
    ask(f"console {o}", lambda: run(src().select("k", F.concat(F.col("v"), F.lit("-a long text that is longer than twenty")).alias("t")).writeStream.format("console").options(**o)))
ask("console update", lambda: run(src().groupBy("v").count().writeStream.format("console").outputMode("update")))
ask("console complete", lambda: run(src().groupBy("v").count().orderBy("v").writeStream.format("console").outputMode("complete")))
ask("memory", lambda: (run(src().writeStream.format("memory").queryName("m1")), sorted(tuple(r) for r in spark.table("m1").collect())))
ask("memory no name", lambda: run(src().writeStream.format("memory")))
ask("memory again", lambda: (run(src().writeStream.format("memory").queryName("m1")), spark.table("m1").count()))
ask("memory checkpoint", lambda: (run(src().writeStream.format("memory").queryName("m2").option("checkpointLocation", "cpm")), run(src().writeStream.format("memory").queryName("m2").option("checkpointLocation", "cpm"))))
ask("memory complete checkpoint", lambda: (run(src().groupBy("v").count().writeStream.format("memory").outputMode("complete").queryName("m3").option("checkpointLocation", "cpm3")), run(src().groupBy("v").count().writeStream.format("memory").outputMode("complete").queryName("m3").option("checkpointLocation", "cpm3")), sorted(tuple(r) for r in spark.table("m3").collect())))
ask("toTable", lambda: (lambda q: (q.processAllAvailable(), q.stop(), sorted(tuple(r) for r in spark.table("t1").collect()), spark.catalog.listColumns("t1")[0].name))(src().writeStream.option("checkpointLocation", "cpt").toTable("t1")))
ask("toTable csv", lambda: (lambda q: (q.processAllAvailable(), q.stop(), sorted(tuple(r) for r in spark.table("t2").collect())))(src().writeStream.format("csv").partitionBy("v").option("checkpointLocation", "cpt2").toTable("t2")))
ask("toTable other columns", lambda: (lambda q: (q.processAllAvailable(), q.stop(), sorted(tuple(r) for r in spark.table("t1").collect())))(src().select("v", "k", F.lit(1).alias("z")).writeStream.option("checkpointLocation", "cpt3").toTable("t1")))
ask("toTable complete", lambda: src().groupBy("v").count().writeStream.outputMode("complete").option("checkpointLocation", "cpt4").toTable("t4"))
ask("toTable no checkpoint", lambda: src().writeStream.toTable("t5"))
ask("toTable temp view", lambda: (spark.range(1).createOrReplaceTempView("tv"), src().writeStream.option("checkpointLocation", "cpt6").toTable("tv")))
ask("insert into stream view", lambda: (src().createOrReplaceTempView("sv"), spark.sql("insert into t1 select * from sv")))
ask("options lower", lambda: run(src().writeStream.format("csv").option("CHECKPOINTLOCATION", "cpu").option("PATH", "outu")))
