# transformWithStateInPandas with an initial state: it counts in the first batch only, also for keys without rows; resumed
# from the checkpoint; deleteIfExists; an output column that carries the event time on.
import os
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StatefulProcessor

spark = SparkSession.builder.appName("initial").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 1)
spark.conf.set("spark.sql.streaming.stateStore.providerClass",
               "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
os.makedirs("data/in")


class Balance(StatefulProcessor):
    def init(self, handle):
        self.amount = handle.getValueState("amount", "amount LONG, notes STRING")
        self.moves = handle.getListState("moves", "v LONG")

    def handleInitialState(self, key, initialState, timerValues):
        self.amount.update((int(initialState["start"].iloc[0]), "initial"))

    def handleInputRows(self, key, rows, timerValues):
        amount, notes = self.amount.get() if self.amount.exists() else (0, "new")
        for frame in rows:
            amount += int(frame["v"].sum())
            self.moves.appendList([(int(v),) for v in frame["v"]])
        self.amount.update((amount, notes))
        if amount < 0:
            self.amount.clear()
            self.moves.clear()
        yield pd.DataFrame({"account": [key[0]], "amount": [amount], "notes": [notes],
                            "moves": [",".join(str(m[0]) for m in self.moves.get())]})

    def close(self):
        pass


def run():
    start = spark.createDataFrame([("ann", 100), ("cy", 7)], "account STRING, start LONG")
    q = (spark.readStream.schema("account STRING, v LONG").option("maxFilesPerTrigger", 1).csv("data/in").groupBy("account")
         .transformWithStateInPandas(Balance(), "account STRING, amount LONG, notes STRING, moves STRING", "Update", "None",
                                     initialState=start.groupBy("account"))
         .writeStream.outputMode("update").format("console").option("truncate", False).option("checkpointLocation", "cp").start())
    q.processAllAvailable()
    for p in q.recentProgress:
        if "addBatch" in p["durationMs"]:
            s = p["stateOperators"][0]
            c = s["customMetrics"]
            print(p["batchId"], s["operatorName"], s["numRowsTotal"], s["numRowsUpdated"], s["numRowsRemoved"],
                  c["numValueStateVars"], c["numListStateVars"], c["numMapStateVars"])
    q.stop()


for n, text in enumerate(["ann,5\nbob,1\nbob,2\n", "cy,3\nbob,-10\n", "bob,4\nann,-200\ncy,1\n"]):
    with open(f"data/in/{n}.csv", "w") as f:
        f.write(text)
    run()
