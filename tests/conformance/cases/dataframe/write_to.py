# DataFrame.writeTo over the tables of the session catalog, and saveAsTable and insertInto beside it.
from pyspark.sql import SparkSession, functions as F
from pyspark.errors import PySparkException

spark = SparkSession.builder.appName("write-to").master("local[2]").getOrCreate()
df = spark.createDataFrame([(1, "a"), (2, "b")], "id int, k string")


def ask(label, build):
    try:
        print(label, build())
    except PySparkException as e:
        print(label, type(e).__name__, e.getCondition())
        print("   ", str(e).split(";\n")[0])
    except Exception as e:
        print(label, type(e).__name__, str(e).splitlines()[0][:300])


ask("create", lambda: df.writeTo("made").create())
ask("create using", lambda: df.writeTo("made2").using("parquet").create())
ask("rows", lambda: sorted(spark.table("made").collect()))
ask("create again", lambda: df.writeTo("made").create())
ask("append", lambda: df.writeTo("made").append())
ask("append using", lambda: df.writeTo("made2").append())
ask("rows", lambda: sorted(spark.table("made2").collect()))
ask("overwrite", lambda: df.writeTo("made").overwrite(F.lit(True)))
ask("overwritePartitions", lambda: df.writeTo("made").overwritePartitions())
ask("replace", lambda: df.writeTo("made").replace())
ask("createOrReplace", lambda: df.writeTo("made").createOrReplace())
ask("createOrReplace new", lambda: df.writeTo("made3").using("json").createOrReplace())
ask("append to nothing", lambda: df.writeTo("nope").append())
ask("options", lambda: df.writeTo("made4").using("json").option("a", "b").options(c="d").tableProperty("p", "q").create())
ask("partitioned", lambda: df.writeTo("made5").using("parquet").partitionedBy(F.col("k")).create())
ask("partitioned rows", lambda: sorted(spark.table("made5").collect()))
ask("partitions", lambda: spark.sql("show partitions made5").collect())
ask("streaming", lambda: spark.readStream.format("rate").load().writeTo("x"))
ask("insertInto", lambda: df.write.insertInto("made4"))
ask("rows", lambda: sorted(spark.table("made4").collect()))
ask("insertInto nothing", lambda: df.write.insertInto("nope"))
ask("insertInto too few", lambda: df.select("id").write.insertInto("made4"))
ask("saveAsTable again", lambda: df.write.saveAsTable("made4"))
ask("saveAsTable append", lambda: df.write.mode("append").format("json").saveAsTable("made4"))
ask("count", lambda: spark.table("made4").count())
ask("tables", lambda: [t.name for t in spark.catalog.listTables()])
