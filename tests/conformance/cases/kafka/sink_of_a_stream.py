# KafkaStreamingWrite checks the columns per batch: start() succeeds, the query fails. A checkpoint is needed
# (UNSPECIFIED location: _LEGACY_ERROR_TEMP_1298). Topics come from the column, or from the option, which goes first. KafkaTable
# takes update mode as append (SupportsStreamingUpdateAsAppend) and complete mode (SupportsTruncate).
from pyspark.sql import SparkSession, functions as F
from tidemark import kafka

spark = (
    SparkSession.builder.appName("kafka")
    .config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0")
    .getOrCreate()
)
spark.conf.set("spark.sql.shuffle.partitions", 2)
BROKER = {"kafka.bootstrap.servers": "localhost:9092"}


def stream(**options):
    return spark.readStream.format("kafka").options(**BROKER, **options).load()


def failure(query):
    try:
        query.processAllAvailable()
        return "no failure"
    except Exception as e:
        text = str(e)
        return text[text.index("exception: ") + 11:text.index(" SQLSTATE: XXKST")]


def attempt(title, make):
    try:
        print(title, "->", make())
    except Exception as e:
        lines = str(e).splitlines()
        at = 1 if type(e).__name__ == "Py4JJavaError" else 0
        print(title, "->", type(e).__name__, lines[at] if lines[at] else lines)


kafka.create_topic("in")
for n, user in enumerate(["ann", "bob", "ann"]):
    kafka.produce("in", str(n), key=user)
source = stream(subscribe="in", startingOffsets="earliest")
attempt("no checkpoint", lambda: source.writeStream.format("kafka").options(**BROKER, topic="out").start())


def run(name, frame, mode="append", **options):
    query = frame.writeStream.format("kafka").outputMode(mode).options(**BROKER, **options).option("checkpointLocation", "cp/" + name).start()
    problem = failure(query)
    print(name, problem, query.lastProgress and query.lastProgress["sink"]["numOutputRows"])
    query.stop()


run("no topic", source.select("value"))
run("int value", source.select(F.col("offset").alias("value")), topic="out")
run("by column", source.select("key", "value", F.concat(F.lit("to-"), F.col("key").cast("string")).alias("topic")))
run("by option", source.select("key", "value", F.lit("unused").alias("topic")), topic=" out ")
counts = source.groupBy(F.col("key").cast("string").alias("key")).agg(F.count("*").cast("string").alias("value"))
run("update", counts, "update", topic="counts")
run("complete", counts, "complete", topic="counts")
print(kafka.topics())
print([(r.topic, r.key, r.value) for topic in ["to-ann", "to-bob", "out"] for r in kafka.records(topic)])
print(sorted((r.key, r.value) for r in kafka.records("counts")))
