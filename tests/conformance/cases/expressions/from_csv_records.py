"""from_csv over a column: records with fields that do not fit, too few, too many, quoted, with options and in each mode."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

records = [
    "1,a,2.5,true,2024-01-02,2024-01-02 03:04:05",
    "x,b,y,maybe,z,w",
    "+7,,1e3,FALSE,,",
    "",
    None,
    "1,2",
    "1,a,2.5,true,2024-01-02,2024-01-02 03:04:05,extra",
    '"3","q,r",NaN,true,2024-13-01,2024',
    "300,a,Inf,,,",
    " 4 , s , 1.5d ,true,2024-1-2,2024-01-02T03:04:05Z",
    "-0,-,-Inf,True,,",
]
df = spark.createDataFrame([(record,) for record in records], "t string")
schema = "a INT, b STRING, c DOUBLE, d BOOLEAN, e DATE, f TIMESTAMP"


def tried(make):
    try:
        make().show(truncate=False)
    except Exception as error:
        print(type(error).__name__, [line for line in str(error).splitlines() if "[" in line][:1])


for options in (
    {},
    {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true"},
    {"nullValue": "a"},
    {"dateFormat": "yyyy-M-d"},
    {"sep": ";"},
):
    print(options)
    tried(lambda: df.select(F.from_csv("t", schema, options).alias("v")).select("v", "v.*"))
    tried(lambda: df.select(F.from_csv("t", schema + ", _corrupt_record STRING", options).alias("v")).select("v.*"))
tried(lambda: df.select(F.from_csv("t", "_corrupt_record STRING, " + schema).alias("v")).select("v.*"))
tried(lambda: df.select(F.from_csv("t", "a BIGINT, bad STRING, c DECIMAL(5,2)", {"columnNameOfCorruptRecord": "bad"})))
tried(lambda: df.select(F.from_csv("t", "a TINYINT, b SMALLINT, c DECIMAL(5,2), d BINARY, e FLOAT, f TIMESTAMP_NTZ")))
for mode in "FAILFAST", "DROPMALFORMED":
    tried(lambda: df.select(F.from_csv("t", schema, {"mode": mode})))
tried(lambda: df.limit(1).select(F.from_csv("t", schema, {"mode": "FAILFAST"})))
tried(lambda: df.select(F.from_csv("t", "a ARRAY<INT>")))
tried(lambda: df.select(F.from_csv(F.lit(None).cast("string"), schema)))
tried(lambda: spark.sql("SELECT from_csv('1,abc', 'a INT, b INT'), from_csv(null, 'a INT'), from_csv('', 'a INT'), from_csv('1,2', 'a INT, b INT').b"))
