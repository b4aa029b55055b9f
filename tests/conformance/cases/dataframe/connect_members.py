"""What only sessions of Spark Connect have, and members of contexts and older entry points."""
import pyspark
from pyspark.sql import HiveContext, SparkSession, SQLContext
from pyspark.sql import utils

spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext


def tell(name, action):
    try:
        print(name, repr(action()))
    except Exception as e:
        print(name, type(e).__name__, str(e).split("\n\tat ")[0].split("JVM stacktrace")[0])
        if hasattr(e, "getCondition"):
            print(" ", e.getCondition(), e.getSqlState(), e.getMessageParameters())


tell("client", lambda: spark.client)
tell("copyFromLocalToFs", lambda: spark.copyFromLocalToFs("/a", "/b"))
tell("registerProgressHandler", lambda: spark.registerProgressHandler(lambda **k: None))
tell("removeProgressHandler", lambda: spark.removeProgressHandler(None))
tell("clearProgressHandlers", lambda: spark.clearProgressHandlers())
tell("addArtifact", lambda: spark.addArtifact("x.py"))
tell("addArtifacts", lambda: spark.addArtifacts("x.py", pyfile=True, file=True))
tell("profile", lambda: (spark.profile.show(), spark.profile.clear()))
tell("changes", lambda: spark.read.changes("nosuch"))
tell("stream changes", lambda: spark.readStream.option("startingVersion", 1).changes("nosuch"))

tell("property", lambda: (sc.setLocalProperty("a", "b"), sc.getLocalProperty("a"), sc.getLocalProperty("c")))
tell("job tags", lambda: (sc.addJobTag("t"), sc.getJobTags(), sc.removeJobTag("t"), sc.getJobTags(), sc.clearJobTags()))
tell("job tag", lambda: sc.addJobTag("a,b"))
tell("checkpoints", lambda: sc.getCheckpointDir())
tell("cancel", lambda: (sc.cancelAllJobs(), sc.cancelJobGroup("a"), sc.cancelJobsWithTag("x"), sc.setInterruptOnCancel(True)))
tell("files", lambda: (sc.listArchives, sc.listFiles, sc.resources, sc.PACKAGE_EXTENSIONS))
tell("range", lambda: (sc.range(5).collect(), sc.range(1, 7, 2).collect(), sc.emptyRDD().collect()))
tell("union", lambda: sc.union([sc.parallelize([1]), sc.parallelize([2])]).collect())
tell("profiles", lambda: sc.show_profiles())
total = sc.accumulator(1)
total.add(2)
total += 5
tell("accumulator", lambda: (total, total.value, str(total), sc.accumulator(0.5)))
tell("accumulator", lambda: sc.accumulator("x"))
tell("environment", lambda: pyspark.SparkConf().setExecutorEnv("A", "b").get("spark.executorEnv.A"))
tell("environment", lambda: pyspark.SparkConf().setExecutorEnv(pairs=[("A", "b")]).setSparkHome("/x").get("spark.home"))
tell("environment", lambda: pyspark.SparkConf().setExecutorEnv())
tell("level", lambda: pyspark.StorageLevel.DISK_ONLY_3)
tell("task", lambda: pyspark.TaskContext.get())
tell("barrier", lambda: pyspark.BarrierTaskContext.get())
tell("remote", lambda: pyspark.sql.is_remote())
tell("checkpoint", lambda: spark.range(3).localCheckpoint(False, pyspark.StorageLevel.DISK_ONLY).count())

old = SQLContext.getOrCreate(sc)
spark.range(3).createOrReplaceTempView("v")
tell("sql", lambda: old.sql("select 1 a").collect())
tell("names", lambda: (old.tableNames(), old.tables().columns, old.getConf("spark.sql.shuffle.partitions"), old.getConf("nosuch", "d")))
tell("getConf", lambda: old.getConf("nosuch"))
tell("setConf", lambda: old.setConf("spark.sql.shuffle.partitions", "3"))
tell("register", lambda: (old.dropTempTable("v"), old.registerDataFrameAsTable(spark.range(1), "w"), old.tableNames()))
tell("cache", lambda: (old.cacheTable("w"), old.uncacheTable("w"), old.clearCache(), old.range(3).count()))
tell("nothing", lambda: old.nosuch)
tell("hive", lambda: HiveContext(sc).tableNames())

tell("texts", lambda: (utils.to_str(1), utils.to_str(True), utils.to_str(None), utils.escape_meta_characters("a\nb")))
tell("session", lambda: (utils.is_timestamp_ntz_preferred(), utils.get_active_spark_context() is sc))
