# newSession(): its own configuration, temp views and functions; tables, global temp views and the context are shared.
from pyspark.sql import SparkSession, functions as F
from pyspark.sql.types import IntegerType
from pyspark.errors import PySparkException

spark = SparkSession.builder.appName("new-session").master("local[2]").config("spark.sql.shuffle.partitions", 3).getOrCreate()
spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
spark.conf.set("my.key", "first")
df = spark.createDataFrame([(1,), (2,)], "id int")
df.createOrReplaceTempView("mine")
df.createGlobalTempView("ours")
df.write.saveAsTable("kept")
spark.udf.register("plus_one", lambda x: x + 1, IntegerType())

other = spark.newSession()


def ask(label, build):
    try:
        print(label, build())
    except PySparkException as e:
        print(label, type(e).__name__, e.getCondition(), str(e).splitlines()[0])


ask("same object", lambda: other is spark)
ask("same context", lambda: other.sparkContext is spark.sparkContext)
ask("conf", lambda: [s.conf.get("spark.sql.shuffle.partitions") for s in (spark, other)])
ask("zone", lambda: [s.conf.get("spark.sql.session.timeZone") for s in (spark, other)])
ask("own key", lambda: [s.conf.get("my.key", None) for s in (spark, other)])
ask("temp view", lambda: other.table("mine").collect())
ask("temp view exists", lambda: [s.catalog.tableExists("mine") for s in (spark, other)])
ask("global temp view", lambda: other.table("global_temp.ours").collect())
ask("saved table", lambda: other.table("kept").count())
ask("function", lambda: other.sql("select plus_one(1)").collect())
other.createDataFrame([("x",)], "s string").createOrReplaceTempView("mine")
ask("two views", lambda: [s.table("mine").columns for s in (spark, other)])
other.conf.set("spark.sql.session.timeZone", "America/New_York")
moment = "select cast(timestamp_seconds(0) as string) as t"
ask("zones", lambda: [s.sql(moment).first()[0] for s in (spark, other, spark)])
frames = [s.sql(moment) for s in (spark, other)]
ask("zones of frames", lambda: [frame.first()[0] for frame in frames])
ask("session of a frame", lambda: [frames[1].sparkSession is other, frames[0].sparkSession is spark])
ask("set in sql", lambda: other.sql("set spark.sql.ansi.enabled = false").collect())
ask("ansi", lambda: [s.conf.get("spark.sql.ansi.enabled") for s in (spark, other)])
ask("division", lambda: other.sql("select 1 / 0").collect())
ask("active", lambda: [SparkSession.getActiveSession() is spark, SparkSession.active() is spark])
ask("get or create", lambda: SparkSession.builder.getOrCreate() is spark)
ask("streams", lambda: other.streams.active)
ask("version", lambda: other.version == spark.version)
