# modifiedBefore and modifiedAfter: what batches read by them, and that streams refuse them.
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


for n in range(3):
    drop("age", f"{n}.txt", f"line {n}\n")
for key in ("modifiedBefore", "modifiedAfter"):
    for value in ("2026-02-02T02:40:05", "2026-02-02 02:40:06", "2020-01-01", "2030-01-01T00:00:00+05:00", "x", ""):
        ask(f"{key} {value}", lambda: sorted(r.value for r in spark.read.option(key, value).text("age").collect()))
        ask(f"stream {key} {value}", lambda: spark.readStream.option(key, value).text("age").writeStream.format("noop").start().processAllAvailable())
ask("modified zone", lambda: sorted(r.value for r in spark.read.option("modifiedAfter", "2026-02-02T02:40:05").option("timeZone", "America/New_York").text("age").collect()))
ask("modified session zone", lambda: (spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo"), sorted(r.value for r in spark.read.option("modifiedAfter", "2026-02-02T11:40:05").text("age").collect()))[1])
