# The whole text of parse errors: it begins with an empty line, whatever method the text was given to.
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("parse errors").master("local[2]").getOrCreate()
df = spark.range(3)
df.createOrReplaceTempView("t")


def attempt(what, make):
    try:
        make()
        print(what, "-> no error")
    except Exception as e:
        print(what, "->", type(e).__name__, e.getCondition(), e.getSqlState())
        print(repr(str(e)))


for sql in ["selec 1", "select from", "select 1 +", "select * from t where", "select 1 2", "select DATE'x'", "select 'abc", "select 1; select 2", "", "select interval 1 foo", "select id from t order", "insert into t", "select cast(1 as foo)", "select 99999999999999999999999999999999999999999"]:
    attempt(sql, lambda: spark.sql(sql))
attempt("filter", lambda: df.filter("id >"))
attempt("selectExpr", lambda: df.selectExpr("id as"))
attempt("expr", lambda: df.select(F.expr("id +")))
attempt("schema", lambda: spark.createDataFrame([], "a int b string"))
attempt("type", lambda: df.select(F.col("id").cast("foo")))
attempt("view", lambda: df.createOrReplaceTempView("a b"))
