# Damaged checkpoint files of every kind, and what a restart says.
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


import shutil
os.makedirs("in")
agg = lambda: spark.readStream.schema("k int").csv("in").groupBy("k").count()
q = agg().writeStream.outputMode("update").format("noop").option("checkpointLocation", "cp").start()
for n in range(3):
    drop("in", f"{n}.csv", f"{n}\n1\n")
    q.processAllAvailable()
q.stop()
def text(path):
    with open(path, errors="replace") as f:
        return f.read()
print(text("cp/commits/2").replace("\n", "|"), len(text("cp/offsets/2").splitlines()), text("cp/metadata")[:6], text("cp/sources/0/1").splitlines()[0])
def damage(label, path, content, also=None):
    where = "cp-" + label.replace(" ", "-").replace("/", "-")
    shutil.copytree("cp", where)
    target = f"{where}/{path}"
    crc = os.path.join(os.path.dirname(target), "." + os.path.basename(target) + ".crc")
    if os.path.exists(crc):
        os.remove(crc)
    if content is None:
        os.remove(target)
    else:
        with open(target, "wb") as f:
            f.write(content(open("cp/" + path, "rb").read()) if callable(content) else content.encode())
    def act():
        drop("in", f"x{clock[0]}.csv", "9\n")
        q = agg().writeStream.outputMode("update").format("noop").option("checkpointLocation", where).start()
        try:
            q.processAllAvailable()
            return [(p["batchId"], p["numInputRows"], p["stateOperators"][0]["numRowsTotal"]) for p in q.recentProgress if "addBatch" in p["durationMs"]]
        finally:
            q.stop()
    ask(label, act)
for path in ("offsets/2", "commits/2", "sources/0/2"):
    damage(path + " empty", path, "")
    damage(path + " garbage", path, "garbage\n{}")
    damage(path + " version", path, "v99\n{}")
    damage(path + " version word", path, "vx\n{}")
    damage(path + " only version", path, "v1\n")
    damage(path + " not json", path, "v1\n{not json\n")
    damage(path + " cut", path, lambda b: b[:-3])
damage("offset conf missing", "offsets/2", lambda b: b.replace(b"spark.sql.shuffle.partitions", b"spark.sql.other"))
damage("offset source missing", "offsets/2", lambda b: b"\n".join(b.splitlines()[:2]))
damage("offset dash", "offsets/2", lambda b: b"\n".join(b.splitlines()[:2] + [b"-"]))
damage("offset extra", "offsets/2", lambda b: b + b'\n{"logOffset":2}')
damage("offset bad source", "offsets/2", lambda b: b"\n".join(b.splitlines()[:2] + [b"zz"]))
damage("offset high", "offsets/2", lambda b: b"\n".join(b.splitlines()[:2] + [b'{"logOffset":7}']))
damage("delta empty", "state/0/0/3.delta", "")
damage("delta cut", "state/0/0/3.delta", lambda b: b[:-5])
damage("delta garbage", "state/0/0/3.delta", "garbage and more")
damage("delta gone", "state/0/0/2.delta", None)
damage("state metadata", "state/0/_metadata/metadata", "garbage")
damage("state metadata gone", "state/0/_metadata/metadata", None)
damage("state schema", "state/0/0/_metadata/schema", "garbage")
damage("state schema gone", "state/0/0/_metadata/schema", None)
damage("commit gone", "commits/2", None)
damage("middle commit gone", "commits/1", None)
damage("offset gone", "offsets/2", None)
damage("middle offset gone", "offsets/1", None)
damage("source log gone", "sources/0/2", None)
shutil.copytree("cp", "cp-extra")
open("cp-extra/offsets/readme.txt", "w").write("x")
open("cp-extra/commits/3.tmp", "w").write("x")
drop("in", "last.csv", "3\n")
def extra():
    q = agg().writeStream.outputMode("update").format("noop").option("checkpointLocation", "cp-extra").start()
    q.processAllAvailable(); q.stop()
    return [p["batchId"] for p in q.recentProgress if "addBatch" in p["durationMs"]]
ask("extra files", extra)
