# Python table functions: as frames, in SQL, in LATERAL, with keywords, results of each kind, analyze, and what is refused.
from pyspark.sql import SparkSession, functions as F
from pyspark.sql.functions import lit, udtf
from pyspark.sql.types import IntegerType, StringType, StructType
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult, SkipRestOfInputTableException

spark = SparkSession.builder.appName("udtf").master("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
spark.conf.set("spark.sql.execution.pythonUDTF.arrow.enabled", "false")


def line(e):
    lines = [text.strip() for text in str(e).splitlines() if text.strip()]
    known = [text for text in lines if "Error: " in text or "Exception: " in text]
    return f"{type(e).__name__} {lines[0][:150]}" + (f" ... {known[-1]}" if known and known[-1] != lines[0] else "")


def show(label, make):
    try:
        made = make()
        if made is not None:
            print(label, made.columns, [f"{f.dataType.simpleString()} {f.nullable}" for f in made.schema])
            for row in made.collect():
                print("   ", row)
    except Exception as e:
        print(label, line(e))


@udtf(returnType="c1: int, c2: int")
class PlusOne:
    def eval(self, x: int):
        yield x, x + 1


PlusOne(lit(1)).show()
show("keyword", lambda: PlusOne(x=lit(5)))
show("expression", lambda: PlusOne(lit(2) * 3).where("c2 > 6").select("c2"))
spark.udtf.register("plus_one", PlusOne)
for text in ["plus_one(1)", "plus_one(1) AS t(a, b)", "plus_one(x => 7)", "PLUS_ONE(1 + 1) t WHERE t.c1 = 2", "VALUES (0, 1), (1, 2) t(x, y), LATERAL plus_one(x)",
             "VALUES (0, 1), (1, 2) t(x, y), LATERAL plus_one(x + y) AS p(q, r) WHERE r > 2", "plus_one(y => 7)", "plus_one()", "plus_one(1, 2)", "plus_one(1) AS t(a)", "no_such_function(1)"]:
    show(text, lambda: spark.sql(f"SELECT * FROM {text}"))


class Counting:
    def __init__(self):
        self.n = self.sum = 0

    def eval(self, x):
        self.n += 1
        self.sum += x
        if x % 2 == 0:
            yield "row", x

    def terminate(self):
        yield "count", self.n
        yield "sum", self.sum


spark.udtf.register("counting", udtf(Counting, returnType="k string, v int"))
show("terminate", lambda: spark.sql("SELECT * FROM counting(4)"))
show("partitions", lambda: spark.sql("SELECT id, k, v FROM range(0, 6, 1, 2), LATERAL counting(id)"))
show("filter above", lambda: spark.sql("SELECT id, k, v FROM range(0, 6, 1, 1), LATERAL counting(id) WHERE id > 3"))


class Even:
    def eval(self, x):
        if x % 2 == 0:
            yield x,


spark.udtf.register("even", udtf(Even, returnType="v int"))
show("inner", lambda: spark.sql("SELECT * FROM range(0, 4, 1, 1), LATERAL even(id)"))
show("left", lambda: spark.sql("SELECT * FROM range(0, 4, 1, 1) LEFT JOIN LATERAL even(id)"))


class Skipping:
    def eval(self, x):
        if x == 2:
            raise SkipRestOfInputTableException("enough")
        yield x,

    def terminate(self):
        yield -1,


spark.udtf.register("skipping", udtf(Skipping, returnType="v int"))
show("skip the rest", lambda: spark.sql("SELECT * FROM range(0, 5, 1, 1), LATERAL skipping(id)"))


def give(value, kind="a int", fail=None):
    class Giving:
        def eval(self):
            if fail == "call":
                raise ValueError("no")
            return value

    return lambda: udtf(Giving, returnType=kind)()


def late():
    yield 1,
    raise ValueError("late")


for label, make in [("list of lists", give([[4], [5]])), ("list of dicts", give([{"a": 3}])), ("nothing", give(None)), ("no rows", give([])), ("text as int", give([("7",)])), ("int as text", give([(7,)], "a string")),
                    ("int as double", give([(7,)], "a double")), ("None in a row", give([(None,)])), ("None where none may be", give([(None,)], "a int not null")), ("a number", give(5)), ("numbers", give([1, 2])),
                    ("two for one", give([(1, 2)])), ("raises", give(None, fail="call")), ("nested", give([([1, None], {"k": 2}, ("x", 1))], "a array<int>, b map<string, int>, c struct<p: string, q: int>"))]:
    show(label, make)


class Late:
    def eval(self):
        yield 1,
        raise ValueError("late")


class Broken:
    def __init__(self):
        raise ValueError("init")

    def eval(self):
        yield 1,


class Takes:
    def __init__(self, x):
        pass

    def eval(self):
        yield 1,


show("raises between rows", lambda: udtf(Late, returnType="a int")())
show("raises in __init__", lambda: udtf(Broken, returnType="a int")())
show("__init__ with an argument", lambda: udtf(Takes, returnType="a int")())


class Analyzed:
    @staticmethod
    def analyze(a: AnalyzeArgument, **rest: AnalyzeArgument) -> AnalyzeResult:
        schema = StructType().add("value", a.dataType).add("constant", StringType())
        for name in rest:
            schema = schema.add(name, rest[name].dataType)
        return AnalyzeResult(schema)

    def __init__(self, result):
        self.names = result.schema.fieldNames()

    def eval(self, a, **rest):
        yield (a, ",".join(self.names), *rest.values())


analyzed = udtf(Analyzed)
show("analyze", lambda: analyzed(lit("s")))
show("analyze with keywords", lambda: analyzed(lit(1.5), x=lit(1), y=F.array(lit(1))))


class Looks:
    @staticmethod
    def analyze(a):
        raise ValueError(f"{a.dataType.simpleString()} {a.value!r} {a.isTable} {a.isConstantExpression}")

    def eval(self, a):
        yield 1,


class NoResult:
    @staticmethod
    def analyze(a):
        return StructType()

    def eval(self, a):
        yield 1,


for label, argument in [("literal", lit(3)), ("expression", lit(1) + 2), ("null", lit(None)), ("date", F.expr("date'2026-02-14'")), ("array", F.expr("array(1, 2)")), ("not constant", F.rand())]:
    show(f"analyze of {label}", lambda: udtf(Looks)(argument))
show("analyze gives no result", lambda: udtf(NoResult)(lit(1)))
show("analyze, too many", lambda: analyzed(lit(1), lit(2)))


class NoEval:
    pass


for label, make in [("no eval", lambda: udtf(NoEval, returnType="a int")), ("no class", lambda: udtf(lambda: 1, returnType="a int")), ("no type", lambda: udtf(Even)), ("both", lambda: udtf(Analyzed, returnType="a int")),
                    ("no struct", lambda: udtf(Even, returnType="int")(lit(1))), ("register", lambda: spark.udtf.register("f", lambda: 1))]:
    show(label, make)
plus = udtf(Even, returnType="v int")
print(plus.deterministic, plus.asDeterministic().deterministic, plus.returnType, plus.func.__name__)
stream = spark.readStream.format("rate").load()
stream.createOrReplaceTempView("ticks")
print(spark.sql("SELECT v FROM ticks, LATERAL even(value)").isStreaming)
