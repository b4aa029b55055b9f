# pandas functions on batch DataFrames: pandas_udf in its forms, mapInPandas, applyInPandas with and without key, cogroup.
from typing import Iterator, Tuple
import pandas as pd
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("pandasbatch").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 1)
sales = spark.createDataFrame(
    [("north", "pear", 3, 1.5), ("south", "fig", None, 2.0), ("north", "fig", 5, None), ("east", None, 1, 4.25)],
    "shop STRING, item STRING, qty INT, price DOUBLE").coalesce(1)


@F.pandas_udf("double")
def total(qty: pd.Series, price: pd.Series) -> pd.Series:
    return qty * price


@F.pandas_udf("string")
def shout(text: Iterator[pd.Series]) -> Iterator[pd.Series]:
    for part in text:
        yield part.str.upper()


@F.pandas_udf("double")
def spread(price: pd.Series) -> float:
    return price.max() - price.min()


@F.pandas_udf("first string, n int")
def parts(text: pd.Series) -> pd.DataFrame:
    return pd.DataFrame({"first": text.str.slice(0, 1), "n": text.str.len().fillna(0).astype(int)})


sales.select("shop", total("qty", "price").alias("total"), shout("item").alias("item"), parts("item").alias("p")).show()
sales.groupBy("shop").agg(spread("price").alias("spread")).orderBy("shop").show()
sales.agg(spread("price")).show()
spark.udf.register("total_sql", total)
sales.createOrReplaceTempView("sales")
spark.sql("SELECT shop, total_sql(qty, price) AS t FROM sales WHERE qty > 1").show()


def keep(frames):
    for frame in frames:
        frame["cost"] = frame["qty"] * frame["price"]
        yield frame[frame["qty"].notna()][["shop", "cost"]]


sales.mapInPandas(keep, "shop STRING, cost DOUBLE").show()


def summary(key, frame):
    return pd.DataFrame({"shop": [key[0]], "rows": [len(frame)], "items": ["/".join(sorted(frame["item"].dropna()))],
                         "best": [frame["price"].max()]})


sales.groupBy("shop").applyInPandas(summary, "shop STRING, rows LONG, items STRING, best DOUBLE").show()


def centre(frame):
    frame["price"] = frame["price"] - frame["price"].mean()
    return frame


sales.groupBy("shop").applyInPandas(centre, sales.schema).show()
sales.groupBy(F.length("shop").alias("n")).applyInPandas(
    lambda key, frame: pd.DataFrame({"n": [key[0]], "shops": [",".join(frame["shop"])]}), "n INT, shops STRING").show()
stock = spark.createDataFrame([("north", 10), ("west", 4)], "shop STRING, stock INT")


def both(key, left, right):
    return pd.DataFrame([[key[0], len(left), int(right["stock"].sum())]], columns=["shop", "sold", "stock"])


sales.groupBy("shop").cogroup(stock.groupBy("shop")).applyInPandas(both, "shop STRING, sold INT, stock INT").show()
print(sales.select("shop", "qty").toPandas())


def attempt(title, make):
    try:
        make().collect()
        print(title, "-> accepted")
    except Exception as e:
        lines = [line for line in str(e).splitlines() if "Error:" in line[:80] or line.startswith("[")]
        print(title, "->", type(e).__name__, (lines[-1:] or [str(e).splitlines()[0]])[0][:200])


attempt("too few rows", lambda: sales.select(F.pandas_udf(lambda s: s[:1], "int")("qty")))
attempt("a number", lambda: sales.select(F.pandas_udf(lambda s: 3, "int")("qty")))
attempt("wrong type", lambda: sales.select(F.pandas_udf(lambda s: s, "int")("item")))
attempt("not a frame", lambda: sales.groupBy("shop").applyInPandas(lambda f: 3, "shop STRING"))
attempt("wrong columns", lambda: sales.groupBy("shop").applyInPandas(lambda f: f, "shop STRING, n INT"))
attempt("three parameters", lambda: sales.groupBy("shop").applyInPandas(lambda a, b, c: a, "shop STRING"))
attempt("not an iterator", lambda: sales.mapInPandas(lambda frames: 3, "shop STRING"))
attempt("schema is no struct", lambda: sales.groupBy("shop").applyInPandas(lambda f: f, "int"))
attempt("mixed aggregates", lambda: sales.groupBy("shop").agg(spread("price"), F.sum("qty")))
attempt("an exception", lambda: sales.mapInPandas(lambda frames: (f["nothing"] for f in frames), "shop STRING"))
