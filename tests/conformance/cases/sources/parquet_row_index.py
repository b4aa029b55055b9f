# Columns of _metadata by format: Parquet has a row index too.
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


spark.range(0, 6, 1, 2).withColumn("s", F.col("id").cast("string")).write.parquet("p")
df = spark.read.parquet("p")
ask("schema", lambda: df.select("_metadata").schema.simpleString())
ask("rows", lambda: sorted(map(tuple, df.select("id", "_metadata.row_index").collect())))
ask("filter", lambda: sorted(map(tuple, df.filter("_metadata.row_index = 1").select("id", F.col("_metadata.row_index").alias("r")).collect())))
ask("json has none", lambda: spark.read.schema("id long").json("p").select("_metadata.row_index").collect())
def go():
    q = spark.readStream.schema("id long, s string").parquet("p").select("id", "_metadata.row_index", "_metadata.file_block_start").writeStream.format("memory").queryName("m").start()
    q.processAllAvailable(); q.stop()
    return sorted(map(tuple, spark.table("m").collect()))
ask("stream", go)
ask("stream schema", lambda: spark.readStream.schema("id long").parquet("p").select("_metadata").schema.simpleString())
