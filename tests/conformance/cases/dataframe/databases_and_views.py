# Databases, views of CREATE VIEW, and names in full.
from pyspark.sql import SparkSession, functions as F
from pyspark.errors import PySparkException

spark = SparkSession.builder.appName("databases").master("local[2]").getOrCreate()
spark.range(3).createOrReplaceTempView("temporary")


def ask(sql):
    print("--", sql)
    try:
        df = spark.sql(sql)
        if df.columns:
            for row in df.collect():
                print("  ", tuple(row))
    except PySparkException as e:
        print("  ", type(e).__name__, e.getCondition(), "|", str(e).split(";\n")[0])


for sql in (
    "create database shop comment 'of things'",
    "create database shop",
    "create database if not exists shop",
    "show databases",
    "show databases like 's*'",
    "create table shop.items (id int, name string) using json",
    "insert into shop.items values (1, 'pen'), (2, 'cup')",
    "select * from shop.items order by id",
    "select items.name from shop.items where shop.items.id = 1",
    "select spark_catalog.shop.items.name from shop.items where id = 2",
    "select * from items",
    "show tables in shop",
    "show tables",
    "use shop",
    "select * from items order by id desc",
    "show tables",
    "create table things using json as select id, upper(name) as name from items",
    "select * from shop.things order by id",
    "create table default.things using json as select 'other' as name",
    "select * from default.things",
    "select * from things order by id",
    "use default",
    "select * from things",
    "create view numbers as select id, id * id as square from range(4)",
    "select * from numbers where id > 1 order by id",
    "create view numbers as select 1",
    "create view if not exists numbers as select 1",
    "create or replace view numbers(a, b) as select id, -id from range(2)",
    "create or replace view numbers(a, b) as select id, -id as negative from range(2)",
    "select a, b from default.numbers order by a",
    "describe numbers",
    "create view over_temporary as select * from temporary",
    "create view over_view as select max(b) as top from numbers",
    "select * from over_view",
    "create or replace view numbers as select * from over_view",
    "create or replace view over_view as select * from over_view",
    "create view shop.cheap as select name from shop.items",
    "select * from shop.cheap order by name",
    "show views",
    "show views in shop",
    "show tables in shop",
    "drop view shop.cheap",
    "drop view shop.cheap",
    "drop view if exists shop.cheap",
    "drop view shop.items",
    "drop table over_view",
    "drop database shop",
    "drop database nothing",
    "drop database if exists nothing",
    "drop database default",
    "create table nothing.t (a int) using json",
    "select * from nothing.t",
    "drop table nothing.t",
    "drop table shop.nothing",
    "truncate table shop.items",
    "select count(*) from shop.items",
    "drop database shop cascade",
    "show databases",
    "select * from shop.things",
    "use nothing",
):
    ask(sql)

catalog = spark.catalog
catalog.createDatabase("lab")
print([d.name for d in catalog.listDatabases()], catalog.databaseExists("lab"), catalog.databaseExists("spark_catalog.lab"))
spark.range(2).write.saveAsTable("lab.ids")
print(catalog.listTables("lab"), catalog.tableExists("lab.ids"), catalog.tableExists("ids"), catalog.tableExists("ids", "lab"))
print(catalog.getTable("lab.ids"), [c.name for c in catalog.listColumns("lab.ids")])
catalog.setCurrentDatabase("lab")
print(catalog.currentDatabase(), spark.table("ids").count(), [t.name for t in catalog.listTables()])
spark.range(5).write.mode("append").insertInto("ids")
print(spark.table("lab.ids").count())
catalog.setCurrentDatabase("default")
try:
    spark.table("ids")
except PySparkException as e:
    print(e.getCondition())
query = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 2).load().select("value").writeStream
query = query.option("checkpointLocation", "cp").trigger(once=True).toTable("lab.stream")
query.awaitTermination()
print(spark.table("lab.stream").count(), [t.name for t in catalog.listTables("lab", "str*")])
