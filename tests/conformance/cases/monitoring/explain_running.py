# explain(True) of queries that have run a batch, for sinks of both interfaces.
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


os.makedirs("in")
drop("in", "1.csv", "1,a,2026-01-01 10:00:00\n")
s = spark.readStream.schema("k int, v string, ts timestamp").csv("in")


def go(label, df, fmt, by_batch=False, **start):
    w = df.writeStream.queryName(label)
    w = w.foreachBatch(lambda d, n: d.collect()) if by_batch else w.format(fmt)
    q = w.option("checkpointLocation", "cp/" + label).start(**start)
    q.processAllAvailable()
    print("==", label)
    q.explain()
    q.explain(True)
    q.stop()


go("console", s, "console")
go("memory", s, "memory")
go("by_batch", s, None, True)
go("files", s, "csv", path="out")
go("noop", s.select("k", "v"), "noop")
