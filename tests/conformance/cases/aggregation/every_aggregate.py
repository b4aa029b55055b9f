# Every aggregate function that a stream takes, in update, complete and (by window) append mode, in Spark's row order.
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


A = {"count": "count(v)", "count1": "count(1)", "cd": "count(distinct v)", "approx": "approx_count_distinct(v)", "sum": "sum(v)", "avg": "avg(v)", "min": "min(s)", "max": "max(s)", "first": "first(s)", "last": "last(s, true)", "any": "any_value(s)", "list": "collect_list(s)", "set": "sort_array(collect_set(v))", "agg": "array_agg(v)", "sd": "round(stddev(v),4)", "var": "round(var_pop(v),4)", "skew": "round(skewness(v),4)", "kurt": "round(kurtosis(v),4)", "corr": "round(corr(v,w),4)", "covar": "round(covar_samp(v,w),4)", "pct": "percentile(v,0.5)", "pcta": "percentile_approx(v,array(0.25,0.75))", "med": "median(v)", "mode": "mode(s)", "maxby": "max_by(s,v)", "minby": "min_by(s,v)", "bit": "bit_and(v)", "bor": "bit_or(v)", "bx": "bit_xor(v)", "every": "bool_and(v>0)", "some": "some(v>3)", "cif": "count_if(v>2)", "hist": "histogram_numeric(v,3)", "slope": "round(regr_slope(v,w),4)", "r2": "round(regr_r2(v,w),4)", "prod": "product(v)", "str": "string_agg(s,',')", "la": "listagg(s)", "tsum": "try_sum(v)", "tavg": "try_avg(v)", "dsum": "sum(cast(v as decimal(10,2)))", "davg": "avg(cast(v as decimal(10,2)))", "sumd": "sum(distinct v)", "filter": "count(*) filter (where v > 2)", "struct": "max(struct(v,s))", "grouping": "count_min_sketch(v,0.5,0.5,1)", "bitmap": "bitmap_construct_agg(bitmap_bit_position(v))", "hll": "hll_sketch_estimate(hll_sketch_agg(v))", "wg": "percentile_cont(0.5) within group (order by v)", "pd": "percentile_disc(0.5) within group (order by v)", "lwg": "listagg(s, '-') within group (order by v desc)", "modewg":"mode() within group (order by s)"}
S = "k string, v int, w double, s string, ts timestamp"
T = ["a,1,1.5,x,2026-01-01 10:00:00\nb,2,2.5,y,2026-01-01 10:00:10\na,3,3.5,z,2026-01-01 10:00:20\na,,1.0,q,2026-01-01 10:00:30\n", "a,5,0.5,x,2026-01-01 10:01:00\nc,4,1.0,,2026-01-01 10:05:00\n"]
def text(r):
    return tuple(x.hex()[:30] if isinstance(x, (bytes, bytearray)) else x for x in r)
def go(mode, exprs, windowed=False):
    d = f"in{clock[0]}"
    os.makedirs(d)
    s = spark.readStream.schema(S).csv(d)
    if windowed:
        s = s.withWatermark("ts", "0 seconds")
        g = s.groupBy(F.window("ts", "1 minute"), "k")
    else:
        g = s.groupBy("k")
    out = []
    q = g.agg(*[F.expr(e).alias(n) for n, e in exprs.items()]).writeStream.outputMode(mode).foreachBatch(lambda x, n: out.extend((n, text(r)) for r in x.collect())).start()
    try:
        for i, t in enumerate(T):
            drop(d, f"{i}.csv", t); q.processAllAvailable()
        for n, r in out: print("  ", n, r)
        o = q.recentProgress[-1]["stateOperators"][0]
        return [(p["stateOperators"][0]["numRowsTotal"], p["stateOperators"][0]["numRowsUpdated"], p["stateOperators"][0]["memoryUsedBytes"] > 0) for p in q.recentProgress if "addBatch" in p["durationMs"]]
    finally:
        q.stop()
names = list(A)
for n in names:
    ask(n, lambda: go("update", {n: A[n]})) if n in ("cd", "sumd", "filter", "prod", "hist", "grouping", "bitmap", "hll", "wg", "pd", "lwg", "modewg", "str", "la", "pct", "pcta") else None
groups = [n for n in names if n not in ("cd", "sumd", "grouping", "hist", "bitmap", "hll", "prod", "wg", "pd", "lwg", "modewg", "str", "la")]
ask("all update", lambda: go("update", {n: A[n] for n in groups}))
ask("all complete", lambda: go("complete", {n: A[n] for n in groups}))
ask("all append", lambda: go("append", {n: A[n] for n in groups}, True))
