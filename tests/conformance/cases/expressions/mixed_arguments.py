"""Text beside bytes, arrays beside nulls, numbers as text: what is cast, what is refused; structs as rows of VALUES."""
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()


def show(sql):
    print("--", sql)
    try:
        df = spark.sql(sql)
        df.show(truncate=False)
        print(df.schema.simpleString())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n\tat ")[0].split("JVM stacktrace")[0])


for sql in [
    "select overlay('abcdef' placing x'4142' from 2)",
    "select overlay(x'4142' placing 'zz' from 2)",
    "select overlay(x'4142', null, 2)",
    "select overlay(null, 'a', 1), overlay(12345, 'ab', 2)",
    "select overlay(encode('abc', 'utf-8'), encode('Z', 'utf-8'), 2)",
    "select concat(array(1), null)",
    "select concat(array(1), null, array(2L))",
    "select concat(null, array('a'))",
    "select concat(array(1), 1)",
    "select concat(null, null), concat(x'41', null), concat(x'41', 'b'), concat(x'41', x'42')",
    "select concat(array(1), array()), concat(array())",
    "select concat(map(1, 2), map(3, 4))",
    "select parse_url(null, 'HOST')",
    "select parse_url(x'41', 'HOST')",
    "select try_parse_url('x', 1)",
    "select try_parse_url('x', 'HOST')",
    "select format_number('12332.1', 2)",
    "select format_number(true, 2)",
    "select format_number(1, 2.0)",
    "select format_number(null, 2), format_number(1, null), format_number(1.5, '#.##')",
    "select bitmap_count(null)",
    "select bitmap_count('a')",
    "select bitmap_count(x'1010'), bitmap_count(cast(null as binary))",
    "select bitmap_or_agg(null) from range(1)",
    "select bitmap_and_agg(cast(id as string)) from range(1)",
    "select lpad(x'41', 4, 'z'), rpad(x'41', 4, 'z'), lpad('a', 4, x'5a'), lpad(x'41', 4, 1)",
    "select lpad(x'41', 4, x'5a'), rpad(x'41', 4), lpad(null, 4, x'5a'), lpad(x'41', 4, null)",
    "select lpad('a', x'41')",
    "values (struct(1, 2)), (struct(3, 4))",
    "values struct(1, 2)",
    "values ((1, 2)), ((3, 4))",
    "values (1, 2), (struct(3, 4))",
    "values (struct(1, 2), 3)",
    "values (named_struct('a', 1, 'b', 2))",
    "values (struct(struct(1, 2)))",
    "select * from values (struct(1, 2)) t(a, b)",
    "values (1), (struct(1, 2))",
]:
    show(sql)
