# DESCRIBE FUNCTION of operators and of the script's own functions.
from pyspark.sql import SparkSession
from pyspark.errors import PySparkException
from pyspark.sql.types import IntegerType

spark = SparkSession.builder.appName("describe-function").master("local[2]").getOrCreate()
spark.udf.register("plus_one", lambda x: x + 1, IntegerType())
for name in ("`<>`", "`!=`", "`case`", "`||`", "plus_one", "Plus_One", "extended plus_one", "nope", "default.nope"):
    try:
        df = spark.sql(f"describe function {name}")
        print(name, df.columns)
        # The class of a script's function is a number of the run.
        for row in df.filter("function_desc not like 'Class:%'").take(2):
            print("   ", row[0])
    except PySparkException as e:
        print(name, type(e).__name__, e.getCondition(), str(e).split(";\n")[0])
