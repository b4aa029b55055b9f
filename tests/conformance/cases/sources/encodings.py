# Encodings, line separators and compression of text files.
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

import gzip, zlib
def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "wb").write(data)
def wide(text, mark=False): return (b"\xff\xfe" if mark else b"") + b"".join(ord(c).to_bytes(2, "little") for c in text)
T = "k,v\n1,a\n2,é\n3,c\n".encode()
put("gz/a.csv.gz", gzip.compress(T)); put("df/a.csv.deflate", zlib.compress(T)); put("u16/a.csv", wide(T.decode(), True)); put("u16le/a.csv", wide(T.decode())); put("lat/a.csv", T.decode().encode("latin-1")); put("bom/a.csv", b"\xef\xbb\xbf" + T); put("cut/a.csv.gz", gzip.compress(T)[:-9]); put("notgz/a.csv.gz", T)
def go(df):
    got = []
    q = df.writeStream.foreachBatch(lambda d, n: got.append((n, sorted(str(tuple(r)) for r in d.collect())))).start()
    try:
        q.processAllAvailable()
    finally:
        q.stop()
    return got
def r(s="k int, v string", **o): return spark.readStream.schema(s).option("header", True).options(**o)
for d in ("gz", "df", "lat", "bom", "cut", "notgz"):
    ask(d, lambda: go(r().csv(d)))
ask("latin", lambda: go(r(encoding="ISO-8859-1").csv("lat")))
ask("utf16", lambda: go(r(encoding="UTF-16").csv("u16")))
ask("utf16 multi", lambda: go(r(encoding="UTF-16", multiLine=True).csv("u16")))
ask("utf16le", lambda: go(r(encoding="UTF-16LE", lineSep="\n").csv("u16le")))
ask("windows-1252", lambda: go(r(encoding="windows-1252").csv("lat")))
ask("charset", lambda: go(r(charset="latin1").csv("lat")))
ask("bad", lambda: go(r(encoding="zz").csv("lat")))
J = '{"k": 1, "v": "é"}\n{"k": 2, "v": "b"}\n'
put("j16/a.json", wide(J, True)); put("j16le/a.json", wide(J)); put("jlat/a.json", J.encode("latin-1")); put("jgz/a.json.gz", gzip.compress(J.encode())); put("jbom/a.json", b"\xef\xbb\xbf" + J.encode())
for d in ("jgz", "jlat", "jbom"):
    ask(d, lambda: go(r().json(d)))
ask("json latin", lambda: go(r(encoding="ISO-8859-1").json("jlat")))
ask("json 16le", lambda: go(r(encoding="UTF-16LE", lineSep="\n").json("j16le")))
ask("json 16le no sep", lambda: go(r(encoding="UTF-16LE").json("j16le")))
ask("json 16 multi", lambda: go(r(encoding="UTF-16", multiLine=True).json("j16")))
ask("json 16", lambda: go(r(encoding="UTF-16").json("j16")))
ask("json bad", lambda: go(r(encoding="zz").json("jlat")))
put("tzip/a.txt.zip", b"PK"); put("tzst/a.txt.zst", b"\x28\xb5\x2f\xfd"); put("tl/a.txt", b"\xe9\n")
for d in ("tzip", "tl"):
    ask(d, lambda: go(spark.readStream.text(d)))
ask("text lineSep", lambda: go(spark.readStream.option("lineSep", ",").text("jgz")))
ask("text lineSep empty", lambda: go(spark.readStream.option("lineSep", "").text("jgz")))
ask("csv lineSep three", lambda: go(r(lineSep="abc").csv("lat")))
ask("json lineSep", lambda: (put("jl/a.json", b'{"k":1};{"k":2};{"k":3}'), go(r(lineSep=";").json("jl")))[1])
ask("write deflate", lambda: (spark.range(3).coalesce(1).write.option("compression", "deflate").json("wdf"), [zlib.decompress(open("wdf/" + f, "rb").read()) for f in os.listdir("wdf") if f.endswith(".deflate")])[1])
for c in ("deflate", "gzip"):
    ask("round " + c, lambda: (spark.range(3).coalesce(1).write.option("compression", c).csv("rt" + c), sorted(tuple(x) for x in spark.read.csv("rt" + c).collect()))[1])
for c in ("zstd", "gzip", "lz4_raw", "snappy", "none"):
    ask("round parquet " + c, lambda: (spark.range(3).coalesce(1).write.option("compression", c).parquet("rp" + c), sorted(tuple(x) for x in spark.read.parquet("rp" + c).collect()))[1])
