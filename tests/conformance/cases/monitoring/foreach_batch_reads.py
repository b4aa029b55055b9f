# How much of a batch the actions of a foreachBatch function read, as numInputRows counts it: two files are two partitions.
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
drop("in", "1.csv", "1,a\n2,b\n1,c\n")
drop("in", "2.csv", "5,a\n6,b\n7,c\n8,d\n")
s = spark.readStream.schema("k int, v string").csv("in")


def go(f, df=s, mode="append"):
    out = []
    q = df.writeStream.outputMode(mode).foreachBatch(lambda d, n: out.append(f(d))).start()
    try:
        q.processAllAvailable()
        return [p["numInputRows"] for p in q.recentProgress if "addBatch" in p["durationMs"]], out
    finally:
        q.stop()


ACTIONS = {
    "isEmpty": lambda d: d.isEmpty(),
    "first": lambda d: d.first(),
    "head": lambda d: d.head(2),
    "take from one": lambda d: d.take(4),
    "take from two": lambda d: d.take(5),
    "show": lambda d: d.show(),
    "show one": lambda d: d.show(1),
    "limit, count": lambda d: d.limit(2).count(),
    "limit, collect": lambda d: d.limit(2).collect(),
    "isEmpty and count": lambda d: (d.isEmpty(), d.count()),
    "sort, first": lambda d: d.sort("k").first(),
    "select, first": lambda d: d.select("k").first(),
    "count of none": lambda d: d.where("k > 99").count(),
    "collect": lambda d: len(d.collect()),
    "limit 0": lambda d: d.limit(0).count(),
    "distinct": lambda d: d.dropDuplicates(["k"]).count(),
    "union": lambda d: d.union(d).count(),
    "union, group": lambda d: d.union(d).groupBy("k").count().count(),
    "join itself": lambda d: d.alias("a").join(d.alias("b"), F.expr("a.k = b.k")).count(),
    "persist": lambda d: (d.persist().count(), d.count(), d.unpersist().count()),
    "explain": lambda d: d.explain(),
    "nothing": lambda d: d.columns,
}
for label, f in ACTIONS.items():
    ask(label, lambda: go(f))
ask("aggregated isEmpty", lambda: go(lambda d: d.isEmpty(), s.groupBy("k").count(), "update"))
ask("aggregated twice", lambda: go(lambda d: (d.isEmpty(), d.count()), s.groupBy("k").count(), "complete"))
ask("self join", lambda: go(lambda d: d.count(), s.alias("a").join(s.alias("b"), F.expr("a.k = b.k"))))
