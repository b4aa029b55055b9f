# The order of rows after a shuffle of small data: adaptive execution puts small partitions together, and a task reads what it
# gets map task by map task. Joins sort within what was put together.
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("shuffles").master("local[2]").getOrCreate()
rows = [(i, "abcdefgh"[i * 5 % 8], i * 1.5) for i in range(12)]
other = [("a", 1), ("q", 2), ("c", 3), ("a", 4), ("z", 5), ("d", 6)]


def ask(label, frame):
    print(label, [tuple(row) for row in frame.collect()])


for partitions, adaptive in [(2, True), (3, True), (200, True), (2, False)]:
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    d = spark.createDataFrame(rows, "id int, k string, v double")
    r = spark.createDataFrame(other, "k string, w int")
    print("==", partitions, adaptive)
    ask("by text", d.groupBy("k").count())
    ask("by number", d.groupBy("id").count())
    ask("texts and lists", d.groupBy("k").agg(F.max("k"), F.collect_list("id")))
    ask("distinct", d.select("k").distinct())
    ask("dropDuplicates", d.dropDuplicates(["k"]).select("id"))
    ask("union distinct", d.select("k").union(r.select("k")).distinct())
    ask("full join", d.join(r, "k", "full").select("k", "id", "w"))
    ask("exceptAll", d.select("k").exceptAll(r.select("k")))
    ask("rollup", d.rollup("k").count())
    ask("distinct count", d.agg(F.countDistinct("k"), F.sum("id")))
    ask("repartition", d.repartition("k").select("id"))
    ask("two shuffles", d.groupBy("k").count().groupBy("count").count())
