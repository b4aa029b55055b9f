# Which types each file format writes and reads, in streams and batches.
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


os.makedirs("in"); drop("in", "1.csv", "1,a\n2,b\n")
s = spark.readStream.schema("k int, v string").csv("in")
def wr(fmt, *cols):
    q = s.selectExpr(*cols).writeStream.format(fmt).option("checkpointLocation", f"cw{fmt}{cols[0].split()[-1]}").start(f"ow{fmt}{cols[0].split()[-1]}")
    try:
        q.processAllAvailable()
    finally:
        q.stop()
    return "written"
for fmt in ("csv", "json", "parquet", "text"):
    for col in ("cast(v as binary) b", "interval 1 day d", "interval 1 month m", "null n", "array(k) a", "map(k, v) mm", "named_struct('a', k) s", "make_interval(1) c", "to_variant_object(array(k)) vv", "cast(k as decimal(30,2)) d", "v"):
        ask(f"write {fmt} {col}", lambda: wr(fmt, col))
for fmt in ("csv", "json", "parquet", "text"):
    for t in ("binary", "interval day", "void", "array<int>", "map<int,int>", "struct<a: int>", "interval", "int", "string, v string"):
        ask(f"read {fmt} {t}", lambda: len(spark.read.schema(f"k {t}").format(fmt).load(f"ow{fmt}v").collect()))
        def rs():
            q = spark.readStream.schema(f"k {t}").format(fmt).load(f"ow{fmt}v").writeStream.format("noop").start()
            try:
                q.processAllAvailable()
            finally:
                q.stop()
        ask(f"stream {fmt} {t}", rs)

