# applyInPandasWithState in append mode: sums per key, emitted and removed when full; stopped and resumed from its checkpoint.
import os
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.streaming.state import GroupStateTimeout

spark = SparkSession.builder.appName("resume").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
os.makedirs("data/in")


def fill(key, frames, state):
    total, seen = state.get if state.exists else (0, [])
    rows = []
    for frame in frames:
        for row in frame.itertuples(index=False):
            total += row.v
            if total >= 10:
                rows.append({"k": key[0], "d": key[1], "total": total, "last": row.note})
                total = 0
    if total:
        state.update((total, None))
    elif state.exists:
        state.remove()
    yield pd.DataFrame(rows, columns=["k", "d", "total", "last"])


def run():
    q = (spark.readStream.schema("k STRING, d DATE, v INT, note STRING").option("maxFilesPerTrigger", 1).csv("data/in").groupBy("k", "d")
         .applyInPandasWithState(fill, "k STRING, d DATE, total LONG, last STRING", "total LONG, note STRING", "append", GroupStateTimeout.NoTimeout)
         .writeStream.outputMode("append").format("console").option("truncate", False).option("checkpointLocation", "cp").start())
    q.processAllAvailable()
    for p in q.recentProgress:
        if "addBatch" in p["durationMs"]:
            s = p["stateOperators"][0]
            print(p["batchId"], s["operatorName"], s["numRowsTotal"], s["numRowsUpdated"], s["numRowsRemoved"])
    q.stop()


for n, text in enumerate([
        "a,2026-01-01,4,x\na,2026-01-02,9,y\nb,2026-01-01,12,z\n",
        "a,2026-01-01,7,more\nc,,3,none\n",
        "c,,8,none\na,2026-01-02,1,\n,2026-01-01,10,nokey\n"]):
    with open(f"data/in/{n}.csv", "w") as f:
        f.write(text)
    run()
print(sorted(name for name in os.listdir("cp/state/0/0") if not name.startswith(".")))
