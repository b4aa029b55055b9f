//! Random queries: steps that do not fit are left out by the script itself, so that any text may be tried.

use super::random::Random;

const HEAD: &str = r#"
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
SCHEMA = "id int, k string, v double, n bigint, ts timestamp, tags array<string>, s struct<a: int, b: string>, d decimal(10,2), day date, flag boolean"


def drop(folder, name, text):
    os.makedirs(f"data/{folder}", exist_ok=True)
    with open("staging", "w") as f:
        f.write(text)
    os.replace("staging", f"data/{folder}/{name}.json")


def stream(folder):
    os.makedirs(f"data/{folder}", exist_ok=True)
    return spark.readStream.schema(SCHEMA).json(f"data/{folder}")


def told(what, e):
    lines = [line for line in str(e).splitlines() if line]
    print(what, type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None, lines[0] if lines else "")


def step(df, what, make):
    try:
        return make(df)
    except Exception as e:
        told(what, e)
        return df


def start(df, mode, finish):
    for m in (mode, "append", "update", "complete"):
        query = attempt("start", lambda: finish(df.writeStream.outputMode(m)).start())
        if query is not None:
            return query
    return None


def attempt(what, act):
    try:
        return act()
    except Exception as e:
        told(what, e)


"#;

const KEYS: [&str; 14] = [
    "'k'",
    "'id'",
    "'v'",
    "'n'",
    "'s'",
    "'s.a'",
    "'d'",
    "'day'",
    "'flag'",
    "'tags'",
    "F.lower('k')",
    "F.expr('id % 3')",
    "F.lit(1)",
    "F.window_time('window')",
];
const WINDOWS: [&str; 9] = [
    "F.window('ts', '1 minute')",
    "F.window('ts', '10 minutes', '3 minutes')",
    "F.window('ts', '1 hour', '1 hour', '7 minutes')",
    "F.window('ts', '1 millisecond')",
    "F.session_window('ts', '5 minutes')",
    "F.session_window('ts', F.when(F.col('flag'), '1 minute').otherwise('30 seconds'))",
    "F.session_window('ts', F.col('k'))",
    "F.window('window', '30 minutes')",
    "F.window(F.window_time('window'), '1 hour')",
];
const AGGREGATES: [&str; 26] = [
    "F.count('*').alias('c')",
    "F.sum('n').alias('sn')",
    "F.sum('v').alias('sv')",
    "F.sum('d').alias('sd')",
    "F.avg('n').alias('an')",
    "F.avg('d').alias('ad')",
    "F.min('k').alias('mk')",
    "F.max('s').alias('ms')",
    "F.max('ts').alias('mt')",
    "F.first('k', True).alias('f')",
    "F.last('v').alias('l')",
    "F.collect_list('k').alias('cl')",
    "F.collect_set('id').alias('cs')",
    "F.approx_count_distinct('k').alias('acd')",
    "F.count_distinct('k').alias('cd')",
    "F.stddev('v').alias('sdv')",
    "F.corr('v', 'n').alias('co')",
    "F.percentile_approx('v', 0.5).alias('p')",
    "F.max_by('k', 'n').alias('mb')",
    "F.mode('k').alias('mo')",
    "F.bool_and('flag').alias('ba')",
    "F.bit_xor('n').alias('bx')",
    "F.expr('count(*) filter (where id > 2) as cf')",
    "F.sum(F.col('n') * 2).alias('s2')",
    "F.skewness('v').alias('sk')",
    "F.sum('c').alias('sc')",
];
const FILTERS: [&str; 12] = [
    "id > 2",
    "k is not null and v < 100",
    "n % 2 = 0",
    "ts > timestamp'2026-01-01 10:05:00'",
    "false",
    "null",
    "size(tags) > 1",
    "s.a between 1 and 3",
    "flag or id = 4",
    "k like 'a%'",
    "1 / id > 0",
    "cast(k as int) = 1",
];
const COLUMNS: [&str; 14] = [
    "*",
    "*, id + 1 as next",
    "id, k, ts",
    "k, v, n, ts, window",
    "*, explode(tags) as tag",
    "upper(k) as k, ts, id, n, v",
    "*, n * 9223372036854775807 as big",
    "*, ts + interval 1 hour as later",
    "*, current_timestamp() as now",
    "*, rand(3) as r",
    "*, array_sort(tags) as sorted, map('a', id) as m",
    "*, window(ts, '5 minutes') as w",
    "id, ts",
    "*, cast(d as int) as di, cast(v as int) as vi",
];
const DELAYS: [&str; 7] = ["0 seconds", "10 seconds", "5 minutes", "1 hour", "1 month", "-1 minute", "100 years"];
const CONDITIONS: [&str; 9] = [
    "'id'",
    "['id', 'k']",
    "F.expr('l_id = r_id')",
    "F.expr('l_id = r_id and r_ts between l_ts and l_ts + interval 5 minutes')",
    "F.expr('l_id = r_id and l_ts >= r_ts - interval 1 minute and l_ts <= r_ts and l_v < r_v')",
    "F.expr('l_k <=> r_k and r_ts > l_ts')",
    "F.expr('l_ts = r_ts')",
    "F.expr('l_id < r_id')",
    "F.expr('l_s = r_s and l_id > 1 and r_flag')",
];
const KINDS: [&str; 8] = ["inner", "left", "right", "outer", "left_semi", "left_anti", "cross", "inner"];

