# The socket source: its first batch connects and is empty, lines are shared over the tasks in turn, their times with includeTimestamp, and
# offsets count lines from -1.
import socket
import threading
import time

from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("socket").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
server = socket.create_server(("127.0.0.1", 0))
connections = []
thread = threading.Thread(target=lambda: connections.append(server.accept()[0]))
thread.start()
source = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", server.getsockname()[1])
lines = source.option("includeTimestamp", True).load()
lines.printSchema()
seen = []


def take(df, batch_id):
    rows = df.select("value", F.spark_partition_id().alias("task"), (F.year("timestamp") > 2000).alias("now")).collect()
    seen.append((batch_id, [tuple(row) for row in rows]))


query = lines.writeStream.option("checkpointLocation", "cp").foreachBatch(take).start()
query.processAllAvailable()
thread.join()
connection = connections[0]
connection.sendall(b"one\ntwo\r\n\nfour\n")
time.sleep(2)
query.processAllAvailable()
connection.sendall(b"last")
connection.close()
time.sleep(2)
query.processAllAvailable()
print([entry for entry in seen if entry[1]], seen[0])
rows = [r for _, r in seen]
print(sum(len(r) for r in rows))
progress = [p for p in query.recentProgress if "addBatch" in p["durationMs"]]
print(progress[0]["sources"][0]["startOffset"], progress[0]["sources"][0]["endOffset"], progress[-1]["sources"][0]["endOffset"])
print(progress[0]["sources"][0]["description"].split(",")[0], sorted(key for key in progress[0]["sources"][0] if "PerSecond" not in key))
print(open("cp/offsets/0").read().splitlines()[2])
query.stop()
