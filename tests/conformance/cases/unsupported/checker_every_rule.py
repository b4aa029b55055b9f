# Plans against the checks of unsupported operations, in every output mode: joins of two streams, pivots, deduplication, pandas
# functions, caching, repartitioning, subqueries.
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


for d in ("in", "in2"): os.makedirs(d)
drop("in", "1.csv", "1,1,2026-01-01 10:00:00\n"); drop("in2", "1.csv", "1,1,2026-01-01 10:00:00\n")
S = "k int, v int, ts timestamp"
s = spark.readStream.schema(S).csv("in"); t = spark.readStream.schema(S).csv("in2").selectExpr("k as k2", "v as v2", "ts as t2"); b = spark.createDataFrame([(1, 2)], "k int, z int")
w = s.withWatermark("ts", "1 minute"); x = t.withWatermark("t2", "1 minute")
f = lambda key, it, st: iter([])
P = {
 "agg": lambda: s.groupBy("k").count(), "agg wm": lambda: w.groupBy("k").count(), "agg wm ts": lambda: w.groupBy("ts").count(), "agg window": lambda: w.groupBy(F.window("ts", "1 minute")).count(),
 "distinct agg": lambda: s.groupBy("k").agg(F.countDistinct("v")), "sum distinct": lambda: s.agg(F.sum_distinct("v")), "approx": lambda: s.groupBy().agg(F.approx_count_distinct("v")),
 "sort": lambda: s.sort("k"), "sort agg": lambda: s.groupBy("k").count().sort("k"), "agg sort agg": lambda: s.groupBy("k").count().sort("k").groupBy("count").count(),
 "limit": lambda: s.limit(1), "limit agg": lambda: s.limit(1).groupBy("k").count(), "agg limit": lambda: s.groupBy("k").count().limit(1), "offset": lambda: s.offset(1), "sample": lambda: s.sample(0.5), "tail": lambda: s.tail(1),
 "intersect": lambda: s.intersect(s), "intersectAll": lambda: s.intersectAll(t), "except": lambda: s.exceptAll(t), "subtract": lambda: s.subtract(t), "except static": lambda: s.select("k").subtract(b.select("k")), "static except": lambda: b.select("k").subtract(s.select("k")), "union static": lambda: s.select("k").union(b.select("k")),
 "left static": lambda: s.join(b, "k", "left"), "right static": lambda: s.join(b, "k", "right"), "full static": lambda: s.join(b, "k", "full"), "anti static": lambda: s.join(b, "k", "left_anti"), "semi static": lambda: s.join(b, "k", "left_semi"), "static left": lambda: b.join(s, "k", "left"), "static anti": lambda: b.join(s, "k", "left_anti"), "static semi": lambda: b.join(s, "k", "left_semi"), "static right": lambda: b.join(s, "k", "right"),
 "ss inner": lambda: s.join(t, F.expr("k = k2")), "ss left": lambda: s.join(t, F.expr("k = k2"), "left"), "ss left wm": lambda: w.join(x, F.expr("k = k2"), "left"), "ss right wm": lambda: w.join(x, F.expr("k = k2"), "right"), "ss full wm": lambda: w.join(x, F.expr("k = k2"), "full"), "ss semi": lambda: w.join(x, F.expr("k = k2"), "left_semi"), "ss anti": lambda: w.join(x, F.expr("k = k2 and ts = t2"), "left_anti"), "ss cross": lambda: s.crossJoin(t), "ss left ok": lambda: w.join(x, F.expr("k = k2 and ts = t2"), "left"),
 "ss agg": lambda: w.join(x, F.expr("k = k2 and ts = t2")).groupBy("k").count(), "agg ss": lambda: w.groupBy("k").count().join(x, F.expr("k = k2")),
 "window fn": lambda: s.selectExpr("row_number() over (order by k)"), "rollup": lambda: s.rollup("k").count(), "cube": lambda: s.cube("k").count(), "pivot": lambda: s.groupBy("k").pivot("v", [1]).count(), "pivot no": lambda: s.groupBy("k").pivot("v").count(),
 "dd": lambda: s.dropDuplicates(["k"]), "dd agg": lambda: s.dropDuplicates(["k"]).groupBy("k").count(), "agg dd": lambda: s.groupBy("k").count().dropDuplicates(["k"]), "ddw": lambda: s.dropDuplicatesWithinWatermark(["k"]), "ddw wm": lambda: w.dropDuplicatesWithinWatermark(["k"]),
 "session": lambda: w.groupBy(F.session_window("ts", "1 minute"), "k").count(), "session global": lambda: w.groupBy(F.session_window("ts", "1 minute")).count(), "agg agg": lambda: s.groupBy("k").count().groupBy("count").count(), "agg agg wm": lambda: w.groupBy(F.window("ts", "1 minute")).count().groupBy("count").count(),
 "mapInPandas": lambda: s.mapInPandas(lambda it: it, s.schema), "applyInPandas": lambda: s.groupBy("k").applyInPandas(lambda d: d, s.schema), "cogroup": lambda: s.groupBy("k").cogroup(s.groupBy("k")).applyInPandas(lambda a, c: a, s.schema), "pandas agg": lambda: s.groupBy("k").agg(F.pandas_udf(lambda v: v.sum(), "long")("v")),
 "cache": lambda: s.cache(), "repartition": lambda: s.repartition(2), "coalesce": lambda: s.coalesce(1), "repartitionByRange": lambda: s.repartitionByRange(2, "k"), "sortWithin": lambda: s.sortWithinPartitions("k"), "hint": lambda: s.hint("broadcast").join(b, "k"),
 "rand": lambda: s.select(F.rand() > 2), "subquery": lambda: s.where("k in (select max(k) from range(3) t(k))"), "scalar": lambda: s.selectExpr("k", "(select max(id) from range(3))"), "explode": lambda: s.select(F.explode(F.array("k", "v"))),
}
keys = list(P)

for label in keys[36:]:
    for mode in ("append", "update", "complete"):
        def act():
            q = P[label]().writeStream.format("noop").outputMode(mode).start()
            try:
                q.processAllAvailable()
                return "ok"
            finally:
                q.stop()
        ask(f"{label} {mode}", act)
