# Folders that name columns: their types, roots, patterns, hidden names, file metadata, in streams.
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
        # py4j names its object by a number of the run.
        print("   ", *[line for line in lines[:1] if "calling o" not in line], *inner[-1:], sep="\n    ")

def go(df, **o):
    got = []
    q = df.writeStream.foreachBatch(lambda d, n: got.append((n, sorted(str(tuple(r)) for r in d.collect())))).start()
    try:
        q.processAllAvailable()
    finally:
        q.stop()
    return got
def r(s="k int, v string", **o): return spark.readStream.schema(s).options(**o)
for c, y, m in (("NL", 2026, "01"), ("US", 2026, "02"), ("New York", 2025, "10")):
    drop(f"p/c={c}/y={y}/m={m}", "a.csv", f"1,{c}\n")
drop("p/c=__HIVE_DEFAULT_PARTITION__/y=2024/m=1", "b.csv", "9,null\n")
ask("inferred", lambda: (r().csv("p").schema.simpleString(), go(r().csv("p"))))
ask("given", lambda: (r("m string, k int, v string, y long, c string").csv("p").schema.simpleString(), go(r("m string, k int, v string, y long, c string").csv("p"))))
ask("partly given", lambda: go(r("k int, v string, m string").csv("p")))
ask("deeper root", lambda: go(r().csv("p/c=NL")))
ask("glob root", lambda: go(r().csv("p/c=*/y=2026")))
ask("glob basePath", lambda: go(r(basePath="p").csv("p/c=*/y=2026")))
ask("glob braces", lambda: go(r().csv("p/c={NL,US}/*/*")))
ask("recursive", lambda: go(r(recursiveFileLookup=True).csv("p")))
ask("recursive filter", lambda: go(r(recursiveFileLookup=True, pathGlobFilter="b*").csv("p")))
ask("filter", lambda: go(r(pathGlobFilter="*.json").csv("p")))
ask("no inference", lambda: (spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false"), r().csv("p").schema.simpleString(), go(r().csv("p")))[1:])
spark.conf.unset("spark.sql.sources.partitionColumnTypeInference.enabled")
ask("where part", lambda: go(r().csv("p").where("y = 2026 and c like 'N%'").select("m", "k")))
drop("conf/a=1", "x.csv", "1,a\n"); drop("conf/b=1", "x.csv", "1,a\n")
ask("conflicting", lambda: go(r().csv("conf")))
drop("mix/a=1", "x.csv", "1,a\n"); drop("mix/a=x", "x.csv", "2,a\n"); drop("mix/a=2026-01-01", "x.csv", "3,a\n")
ask("mixed types", lambda: (r().csv("mix").schema.simpleString(), go(r().csv("mix"))))
drop("typ/d=2026-01-01/t=2026-01-01 10%3A00%3A00/n=1.5/l=99999999999/b=true", "x.csv", "1,a\n")
ask("types", lambda: (r().csv("typ").schema.simpleString(), go(r().csv("typ"))))
ask("given types", lambda: (r("k int, v string, d date, t timestamp, n decimal(5,2), l string, b boolean").csv("typ").schema.simpleString(), go(r("k int, v string, d date, t timestamp, n decimal(5,2), l string, b boolean").csv("typ"))))
ask("file as root", lambda: go(r().csv("p/c=NL/y=2026/m=01/a.csv")))
ask("missing root", lambda: go(r().csv("nowhere")))
ask("missing glob", lambda: go(r().csv("nowh*")))
ask("modifiedAfter", lambda: go(r(modifiedAfter="2026-01-01T00:00:00").csv("p")))
ask("modifiedBefore", lambda: go(r(modifiedBefore="2026-02-02T02:40:02").csv("p")))
drop("h", "_skip.csv", "1,a\n"); drop("h", ".skip.csv", "1,a\n"); drop("h", "a.csv", "5,a\n"); drop("h/sub", "b.csv", "6,b\n"); drop("h/_sub", "c.csv", "7,b\n"); drop("h", "x._COPYING_", "8,c\n")
ask("hidden", lambda: go(r().csv("h")))
ask("hidden recursive", lambda: go(r(recursiveFileLookup=True).csv("h")))
ask("meta", lambda: [(n, [x.split("modif")[0].replace(os.getcwd(), "<cwd>") for x in rows]) for n, rows in go(r().csv("p/c=NL").select("k", "_metadata.file_name", "_metadata.file_size", "_metadata.file_modification_time", "_metadata.file_block_start", "_metadata.file_block_length", "_metadata.file_path"))])
ask("meta all", lambda: r().csv("h").select("_metadata").schema.simpleString())
ask("meta star", lambda: r().csv("h").select("*", "_metadata").columns)
ask("meta col named", lambda: r("k int, _metadata string").csv("h").select("_metadata").schema.simpleString())
ask("input_file_name", lambda: [(n, [x.replace(os.getcwd(), "<cwd>") for x in rows]) for n, rows in go(r().csv("h").select("k", F.input_file_name()))])
