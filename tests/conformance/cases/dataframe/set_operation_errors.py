# Where errors of set operations point to, in SQL and in the DataFrame API.
from pyspark.sql import SparkSession, functions as F
from pyspark.errors import PySparkException

spark = SparkSession.builder.appName("set-operation-errors").master("local[2]").getOrCreate()
spark.createDataFrame([(1, "a")], "id int, k string").createOrReplaceTempView("t")
spark.createDataFrame([(1, "a", None)], "id int, k string, m map<string,int>").createOrReplaceTempView("maps")
queries = [
    "select id from t union select id, k from t",
    "select id from t union all\nselect id, k from t",
    "select id from t intersect select id, k from t",
    "select id from t except all select id, k from t",
    "select id from t union select array(1)",
    "select id, k from t union all select id, array(1) from t",
    "select id from t\nintersect\nselect array(1)",
    "(select id from t) except (select map(1, 2))",
    "select m from maps union select m from maps",
    "select m from maps intersect select m from maps",
    "select id from t union select nope from t",
    "select id from t union all select id from nope",
    "select id from t order by nope union select 1",
    "select id from t union select id from t order by k",
]
for query in queries:
    print("--", query)
    try:
        print(spark.sql(query).collect())
    except PySparkException as e:
        print(type(e).__name__, e.getCondition(), str(e))
t = spark.table("t")
maps = spark.table("maps")
for label, build in {
    "union": lambda: t.union(t.select("id")),
    "union types": lambda: t.union(t.select("id", F.array("id"))),
    "intersect": lambda: t.intersect(t.select("id")),
    "exceptAll": lambda: t.exceptAll(t.select("id", F.array("id"))),
    "unionByName": lambda: t.unionByName(t.select("id")),
    "maps": lambda: maps.union(maps).distinct(),
    "intersect maps": lambda: maps.intersect(maps),
}.items():
    print("--", label)
    try:
        print(build().collect())
    except PySparkException as e:
        print(type(e).__name__, e.getCondition(), str(e))
