# Session windows: merging over batches, late rows, dynamic gaps, restarts, several aggregates, other keys, refusals.
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


n = [0]
def run(label, agg, steps, wm="1 minute", mode="append", restart=False):
    n[0] += 1
    os.makedirs(f"in{n[0]}")
    def start():
        s = spark.readStream.schema("k string, v int, ts timestamp").csv(f"in{n[0]}")
        if wm:
            s = s.withWatermark("ts", wm)
        return agg(s).writeStream.outputMode(mode).foreachBatch(lambda d, i: got.append((i, sorted(str(tuple(str(c) for c in r)) for r in d.collect())))).option("checkpointLocation", f"cp{n[0]}").start()
    got, nums = [], []
    def act():
        q = start()
        try:
            for i, text in enumerate(steps):
                drop(f"in{n[0]}", f"{i}.csv", text)
                q.processAllAvailable()
                if restart:
                    q.stop(); nums.extend(q.recentProgress)
                    q2 = start()
                    q = q2
            nums.extend(q.recentProgress)
        finally:
            q.stop()
        for i, rows in got:
            if rows:
                print("  ", i, rows)
        return [(p["batchId"], p["stateOperators"][0]["numRowsTotal"], p["stateOperators"][0]["numRowsUpdated"], p["stateOperators"][0]["numRowsRemoved"], p["stateOperators"][0]["numRowsDroppedByWatermark"]) for p in nums if "addBatch" in p["durationMs"]]
    ask(label, act)
S = ["a,1,2026-01-01 10:00:00\na,2,2026-01-01 10:00:20\nb,3,2026-01-01 10:00:00\na,4,2026-01-01 10:02:00\n", "a,5,2026-01-01 10:01:00\nb,6,2026-01-01 10:00:30\n,7,2026-01-01 10:00:00\n", "a,8,2026-01-01 10:10:00\nb,1,2026-01-01 09:50:00\nc,1,\n", "a,9,2026-01-01 10:10:59\na,1,2026-01-01 10:09:30\n", "z,1,2026-01-01 12:00:00\n"]
g = lambda s, gap="1 minute": s.groupBy(F.session_window("ts", gap), "k")
run("count", lambda s: g(s).count(), S)
run("restarted", lambda s: g(s).count(), S, restart=True)
run("aggregates", lambda s: g(s).agg(F.sum("v"), F.min("v"), F.max("ts"), F.avg("v"), F.first("v"), F.collect_list("v"), F.approx_count_distinct("v")), S)
run("dynamic", lambda s: s.groupBy(F.session_window("ts", F.expr("case when v > 5 then '5 minutes' else '30 seconds' end")), "k").count(), S)
run("dynamic interval", lambda s: s.groupBy(F.session_window("ts", F.expr("make_interval(0,0,0,0,0,v,0)")), "k").count(), S)
run("zero gap", lambda s: g(s, "0 seconds").count(), S)
run("negative gap", lambda s: g(s, "-1 minute").count(), S)
run("month gap", lambda s: g(s, "1 month").count(), S)
run("bad gap", lambda s: g(s, "x").count(), S)
run("no key", lambda s: s.groupBy(F.session_window("ts", "1 minute")).count(), S)
run("two keys", lambda s: s.groupBy(F.session_window("ts", "1 minute"), "k", "v").count(), S)
run("update", lambda s: g(s).count(), S, mode="update")
run("complete", lambda s: g(s).count(), S, mode="complete")
run("no watermark", lambda s: g(s).count(), S, wm=None)
run("no watermark complete", lambda s: g(s).count(), S, wm=None, mode="complete")
run("filter on session", lambda s: g(s).count().where("session_window.start > '2026-01-01 10:01:00'"), S)
run("session and window", lambda s: s.groupBy(F.session_window("ts", "1 minute"), F.window("ts", "5 minutes"), "k").count(), S)
run("two sessions", lambda s: s.groupBy(F.session_window("ts", "1 minute"), F.session_window("ts", "2 minutes"), "k").count(), S)
run("session select", lambda s: s.select(F.session_window("ts", "1 minute")), S)
run("sql", lambda s: (s.createOrReplaceTempView("sess"), spark.sql("select session_window.start, session_window.end, k, count(*) c from sess group by session_window(ts, '1 minute'), k"))[1], S)
run("distinct agg", lambda s: g(s).agg(F.countDistinct("v")), S)
run("date column", lambda s: s.groupBy(F.session_window(F.col("ts").cast("date"), "1 minute"), "k").count(), S)
run("string time", lambda s: s.groupBy(F.session_window(F.col("ts").cast("string"), "1 minute"), "k").count(), S)
spark.conf.set("spark.sql.streaming.sessionWindow.merge.sessions.in.local.partition", "true")
run("local merge", lambda s: g(s).count(), S)
spark.conf.unset("spark.sql.streaming.sessionWindow.merge.sessions.in.local.partition")