fn value(random: &mut Random, choices: &[&str]) -> String {
    if random.one_in(8) { "null".to_owned() } else { random.pick(choices).to_owned() }
}

/// One record as JSON, mostly well-formed.
fn record(random: &mut Random) -> String {
    if random.one_in(40) {
        return random.pick(&["", "{", "[1]", "null", "{\"id\": }", "{\"id\": \"x\", \"ts\": 5}"]).to_owned();
    }
    let id = value(random, &["0", "1", "2", "3", "4", "-7", "2147483647"]);
    let k = value(random, &["\"a\"", "\"ab\"", "\"\"", "\"ä€\"", "\"1\"", "\"5 seconds\"", "\"b\""]);
    let v = value(random, &["0.0", "-0.0", "1.5", "1e308", "\"NaN\"", "99.25", "-3"]);
    let n = value(random, &["0", "1", "7", "9223372036854775807", "-9223372036854775808", "42"]);
    let minute = random.below(75);
    let ts = match random.below(24) {
        0 => "null".to_owned(),
        1 => "\"9999-12-31T23:59:59.999999\"".to_owned(),
        2 => "\"0001-01-01T00:00:00\"".to_owned(),
        3 => "\"1969-12-31T23:59:59.999\"".to_owned(),
        _ => format!("\"2026-01-01T{:02}:{:02}:{:02}\"", 10 + minute / 60, minute % 60, random.below(60)),
    };
    let tags = value(random, &["[]", "[\"x\"]", "[\"x\", null, \"y\"]", "[\"z\", \"z\"]"]);
    let s = value(random, &["{\"a\": 1, \"b\": \"q\"}", "{\"a\": null}", "{}", "{\"a\": 3, \"b\": null}"]);
    let d = value(random, &["1.25", "99999999.99", "-0.01", "0"]);
    let day = value(random, &["\"2026-01-01\"", "\"0001-01-01\"", "\"2024-02-29\""]);
    let flag = value(random, &["true", "false"]);
    format!(
        "{{\"id\": {id}, \"k\": {k}, \"v\": {v}, \"n\": {n}, \"ts\": {ts}, \"tags\": {tags}, \"s\": {s}, \"d\": {d}, \"day\": {day}, \"flag\": {flag}}}"
    )
}

fn file(random: &mut Random) -> String {
    let rows: Vec<String> = (0..random.below(9)).map(|_| record(random)).collect();
    rows.join("\n")
}

fn list(random: &mut Random, choices: &[&str], most: usize) -> String {
    let count = 1 + random.below(most);
    let items: Vec<&str> = (0..count).map(|_| random.pick(choices)).collect();
    items.join(", ")
}

/// A call on `d`.
fn call(random: &mut Random) -> String {
    match random.below(17) {
        0 | 1 => format!("d.withWatermark('ts', '{}')", random.pick(&DELAYS)),
        2 => format!("d.where(\"{}\")", random.pick(&FILTERS)),
        3 => format!("d.selectExpr(*\"\"\"{}\"\"\".split(', '))", random.pick(&COLUMNS)),
        4..=6 => {
            let mut keys = if random.one_in(2) { list(random, &WINDOWS, 1) } else { String::new() };
            if keys.is_empty() || random.one_in(2) {
                let more = list(random, &KEYS, 2);
                keys = if keys.is_empty() { more } else { format!("{keys}, {more}") };
            }
            format!("d.groupBy({keys}).agg({})", list(random, &AGGREGATES, 4))
        }
        7 => format!(
            "d.dropDuplicates({})",
            random.pick(&["['id']", "['id', 'ts']", "['k', 'n']", "", "['ts']", "['s']"])
        ),
        8 => format!("d.dropDuplicatesWithinWatermark({})", random.pick(&["['id']", "['k']", ""])),
        9 => {
            let delay = random.pick(&DELAYS);
            let condition = random.pick(&CONDITIONS);
            let kind = random.pick(&KINDS);
            if condition.contains("l_") {
                format!(
                    "d.toDF(*['l_' + c for c in d.columns]).join(stream('b').withWatermark('ts', '{delay}').toDF(*['r_' + c for c in stream('b').columns]), {condition}, '{kind}')"
                )
            } else {
                format!("d.join(stream('b').withWatermark('ts', '{delay}'), {condition}, '{kind}')")
            }
        }
        10 => format!(
            "d.join(spark.createDataFrame([(1, 'x', 2.5), (2, None, None), (None, 'y', 0.0)], 'id int, name string, w double'), 'id', '{}')",
            random.pick(&KINDS)
        ),
        11 => random
            .pick(&["d.distinct()", "d.orderBy('k')", "d.limit(3)", "d.orderBy(F.desc('c')).limit(2)", "d.limit(0)"])
            .to_owned(),
        12 => random
            .pick(&["d.union(d)", "d.union(stream('b'))", "d.unionByName(stream('b'), allowMissingColumns=True)"])
            .to_owned(),
        13 => format!("d.observe('o', {})", list(random, &AGGREGATES, 2)),
        14 => random
            .pick(&[
                "d.groupBy('k').pivot('id', [1, 2]).sum('n')",
                "d.rollup('k', 'id').count()",
                "d.cube('k').agg(F.sum('n').alias('sn'))",
                "d.exceptAll(spark.range(2).toDF('id'))",
                "d.sample(0.5)",
            ])
            .to_owned(),
        15 => random
            .pick(&["d.alias('q').select('q.*')", "d.repartition(3)", "d.coalesce(1)", "d.hint('broadcast')"])
            .to_owned(),
        _ => "d.withColumn('u', F.udf(lambda x: None if x is None else str(x) + '!')('k'))".to_owned(),
    }
}

