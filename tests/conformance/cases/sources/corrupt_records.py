# Records that do not fit: modes, column pruning, the column for malformed records, headers, schemas found, variants.
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

drop("c", "a.csv", "id,name,amount,day\n1,Ann,10.5,2026-01-01\n2,Bob,oops,2026-01-02\nx,Cy,1.0,2026-01-03\n4,Dee\n5,Eve,2.0,2026-01-05,extra\n\n7,\"Quo\"\"te\",3,2026-02-30\n")
S = "id int, name string, amount double, day date"
def rd(s=S, fmt="csv", path="c", **o): return spark.read.format(fmt).schema(s).option("header", True).options(**o).load(path)
def show(df): df.show(truncate=False)
for m in ("PERMISSIVE", "DROPMALFORMED", "FAILFAST"):
    ask("batch " + m, lambda: show(rd(mode=m)))
    ask("count " + m, lambda: rd(mode=m).count())
    ask("select " + m, lambda: rd(mode=m).select("name").collect())
    ask("corrupt " + m, lambda: show(rd(S + ", _corrupt_record string", mode=m)))
ask("corrupt only", lambda: show(rd(S + ", _corrupt_record string").select("_corrupt_record")))
ask("corrupt count", lambda: rd(S + ", _corrupt_record string").where("_corrupt_record is not null").count())
ask("corrupt cached", lambda: (lambda d: (d.cache(), d.where("_corrupt_record is not null").count()))(rd(S + ", _corrupt_record string"))[1])
ask("corrupt named", lambda: show(rd(S + ", bad string", columnNameOfCorruptRecord="bad")))
ask("corrupt int", lambda: show(rd(S + ", _corrupt_record int")))
ask("infer", lambda: (lambda d: (d.printSchema(), show(d)))(spark.read.option("header", True).option("inferSchema", True).csv("c")))
ask("infer none", lambda: (lambda d: (d.printSchema(), show(d)))(spark.read.csv("c")))
ask("enforce", lambda: show(spark.read.schema("id int, nm string, amount double, day date").option("header", True).option("enforceSchema", False).csv("c")))
ask("enforce fewer", lambda: show(spark.read.schema("id int").option("header", True).option("enforceSchema", False).csv("c")))
drop("j", "a.json", '{"id": 1, "name": "Ann", "amount": 10.5}\n{"id": "two", "name": "Bob"}\n{"id": 3, "name": "Cy", "amount": "x"}\nnot json\n{"id": 5, "extra": {"a": 1}}\n{"id": 6, "name": null\n')
SJ = "id int, name string, amount double"
for m in ("PERMISSIVE", "DROPMALFORMED", "FAILFAST"):
    ask("json " + m, lambda: show(rd(SJ, "json", "j", mode=m)))
    ask("json count " + m, lambda: rd(SJ, "json", "j", mode=m).count())
    ask("json corrupt " + m, lambda: show(rd(SJ + ", _corrupt_record string", "json", "j", mode=m)))
ask("json only", lambda: show(rd(SJ + ", _corrupt_record string", "json", "j").select("_corrupt_record")))
ask("json infer", lambda: (lambda d: (d.printSchema(), show(d)))(spark.read.json("j")))
ask("json infer drop", lambda: (lambda d: (d.printSchema(), show(d)))(spark.read.option("mode", "DROPMALFORMED").json("j")))
ask("json infer fail", lambda: (lambda d: (d.printSchema(), show(d)))(spark.read.option("mode", "FAILFAST").json("j")))
ask("variant", lambda: (lambda d: (d.printSchema(), show(d)))(spark.read.option("singleVariantColumn", "v").json("j")))
ask("variant col", lambda: show(spark.read.schema("id variant, name string").json("j")))
ask("variant stream", lambda: [spark.readStream.option("singleVariantColumn", "v").json("j").schema.simpleString()])
def stream(df):
    got = []
    q = df.writeStream.format("memory").queryName("t").start()
    try:
        q.processAllAvailable(); show(spark.table("t"))
    finally:
        q.stop()
for m in ("PERMISSIVE", "DROPMALFORMED", "FAILFAST"):
    ask("stream csv " + m, lambda: stream(spark.readStream.schema(S + ", _corrupt_record string").option("header", True).option("mode", m).csv("c")))
    ask("stream json " + m, lambda: stream(spark.readStream.schema(SJ + ", _corrupt_record string").option("mode", m).json("j")))
