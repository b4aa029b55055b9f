# WITHIN GROUP in its forms, max_by and min_by of several rows, PIVOT that counts, repeatable samples, and IN over SELECT of a text.
from decimal import Decimal
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("ordered sets").master("local[2]").config("spark.sql.shuffle.partitions", 2).getOrCreate()
w = spark.createDataFrame([(1, "a", 10, Decimal("1.10")), (2, "a", 20, Decimal("2.20")), (3, "b", 5, None), (4, "b", None, Decimal("0.50")), (5, "a", 20, Decimal("9.99")), (6, "b", 7, Decimal("3.00"))], "id int, k string, v int, d decimal(6,2)")
w.createOrReplaceTempView("w")


def attempt(sql):
    try:
        df = spark.sql(sql)
        print(df.dtypes)
        df.show(truncate=False)
    except Exception as e:
        print(sql, "->", type(e).__name__, e.getCondition(), "|", str(e).strip().splitlines()[0])


attempt("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM w")
attempt("SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY v DESC) c, percentile_disc(0.25) WITHIN GROUP (ORDER BY v DESC) d, percentile_disc(0.5) WITHIN GROUP (ORDER BY v) e FROM w")
attempt("SELECT percentile_cont(array(0.0, 0.5, 1.0)) WITHIN GROUP (ORDER BY v) c, percentile_disc(array(0.0, 0.5, 1.0)) WITHIN GROUP (ORDER BY v DESC) d FROM w")
attempt("SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v DESC) FROM w")
attempt("SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY d) c, percentile_disc(0.9) WITHIN GROUP (ORDER BY d) p FROM w GROUP BY k ORDER BY k")
attempt("SELECT k, mode() WITHIN GROUP (ORDER BY v) lowest, mode() WITHIN GROUP (ORDER BY v DESC) greatest FROM w GROUP BY k ORDER BY k")
attempt("SELECT mode() WITHIN GROUP (ORDER BY v) FROM w")
attempt("SELECT mode() WITHIN GROUP (ORDER BY v DESC) FROM w")
attempt("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FILTER (WHERE v > 5) c FROM w")
attempt("SELECT max_by(id, v, 2) FROM w WHERE v < 20")
attempt("SELECT k, max_by(id, v, 2) a, min_by(id, v, 5) b, max_by(id, id, 1) c FROM w WHERE v IS NULL OR v < 20 GROUP BY k ORDER BY k")
attempt("SELECT * FROM w PIVOT (sum(v) s, count(*) n FOR k IN ('a', 'b' AS bee)) ORDER BY id")
attempt("SELECT * FROM (SELECT k, v FROM w) PIVOT (count(*) FOR k IN ('a', 'b'))")
spark.range(0, 1000, 1, 2).createOrReplaceTempView("r")
attempt("SELECT id FROM r TABLESAMPLE (2 ROWS)")
for sql in ["percentile_cont(2) WITHIN GROUP (ORDER BY v)", "percentile_cont(0.5)", "percentile_disc(0.5) WITHIN GROUP (ORDER BY k)", "max_by(id, v, 0)", "max_by(id, map(1, v), 2)"]:
    attempt(f"SELECT {sql} FROM w")
attempt("SELECT id FROM w WHERE k IN (SELECT 'b')")
attempt("SELECT id FROM w WHERE k IN (SELECT 'b' AS x) ORDER BY id")
w.agg(F.mode("v", True), F.median("v"), F.percentile("v", 0.25)).show()
