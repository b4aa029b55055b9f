//! Random damage to the files of a checkpoint: a query goes on from it, and its state is read.

use super::random::Random;

const HEAD: &str = r#"
import os
import shutil
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)


def drop(name, text):
    os.makedirs("data/in", exist_ok=True)
    with open("staging", "w") as f:
        f.write(text)
    os.replace("staging", f"data/in/{name}.json")


def told(what, e):
    lines = [line for line in str(e).splitlines() if line]
    print(what, type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None, lines[0] if lines else "")


def attempt(what, act):
    try:
        return act()
    except Exception as e:
        told(what, e)


os.makedirs("data/in")
events = spark.readStream.schema("id int, k string, ts timestamp").json("data/in").withWatermark("ts", "1 minute")
other = events.toDF("oid", "ok", "ots")
"#;

const QUERIES: [&str; 7] = [
    "events.groupBy('k').count(), 'update'",
    "events.groupBy(F.window('ts', '1 minute'), 'k').agg(F.collect_list('id')), 'append'",
    "events.groupBy(F.session_window('ts', '1 minute'), 'k').count(), 'append'",
    "events.dropDuplicates(['id', 'k']), 'append'",
    "events.dropDuplicatesWithinWatermark(['id']), 'append'",
    "events.join(other, F.expr('id = oid and ots between ts and ts + interval 1 minute'), 'left_outer'), 'append'",
    "events.limit(7), 'append'",
];

/// What happens to the bytes of a file.
fn damage(random: &mut Random) -> String {
    let (at, byte) = (random.below(4096), random.below(256));
    match random.below(9) {
        0 => "lambda b: b''".to_owned(),
        1 => format!("lambda b: b[:{at} % (len(b) + 1)]"),
        2 => format!("lambda b: b + bytes([{byte}] * {})", 1 + random.below(40)),
        3 => format!("lambda b: bytes([{byte}] * {})", random.below(64)),
        4 => format!("lambda b: b[:{at} % (len(b) + 1)] + bytes([{byte}]) + b[{at} % (len(b) + 1):]"),
        5 => "lambda b: b.replace(b'1', b'-9223372036854775808')".to_owned(),
        6 => "lambda b: b.replace(b'{', b'[').replace(b'\"', b'')".to_owned(),
        _ => format!("lambda b: b if not b else b[:{at} % len(b)] + bytes([{byte}]) + b[{at} % len(b) + 1:]"),
    }
}

pub(super) fn script(random: &mut Random) -> String {
    let mut out = HEAD.to_owned();
    if random.one_in(5) {
        out.push_str("spark.conf.set('spark.sql.streaming.stateStore.minDeltasForSnapshot', 1)\n");
        out.push_str("spark.conf.set('spark.sql.streaming.stateStore.maintenanceInterval', '1ms')\n");
    }
    if random.one_in(6) {
        out.push_str("spark.conf.set('spark.sql.streaming.fileSource.log.compactInterval', 2)\n");
    }
    out.push_str(&format!("frame, mode = {}\n", random.pick(&QUERIES)));
    out.push_str(
        r#"

def go(checkpoint):
    query = frame.writeStream.outputMode(mode).format("noop").option("checkpointLocation", checkpoint).start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()


def row(i):
    return '{"id": %d, "k": "k%d", "ts": "2026-01-01T10:%02d:00"}\n' % (i % 5, i % 3, i)


for i in range(4):
    drop(str(i), row(i) + row(i + 1))
    go("cp")
files = sorted(os.path.join(root, name) for root, _, names in os.walk("cp") for name in names)
"#,
    );
    for i in 0..6 {
        let file = random.below(10_000);
        out.push_str(&format!("shutil.copytree('cp', 'cp{i}')\npath = 'cp{i}' + files[{file} % len(files)][2:]\n"));
        if random.one_in(10) {
            out.push_str("os.remove(path)\n");
        } else {
            out.push_str(&format!(
                "with open(path, 'rb') as f:\n    content = f.read()\nwith open(path, 'wb') as f:\n    f.write(({})(content))\n",
                damage(random)
            ));
        }
        out.push_str(&format!("drop('x{i}', row({}))\nattempt(path, lambda: go('cp{i}'))\n", 5 + i));
        out.push_str(&format!("attempt('again', lambda: go('cp{i}'))\n"));
        for options in
            ["", ".option('joinSide', 'left')", ".option('readChangeFeed', True).option('changeStartBatchId', 0)"]
        {
            out.push_str(&format!(
                "attempt('state', lambda: spark.read.format('statestore'){options}.load('cp{i}').collect())\n"
            ));
        }
        out.push_str(&format!(
            "attempt('metadata', lambda: spark.read.format('state-metadata').load('cp{i}').collect())\n"
        ));
    }
    out
}
