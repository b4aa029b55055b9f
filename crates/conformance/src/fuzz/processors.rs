//! Random functions with state: applyInPandasWithState and transformWithState whose steps call what state has at random.

use super::random::Random;

const HEAD: &str = r#"
import os
import pandas as pd
from pyspark.sql import Row, SparkSession, functions as F
from pyspark.sql.streaming import StatefulProcessor

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
spark.conf.set("spark.sql.streaming.stateStore.providerClass", "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
os.makedirs("data/in")


def drop(name, text):
    with open("staging", "w") as f:
        f.write(text)
    os.replace("staging", f"data/in/{name}.csv")


def told(what, e):
    lines = [line for line in str(e).splitlines() if line]
    print(what, type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None, lines[0] if lines else "")


def attempt(what, act):
    try:
        return act()
    except Exception as e:
        told(what, e)


events = spark.readStream.schema("k string, v int, ts timestamp").csv("data/in").withWatermark("ts", "1 minute")
"#;

const GROUP_STEPS: [&str; 16] = [
    "state.update((n,))",
    "state.update((n, n))",
    "state.update(n)",
    "state.update(None)",
    "state.remove()",
    "state.get",
    "state.getOption",
    "state.exists",
    "state.hasTimedOut",
    "state.setTimeoutDuration(5000)",
    "state.setTimeoutDuration('1 minute')",
    "state.setTimeoutDuration(-1)",
    "state.setTimeoutTimestamp(state.getCurrentWatermarkMs() + 60000)",
    "state.setTimeoutTimestamp(0)",
    "state.getCurrentProcessingTimeMs()",
    "state.update((None,))",
];
const PROCESSOR_STEPS: [&str; 30] = [
    "self.v.update((n,))",
    "self.v.update(None)",
    "self.v.update(('x',))",
    "self.v.get()",
    "self.v.exists()",
    "self.v.clear()",
    "self.l.put([(1,), (n,)])",
    "self.l.put([])",
    "self.l.appendValue((n,))",
    "self.l.appendList([(1,), (2,)])",
    "list(self.l.get())",
    "self.l.clear()",
    "self.l.exists()",
    "self.m.updateValue((n,), (str(n),))",
    "self.m.getValue((n,))",
    "self.m.containsKey((n,))",
    "self.m.removeKey((n,))",
    "list(self.m.iterator())",
    "list(self.m.keys())",
    "list(self.m.values())",
    "self.m.clear()",
    "self.h.registerTimer(timers.getCurrentProcessingTimeInMs() + 1000)",
    "self.h.registerTimer(timers.getCurrentWatermarkInMs() + 30000)",
    "self.h.registerTimer(-5)",
    "self.h.deleteTimer(1000)",
    "list(self.h.listTimers())",
    "self.h.deleteIfExists('v')",
    "self.h.getValueState('late', 'n int')",
    "next(iter(self.l.get()), None)",
    "self.m.updateValue(None, None)",
];

fn steps(random: &mut Random, choices: &[&str], indent: &str) -> String {
    (0..1 + random.below(5))
        .map(|_| {
            let step = random.pick(choices);
            if random.one_in(6) {
                format!("{indent}{step}\n")
            } else {
                format!("{indent}attempt('step', lambda: {step})\n")
            }
        })
        .collect()
}

fn rows(random: &mut Random) -> String {
    let row = |random: &mut Random| {
        let minute = random.below(50);
        format!(
            "{},{},2026-01-01 10:{minute:02}:{:02}",
            random.pick(&["a", "b", "c", ""]),
            random.below(4),
            random.below(60)
        )
    };
    (0..random.below(7)).map(|_| row(random)).collect::<Vec<_>>().join("\\n")
}

fn group_state(random: &mut Random) -> String {
    let timeout = random.pick(&["NoTimeout", "EventTimeTimeout", "ProcessingTimeTimeout"]);
    let mode = random.pick(&["append", "update"]);
    let result = random.pick(&[
        "yield pd.DataFrame({'k': [str(key[0])], 'n': [n]})",
        "yield pd.DataFrame({'k': [], 'n': []})",
        "yield pd.DataFrame({'n': [n], 'k': ['x']})",
        "yield pd.DataFrame({'k': ['x']})",
        "yield 3",
        "yield from ()",
    ]);
    let state = random.pick(&["n int", "n long, s string", "n struct<a: int>", "n double"]);
    format!(
        "def fn(key, frames, state):\n    n = sum(len(f) for f in frames)\n{}    {result}\n\n\nmode = '{mode}'\nframe = attempt('plan', lambda: events.groupBy('k').applyInPandasWithState(fn, 'k string, n long', '{state}', mode, '{timeout}'))\n",
        steps(random, &GROUP_STEPS, "    ")
    )
}

fn processor(random: &mut Random) -> String {
    let time = random.pick(&["none", "processingTime", "eventTime"]);
    let mode = random.pick(&["append", "update"]);
    let ttl = random.pick(&["", ", 1000", ", 0", ", -1"]);
    let initial = random.pick(&[
        "None",
        "None",
        "spark.createDataFrame([('a', 1), ('z', 2)], 'k string, start int').groupBy('k')",
    ]);
    let result = random.pick(&[
        "yield Row(k=key[0], n=n)",
        "yield Row(k=None, n=None)",
        "yield Row(z=1)",
        "yield from ()",
        "return iter([])",
    ]);
    format!(
        "class P(StatefulProcessor):\n    def init(self, handle):\n        self.h = handle\n        self.v = handle.getValueState('v', 'n int'{ttl})\n        self.l = handle.getListState('l', 'n int'{ttl})\n        self.m = handle.getMapState('m', 'a int', 'b string'{ttl})\n\n    def handleInputRows(self, key, rows, timers):\n        n = len(list(rows))\n{}        {result}\n\n    def handleExpiredTimer(self, key, timers, expired):\n        n = expired.getExpiryTimeInMs()\n{}        yield Row(k=key[0], n=n)\n\n    def handleInitialState(self, key, row, timers):\n        n = 1\n{}\n    def close(self):\n        pass\n\n\nmode = '{mode}'\nframe = attempt('plan', lambda: events.groupBy('k').transformWithState(P(), 'k string, n long', mode, '{time}', {initial}))\nattempt('batch', lambda: print(spark.createDataFrame([('a', 1), ('b', 2)], 'k string, v int').groupBy('k').transformWithState(P(), 'k string, n long', mode, '{time}', {initial}).collect()))\n",
        steps(random, &PROCESSOR_STEPS, "        "),
        steps(random, &PROCESSOR_STEPS, "        "),
        steps(random, &PROCESSOR_STEPS, "        "),
    )
}

/// A function with random steps over random rows, stopped and started again on its checkpoint.
pub(super) fn script(random: &mut Random) -> String {
    let mut out = HEAD.to_owned();
    out.push_str(&if random.one_in(2) { group_state(random) } else { processor(random) });
    for run in 0..2 {
        out.push_str("query = attempt('start', lambda: frame.writeStream.outputMode(mode).format('memory').queryName('q').option('checkpointLocation', 'cp').start())\n");
        out.push_str("if query is not None:\n    attempt('run', query.processAllAvailable)\n");
        for batch in 0..1 + random.below(3) {
            out.push_str(&format!(
                "    drop('{run}_{batch}', '{}')\n    attempt('run', query.processAllAvailable)\n",
                rows(random)
            ));
        }
        out.push_str("    attempt('stop', query.stop)\n    print(query.exception())\n");
    }
    for options in [
        "",
        ".option('stateVarName', 'v')",
        ".option('stateVarName', 'l')",
        ".option('stateVarName', 'm').option('flattenCollectionTypes', False)",
        ".option('readRegisteredTimers', True)",
    ] {
        out.push_str(&format!(
            "attempt('state', lambda: spark.read.format('statestore'){options}.load('cp').show())\n"
        ));
    }
    out
}
