# Errors inside a batch: what is raised, query.exception(), status and progress afterwards, awaitTermination and stop.
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


os.makedirs("in")
drop("in", "1.csv", "a,1\nb,0\n")
s = spark.readStream.schema("k string, v int").csv("in")
def go(label, df, sink=lambda w: w.format("noop"), mode="append"):
    q = None
    try:
        q = sink(df.writeStream.outputMode(mode)).start()
        q.processAllAvailable()
        print(label, "ran")
    except Exception as e:
        print(label, type(e).__name__, e.getCondition(), e.getSqlState())
        print("   ", [l.replace(os.getcwd(), "<cwd>")[:200] for l in str(e).splitlines()][:3])
    if q:
        x = q.exception()
        print("   ", q.isActive, q.status, x and type(x).__name__, q.lastProgress and q.lastProgress["batchId"], len(q.recentProgress))
        if x:
            print("   ", str(x).splitlines()[0][:300]); print("   ", [l[:120] for l in str(x).splitlines()[1:4]])
            print("   ", sorted(a for a in dir(x) if not a.startswith("_")))
            try: print("   ", x.getCondition(), x.getSqlState(), sorted(x.getMessageParameters()), (x.getMessageParameters().get("message") or "")[:200])
            except Exception as e: print("   ", type(e), str(e)[:100])
            print("   ", str(x.cause)[:200] if hasattr(x, "cause") and x.cause else None)
        for f in (lambda: q.awaitTermination(1), lambda: q.awaitTermination(), lambda: q.stop(), lambda: spark.streams.awaitAnyTermination(1)):
            try: print("   ", f())
            except Exception as e: print("   ", type(e).__name__, str(e).splitlines()[0][:150])
        spark.streams.resetTerminated()
go("divide", s.select(F.expr("1 / v")))
go("cast", s.select(F.expr("cast(k as int)")))
go("array", s.select(F.expr("array(1)[v + 1]")))
go("raise", s.select(F.expr("raise_error('no ' || k)")))
go("assert", s.select(F.expr("assert_true(v > 0, 'zero')")))
go("csv", spark.readStream.schema("k int, v int").option("mode", "FAILFAST").csv("in"))
go("element_at", s.select(F.expr("element_at(array(1), 0)")))
go("to_date", s.select(F.expr("to_date(k, 'yyyy')")))
go("map", s.select(F.expr("map(v, 1, v, 2)")))
go("agg", s.groupBy("k").agg(F.expr("sum(9223372036854775807 * (1 - v) + 1)")), mode="update")
go("decimal", s.select(F.expr("cast(12345.6 + v as decimal(3, 1))")))
