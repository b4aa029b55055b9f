# foreach with objects: open, process, close and their order, errors in each, what may be missing, and functions.
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


class W:
    def __init__(self, opens=True, fail=None):
        self.opens, self.fail = opens, fail
    def open(self, p, e):
        with open("log", "a") as f:
            f.write(f"open {p} {e}\n")
        if self.fail == "open":
            raise ValueError("in open")
        return self.opens
    def process(self, row):
        with open("log", "a") as f:
            f.write(f"process {row}\n")
        if self.fail == "process":
            raise ValueError("in process")
    def close(self, error):
        with open("log", "a") as f:
            f.write(f"close {type(error).__name__} {error}\n")
        if self.fail == "close":
            raise ValueError("in close")
class OnlyProcess:
    def process(self, row):
        with open("log", "a") as f:
            f.write(f"only {row.k}\n")
class NoProcess:
    def open(self, p, e):
        return True
class BadOpen:
    def open(self, p):
        return True
    def process(self, row):
        pass
class OpenNotCallable:
    open = 3
    def process(self, row):
        pass
class NoneOpen(W):
    def open(self, p, e):
        return None
LOG = os.path.join(os.getcwd(), "log")
os.makedirs("in")
drop("in", "1.csv", "1\n2\n")
def go(f, **kw):
    if os.path.exists("log"):
        os.remove("log")
    q = spark.readStream.schema("k int").csv("in").writeStream.foreach(f).start()
    try:
        q.processAllAvailable()
        return [p["sink"]["description"][:30] for p in q.recentProgress][:1], open("log").read().splitlines() if os.path.exists("log") else None
    except Exception as e:
        print("  log", [l for l in open("log").read().splitlines()] if os.path.exists("log") else None)
        raise
    finally:
        q.stop()
for label, f in {"object": W(), "closed": W(False), "none": NoneOpen(), "fails open": W(fail="open"), "fails process": W(fail="process"), "fails close": W(fail="close"), "only process": OnlyProcess(), "no process": NoProcess(), "bad open": BadOpen(), "open not callable": OpenNotCallable(), "function": lambda r: None, "number": 3, "none at all": None, "class": W}.items():
    ask(label, lambda: go(f))
ask("foreachBatch number", lambda: spark.readStream.schema("k int").csv("in").writeStream.foreachBatch(3) is not None)
ask("foreachBatch args", lambda: spark.readStream.schema("k int").csv("in").writeStream.foreachBatch(lambda: 1).start().processAllAvailable())
ask("both", lambda: spark.readStream.schema("k int").csv("in").writeStream.foreach(lambda r: None).foreachBatch(lambda d, n: d.count()).start().processAllAvailable())
ask("foreach and format", lambda: spark.readStream.schema("k int").csv("in").writeStream.foreach(lambda r: None).format("noop").start().processAllAvailable())
ask("foreachBatch returns", lambda: spark.readStream.schema("k int").csv("in").writeStream.foreachBatch(lambda d, n: (d.count(), 5)).start().processAllAvailable())
ask("foreach partitions", lambda: spark.readStream.schema("k int").csv("in").repartition(2).writeStream.foreach(lambda r: None).start().processAllAvailable())
ask("format foreach", lambda: spark.readStream.schema("k int").csv("in").writeStream.format("foreach").start() is not None)
ask("format foreachbatch", lambda: spark.readStream.schema("k int").csv("in").writeStream.format("foreachBatch").start() is not None)
