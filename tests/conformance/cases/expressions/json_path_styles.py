# get_json_object over wildcards: one match without its array but with its quotes, nested and doubled wildcards, nulls, roots.
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("styles").master("local[2]").getOrCreate()
for text, paths in [
    ("null", ["$", "$[*]", "$.a"]),
    ('"x"', ["$", "$[0]"]),
    ("[null]", ["$", "$[0]", "$[*]"]),
    ('["x"]', ["$", "$[0]", "$[*]", "$[*][*]"]),
    ('["x", null, 1.50]', ["$[*]", "$[1]", "$[2]", "$[3]"]),
    ("[]", ["$", "$[*]", "$[*][*]", "$[*].a"]),
    ("[[]]", ["$[*]", "$[*][*]", "$[0][*]"]),
    ("[[1], [2, [3, [4]]]]", ["$[*]", "$[*][*]", "$[*][*][*]", "$[1][*]", "$[1][1][*]", "$[*][0]", "$[*][1][*]"]),
    ('{"a": ["x"], "b": {"c": ["y", "z"]}, "d": []}', ["$.a[*]", "$.a[0]", "$.b.c[*]", "$.b.c", "$.b[*]", "$.*", "$.d[*]", "$['a'][*]"]),
    ('{"a": [{"b": "x"}]}', ["$.a[*].b", "$.a[0].b", "$.a.b", "$.a[*]", "$.a[*].c", "$.a[*][*]"]),
    ('{"a": [{"b": ["x"]}]}', ["$.a[*].b", "$.a[*].b[*]", "$.a[*].b[0]", "$.a[0].b[*]"]),
    ('{"a": [{"b": ["x", "y"]}, {"b": ["z"]}, {"c": 1}, {"b": null}]}', ["$.a[*].b", "$.a[*].b[*]", "$.a[*].b[0]", "$.a[*].b[1]", "$.a[3].b"]),
    ('[{"a": [1, 2]}, {"a": [3]}, {"a": []}, {}]', ["$[*].a", "$[*].a[*]", "$[*].a[0]"]),
    ('[[{"a": 1}, {"a": 2}], [{"a": "q"}]]', ["$[*][*].a", "$[*].a", "$[*][0].a", "$[1][*].a", "$[0][*].a"]),
    ('{"a": 1, "a": {"b": 2}, "c": {"b": null}}', ["$.a", "$.a.b", "$.c.b", "$.c"]),
]:
    df = spark.createDataFrame([(text,)], "j string")
    print(text)
    for path in paths:
        print(f"    {path:14}", repr(df.select(F.get_json_object("j", path)).first()[0]))
