# Tables as arguments of Python table functions: asTable and TABLE(...), partitions, order, single partitions, analyze's wishes.
from pyspark.sql import SparkSession, functions as F
from pyspark.sql.functions import udtf
from pyspark.sql.types import LongType, StringType, StructType
from pyspark.sql.udtf import AnalyzeResult, OrderingColumn, PartitioningColumn, SkipRestOfInputTableException

spark = SparkSession.builder.appName("tables").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
spark.conf.set("spark.sql.execution.pythonUDTF.arrow.enabled", "false")
df = spark.createDataFrame([(1, "a"), (2, "b"), (1, "c"), (2, "d"), (3, "e")], "k int, v string")
df.createOrReplaceTempView("tab")


def show(label, make, ordered=False):
    try:
        rows = make().collect()
        for row in rows if ordered else sorted(rows):
            print(f"{label:28}", tuple(row))
    except Exception as e:
        lines = [text.strip() for text in str(e).splitlines() if "Error: " in text or "Exception: " in text]
        print(f"{label:28}", type(e).__name__, str(e).splitlines()[0][:160], lines[-1:])


@udtf(returnType="rows string")
class Rows:
    def __init__(self):
        self.rows = []

    def eval(self, row):
        self.rows.append(repr(row))

    def terminate(self):
        yield "; ".join(self.rows),


spark.udtf.register("rows_of", Rows)
show("one partition", lambda: Rows(df.coalesce(1).asTable()))
show("partitionBy, orderBy", lambda: Rows(df.asTable().partitionBy("k").orderBy(F.desc("v"))))
show("partitionBy expression", lambda: Rows(df.asTable().partitionBy(F.col("k") % 2).orderBy("v")))
show("withSinglePartition", lambda: Rows(df.asTable().withSinglePartition().orderBy("v")))
show("keyword", lambda: Rows(row=df.asTable().withSinglePartition().orderBy("v", "k")))
for label, make in [("orderBy alone", lambda: df.asTable().orderBy("v")), ("partitionBy twice", lambda: df.asTable().partitionBy("k").partitionBy("v")), ("then single", lambda: df.asTable().partitionBy("k").withSinglePartition()), ("single, then by", lambda: df.asTable().withSinglePartition().partitionBy("k"))]:
    show(label, make)
for text in ["TABLE(tab) WITH SINGLE PARTITION ORDER BY v DESC", "TABLE(tab) PARTITION BY k ORDER BY v", "TABLE(tab) PARTITION BY (k) ORDER BY (v DESC)", "TABLE tab PARTITION BY k", "row => TABLE(SELECT k + 1 AS kk FROM tab WHERE k > 1) WITH SINGLE PARTITION ORDER BY kk", "TABLE(tab), TABLE(tab)", "TABLE(missing)"]:
    show(text[:28], lambda: spark.sql(f"SELECT * FROM rows_of({text})"))


@udtf(returnType="a int, k int, b string")
class Between:
    def eval(self, a, row, b):
        if row["v"] == "d":
            raise SkipRestOfInputTableException("d")
        yield a, row.k, b + row["v"]


spark.udtf.register("amid", Between)
show("among others", lambda: spark.sql("SELECT * FROM amid(1, TABLE(SELECT * FROM tab), 'x') AS t(p, q, r) WHERE r <> 'xd'").where("q = 1"))
show("skip within a partition", lambda: Between(F.lit(1), df.asTable().partitionBy("k").orderBy("v"), F.lit("x")))


class Summed:
    @staticmethod
    def analyze(row):
        return AnalyzeResult(StructType().add("n", LongType()).add("fields", StringType()), withSinglePartition=True, orderBy=[OrderingColumn("id", ascending=False)])

    def __init__(self):
        self.n, self.seen = 0, []

    def eval(self, row):
        self.n += row["id"]
        self.seen.append(row["id"])

    def terminate(self):
        yield self.n, str(self.seen)


class ByRest(Summed):
    @staticmethod
    def analyze(row):
        return AnalyzeResult(StructType().add("n", LongType()).add("fields", StringType()), partitionBy=[PartitioningColumn("id % 3")], orderBy=[OrderingColumn("id")])


show("analyze: one partition", lambda: udtf(Summed)(spark.range(6).asTable()))
show("analyze: partitionBy", lambda: udtf(ByRest)(spark.range(8).asTable()))
show("analyze: no table", lambda: udtf(ByRest)(F.lit(1)))
