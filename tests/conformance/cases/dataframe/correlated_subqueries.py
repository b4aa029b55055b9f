# Subqueries that read the enclosing query otherwise than by equal columns: LIMIT, aggregates, UNION and select lists in scalar
# subqueries and LATERAL; session variables and EXECUTE IMMEDIATE; pipes with PIVOT and UNPIVOT; QUALIFY without a window.
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("correlated").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
spark.createDataFrame([(1, "a", 10), (2, "b", 20), (3, "a", 30), (4, None, None)], "id int, k string, v int").createOrReplaceTempView("t")
spark.createDataFrame([("a", 1), ("a", 2), ("b", 5), ("c", 7)], "k string, w int").createOrReplaceTempView("u")


def ask(text):
    print("--", text)
    try:
        spark.sql(text).show(truncate=False)
    except Exception as e:
        print("  ", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        print("  ", str(e).splitlines()[0])


for text in [
    "SELECT id, (SELECT max(w) FROM u WHERE u.w < t.id) AS m FROM t ORDER BY id",
    "SELECT id, (SELECT count(*) FROM u WHERE u.w > t.id) AS n FROM t ORDER BY id",
    "SELECT id, (SELECT w FROM u WHERE u.w < t.v ORDER BY w DESC LIMIT 1) AS m FROM t ORDER BY id",
    "SELECT id, (SELECT w FROM u WHERE u.k = t.k ORDER BY w LIMIT 1) AS m FROM t ORDER BY id",
    "SELECT id FROM t WHERE v > (SELECT sum(w) * 2 FROM u WHERE u.w <= t.id + 1) ORDER BY id",
    "SELECT id, x FROM t, LATERAL (SELECT id + 1 AS x) ORDER BY id",
    "SELECT id, x, w FROM t, LATERAL (SELECT w, t.v + w AS x FROM u WHERE u.k = t.k) ORDER BY id, w",
    "SELECT id, x FROM t, LATERAL (SELECT id AS x UNION ALL SELECT v AS x) ORDER BY id, x",
    "SELECT id, n FROM t, LATERAL (SELECT count(*) AS n FROM u WHERE u.w > t.id) ORDER BY id",
    "SELECT id, x FROM t LEFT JOIN LATERAL (SELECT id AS x WHERE id > 2) ON true ORDER BY id",
    "SELECT id, a, b FROM t, LATERAL (SELECT id * 2 AS a), LATERAL (SELECT a + 1 AS b) ORDER BY id",
    "SELECT id, w FROM t, LATERAL (SELECT DISTINCT w FROM u WHERE u.w > t.id + 3 ORDER BY w LIMIT 2) ORDER BY id, w",
    "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.w < t.id AND u.k = t.k) ORDER BY id",
    "SELECT * FROM t WHERE id = (SELECT id, v FROM t)",
    "SELECT sum(max(id)) FROM t",
    "SELECT count(*) FROM t GROUP BY k, count(*)",
    "SELECT id FROM t GROUP BY id ORDER BY v",
    "SELECT * FROM t JOIN u ON t.id",
    "SELECT id AND true FROM t",
    "SELECT NOT k FROM t WHERE id = 1 OR v",
    "SELECT struct(1 AS a)['b']",
    "SELECT id FROM t QUALIFY id > 1",
    "FROM t |> PIVOT (sum(v) FOR k IN ('a', 'b')) |> ORDER BY id",
    "FROM t |> UNPIVOT (x FOR n IN (id, v)) |> ORDER BY k, n, x",
    "SELECT * FROM (SELECT k, v, id FROM t) PIVOT (sum(v) s, count(*) c FOR (k) IN ('a', 'b')) ORDER BY id",
    "DECLARE VARIABLE x INT DEFAULT 5",
    "SELECT x, session.x, x + 1 FROM t WHERE id < 2",
    "SET VAR x = (SELECT max(id) FROM t)",
    "SELECT * FROM t WHERE id < x ORDER BY id",
    "DECLARE a, b STRING DEFAULT 'q'",
    "SET VAR (a, x) = (SELECT k, v FROM t WHERE id = 2)",
    "SELECT a, b, x",
    "SET VAR x = DEFAULT",
    "SET VAR (a, x) = (SELECT 1)",
    "SET VAR nope = 1",
    "SELECT id FROM t ORDER BY id LIMIT x",
    "DECLARE x INT",
    "EXECUTE IMMEDIATE 'SELECT id, k FROM t WHERE id = ? OR k = ? ORDER BY id' USING 3, b",
    "EXECUTE IMMEDIATE 'SELECT :n + 1 AS m' USING x AS n",
    "EXECUTE IMMEDIATE 'SELECT max(v) FROM t' INTO x",
    "SELECT x",
    "EXECUTE IMMEDIATE 'SELECT id, v FROM t' INTO x",
    "EXECUTE IMMEDIATE 'SELECT ? + ?' USING 1",
    "EXECUTE IMMEDIATE 3",
    "DROP TEMPORARY VARIABLE x",
    "SELECT x",
    "DROP TEMPORARY VARIABLE x",
    "CREATE DATABASE shop",
    "USE shop",
    "SELECT current_database(), current_schema()",
    "SHOW CURRENT NAMESPACE",
    "CREATE TABLE sold (id INT COMMENT 'the key', who STRING) USING parquet COMMENT 'sales' TBLPROPERTIES ('colour' = 'red')",
    "SHOW CREATE TABLE sold",
    "SHOW TBLPROPERTIES sold",
    "SHOW TBLPROPERTIES sold ('size')",
    "SHOW CREATE TABLE t",
    "ANALYZE TABLE t COMPUTE STATISTICS",
    "DROP DATABASE shop CASCADE",
]:
    ask(text)
