# Limits and clean-up of file sources, static sides of joins, binary files.
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
        print("   ", *[line for line in lines[:1] if "An error occurred while calling" not in line], *inner[-1:], sep="\n    ")

def go(df, **w):
    got = []
    q = df.writeStream.foreachBatch(lambda d, n: got.append((n, sorted(str(tuple(r)) for r in d.collect())))).options(**w).start()
    try:
        q.processAllAvailable()
        return got + [[p["sources"][0]["endOffset"] for p in q.recentProgress][-1:]]
    finally:
        q.stop()
def r(p, **o): return spark.readStream.schema("k int").options(**o).csv(p)
for i in range(6): drop("in", f"{i}.csv", f"{i}\n" * (i + 1))
ask("bytes", lambda: go(r("in", maxBytesPerTrigger=9)))
ask("bytes k", lambda: go(r("in", maxBytesPerTrigger="9b")))
ask("both", lambda: go(r("in", maxBytesPerTrigger=9, maxFilesPerTrigger=1)))
ask("latest", lambda: go(r("in", latestFirst=True, maxFilesPerTrigger=2)))
ask("files 0", lambda: go(r("in", maxFilesPerTrigger=0)))
ask("files x", lambda: go(r("in", maxFilesPerTrigger="x")))
ask("age", lambda: go(r("in", maxFileAge="3s")))
ask("age bad", lambda: go(r("in", maxFileAge="x")))
ask("name only", lambda: go(r("in", fileNameOnly=True)))
ask("cached", lambda: go(r("in", maxCachedFiles=0, maxFilesPerTrigger=4)))
ask("clean bad", lambda: go(r("in", cleanSource="x")))
ask("archive no dir", lambda: go(r("in", cleanSource="archive")))
for i in range(3): drop("arch/in", f"{i}.csv", f"{i}\n")
def clean(**o):
    out = go(r("arch/in", maxFilesPerTrigger=1, **o), checkpointLocation="cpa" + str(len(o)) + o["cleanSource"])
    import time; time.sleep(1)
    return out, sorted(os.listdir("arch/in")), sorted(os.path.join(b, f).replace(os.getcwd(), "<cwd>").replace("<cwd>", "") for b, _, fs in os.walk("archived") for f in fs if not f.endswith(".crc"))
ask("archive", lambda: clean(cleanSource="archive", sourceArchiveDir="archived"))
for i in range(3): drop("arch/in", f"d{i}.csv", f"{i}\n")
ask("delete", lambda: clean(cleanSource="delete"))
ask("archive below source", lambda: clean(cleanSource="archive", sourceArchiveDir="arch/in/x"))
ask("archive parent", lambda: go(r("arch/in", cleanSource="archive", sourceArchiveDir="arch")))
ask("availableNow", lambda: (lambda got: ((lambda q: (q.awaitTermination(30), q.exception()))(r("in", maxFilesPerTrigger=4).writeStream.trigger(availableNow=True).foreachBatch(lambda d, n: got.append((n, d.count()))).start()), got))([]))
ask("static join", lambda: None)
os.makedirs("st", exist_ok=True); drop("st", "a.csv", "1,one\n")
static = spark.read.schema("k int, name string").csv("st")
spark.sql("create table tt (k int, name string) using csv"); spark.sql("insert into tt values (1, 'one')")
tab = spark.table("tt")
got = []
os.makedirs("sj", exist_ok=True)
q = r("sj").join(static, "k", "left").join(tab.withColumnRenamed("name", "tname"), "k", "left").writeStream.foreachBatch(lambda d, n: got.append((n, sorted(str(tuple(x)) for x in d.collect())))).start()
drop("sj", "0.csv", "1\n2\n"); q.processAllAvailable()
drop("st", "b.csv", "2,two\n"); spark.sql("insert into tt values (2, 'two')")
drop("sj", "1.csv", "1\n2\n"); q.processAllAvailable()
spark.sql("refresh table tt"); static.count()
drop("sj", "2.csv", "1\n2\n"); q.processAllAvailable()
q.stop(); print(got)
drop("b", "x.bin", "abc"); drop("b", "y.txt", "hello")
bf = spark.read.format("binaryFile").load("b")
bf.printSchema()
ask("binary", lambda: sorted((r.path.split("/")[-1], r.length, bytes(r.content)) for r in bf.collect()))
ask("binary show", lambda: bf.select("length", "content").orderBy("length").show())
ask("binary glob", lambda: spark.read.format("binaryFile").option("pathGlobFilter", "*.txt").load("b").select("length").collect())
ask("binary bad schema", lambda: spark.read.format("binaryFile").schema("a int").load("b").collect())
ask("binary stream", lambda: go(spark.readStream.format("binaryFile").schema(bf.schema).load("b").select("length", "content", F.element_at(F.split("path", "/"), -1))))
ask("binary where", lambda: bf.where("length > 3").select("length").collect())
