"""Items of a select list that name earlier ones: headers, chains, structs and generators, what is refused; the same through the DataFrame API."""
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)


def ask(label, act):
    print("--", label)
    try:
        act().show(truncate=False)
    except Exception as e:
        print("  ", type(e).__name__, e.getCondition())
        print("  ", str(e).splitlines()[0])
        for context in e.getQueryContext():
            print("  ", context.contextType().name, repr(context.fragment()))


for query in [
    "select 1 a, a + 1",
    "select id a, a + 1, upper(string(a)), a from range(2)",
    "select id a, a + 1 b, b * 2 from range(2)",
    "select sum(id) s, s + 1, s * 2 d, d + s from range(3)",
    "select id % 2 k, sum(id) s, k + s from range(5) group by 1 order by 1",
    "select id a, case when a > 0 then a else -1 end, cast(a as string), a is null, -a from range(2)",
    "select named_struct('p', 1) st, st.p, st.p + 1",
    "select id a, explode(array(1, 2)) e, e + 1 from range(1)",
    "select id id2, id + 1 id, id2 + id from range(2)",
    "select id a, id a, a + 1 from range(1)",
    "select id a, sum(a) over (order by id) w from range(3)",
    "select sum(id) s, sum(s) from range(3)",
    "select id a, a.b from range(1)",
    "select sum(id) over () w, w * 2 from range(2)",
    "select k, k + 1 n from values (1), (2) t(k) qualify row_number() over (order by n desc) = 1",
]:
    ask(query, lambda: spark.sql(query))

frame = spark.range(2)
ask("select", lambda: frame.select(F.col("id").alias("a"), F.col("a") + 1, F.col("a")))
ask("selectExpr", lambda: frame.selectExpr("id as a", "a + 1 as b", "b", "a * b"))
ask("withColumns", lambda: frame.withColumns({"a": F.col("id") + 1, "b": F.col("a") * 2}))
ask("agg", lambda: frame.agg(F.sum("id").alias("s"), F.col("s") + 1))
spark.conf.set("spark.sql.lateralColumnAlias.enableImplicitResolution", "false")
ask("off", lambda: spark.sql("select 1 a, a + 1"))
