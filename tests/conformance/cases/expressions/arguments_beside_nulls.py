# Which arguments are looked at when another is null: an error beside a null, IN, AND and OR, coalesce, CASE; with and without ANSI.
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("case").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)


def shown(frame):
    kinds = [f"{f.name} {f.dataType.simpleString()}{'' if f.nullable else '!'}" for f in frame.schema.fields]
    return f"{kinds} {[tuple(row) for row in frame.collect()]}"


def ask(text, table=""):
    try:
        print(text, "=>", shown(spark.sql(f"SELECT {text} {table}")))
    except Exception as e:
        print(text, "=>", type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None)
        print("   ", str(e).strip().splitlines()[0])


spark.sql(
    "CREATE OR REPLACE TEMP VIEW v AS SELECT * FROM VALUES (1, CAST(NULL AS INT), 'x', CAST(NULL AS STRING), 0, array(1, 2), "
    "CAST(NULL AS ARRAY<INT>), 1.5D) AS t(i, n, s, ns, z, a, na, d)"
)
questions = [
    'n + cast(s as int)',
    'cast(s as int) + n',
    'n + (i / z)',
    '(i / z) + n',
    'n / z',
    'z / n',
    'i / n',
    'n % z',
    'n div z',
    'cast(s as int) = n',
    'n = cast(s as int)',
    'false and cast(s as int) > 1',
    'true or cast(s as int) > 1',
    'n is null or cast(s as int) = 1',
    'cast(s as int) = 1 or n is null',
    'coalesce(i, cast(s as int))',
    'coalesce(n, cast(s as int))',
    'if(i = 1, i, cast(s as int))',
    'case when n is null then 1 else cast(s as int) end',
    'nvl(i, cast(s as int))',
    'concat(cast(cast(s as int) as string), ns)',
    "concat_ws(',', ns, cast(s as int))",
    'na[cast(s as int)]',
    'a[cast(s as int)]',
    'element_at(na, cast(s as int))',
    'element_at(a, 0)',
    'element_at(na, 0)',
    'a[5]',
    'na[5]',
    'substring(ns, cast(s as int), 1)',
    'date_add(cast(ns as date), cast(s as int))',
    "date_add(date'2026-01-01', cast(ns as int))",
    'greatest(n, cast(s as int))',
    'greatest(i, cast(s as int))',
    'array(i, cast(s as int))',
    'struct(n, cast(s as int))',
    'pow(n, cast(s as int))',
    'sequence(n, cast(s as int))',
    'to_date(ns, s)',
    'to_date(s, ns)',
    "to_timestamp(s, 'yyyy')",
    'make_date(n, cast(s as int), 1)',
    'make_date(cast(s as int), n, 1)',
    'make_date(i, 13, 1)',
    'make_timestamp(n, 13, 1, 0, 0, 0)',
    "regexp_replace(ns, '(', 'a')",
    "regexp_replace(s, '(', 'a')",
    "regexp_extract(ns, '(', 0)",
    's rlike ns',
    'conv(ns, 100, 2)',
    'nullif(cast(s as int), n)',
    'cast(s as int) in (1, n)',
    'n between cast(s as int) and 2',
    'cast(s as int) between n and 2',
    'i between n and cast(s as int)',
    'slice(na, 0, 1)',
    'slice(a, 0, 1)',
    'slice(a, 1, -1)',
    'slice(a, n, -1)',
    'array_contains(na, cast(s as int))',
    'array_position(a, cast(s as int))',
    'array_repeat(n, cast(s as int))',
    'array_insert(na, 0, 1)',
    'array_insert(a, 0, 1)',
    'map(n, 1)',
    'map_from_arrays(na, array(cast(s as int)))',
    'elt(n, s)',
    'elt(3, s)',
    'elt(0, s)',
    "lpad(ns, cast(s as int), 'x')",
    'repeat(ns, cast(s as int))',
    'i + 2147483647',
    'n + 2147483647 + 2147483647',
    '2147483647 + 1 + n',
    'abs(-2147483648 + n)',
    '- cast(s as int) + n',
    'cast(s as int) * n * (1/z)',
    'factorial(n)',
    'factorial(21)',
    'width_bucket(n, cast(s as int), 2, 1)',
    'date_trunc(ns, cast(s as timestamp))',
    "date_trunc('bad', cast(ns as timestamp))",
    'format_number(n, cast(s as int))',
    "format_string('%d', n)",
    "format_string('%s %d', s, cast(s as int))",
    "json_tuple(ns, 'a')",
    'raise_error(ns)',
    'assert_true(n = 1)',
    "assert_true(i = 2, 'msg')",
    'sha2(ns, cast(s as int))',
    'shiftleft(n, cast(s as int))',
    'n & cast(s as int)',
    'n << cast(s as int)',
    'try_add(n, cast(s as int))',
    'try_divide(i, cast(s as int))',
    'try_add(2147483647, i)',
    'try_cast(s as int)',
    'try_element_at(a, 0)',
]
for ansi in ("true", "false"):
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    print("ansi", ansi)
    for question in questions:
        ask(question, "FROM v")
