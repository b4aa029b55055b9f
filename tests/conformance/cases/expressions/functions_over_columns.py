# Functions of dates, times, numbers and intervals over columns with nulls: every argument comes from a row, also units, patterns,
# zones and formats.
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("columns").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")

rows = [
    (1, "2024-02-29", "2024-03-10 09:59:59.999999", "month", "yyyy-MM-dd HH:mm", "Asia/Tokyo", -3, 2.5, "1234.565", "ff"),
    (2, "1969-12-31", "1969-12-31 23:59:59.5", "WEEK", "dd/MM/yy", "UTC", 0, -2.5, "-0.005", "-7g"),
    (3, "2021-11-07", "2021-11-07 08:30:00", "hour", "EEE, MMM d", "Europe/Paris", 2, 1e10, "99999.995", "18446744073709551616"),
    (4, None, None, None, None, None, None, None, None, None),
    (5, "0001-01-01", "2026-12-31 23:59:59", "quarter", "D", "+05:30", 40, 0.0, "0.000", " 12 "),
]
names = "id int, d string, t string, unit string, pattern string, zone string, n int, x double, m string, s string"
df = spark.createDataFrame(rows, names).selectExpr(
    "id", "CAST(d AS DATE) d", "CAST(t AS TIMESTAMP) t", "CAST(t AS TIMESTAMP_NTZ) w", "unit", "pattern", "zone", "n", "x",
    "CAST(m AS DECIMAL(10,3)) m", "s", "CAST(n AS BIGINT) l", "CAST(n AS TINYINT) b", "make_dt_interval(n, n, 0, x) dt",
    "make_ym_interval(n, 1) ym", "make_interval(n, 0, 0, 3, 0, 0, 1.5) ci").coalesce(1)
df.createOrReplaceTempView("r")

parts = ["year(d)", "quarter(d)", "month(d)", "day(d)", "dayofyear(d)", "dayofweek(d)", "weekday(d)", "weekofyear(d)",
         "extract(YEAROFWEEK FROM d)", "dayname(d)", "monthname(d)", "hour(t)", "minute(t)", "second(t)", "hour(w)",
         "extract(SECOND FROM t)", "extract(DAY FROM dt)", "extract(HOUR FROM dt)", "extract(SECOND FROM dt)",
         "extract(YEAR FROM ym)", "extract(MONTH FROM ym)", "extract(MONTH FROM ci)", "extract(SECOND FROM ci)"]
moves = ["date_add(d, n)", "date_sub(d, b)", "datediff(d, DATE'2000-01-01')", "datediff(d, CAST(t AS DATE))", "add_months(d, n)",
         "months_between(t, d)", "months_between(t, d, false)", "last_day(d)", "next_day(d, CASE WHEN n > 0 THEN 'mo' ELSE 'sunday' END)",
         "next_day(d, unit)", "trunc(d, unit)", "date_trunc(unit, t)", "date_format(t, pattern)", "from_unixtime(l * 1000000, pattern)",
         "to_timestamp(date_format(t, 'yyyy/MM/dd HH:mm'), CASE WHEN id = 3 THEN 'yyyy MM dd' ELSE 'yyyy/MM/dd HH:mm' END)", "to_date(date_format(t, 'dd-MM-yyyy'), 'dd-MM-yyyy')",
         "unix_timestamp(t)", "unix_timestamp(d)", "unix_timestamp('2024-03-10 02:30', 'yyyy-MM-dd HH:mm') + n", "unix_millis(t)",
         "unix_date(d)", "date_from_unix_date(n)", "timestamp_seconds(x)", "timestamp_seconds(m)", "timestamp_millis(l)",
         "from_utc_timestamp(t, zone)", "to_utc_timestamp(t, zone)", "convert_timezone(zone, 'UTC', w)",
         "timestampadd(MONTH, n, t)", "timestampadd(DAY, n, t)", "timestampadd(MICROSECOND, n, w)", "timestampdiff(MONTH, TIMESTAMP'2000-01-31', t)",
         "timestampdiff(HOUR, t, TIMESTAMP'2024-03-11')", "make_date(n + 2000, n, n)", "make_timestamp(2024, 3, 10, n, 0, m, zone)",
         "make_timestamp_ntz(2024, n, 1, 1, 1, x)", "d + ym", "t + ym", "t - dt", "t + ci", "d - n", "t - TIMESTAMP'2024-01-01'", "d - DATE'2024-01-01'"]
spans = ["dt", "ym", "ci", "dt * n", "dt * (x / 1e9)", "dt / 3", "ym * m", "ym / 2", "-dt", "-ym", "-ci", "abs(ym)", "ym + ym", "dt - INTERVAL '1' HOUR", "ci + ci",
         "sign(dt)", "CAST(dt AS INTERVAL HOUR TO MINUTE)", "CAST(ym AS INT)", "CAST(n AS INTERVAL DAY)", "CAST(dt AS DECIMAL(20,3))"]
