"""QUALIFY over aggregations, endless recursion below LIMIT, what pipe operators refuse."""
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()


def show(sql):
    print("--", sql)
    try:
        df = spark.sql(sql)
        df.show(truncate=False)
        print(df.schema.simpleString())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n\tat ")[0].split("JVM stacktrace")[0])


spark.sql("create temporary view v as select * from values (1,'a',10),(2,'a',20),(3,'b',30),(4,'b',5),(5,'c',1) t(id,k,n)")
for sql in [
    "select k, sum(n) s from v group by k qualify row_number() over (order by k) <= 2",
    "select k, sum(n) s, rank() over (order by sum(n)) r from v group by k qualify r = 2",
    "select k, count(*) from v group by k having count(*) > 1 qualify row_number() over (order by k desc) = 1",
    "select k, sum(n) s from v group by k qualify s > 5 and row_number() over (order by s) = 1 order by k",
    "select k, n from v qualify n > 3",
    "with recursive r as (select 1 as n union all select n + 1 from r) select * from r limit 5",
    "with recursive r max recursion level 10 as (select 1 as n union all select n + 1 from r where n < 5) select * from r",
    "with recursive r(n) max recursion level 3 as (select 1 union all select n + 1 from r where n < 10) select * from r limit 2",
    "with recursive r(n) as (select 1 union all select n + 1 from r) select sum(n) from (select * from r limit 10)",
    "with recursive r(n) as (select id from range(3) union all select n + 1 from r) select * from r limit 7",
    "with recursive r(n) as (select 1 union all select n + 1 from r) select * from r limit 3 offset 2",
    "with recursive r(n) max recursion level 'a' as (select 1 union all select n + 1 from r) select * from r",
    "from v |> extend sum(n)",
    "from v |> set n = sum(n)",
    "from v |> aggregate n",
    "from v |> aggregate k + n",
    "from v |> aggregate explode(array(1))",
    "from v |> aggregate * group by k",
    "from v |> aggregate",
    "from v |> aggregate sum(n) group by grouping sets ((k), ())",
    "from v |> aggregate rank() over (order by k) group by k",
    "from v |> aggregate sum(n) as s group by k |> order by s",
    "from v |> order by n limit 1 |> order by k",
    "from v |> set v.n = 1",
    "from v |> set k = upper(k), n = n + 1",
    "from v |> extend n + 1 as m, m + 1 as o |> where o > 20",
]:
    show(sql)
