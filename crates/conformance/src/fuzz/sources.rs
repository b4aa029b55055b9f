//! Random sources: formats, options and bytes that may or may not be what the format wants.

use super::random::Random;

const HEAD: &str = r#"
import os
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)


def drop(name, content):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open("staging", "wb") as f:
        f.write(content)
    os.replace("staging", name)


def told(what, e):
    lines = [line for line in str(e).splitlines() if line]
    print(what, type(e).__name__, e.getCondition() if hasattr(e, "getCondition") else None, lines[0] if lines else "")


def attempt(what, act):
    try:
        return act()
    except Exception as e:
        told(what, e)


"#;

const FORMATS: [&str; 8] = ["csv", "csv", "json", "json", "text", "parquet", "rate-micro-batch", "binaryFile"];
const SCHEMAS: [&str; 9] = [
    "a int, b string, c timestamp",
    "a string",
    "value string",
    "a double, b array<int>, c map<string, int>",
    "a struct<x: int, y: array<struct<z: date>>>, _corrupt_record string",
    "a decimal(5,2), b boolean, c binary, d date",
    "a int, p string, q int",
    "a variant, b timestamp_ntz",
    "a tinyint, b smallint, c bigint, d float",
];
const OPTIONS: [(&str, &[&str]); 34] = [
    ("maxFilesPerTrigger", &["1", "2", "0", "-1", "x"]),
    ("maxBytesPerTrigger", &["1", "10b", "1k", "x"]),
    ("latestFirst", &["true", "false", "x"]),
    ("maxFileAge", &["1d", "0s", "x"]),
    ("fileNameOnly", &["true"]),
    ("cleanSource", &["delete", "archive", "off", "x"]),
    ("sourceArchiveDir", &["data/old", "data/in/old", ""]),
    ("pathGlobFilter", &["*.a", "[", "{0,1}*", "*"]),
    ("recursiveFileLookup", &["true", "false"]),
    ("mode", &["PERMISSIVE", "DROPMALFORMED", "FAILFAST", "x"]),
    ("columnNameOfCorruptRecord", &["b", "_corrupt_record", ""]),
    ("header", &["true", "false"]),
    ("sep", &[";", "ab", "", "\\t", "|"]),
    ("quote", &["'", "", "\\\""]),
    ("escape", &["'", "\\\\", ""]),
    ("comment", &["#", "ab", ""]),
    ("nullValue", &["a", "", "-"]),
    ("multiLine", &["true", "false"]),
    ("lineSep", &["o", "\\n", "", "abc"]),
    ("encoding", &["UTF-8", "UTF-16", "ISO-8859-1", "x"]),
    ("timestampFormat", &["yyyy", "dd.MM.yyyy HH:mm", "qq", "'"]),
    ("dateFormat", &["yyyy-MM", "d/M/yy", "]"]),
    ("timeZone", &["Asia/Tokyo", "x", "+25:00"]),
    ("maxColumns", &["1", "0", "-1"]),
    ("maxCharsPerColumn", &["1", "3", "-1"]),
    ("ignoreLeadingWhiteSpace", &["true"]),
    ("unescapedQuoteHandling", &["STOP_AT_CLOSING_QUOTE", "BACK_TO_DELIMITER", "SKIP_VALUE", "RAISE_ERROR", "x"]),
    ("enforceSchema", &["false"]),
    ("wholetext", &["true"]),
    ("allowSingleQuotes", &["false"]),
    ("allowUnquotedFieldNames", &["true"]),
    ("primitivesAsString", &["true"]),
    ("locale", &["de", "x"]),
    ("rowsPerBatch", &["1", "7", "0", "x"]),
];
const COLUMNS: [&str; 9] = [
    "*",
    "a",
    "count(*) as n",
    "_metadata.file_name, _metadata.file_size",
    "_metadata",
    "input_file_name()",
    "1 as one",
    "*, input_file_block_start() as s",
    "cast(a as string) as a",
];