numbers = ["n + l", "n - b", "b * b", "n / 7", "n % 7", "l div 7", "pmod(n, 7)", "m + n", "m * m", "m / 3", "m % 7", "m div 2", "x % 3", "pmod(x, 3)",
           "-n", "+x", "abs(m)", "round(m, 1)", "round(m, -2)", "bround(m, 2)", "round(x)", "bround(x, 0)", "round(l, -1)", "ceil(x)", "floor(m)", "ceil(m, 1)",
           "floor(x, -1)", "n & 5", "l | 8", "b ^ 3", "~n", "bit_count(n)", "getbit(l, 1)", "shiftleft(n, 30)", "n >> 1", "l >>> 60", "factorial(n)", "bin(l)", "hex(l)",
           "hex(s)", "unhex(s)", "conv(s, 16, 10)", "conv(s, 10, -16)", "crc32(s)", "hash(n, x, d, t, s)", "xxhash64(m, l, dt, ym)", "sqrt(x)", "cbrt(x)", "ln(x)",
           "log(2, x)", "log1p(x)", "pow(x, n)", "atan2(x, n)", "hypot(n, x)", "signum(x)", "rint(x)", "width_bucket(x, -3, 3, 4)", "to_char(m, '999.99')",
           "to_number(s, '99')", "try_to_number(s, '99')", "try_to_binary(s, 'hex')", "positive(m)"]
casts = ["CAST(n AS TINYINT)", "CAST(l * 1000 AS TINYINT)", "CAST(x AS INT)", "CAST(x AS DECIMAL(4,1))", "CAST(m AS INT)", "CAST(m AS DECIMAL(6,2))", "CAST(m AS BOOLEAN)",
         "CAST(x AS TIMESTAMP)", "CAST(m AS TIMESTAMP)", "CAST(t AS BIGINT)", "CAST(t AS DOUBLE)", "CAST(t AS DECIMAL(20,6))", "CAST(t AS DATE)", "CAST(w AS TIMESTAMP)",
         "CAST(s AS INT)", "CAST(s AS DECIMAL(6,1))", "CAST(s AS BINARY)", "CAST(n AS BINARY)", "CAST(array(s, pattern) AS ARRAY<INT>)", "CAST(array(x, n) AS STRING)",
         "CAST(map(coalesce(n, 0), array(m, NULL)) AS STRING)", "CAST(named_struct('a', s, 'b', t) AS STRUCT<c: INT, e: DATE>)", "struct(d, ym, dt, ci, true, x, s, unhex(s))"]


def table(title, expressions):
    print(title)
    keep = "id IS NOT NULL" if title != "numbers" else "id <> 99"
    found = spark.sql("SELECT " + ", ".join(f"CAST({e} AS STRING)" for e in expressions) + f" FROM r WHERE {keep} ORDER BY id").collect()
    for i, e in enumerate(expressions):
        print("  ", e, "|", [row[i] for row in found])


def first_error(expression):
    try:
        print(expression, "|", [str(row[0]) for row in spark.sql(f"SELECT {expression} FROM r ORDER BY id").collect()])
    except PySparkException as e:
        print(expression, "|", type(e).__name__, e.getCondition(), "|", str(e).splitlines()[0])


spark.conf.set("spark.sql.ansi.enabled", "false")
table("parts", parts)
table("moves", moves)
table("spans", spans)
table("numbers", [e for e in numbers if not e.startswith("to_number")])
table("casts", casts)

# Under ANSI the first row that fails is the error's.
spark.conf.set("spark.sql.ansi.enabled", "true")
for e in ["next_day(d, unit)", "make_date(2024, id, 30)", "make_timestamp(2024, 1, 1, 1, 1, id * 20)", "CAST(s AS INT)", "CAST(l * 100 AS TINYINT)", "CAST(m * 100000 AS INT)",
          "CAST(x AS DECIMAL(3,1))", "CAST(array(s, m) AS ARRAY<DECIMAL(5,1)>)", "CAST(map(coalesce(s, d), pattern) AS MAP<STRING, DATE>)", "to_date(pattern, 'yyyy')", "to_timestamp(s, CASE WHEN id = 1 THEN 'yyyy' ELSE 'MM/dd' END)",
          "n * 2147483647", "CAST(b + 100 AS TINYINT) + CAST(100 AS TINYINT)", "m / n", "l div n", "n % n", "-(n - 2147483647 - n)", "dt / n", "getbit(n, n)", "conv(s, 10, 16)",
          "to_number(s, '99')", "to_binary(s, 'hex')", "round(CAST(n * 3 AS TINYINT), -2)", "ceil(x * 1e300)", "timestamp_millis(l * 9000000000000000)", 
          "to_utc_timestamp(t, unit)", "make_ym_interval(n * 100000000, 0)", "CAST('x' AS INTERVAL YEAR)", "timestampadd(YEAR, n * 100000000, t)"]:
    first_error(e)
