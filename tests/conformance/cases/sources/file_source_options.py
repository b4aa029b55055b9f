# Options of the file source over arrivals: cleanSource, maxFileAge, latestFirst, maxFilesPerTrigger and kin, and what they refuse.
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


def go(label, texts=("1", "2", "3"), names=None, fmt="csv", schema="k int", **options):
    where = label.replace(" ", "_").replace("/", "-")
    os.makedirs(f"{where}/in", exist_ok=True)
    for n, text in enumerate(texts):
        drop(f"{where}/in", (names or [f"{i}.csv" for i in range(len(texts))])[n], text + "\n")
    if "sourceArchiveDir" in options:
        options["sourceArchiveDir"] = options["sourceArchiveDir"].replace("@", where)
    got = []
    q = (spark.readStream.schema(schema).format(fmt).options(**options).load(f"{where}/in").writeStream
         .foreachBatch(lambda df, n: got.append((n, [tuple(r) for r in df.collect()]))).option("checkpointLocation", f"{where}/cp").start())
    try:
        q.processAllAvailable()
    finally:
        q.stop()
    left = sorted(os.listdir(f"{where}/in"))
    return got, left
ask("plain", lambda: go("plain"))
for value in ("1", "2", "0", "-1", "x", "1.5", ""):
    ask(f"maxFilesPerTrigger {value!r}", lambda: go(f"mf {value}", maxFilesPerTrigger=value))
for value in ("4", "1", "0", "-1", "x", "2b", "1k"):
    ask(f"maxBytesPerTrigger {value!r}", lambda: go(f"mb {value}", maxBytesPerTrigger=value))
ask("both limits", lambda: go("both", maxBytesPerTrigger="2", maxFilesPerTrigger=1))
for value in ("true", "TRUE", "x", "1"):
    ask(f"latestFirst {value!r}", lambda: go(f"lf {value}", latestFirst=value, maxFilesPerTrigger=1))
for value in ("1d", "1 hour", "0s", "-1", "soon"):
    ask(f"maxFileAge {value!r}", lambda: go(f"age {value}", maxFileAge=value))
for value in ("delete", "DELETE", "off", "archive", "burn"):
    ask(f"cleanSource {value!r}", lambda: go(f"clean {value}", cleanSource=value, maxFilesPerTrigger=1))
ask("archive", lambda: go("arch", cleanSource="archive", sourceArchiveDir="@/old", maxFilesPerTrigger=1))
ask("archive inside", lambda: go("archin", cleanSource="archive", sourceArchiveDir="@/in/old", maxFilesPerTrigger=1))
ask("archive threads", lambda: go("archth", cleanSource="delete", maxFilesPerTrigger=1))
ask("same names", lambda: go("fno", fileNameOnly="true"))
ask("fileNameOnly bad", lambda: go("fnobad", fileNameOnly="si"))
for value in ("*.csv", "1*", "[02].csv", "{0,2}.csv", "nothing*"):
    ask(f"pathGlobFilter {value}", lambda: go(f"glob {len(value)}{value.count('c')}{value.count('2')}", pathGlobFilter=value))
for value in ("2026-02-02T02:40:02", "2020-01-01", "x"):
    ask(f"modifiedAfter {value}", lambda: go(f"after {len(value)}", modifiedAfter=value))
ask("hidden names", lambda: go("hidden", texts=("1", "2", "3", "4"), names=["_a.csv", ".b.csv", "c.csv", "d.csv._COPYING_"]))
ask("unknown option", lambda: go("unknown", zzz="1"))
ask("maxCachedFiles", lambda: go("cached", maxCachedFiles="0", maxFilesPerTrigger=1))
ask("maxCachedFiles bad", lambda: go("cachedbad", maxCachedFiles="-1"))
ask("discard ratio", lambda: go("disc", discardCachedInputRatio="1.5"))
ask("ignoreMissing", lambda: go("igm", ignoreMissingFiles="true"))