/// Bytes of a file, as a Python expression.
fn content(random: &mut Random, format: &str) -> String {
    let lines = [
        "a,b,c",
        "1,x,2026-01-01 10:00:00",
        "\\\"q\\\"\\\"x\\\",',\\\"",
        "{\\\"a\\\": 1, \\\"b\\\": \\\"x\\\"}",
        "{\\\"a\\\": {\\\"x\\\": 1, \\\"y\\\": [{\\\"z\\\": \\\"2026-01-01\\\"}]}}",
        "[{\\\"a\\\": 1}, {\\\"a\\\": 2}]",
        "{\\\"a\\\": 1e400, \\\"b\\\": [1, null, \\\"x\\\"]",
        "{'a': 'x', b: NaN}",
        "-1;;x",
        "",
        "99999999999999999999,true,1e5",
        "\\u00e4\\u0301\\U0001f600",
        "{\\\"a\\\": \\\"\\\\\\\\u00e4\\\\\\\\ud83d\\\"}",
        "#c",
        "x\\ty",
    ];
    match random.below(12) {
        0 => "b''".to_owned(),
        1 => format!("bytes([{}] * {})", random.below(256), random.below(40)),
        2 => format!(
            "bytes((i * {} + {}) % 256 for i in range({}))",
            random.below(97),
            random.below(256),
            random.below(200)
        ),
        3 => "b'\\x1f\\x8b\\x08\\x00\\x00\\x00\\x00\\x00' + bytes(range(60))".to_owned(),
        4 if format == "parquet" => "b'PAR1' + bytes(range(30)) + b'\\x10\\x00\\x00\\x00PAR1'".to_owned(),
        _ => {
            let count = random.below(7);
            let rows: Vec<&str> = (0..count).map(|_| random.pick(&lines)).collect();
            format!("\"{}\".encode()", rows.join(random.pick(&["\\n", "\\r\\n", "\\r", ",", "\\n\\n"])))
        }
    }
}

fn name(random: &mut Random, n: usize) -> String {
    let folder =
        random.pick(&["", "", "", "p=1/", "p=x/q=2/", "deep/er/", "p=__HIVE_DEFAULT_PARTITION__/", "p=%2F/", "_h/"]);
    let end = random.pick(&["a", "csv", "json", "gz", "deflate", "bz2", "a b%", "parquet"]);
    format!("data/in/{folder}{n}.{end}")
}

/// A source with options over odd files, read by a simple query, perhaps twice on one checkpoint.
pub(super) fn script(random: &mut Random) -> String {
    let mut out = HEAD.to_owned();
    let format = random.pick(&FORMATS);
    for n in 0..random.below(4) {
        out.push_str(&format!("drop('{}', {})\n", name(random, n), content(random, format)));
    }
    if format == "parquet" && !random.one_in(3) {
        out.push_str(
            "attempt('parquet', lambda: spark.range(5).selectExpr('id as a', 'string(id) as b', 'array(id) as c').write.mode('append').parquet('data/in'))\n",
        );
    }
    out.push_str("os.makedirs('data/in', exist_ok=True)\n");
    let mut options = Vec::new();
    for _ in 0..random.below(5) {
        let (key, values) = OPTIONS[random.below(OPTIONS.len())];
        options.push(format!("\"{key}\": \"{}\"", random.pick(values)));
    }
    let schema = if random.one_in(6) { String::new() } else { format!(".schema('{}')", random.pick(&SCHEMAS)) };
    if random.one_in(4) {
        out.push_str("spark.conf.set('spark.sql.streaming.schemaInference', 'true')\n");
    }
    let path = random.pick(&["data/in", "data/in", "data/*", "data/in/p=1", "data/nothing", ""]);
    out.push_str(&format!("options = {{{}}}\n", options.join(", ")));
    out.push_str(&format!(
        "def make():\n    s = spark.readStream{schema}.format('{format}').options(**options).load({})\n    return s.selectExpr({:?})\n\n\n",
        if format == "rate-micro-batch" { String::new() } else { format!("'{path}'") },
        random.pick(&COLUMNS)
    ));
    let sink = random.pick(&["noop", "memory", "console", "json"]);
    let sink = if sink == "json" {
        ".format('json').option('path', 'out')".to_owned()
    } else {
        format!(".format('{sink}').queryName('q')")
    };
    for run in 0..1 + random.below(2) {
        out.push_str(&format!(
            "query = attempt('start', lambda: make().writeStream.outputMode('{}'){sink}.option('checkpointLocation', 'cp').trigger(availableNow=True).start())\n",
            random.pick(&["append", "append", "complete", "update"])
        ));
        out.push_str("if query is not None:\n    attempt('run', lambda: query.awaitTermination(20))\n    print(query.exception())\n    attempt('stop', query.stop)\n");
        out.push_str(&format!("drop('{}', {})\n", name(random, 10 + run), content(random, format)));
        out.push_str("attempt('batch', lambda: print(spark.read.format('");
        out.push_str(&format!("{format}').options(**options){schema}.load('{path}').collect()))\n"));
    }
    out
}
