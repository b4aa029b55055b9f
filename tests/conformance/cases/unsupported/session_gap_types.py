# The gap of session_window: interval literals, columns, expressions, numbers and texts.
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("gaps").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 1)
os.makedirs("data/in")
with open("data/in/1.json", "w") as f:
    f.write('{"ts": "2026-04-04T10:00:00", "user": "ann", "gap": "10 seconds", "n": 5}\n'
            '{"ts": "2026-04-04T10:00:08", "user": "ann", "gap": "2 seconds", "n": 7}\n'
            '{"ts": "2026-04-04T10:00:30", "user": "ann", "gap": "nothing", "n": 0}\n'
            '{"ts": "2026-04-04T10:00:40", "user": "bob", "gap": null, "n": null}\n')
events = spark.readStream.schema("ts timestamp, user string, gap string, n int").json("data/in").withWatermark("ts", "0 seconds")


def attempt(label, gap):
    try:
        query = (events.groupBy(F.session_window("ts", gap), "user").count()
                 .writeStream.outputMode("append").format("memory").queryName("s").start())
        query.processAllAvailable()
        print(label, "->", [(str(r.session_window.start)[11:], str(r.session_window.end)[11:], r.user, r["count"])
                            for r in spark.table("s").orderBy("session_window.start").collect()])
        query.stop()
    except Exception as e:
        print(label, "->", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        print("   ", next(line for line in str(e).splitlines() if line))


attempt("text", "5 seconds")
attempt("interval literal", F.expr("INTERVAL 5 SECONDS"))
attempt("year-month interval", F.expr("INTERVAL '1' MONTH"))
attempt("make_interval", F.expr("make_interval(0, 0, 0, 0, 0, 0, 9)"))
attempt("column of texts", F.col("gap"))
attempt("when", F.when(F.col("user") == "ann", "20 seconds").otherwise("1 second"))
attempt("column of numbers", F.col("n"))
attempt("null", F.lit(None))
attempt("date", F.expr("DATE'2026-01-01'"))
attempt("boolean", F.lit(True))
