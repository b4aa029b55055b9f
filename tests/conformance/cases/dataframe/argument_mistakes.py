# What DataFrame's methods say to arguments that they cannot take, and what createDataFrame says to rows.
import array
from pyspark.sql import Row, SparkSession, Window, functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

spark = SparkSession.builder.appName("arguments").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
d = spark.createDataFrame([(1, "a", 1.5), (2, "b", None), (3, None, 2.5)], "id int, name string, v double")


def ask(label, act):
    try:
        print(label, "->", act())
    except Exception as e:
        print(label, "->", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        print("   ", str(e).splitlines()[0] if str(e) else "")


for label, act in [
    ("crossJoin", lambda: d.crossJoin(3)),
    ("union", lambda: d.union([1])),
    ("unionByName", lambda: d.unionByName("x")),
    ("sample text", lambda: d.sample("a")),
    ("sample nothing", lambda: d.sample()),
    ("freqItems", lambda: d.freqItems(["id"], 0.00001)),
    ("watermark of a number", lambda: d.withWatermark("id", "1 minute").columns),
    ("watermark without a column", lambda: d.withWatermark("nope", "1 minute")),
    ("to", lambda: d.to("id int")),
    ("unpivot nothing", lambda: d.unpivot("id", [], "k", "x")),
    ("unpivot all", lambda: d.select("id", "v").unpivot("id", None, "k", "x").collect()),
    ("plot", lambda: d.plot.line(x="id", y="v")),
    ("persist", lambda: d.persist(3)),
    ("alias of two names", lambda: d.select(d.id.alias("a", "b"))),
    ("udf of a number", lambda: F.udf(3)),
    ("udf of no type", lambda: F.udf(lambda x: x, 3)),
    ("register a number", lambda: spark.udf.register("p", 3)),
    ("pivot after cube", lambda: d.cube("name").pivot("id").count()),
    ("pivot twice", lambda: d.groupBy("name").pivot("id").pivot("v").count()),
    ("describe", lambda: d.describe("nope")),
    ("summary of a word", lambda: d.summary("foo")),
    ("summary past 100%", lambda: d.summary("150%")),
    ("summary of no number", lambda: d.summary("a%")),
    ("approxQuantile without nan", lambda: d.select(F.expr("if(id = 2, double('nan'), v)").alias("v")).approxQuantile("v", [0.0, 0.5, 1.0], 0.0)),
    ("rows behind the current", lambda: d.select(F.sum("id").over(Window.orderBy("id").rowsBetween(1, 0))).collect()),
    ("rows in disorder", lambda: d.select(F.sum("id").over(Window.orderBy("id").rowsBetween(2, 1))).collect()),
    ("ntile of none", lambda: d.select(F.ntile(0).over(Window.orderBy("id")))),
    ("another frame's column", lambda: d.select(spark.range(1).id)),
    ("a dropped column", lambda: d.drop("id").select(d.id)),
    ("nested aggregates", lambda: d.agg(F.sum(F.max("id")))),
    ("sort by what is gone", lambda: d.groupBy("id").count().orderBy("name")),
    ("two columns as one", lambda: d.filter(d.id == d.select("id", "name").scalar())),
    ("static setting", lambda: spark.conf.set("spark.sql.warehouse.dir", "x")),
    ("setting to nothing", lambda: spark.conf.set("a.b", None)),
    ("rows of two lengths", lambda: spark.createDataFrame([(1, 2), (3,)], ["a", "b"]).collect()),
    ("Rows of two shapes", lambda: spark.createDataFrame([Row(a=1), Row(a=1, b=2)]).collect()),
    ("arrays", lambda: spark.createDataFrame([(array.array("i", [1, 2]), array.array("d", [0.5]))], ["a", "b"]).dtypes),
    ("a name that is none", lambda: spark.createDataFrame([(1,)], [3])),
    ("more names than values", lambda: spark.createDataFrame([(1,)], ["a", "b"])),
    ("a null too many", lambda: spark.createDataFrame([(None,)], StructType([StructField("a", IntegerType(), False)]))),
    ("types that do not meet", lambda: spark.createDataFrame([(1,), (1.5,)], ["x"])),
]:
    ask(label, act)
spark.conf.set("spark.sql.repl.eagerEval.enabled", True)
print(repr(d.limit(2)))
print(d.limit(1)._repr_html_())
