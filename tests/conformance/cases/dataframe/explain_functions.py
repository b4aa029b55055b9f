# How plans show functions of the script.
import contextlib, io, re
import pandas as pd
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.config("spark.sql.shuffle.partitions", "3").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
def e(name, d):
    print("########", name)
    b = io.StringIO()
    with contextlib.redirect_stdout(b): d.explain(); d.explain("formatted")
    print(re.sub(r"plan_id=\d+", "plan_id=n", b.getvalue()), end="")
r = spark.range(3)
def plus(v): return v + 1
@F.pandas_udf("long")
def pplus(v: pd.Series) -> pd.Series: return v + 1
p = F.udf(plus, "long")
e("plain", r.select(p("id")))
e("string", r.select(F.udf(lambda v: str(v))("id").alias("s")))
e("two", r.select(p("id"), F.udf(lambda a, b: a, "long")("id", F.lit(2))))
e("where", r.where(p("id") > 1))
e("no arrow", r.select(F.udf(plus, "long", useArrow=False)("id")))
e("pandas", r.select(pplus("id")))