/// The text of a query over two folders, started with a random mode, sink and trigger, perhaps stopped and started again.
pub(super) fn script(random: &mut Random) -> String {
    let mut out = HEAD.to_owned();
    out.push_str(&format!("spark.conf.set('spark.sql.shuffle.partitions', {})\n", 1 + random.below(3)));
    for (key, one_in) in [
        ("spark.sql.ansi.enabled", 4),
        ("spark.sql.streaming.noDataMicroBatches.enabled", 6),
        ("spark.sql.streaming.statefulOperator.checkCorrectness.enabled", 3),
        ("spark.sql.streaming.unsupportedOperationCheck", 6),
        ("spark.sql.streaming.statefulOperator.allowMultiple", 8),
    ] {
        if random.one_in(one_in) {
            out.push_str(&format!("spark.conf.set('{key}', 'false')\n"));
        }
    }
    if random.one_in(6) {
        out.push_str("spark.conf.set('spark.sql.streaming.multipleWatermarkPolicy', 'max')\n");
    }
    if random.one_in(8) {
        out.push_str("spark.conf.set('spark.sql.streaming.stateStore.providerClass', 'org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider')\n");
    }
    for folder in ["a", "b"] {
        out.push_str(&format!("drop('{folder}', '0', '''{}''')\n", file(random)));
    }
    out.push_str("df = stream('a')\n");
    if !random.one_in(3) {
        out.push_str(&format!("df = df.withWatermark('ts', '{}')\n", random.pick(&DELAYS[..5])));
    }
    for i in 0..1 + random.below(4) {
        out.push_str(&format!("df = step(df, {i}, lambda d: {})\n", call(random)));
    }
    let mode = random.pick(&["append", "update", "complete"]);
    let sink = random.pick(&["noop", "memory", "console", "batch", "each", "json", "parquet"]);
    let trigger = random.pick(&[
        "",
        "",
        ".trigger(availableNow=True)",
        ".trigger(once=True)",
        ".trigger(processingTime='2 seconds')",
    ]);
    let sink = match sink {
        "batch" => ".foreachBatch(lambda b, i: print(i, b.count()))".to_owned(),
        "each" => ".foreach(lambda r: None)".to_owned(),
        "json" | "parquet" => format!(".format('{sink}').option('path', 'out')"),
        other => format!(".format('{other}').queryName('q')"),
    };
    let runs = 1 + random.below(2);
    for run in 0..runs {
        out.push_str(&format!(
            "query = start(df, '{mode}', lambda w: w{sink}.option('checkpointLocation', 'cp'){trigger})\n"
        ));
        out.push_str("if query is not None:\n    attempt('run', query.processAllAvailable)\n");
        for batch in 0..1 + random.below(3) {
            let folder = random.pick(&["a", "b", "a"]);
            out.push_str(&format!("    drop('{folder}', '{run}_{batch}', '''{}''')\n", file(random)));
            out.push_str("    attempt('run', query.processAllAvailable)\n");
        }
        out.push_str("    attempt('explain', lambda: query.explain(True))\n    attempt('stop', query.stop)\n    print(query.lastProgress is None)\n");
    }
    out.push_str("attempt('state', lambda: spark.read.format('statestore').load('cp').show())\n");
    out.push_str("attempt('metadata', lambda: spark.read.format('state-metadata').load('cp').show())\n");
    out
}
