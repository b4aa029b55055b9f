# The option path beside load(path), start(path) and json(path), on streams and batches.
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
        print("   ", lines[0], *inner[-1:], sep="\n    ")


os.makedirs("a"); os.makedirs("b")
drop("a", "x.json", '{"k": 1}\n')
drop("b", "y.json", '{"k": 2}\n')
def run(df):
    q = df.writeStream.format("memory").queryName("t").start()
    q.processAllAvailable(); q.stop()
    return sorted(map(tuple, spark.table("t").collect()))
r = lambda: spark.readStream.schema("k int").format("json")
ask("option only", lambda: run(r().option("path", "a").load()))
ask("both", lambda: run(r().option("path", "a").load("b")))
ask("both, upper case", lambda: run(r().option("PATH", "a").load("b")))
ask("method", lambda: run(spark.readStream.schema("k int").option("path", "a").json("b")))
ask("none", lambda: run(r().load()))
ask("batch both", lambda: spark.read.schema("k int").format("json").option("path", "a").load("b").collect())
ask("batch method", lambda: spark.read.schema("k int").option("path", "a").json("b").collect())
ask("batch paths", lambda: spark.read.schema("k int").option("path", "a").json(["a", "b"]).collect())
ask("paths option", lambda: spark.read.schema("k int").option("paths", '["a"]').format("json").load().collect())
w = lambda: r().load("a").writeStream.format("json").option("checkpointLocation", "cp")
def out(start):
    q = start(); q.processAllAvailable(); q.stop()
    return sorted(n for n in os.listdir(".") if n.startswith("out"))
ask("writer both", lambda: out(lambda: w().option("path", "out1").start("out2")))
ask("writer option", lambda: out(lambda: w().option("path", "out3").start()))
ask("writer none", lambda: out(lambda: w().start()))
spark.conf.set("spark.sql.legacy.pathOptionBehavior.enabled", "true")
ask("legacy reader", lambda: run(r().option("path", "a").load("b")))
ask("legacy writer", lambda: out(lambda: w().option("path", "out4").start("out5")))
