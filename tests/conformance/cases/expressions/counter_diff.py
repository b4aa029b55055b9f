# counter_diff: growth of cumulative counters, resets seen by falling values and by moving start times, nulls, types, refusals.
from pyspark.sql import SparkSession, functions as F, Window

spark = SparkSession.builder.appName("counters").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 1)
w = "OVER (PARTITION BY k ORDER BY t)"


def show(label, text):
    try:
        df = spark.sql(text)
        print(label, df.columns, [f"{f.dataType.simpleString()} {f.nullable}" for f in df.schema])
        for row in df.collect():
            print("   ", tuple(row))
    except Exception as e:
        print(label, type(e).__name__, str(e).splitlines()[0].split(" SQLSTATE")[0])


def over(rows, columns, call="counter_diff(c)"):
    return f"SELECT k, t, {call} {w} AS d FROM VALUES {rows} AS v({columns})"


show("falls and nulls", over("('a',1,10),('a',2,15),('a',3,NULL),('a',4,40),('a',5,3),('a',6,3),('b',1,NULL),('b',2,5),('b',3,6)", "k,t,c"))
for kind, values in [("tinyint", "1,100"), ("smallint", "5,7"), ("bigint", "1,9223372036854775807"), ("float", "1.5,2.25"), ("double", "1,'NaN',2,'Infinity','Infinity'"), ("decimal(5,2)", "1.50,2.75,999.99")]:
    show(kind, over(",".join(f"('a',{i},CAST({v} AS {kind}))" for i, v in enumerate(values.split(","))), "k,t,c"))
at = "timestamp'2026-02-14 10:00:0{}'".format
rows = [(1, 10, at(0)), (2, 15, at(0)), (3, 20, at(5)), (4, "NULL", at(6)), (5, 30, at(6)), (6, 40, "NULL"), (7, 50, at(6)), (8, 60, at(6)), (9, 55, at(7)), (10, 70, at(7))]
show("starts", over(",".join(f"('a',{t},{c},{s})" for t, c, s in rows), "k,t,c,s", "counter_diff(c, s)"))
show("start goes back", over(f"('a',1,10,{at(5)}),('a',2,15,{at(0)})", "k,t,c,s", "counter_diff(c, s)"))
show("start goes back at a null", over(f"('a',1,10,{at(5)}),('a',2,NULL,{at(0)}),('a',3,12,{at(5)})", "k,t,c,s", "counter_diff(c, s)"))
show("start without zone", over("('a',1,10,timestamp_ntz'2026-02-14 10:00:05.5'),('a',2,11,timestamp_ntz'2026-02-14 10:00:05')", "k,t,c,s", "counter_diff(c, s)"))
for value in ["-1", "-1.5D", "-10.25", "CAST(-3 AS BIGINT)"]:
    show(f"negative {value}", over(f"('a',1,{value})", "k,t,c"))
one = "FROM VALUES ('a',1,5) AS v(k,t,c)"
show("name", f"SELECT counter_diff(c) {w} {one}")
show("name with a start", f"SELECT counter_diff(c, {at(1)}) {w} {one}")
show("text", f"SELECT counter_diff('x') {w} {one}")
show("number as a start", f"SELECT counter_diff(c, 5) {w} {one}")
show("date as a start", f"SELECT counter_diff(c, date'2026-01-01') {w} {one}")
show("null as a start", f"SELECT counter_diff(c, NULL) {w} {one}")
show("null", f"SELECT counter_diff(NULL) {w} {one}")
show("no order", f"SELECT counter_diff(c) OVER (PARTITION BY k) {one}")
show("a frame", f"SELECT counter_diff(c) OVER (PARTITION BY k ORDER BY t ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) {one}")
show("its frame", f"SELECT counter_diff(c) OVER (PARTITION BY k ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS d {one}")
show("no window", f"SELECT counter_diff(c) {one}")
show("no argument", f"SELECT counter_diff() {w} {one}")
show("three arguments", f"SELECT counter_diff(c, t, k) {w} {one}")
df = spark.createDataFrame([("a", i, i * i) for i in range(4)], "k string, t int, c long")
df.select("t", "c", F.counter_diff("c").over(Window.partitionBy("k").orderBy("t")).alias("d"), F.counter_diff("c").over(Window.partitionBy("k").orderBy(F.desc("t"))).alias("r")).orderBy("t").show()
