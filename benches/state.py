# Large state: a count by key that grows to 1,000,000 keys, and at 10,000, 100,000 and 1,000,000 keys the mean duration of a
# batch that touches 100 of them (it must not grow with the state); then a stream-stream join of 200,000 rows a side.
import os
from pyspark.sql import SparkSession, functions as F

KEYS, TOUCHED, SIDE = int(os.environ.get("KEYS", "1000000")), 100, int(os.environ.get("SIDE", "200000"))
spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 4)
clock = [1770000000]


def drop(folder, name, lines):
    with open("staging.csv", "w") as f:
        f.write("\n".join(lines) + "\n")
    clock[0] += 1
    os.utime("staging.csv", (clock[0], clock[0]))
    os.replace("staging.csv", f"bench/{folder}/{name}.csv")


def peak(when):
    """Peak memory of this process, where the system tells it (of Python alone under Spark)."""
    try:
        with open("/proc/self/status") as f:
            print("peak memory after", when, next(line.split()[1] for line in f if line.startswith("VmHWM")), "kB")
    except OSError:
        pass


def trigger(query):
    query.processAllAvailable()
    return query.recentProgress[-1]


for folder in ("keys", "left", "right"):
    os.makedirs(f"bench/{folder}")
peak("start")
query = (spark.readStream.schema("k long").csv("bench/keys").groupBy("k").count()
         .writeStream.outputMode("update").format("noop").start())
done, size, loaded = 0, 10_000, 0
while done < KEYS:
    step = min(size - done, 100_000)
    drop("keys", f"load{done:08}", (str(k) for k in range(done, done + step)))
    query.processAllAvailable()
    done += step
    loaded += step
    if done == size:
        loads = [p for p in query.recentProgress if p["numInputRows"] > TOUCHED]
        ms = sum(p["durationMs"]["triggerExecution"] for p in loads)
        print(done, "keys; rows per second while loading", round(sum(p["numInputRows"] for p in loads) * 1000 / max(1, ms)))
        before = len([p for p in query.recentProgress if p["numInputRows"] == TOUCHED])
        for n in range(20):
            drop("keys", f"touch{done:08}-{n:02}", (str(n * 37 + i * (done // TOUCHED)) for i in range(TOUCHED)))
            query.processAllAvailable()
        touches = [p for p in query.recentProgress if p["numInputRows"] == TOUCHED][before:][5:]
        ms = [p["durationMs"]["triggerExecution"] for p in touches]
        print(done, "keys; ms of a batch of", TOUCHED, "keys: mean", round(sum(ms) / len(ms), 1), "max", max(ms))
        size *= 10
state = query.lastProgress["stateOperators"][0]
print("state rows", state["numRowsTotal"], "memoryUsedBytes", state["memoryUsedBytes"])
query.stop()
peak("aggregation")

left = spark.readStream.schema("lk long, lt timestamp").csv("bench/left").withWatermark("lt", "1 hour")
right = spark.readStream.schema("rk long, rt timestamp").csv("bench/right").withWatermark("rt", "1 hour")
joined = left.join(right, F.expr("lk = rk and rt between lt and lt + interval 30 minutes"), "left_outer")
query = joined.writeStream.format("noop").start()
at = lambda i: "2026-02-14 10:%02d:%02d" % (i * 30 // SIDE, i % 60)
STEP = SIDE // 10
for n in range(10):
    rows = [f"{i},{at(i)}" for i in range(n * STEP, (n + 1) * STEP)]
    drop("left", f"{n:02}", rows)
    drop("right", f"{n:02}", rows)
    query.processAllAvailable()
loads = [p for p in query.recentProgress if p["numInputRows"]]
ms = sum(p["durationMs"]["triggerExecution"] for p in loads)
print("join; rows per second", round(sum(p["numInputRows"] for p in loads) * 1000 / max(1, ms)))
before = len(loads)
for n in range(20):
    rows = [f"{i},{at(i)}" for i in range(n * 41, SIDE, SIDE // TOUCHED)][:TOUCHED]
    drop("left", f"touch{n:02}", rows)
    query.processAllAvailable()
ms = [p["durationMs"]["triggerExecution"] for p in query.recentProgress if p["numInputRows"]][before:][5:]
print("join; ms of a batch of", TOUCHED, "rows: mean", round(sum(ms) / len(ms), 1), "max", max(ms))
print("state rows", query.lastProgress["stateOperators"][0]["numRowsTotal"])
query.stop()
peak("join")
print("done")
