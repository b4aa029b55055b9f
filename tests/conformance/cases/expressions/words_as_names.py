# Keywords as names of columns, aliases, tables and queries: by default Spark reserves none of them.
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)

WORDS = """order group limit offset window end select where partition user date timestamp value key distinct on left
cross union for then interval map to""".split()


def ask(label, act):
    try:
        print(label, "->", act())
    except Exception as e:
        print(label, "->", type(e).__name__, e.getCondition())


for w in WORDS:
    t = spark.createDataFrame([(1, 2)], f"`{w}` int, a int")
    t.createOrReplaceTempView("t")
    ask(w, lambda: (t.filter(f"{w} > 0").count(), t.select(F.expr(w)).columns, t.selectExpr(f"a AS {w}2", f"cast({w} AS string)").columns))
    ask(w, lambda: spark.sql(f"SELECT a, {w} FROM t WHERE {w} = 1 AND a > 0").collect())
    ask(w, lambda: spark.sql(f"SELECT {w}, count(*) AS c FROM t GROUP BY {w} ORDER BY {w} DESC").collect())
    ask(w, lambda: spark.sql(f"SELECT t.{w}, CASE WHEN {w} > 0 THEN {w} ELSE a END AS z, a {w} FROM t").collect())
    ask(w, lambda: spark.sql(f"SELECT coalesce({w}, 1) FROM VALUES (1) AS v({w})").collect())
for w in ["order", "group", "limit", "offset", "window", "end", "user", "table", "where", "left", "key"]:
    ask(w, lambda: spark.sql(f"WITH {w} AS (SELECT 1 x) SELECT x FROM {w}").collect())
for w in ["order", "group", "limit", "offset", "window", "end", "user", "table", "where", "key", "having"]:
    ask(w, lambda: spark.sql(f"SELECT {w}.a FROM t {w}").collect())
