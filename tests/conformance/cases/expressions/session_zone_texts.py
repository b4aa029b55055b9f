# What a session zone other than UTC changes in texts: names of moment literals, convert_timezone's default, SET TIME ZONE in its forms, and the special moments.
import datetime
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("zones").master("local[2]").getOrCreate()
for zone in ["America/New_York", "+05:30", "Asia/Tokyo"]:
    spark.conf.set("spark.sql.session.timeZone", zone)
    print("---", zone)
    df = spark.sql("SELECT TIMESTAMP'2026-02-14 10:00:00', TIMESTAMP'2026-02-14 10:00:00Z', TIMESTAMP_NTZ'2026-02-14 10:00:00', convert_timezone('Europe/Paris', TIMESTAMP_NTZ'2026-02-14 10:00:00'), date_trunc('HOUR', TIMESTAMP'2026-02-14 10:20:00')")
    print(df.columns)
    df.show(truncate=False)
    print(spark.range(1).select(F.lit(datetime.datetime(2026, 2, 14, 10)), F.lit("2026-07-14") == datetime.datetime(2026, 7, 14, 10)).columns)
    df.select(F.hour(df[0]), F.date_format(df[1], "yyyy-MM-dd HH:mm XXX")).show(truncate=False)
    try:
        spark.sql("SELECT TIMESTAMP'2026-02-14 10:00:00' * map(1, 2)")
    except Exception as e:
        print(type(e).__name__, str(e).strip().splitlines()[0])
for statement in ["SET TIME ZONE 'Asia/Kolkata'", "SET TIME ZONE INTERVAL 2 HOURS", "SET TIME ZONE INTERVAL '-08:30' HOUR TO MINUTE", "SET TIME ZONE 'UTC'"]:
    spark.sql(statement)
    print(statement, "->", spark.conf.get("spark.sql.session.timeZone"), spark.sql("SELECT current_timezone()").first()[0])
spark.sql("SELECT CAST('epoch' AS TIMESTAMP) a, CAST(' EPOCH ' AS DATE) b").show()
print(spark.sql("SELECT CAST('today' AS DATE) = current_date() a, CAST('tomorrow' AS DATE) - CAST('yesterday' AS DATE) b").first())
for sql in ["CAST(x AS TIMESTAMP) FROM VALUES ('epoch') t(x)", "make_timestamp(1, 2)", "make_timestamp(1, 2, 3)", "sequence(1, 10, -1)", "INTERVAL 1 foo"]:
    try:
        print(spark.sql("SELECT " + sql).first())
    except Exception as e:
        print(type(e).__name__, str(e).split("JVM")[0].strip().split(";\n")[0])
