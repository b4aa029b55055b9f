# TIME while it is switched off, as 4.3.0 ships it: literals, current_time, values from Python and comparisons work, casts to it and its functions do not.
import datetime
from pyspark.sql import Row, SparkSession, functions as F
from pyspark.sql.types import StructField, StructType, TimeType

spark = SparkSession.builder.appName("time").master("local[2]").getOrCreate()
print(spark.conf.get("spark.sql.timeType.enabled"))
t = spark.sql("SELECT TIME'12:30:45.5' a, TIME'23:59:59.999999' b")
t.show()
t.printSchema()
print(t.collect(), t.dtypes, t.schema.json())
spark.sql("SELECT TIME'12:30' a, TIME'1:2:3 PM' b, TIME'12:00:00 am' c, TIME'T12:3' d, TIME'12:30:45.123456789' e, TIME '08:00:00.120' f").show(vertical=True)
t.selectExpr("a < b", "a = b", "a <=> b", "a IS NULL", "a IN (b, a)", "coalesce(a, b)", "greatest(a, b)").show(truncate=False)
t.selectExpr("array(a, b)", "map(a, b)", "struct(a, b)", "typeof(a)", "CAST(a AS STRING)", "concat(a, 'x')", "CAST(a AS INT)").show(vertical=True, truncate=False)
t.selectExpr("hash(a)", "xxhash64(a)", "to_json(struct(a, b))", "to_csv(struct(a, b))").show(vertical=True, truncate=False)
t.union(t).selectExpr("count(a)", "max(a)", "min(b)", "collect_list(a)").show(truncate=False)
t.union(t).distinct().orderBy(F.desc("b")).show()
for value in [TimeType(), TimeType(3)]:
    print(value, value.simpleString(), value.json())
rows = spark.createDataFrame([Row(at=datetime.time(1, 2, 3, 4)), Row(at=None), Row(at=datetime.time(23, 59))])
rows.show()
print(rows.collect(), rows.schema)
rows.orderBy(F.col("at").desc_nulls_last()).show()
print(spark.createDataFrame([(datetime.time(5, 6, 7, 890000),)], StructType([StructField("t", TimeType(3))])).dtypes)
spark.createDataFrame([], "t time(0), u array<time>").printSchema()
rows.select(F.lit(datetime.time(10, 30)), F.col("at") > datetime.time(12, 0)).show()
spark.sql("SELECT :t AS t", args={"t": datetime.time(7, 8)}).show()
print(spark.sql("SELECT current_time() = current_time(6), current_time(3)").schema)
spark.sql("SELECT from_json('{\"a\": \"12:30:00\"}', 'a time') j, from_csv('08:15:00', 'a time') c").show()


def attempt(sql):
    try:
        print(sql, "->", spark.sql(sql).first()[0])
    except Exception as e:
        print(sql, "->", type(e).__name__, e.getCondition(), "|", str(e).strip().splitlines()[0])


for sql in ["TIME'24:00:00'", "TIME'12'", "TIME'noon'", "CAST('12:00:00' AS TIME)", "hour(TIME'12:00:00')", "make_time(1, 2, 3)", "to_time('10:00:00')", "try_to_time('x')", "time_diff('HOUR', TIME'01:00:00', TIME'02:00:00')", "time_trunc('HOUR', TIME'01:30:00')", "TIME'01:00:00' + INTERVAL '1' HOUR", "TIME'01:00:00' - TIME'00:30:00'",
            "sum(TIME'01:00:00')", "CAST(TIME'01:00:00' AS DOUBLE)", "make_timestamp_ntz(DATE'2026-02-14', TIME'10:20:30')"]:
    attempt("SELECT " + sql)
try:
    spark.createDataFrame([("a",)], "t time")
except Exception as e:
    print(type(e).__name__, e)
# switched on
spark.conf.set("spark.sql.timeType.enabled", "true")
t.selectExpr("hour(a)", "minute(a)", "second(a)", "extract(SECOND FROM a)", "CAST(a AS TIME(0))", "CAST('12:30:45.123456' AS TIME(3))").show(vertical=True)
t.selectExpr("a + INTERVAL '1' HOUR AS later", "a - INTERVAL '30' MINUTE AS earlier", "b - a AS between").show(truncate=False)
t.selectExpr("make_time(1, 2, 3.123456789)", "to_time('12.30', 'HH.mm')", "try_to_time('x')", "time_diff('MINUTE', a, b)", "time_trunc('MINUTE', a)").show(vertical=True)
t.selectExpr("time_to_seconds(a)", "time_to_millis(a)", "time_to_micros(a)", "time_from_seconds(12.5)", "time_from_millis(1000)", "time_from_micros(5)").show(vertical=True)
t.selectExpr("CAST(TIMESTAMP'2026-02-14 01:02:03.5' AS TIME)", "make_timestamp(DATE'2026-02-14', a) AS ts", "a = '12:30:45.5'", "try_cast('x' AS TIME)").show(vertical=True, truncate=False)
for sql in ["CAST('x' AS TIME)", "CAST(5 AS TIME)", "make_time(25, 0, 0)", "to_time('x')", "time_diff('DECADE', TIME'01:00:00', TIME'02:00:00')", "TIME'23:30:00' + INTERVAL '1' HOUR", "time_from_seconds(100000)"]:
    attempt("SELECT " + sql)
