# Partitioned folders, _metadata columns, input_file_name, recursive lookup and gzip inputs of a stream.
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


import gzip
def go(df, mode="append"):
    got = []
    q = df.writeStream.outputMode(mode).foreachBatch(lambda d, n: got.append((n, sorted(str(tuple(r)).replace(os.getcwd(), "<cwd>") for r in d.collect())))).start()
    try:
        q.processAllAvailable()
    finally:
        q.stop()
    return got
drop("p/d=2026-01-01/h=7", "a.csv", "1\n2\n")
drop("p/d=2026-01-02/h=x", "b.csv", "3\n")
drop("p/d=__HIVE_DEFAULT_PARTITION__/h=08", "c.csv", "4\n")
ask("inferred", lambda: (spark.readStream.schema("k int").csv("p").schema.simpleString(), go(spark.readStream.schema("k int").csv("p"))))
ask("given", lambda: go(spark.readStream.schema("k int, d date, h string").csv("p")))
ask("given types", lambda: go(spark.readStream.schema("k int, d string").csv("p")))
ask("order", lambda: (spark.readStream.schema("h string, k int, d string").csv("p").columns, go(spark.readStream.schema("h string, k int, d string").csv("p"))))
ask("no inference", lambda: (spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false"), spark.readStream.schema("k int").csv("p").schema.simpleString(), spark.conf.unset("spark.sql.sources.partitionColumnTypeInference.enabled")))
ask("without base", lambda: go(spark.readStream.schema("k int").csv("p/d=2026-01-01")))
ask("glob", lambda: go(spark.readStream.schema("k int").csv("p/d=2026-01-0[12]/*")))
ask("recursive", lambda: go(spark.readStream.schema("k int").option("recursiveFileLookup", "true").csv("p")))
drop("nest/x/y", "a.csv", "1\n")
drop("nest", "b.csv", "2\n")
ask("nested", lambda: go(spark.readStream.schema("k int").csv("nest")))
ask("nested recursive", lambda: go(spark.readStream.schema("k int").option("recursiveFileLookup", "true").csv("nest")))
s = spark.readStream.schema("k int").csv("nest")
ask("metadata", lambda: (s.select("_metadata").schema.simpleString(), go(s.select("k", "_metadata.file_name", "_metadata.file_size", "_metadata.file_block_start", "_metadata.file_block_length", "_metadata.file_path"))))
ask("metadata where", lambda: go(s.where("_metadata.file_name = 'b.csv'").select("k")))
ask("metadata after select", lambda: go(s.select("k").select("_metadata.file_name")))
ask("metadata group", lambda: go(s.groupBy("_metadata.file_name").count(), "complete"))
ask("metadata star", lambda: go(s.select("*", "_metadata.file_name")))
ask("own _metadata", lambda: go(spark.readStream.schema("_metadata int").csv("nest").select("_metadata")))
ask("input_file_name", lambda: go(s.select("k", F.input_file_name())))
ask("block", lambda: go(s.selectExpr("k", "input_file_block_start()", "input_file_block_length()")))
os.makedirs("gz", exist_ok=True)
with gzip.open("gz/a.csv.gz", "wt") as f:
    f.write("1,a\n2,b\n")
drop("gz", "b.csv", "3,c\n")
ask("gzip", lambda: go(spark.readStream.schema("k int, v string").csv("gz")))
ask("gzip text", lambda: go(spark.readStream.text("gz").select("value")))
with open("gz/a.csv.gz", "rb") as f:
    data = f.read()
with open("gz/d.csv.gz", "wb") as f:
    f.write(data[:-12])
ask("gzip cut", lambda: go(spark.readStream.schema("k int, v string").csv("gz")))
drop("one", "a.csv", "5\n")
ask("a file", lambda: go(spark.readStream.schema("k int").csv("one/a.csv")))
ask("no such folder", lambda: go(spark.readStream.schema("k int").csv("nothere")))
ask("two paths", lambda: go(spark.readStream.schema("k int").format("csv").load(["one", "nest"])))
ask("no path", lambda: go(spark.readStream.schema("k int").format("csv").load()))
ask("path option", lambda: go(spark.readStream.schema("k int").format("csv").option("path", "one").load()))
ask("empty glob", lambda: go(spark.readStream.schema("k int").csv("one/*.zzz")))
ask("infer json", lambda: spark.readStream.json("one"))
spark.conf.set("spark.sql.streaming.schemaInference", "true")
drop("js", "a.json", '{"a": 1, "b": {"c": "x"}}\n')
ask("infer json on", lambda: (spark.readStream.json("js").schema.simpleString(), go(spark.readStream.json("js"))))
ask("infer csv on", lambda: (spark.readStream.option("header", True).csv("one").schema.simpleString(),))
ask("infer empty", lambda: (os.makedirs("empty"), spark.readStream.json("empty").schema)[1])
