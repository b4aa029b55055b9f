# LATERAL subqueries with ORDER BY and LIMIT, and TABLESAMPLE with its forms and REPEATABLE.
from pyspark.sql import SparkSession, functions as F
from pyspark.errors import PySparkException

spark = SparkSession.builder.appName("lateral-samples").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
spark.createDataFrame([(1, "a"), (2, "b"), (3, "c")], "id int, k string").createOrReplaceTempView("t")
spark.createDataFrame([(1, 10), (1, 30), (1, 20), (2, 5), (2, 50)], "id int, v int").createOrReplaceTempView("u")
spark.range(0, 200, 1, 2).createOrReplaceTempView("r")


def ask(query):
    print("--", query)
    try:
        for row in spark.sql(query).collect():
            print("  ", tuple(row))
    except PySparkException as e:
        print(type(e).__name__, e.getCondition(), str(e).splitlines()[0])


ask("select t.id, x.v from t, lateral (select v from u where u.id = t.id order by v desc limit 1) x order by 1, 2")
ask("select t.id, x.v from t, lateral (select v from u where u.id = t.id order by v desc limit 2) x order by 1, 2")
ask("select t.id, x.v from t left join lateral (select v from u where u.id = t.id order by v limit 1) x order by 1, 2")
ask("select t.id, x.v from t, lateral (select v from u where u.id = t.id limit 1) x where x.v is not null order by 1")
ask("select t.id, x.v from t, lateral (select v from u where u.id = t.id order by v) x order by 1, 2")
ask("select t.id, x.n from t, lateral (select count(*) as n from u where u.id = t.id) x order by 1, 2")
ask("select t.id, x.v from t, lateral (select v from u where u.id = t.id order by v desc limit 1 offset 1) x order by 1, 2")
ask("select id, (select v from u where u.id = t.id order by v desc limit 1) as m from t order by 1")
ask("select id from t where exists (select 1 from u where u.id = t.id order by v limit 1) order by 1")
ask("select id from t where id in (select id from u where u.id = t.id order by v limit 1) order by 1")
ask("select t.id, x.d from t, lateral (select distinct id as d from u where u.id = t.id) x order by 1")
for seed in (0, 1, 42, 7777777777):
    ask(f"select count(*), sum(id) from r tablesample (50 percent) repeatable ({seed})")
    print(spark.range(0, 200, 1, 2).sample(0.5, seed).agg(F.count("*"), F.sum("id")).first())
print(spark.table("r").sample(0.5, 42).agg(F.sum("id")).first())
print(spark.range(0, 20, 1, 1).sample(0.5, 3).collect())
for query in (
    "select count(*), sum(id) from r tablesample (10 percent) repeatable (7)",
    "select count(*), sum(id) from r tablesample (50 percent) repeatable (42)",
    "select count(*), sum(id) from r tablesample (0 percent) repeatable (42)",
    "select count(*), sum(id) from r tablesample (100 percent) repeatable (42)",
    "select count(*), sum(id) from r tablesample (5 rows)",
    "select count(*), sum(id) from r tablesample (bucket 1 out of 4) repeatable (3)",
    "select count(*), sum(id) from r tablesample (bucket 2 out of 4) repeatable (3)",
    "select count(*), sum(id) from r tablesample system (50 percent)",
    "select count(*), sum(id) from r tablesample (200 percent)",
    "select count(*), sum(id) from r tablesample (-1 percent)",
    "select count(*) from r tablesample (10)",
    "select count(*) from r tablesample (1M)",
    "select count(*) from r tablesample (bucket 1 out of 4 on id)",
    "select count(*) from r tablesample (2.5 rows)",
    "select count(*), sum(x.id) from r tablesample (50 percent) repeatable (1) x",
    "select count(*) from r tablesample (50 percent) repeatable (1) x join r y on x.id = y.id",
    "select count(*) from (select * from r where id > 100) tablesample (30 percent) repeatable (9)",
):
    ask(query)
