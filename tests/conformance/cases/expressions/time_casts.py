# TIME in casts while the type is on, and what is refused while it is off.
from pyspark.sql import SparkSession, functions as F
from pyspark.errors import PySparkException

spark = SparkSession.builder.appName("time-casts").master("local[2]").getOrCreate()
queries = [
    "select cast('10:20:30' as time)",
    "select time '10:20:30.123456'",
    "select typeof(time '10:20:30')",
    "select cast(time '10:20:30' as string)",
    "select cast(timestamp '2024-05-06 07:08:09.5' as time)",
    "select cast(timestamp_ntz '2024-05-06 07:08:09.5' as time(3))",
    "select cast(time '10:20:30' as date)",
    "select cast(date '2024-01-01' as time)",
    "select cast(time '10:20:30' as int)",
    "select cast(time '10:20:30.5' as decimal(10, 2))",
    "select cast(time '10:20:30' as bigint), cast(time '10:20:30' as double)",
    "select cast(37230 as time)",
    "select try_cast('25:00' as time)",
    "select cast('25:00' as time)",
    "select time '10:20:30' = '10:20:30'",
    "select time '10:20:30' < time '11:00'",
    "select time '10:20:30' > cast('2024-01-01 09:00:00' as timestamp)",
    "select coalesce(time '10:20:30', '11:00:00')",
    "select case when true then time '10:20:30' else null end",
    "select array(time '10:20:30', '11:00:00')",
    "select concat(time '10:20:30', '!')",
    "select hour(time '10:20:30'), minute(time '10:20:30'), second(time '10:20:30')",
    "select time '10:20:30' + interval '1' hour",
    "select time '10:20:30' - time '09:00:00'",
    "select max(x) from values (time '10:20:30'), (time '09:00:00') as t(x)",
    "select x from values (time '10:20:30'), ('09:00:00') as t(x)",
    "select time '10:20:30' in ('10:20:30', '11:00:00')",
    "select time '10:20:30' union all select '11:00:00'",
]


def all_questions():
    for query in queries:
        try:
            df = spark.sql(query)
            print(query, "|", df.schema.simpleString(), df.collect())
        except PySparkException as e:
            print(query, "|", type(e).__name__, e.getCondition(), str(e).splitlines()[0])
        except Exception as e:
            print(query, "|", type(e).__name__, str(e).splitlines()[0][:200])


all_questions()
for switch in ("true",):
    try:
        spark.conf.set("spark.sql.timeType.enabled", switch)
    except PySparkException as e:
        print(switch, type(e).__name__, e.getCondition(), str(e).splitlines()[0])
        continue
    print("----", switch)
    all_questions()
