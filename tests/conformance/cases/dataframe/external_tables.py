# Tables at a place of their own: what DROP, TRUNCATE and DROP DATABASE leave of their files.
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)


def files(folder):
    return os.path.isdir(folder) and any(name.endswith(".parquet") for name in os.listdir(folder))


def ask(label, act):
    try:
        print(label, "->", act())
    except Exception as e:
        print(label, "->", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        print("   ", str(e).splitlines()[0].replace(os.getcwd(), "<cwd>"))


rows = spark.range(3)
rows.write.parquet("own")
here = os.path.join(os.getcwd(), "own")
ask("create", lambda: spark.sql(f"CREATE TABLE outside (id LONG) USING parquet LOCATION '{here}'").collect())
ask("count", lambda: spark.table("outside").count())
ask("truncate", lambda: spark.sql("TRUNCATE TABLE outside").collect())
ask("truncate by its full name", lambda: spark.sql("TRUNCATE TABLE default.outside").collect())
ask("files", lambda: files("own"))
ask("drop", lambda: spark.sql("DROP TABLE outside").collect())
ask("files", lambda: files("own"))
ask("path option", lambda: rows.write.option("path", os.path.join(os.getcwd(), "second")).saveAsTable("second"))
ask("type", lambda: spark.catalog.getTable("second").tableType)
ask("drop", lambda: spark.sql("DROP TABLE second").collect())
ask("files", lambda: files("second"))
ask("managed", lambda: rows.write.saveAsTable("inside"))
ask("truncate", lambda: spark.sql("TRUNCATE TABLE inside").collect())
ask("count", lambda: spark.table("inside").count())
ask("drop", lambda: spark.sql("DROP TABLE inside").collect())
ask("folder", lambda: os.path.isdir("spark-warehouse/inside"))
ask("database", lambda: spark.sql("CREATE DATABASE shop").collect())
ask("in it", lambda: spark.sql(f"CREATE TABLE shop.outside (id LONG) USING parquet LOCATION '{here}'").collect())
ask("in it", lambda: rows.write.saveAsTable("shop.inside"))
ask("drop database", lambda: spark.sql("DROP DATABASE shop CASCADE").collect())
ask("files", lambda: files("own"))
ask("folder", lambda: os.path.isdir("spark-warehouse/shop.db/inside"))
for name in ("a.b.c.d", "a.b.c"):
    ask(f"write {name}", lambda: rows.write.saveAsTable(name))
    ask(f"read {name}", lambda: spark.table(name).count())
    ask(f"drop {name}", lambda: spark.sql(f"DROP TABLE {name}").collect())
    ask(f"create {name}", lambda: spark.sql(f"CREATE TABLE {name} (id LONG) USING parquet").collect())
    ask(f"truncate {name}", lambda: spark.sql(f"TRUNCATE TABLE {name}").collect())
places = lambda name: [place for place in (name, f"spark-warehouse/{name}", f"spark-warehouse/shop.db/{name}") if os.path.isdir(place)]
ask("a place without a root", lambda: spark.sql("CREATE TABLE near (id LONG) USING parquet LOCATION 'near'").collect())
ask("insert", lambda: spark.sql("INSERT INTO near VALUES (1)").collect())
ask("stands in", lambda: places("near"))
ask("option without a root", lambda: rows.write.option("path", "away").saveAsTable("far"))
ask("stands in", lambda: places("away"))
ask("read", lambda: spark.table("far").count())
ask("overwritten", lambda: rows.write.mode("overwrite").saveAsTable("far"))
ask("type", lambda: spark.catalog.getTable("far").tableType)
ask("stands in", lambda: places("far") + places("away"))
ask("database", lambda: spark.sql("CREATE DATABASE shop").collect())
ask("in it", lambda: rows.write.option("path", "off").saveAsTable("shop.off"))
ask("stands in", lambda: places("off"))
