from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("argument types").getOrCreate()
for expr in r"""array_append(array(1), 2.5)
array_append(array(1), cast(2 as bigint))
array_prepend(array(1), 'x')
array_insert(array(1), 1, 'x')
array_remove(array(1), 1.5)
array_position(array(1, null), null)
array_contains(array(1.5), 1)
array_union(array(1), array('a'))
array_union(array(1), array(2L))
array_except(1, 2)
element_at(map(1, 2), 'a')
element_at(map(1, 2), 2)
map(1, 2)['1']
map('1', 2)[1]
transform(array(1, 2), 7)
filter(array(1, 2), true)
transform(array(1), (x, y, z) -> x)
array_sort(array(3, null, 1))
hash(map(1, 2))
regexp_replace('a', 'a', 'b', 0)
'abc' rlike '('
sqrt(16), sin(0), ceil(1.5), round(2.5), floor(-1.5D), power(2, 3), hypot(3, 4), abs(-1)
encode('a', 'UTF-8'), decode(X'61', 'UTF-8'), right('abc', 1), left('abc', 1), split_part('a.b', '.', 1), mask('Ab1'), quote('a\\b')
to_binary('41'), to_binary('YQ==', 'base64'), url_encode('a b'), luhn_check('0'), initcap('ab ßc'), concat()
sign(interval '-1' day), signum(interval '1' month)
hour('10:20:30'), minute('10:20'), second('T10:20:30.5')
cast(time'10:20:30' as timestamp) = cast(concat(current_date(), ' 10:20:30') as timestamp)
timestamp'epoch', date'epoch'
any(x > 1), every(x > 0), some(x > 5) from values (1), (2) t(x)
sum(x) over (order by x rows between 1 preceding and current row), sum(x) over (order by x range between 1 preceding and 2 following) from values (1), (2) t(x)
nth_value(x, 2) over (order by x) from values (1), (2) t(x)""".splitlines():
    print("--", expr)
    try:
        frame = spark.sql("select " + expr)
        print(" ".join(f"{f.name}:{f.dataType.simpleString()}{'' if f.nullable else '!'}" for f in frame.schema.fields))
        print([list(row) for row in frame.collect()])
    except Exception as error:
        print(type(error).__name__, error.getCondition() if hasattr(error, "getCondition") else None)
        print(str(error).strip().splitlines()[0])
