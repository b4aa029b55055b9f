"""ALTER TABLE and ALTER VIEW, COMMENT ON, what tables of files cannot have done to them, and what INSERT refuses to store."""
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()


def run(query):
    print("--", query)
    try:
        shown = spark.sql(query)
        if shown.columns:
            shown.show(truncate=False)
    except Exception as e:
        print("  ", type(e).__name__, e.getCondition())
        print("  ", str(e).splitlines()[0])


for query in [
    "create table t1 (id int comment 'the id', name string) using parquet tblproperties ('a' = 'b')",
    "insert into t1 values (1, 'x')",
    "insert into t1 values ('1', 'x')",
    "insert into t1 values (2.5, 7)",
    "insert into t1 (nope) values (1)",
    "insert into t1 (id, id) values (1, 2)",
    "alter table t1 add columns (e double comment 'new')",
    "insert into t1 values (3, 'z', 1.5)",
    "select * from t1 order by id, name",
    "alter table t1 rename to t2",
    "select count(*) from t2",
    "alter table t2 set tblproperties ('c' = 'd')",
    "alter table t2 unset tblproperties ('a')",
    "show tblproperties t2",
    "alter table t2 alter column name comment 'who'",
    "describe t2",
    "describe extended t2 name",
    "alter table t2 alter column name type int",
    "alter table t2 rename column name to n",
    "alter table t2 drop column name",
    "alter table t2 add columns (id int)",
    "alter table nope rename to x",
    "comment on table t2 is 'all of it'",
    "show create table t2",
    "create view v1 (a comment 'first', b) comment 'seen' as select id, name from t2",
    "describe v1",
    "show create table v1",
    "alter view v1 rename to v2",
    "alter view v2 as select 3 as z",
    "select * from v2",
    "alter table v2 rename to v3",
    "alter view t2 as select 1",
    "create view v4 (a) as select 1, 2",
    "show columns from t2 in default",
    "drop view v2",
    "drop table t2",
    "show tables",
]:
    run(query)
