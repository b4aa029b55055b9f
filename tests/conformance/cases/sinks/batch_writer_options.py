# Options of batch writers and the bytes that come of them; what they refuse.
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

def tree(d):
    out = []
    for b, _, fs in sorted(os.walk(d)):
        for f in sorted(fs):
            out.append(os.path.join(b, f)[len(d) + 1:])
    import re
    return sorted(re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "<u>", x) for x in out if "crc" not in x)
def raw(d):
    out = []
    for b, _, fs in sorted(os.walk(d)):
        for f in sorted(fs):
            if f.startswith("part") and not f.endswith((".crc", ".parquet", ".gz")):
                out.append(open(os.path.join(b, f), "rb").read())
    return out
import datetime as dt
df = spark.sql("""select * from values
 (1, 'plain', 1.5D, date'2026-01-02', timestamp'2026-01-02 03:04:05.678', true, cast(1.20 as decimal(5,2))),
 (2, 'com,ma "q" \\\\ x', cast('NaN' as double), null, null, false, null),
 (3, '', cast('Infinity' as double), date'0999-12-31', timestamp'1969-12-31 23:59:59.999999', null, -0.05),
 (4, null, 1e20, date'2026-06-30', timestamp'2026-06-30 00:00:00', true, 1),
 (5, ' sp ', 1e-5, date'2026-06-30', timestamp'2026-06-30 00:00:00', true, 1),
 (6, 'new\\nline', 100.0, date'2026-06-30', timestamp'2026-06-30 00:00:00', true, 1)
 t(k, v, d, dt, ts, b, m)""").coalesce(1)
n = [0]
def w(label, fmt, d=df, part=None, mode=None, show=True, **o):
    n[0] += 1
    p = f"o{n[0]}"
    def act():
        x = d.write.format(fmt).options(**o)
        if part: x = x.partitionBy(*part)
        if mode: x = x.mode(mode)
        x.save(p)
        return tree(p)
    ask(label, act)
    if show and os.path.isdir(p):
        for t in raw(p): print("     ", t)
w("csv", "csv"); w("csv header", "csv", header=True); w("csv quoteAll", "csv", quoteAll=True); w("csv null", "csv", nullValue="NULL", emptyValue="EMPTY")
w("csv dates", "csv", dateFormat="dd/MM/yyyy", timestampFormat="yyyy-MM-dd HH:mm:ss.SSS"); w("csv sep", "csv", sep="|", quote="'", escape="^"); w("csv long sep", "csv", sep="||")
w("csv escapeQuotes", "csv", escapeQuotes=False); w("csv trim", "csv", ignoreLeadingWhiteSpace=False, ignoreTrailingWhiteSpace=False); w("csv lineSep", "csv", lineSep="\r\n"); w("csv noquote", "csv", quote="")
w("csv zone", "csv", timeZone="America/New_York"); w("csv encoding", "csv", d=spark.sql("select 'é€' v"), encoding="UTF-16"); w("csv latin", "csv", d=spark.sql("select 'é' v"), encoding="ISO-8859-1"); w("csv bad enc", "csv", encoding="zz")
w("csv charToEscape", "csv", charToEscapeQuoteEscaping="#"); w("csv comment", "csv", d=spark.sql("select '#x' v"), comment="#"); w("csv unknown option", "csv", d=spark.sql("select 1 v"), foo="bar")
w("json", "json"); w("json nulls", "json", ignoreNullFields=False); w("json dates", "json", dateFormat="dd/MM/yyyy", timestampFormat="yyyy-MM-dd HH:mm:ss"); w("json pretty", "json", pretty=True); w("json lineSep", "json", d=spark.range(2).coalesce(1), lineSep=",")
w("json nested", "json", d=spark.sql("select map('a', 1, 'b', null) m, array(1, null) a, struct(1 x, null y) s, cast('x' as binary) bi, interval '1' day i, interval '1-2' year to month ym, timestamp_ntz'2026-01-01 00:00:00' n"))
w("json non-ascii", "json", d=spark.sql("select 'é€\U0001F600' v"), writeNonAsciiCharacterAsCodePoint=True); w("json enc", "json", d=spark.sql("select 'é' v"), encoding="UTF-16LE")
w("text", "text", d=df.select("v")); w("text lineSep", "text", d=df.select("v"), lineSep=";"); w("text two", "text"); w("text int", "text", d=df.select("k"))
w("part", "csv", part=["b"]); w("part two", "json", part=["b", "dt"]); w("part all", "csv", d=df.select("k"), part=["k"]); w("part missing", "csv", part=["zz"]); w("part dup", "csv", part=["k", "k"]); w("part float", "csv", d=df.select("k", "d", "ts", "m", "v"), part=["d", "ts", "m", "v"])
for c in ("gzip", "deflate", "zstd", "none", "uncompressed", "foo"):
    w("csv " + c, "csv", show=False, compression=c)
    w("text " + c, "text", d=df.select("v"), show=False, compression=c)
for c in ("gzip", "snappy", "zstd", "lz4", "lz4_raw", "brotli", "lzo", "none", "uncompressed", "foo"):
    w("parquet " + c, "parquet", show=False, compression=c)
w("csv map", "csv", d=spark.sql("select map(1,2) m")); w("csv binary", "csv", d=spark.sql("select cast('ab' as binary) m")); w("csv interval", "csv", d=spark.sql("select interval '1' day m, interval '1-2' year to month y"))
w("csv void", "csv", d=spark.sql("select null m")); w("parquet void", "parquet", d=spark.sql("select null m")); w("json void", "json", d=spark.sql("select null m, 1 k")); w("parquet empty", "parquet", d=spark.range(0)); w("csv empty header", "csv", d=spark.range(0), header=True)
ask("exists", lambda: df.write.csv("o1")); ask("ignore", lambda: df.write.mode("ignore").csv("o1")); ask("append", lambda: (df.write.mode("append").csv("o1"), len(tree("o1")))[1]); ask("overwrite", lambda: (df.write.mode("overwrite").csv("o1"), len(tree("o1")))[1])
