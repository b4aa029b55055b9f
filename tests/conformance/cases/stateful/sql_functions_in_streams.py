"""SQL functions in a streaming aggregation, in a filter and over a table function."""
import os

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
spark.sql("create temporary function levelled(n int) returns string return case when n < 10 then 'low' else 'high' end")
spark.sql("create temporary function taxed(n int, rate double default 0.5) returns double return n * (1 + rate)")
spark.sql("create temporary function known(k string) returns boolean return (select count(*) > 0 from values ('a'), ('b') t(c) where c = k)")
os.makedirs("events", exist_ok=True)
spark.readStream.schema("k string, n int").json("events").createOrReplaceTempView("events")
query = (
    spark.sql("select levelled(n) as b, sum(taxed(n)) as t, levelled(max(n)) as m from events where taxed(n, 1) > 2 group by levelled(n)")
    .writeStream.outputMode("complete")
    .format("console")
    .start()
)
for name, lines in [("1", ['{"k":"a","n":1}', '{"k":"b","n":5}']), ("2", ['{"k":"a","n":50}', '{"k":"c","n":7}'])]:
    with open(f"events/{name}.json", "w") as f:
        f.write("\n".join(lines) + "\n")
    query.processAllAvailable()
query.stop()
rows = spark.sql("select k, taxed(n) as t from events where known(k)").writeStream.format("console").start()
rows.processAllAvailable()
rows.stop()
