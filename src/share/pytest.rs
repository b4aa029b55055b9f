//! A test for real Spark that asserts the batches just seen.
//!
//! The test stands in for the script's sinks: from inside each batch it lays the files of the next one, so that Spark cuts the
//! same batches, those without data too (it runs one by itself when nothing has come and the watermark has moved). Rate and
//! socket sources are read from files as well, which hold the rows that came. The script runs once for each of its queries.

use super::{paths, python, submit};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;
use tidemark_protocol::SPARK_VERSION;
use tidemark_protocol::messages::{BatchKind, BatchReport, Parcel, ParcelFile, QueryInfo};

const TEMPLATE: &str = include_str!("pytest_template.py");

/// What the test is made from.
pub struct Seen<'a> {
    pub parcel: &'a Parcel,
    /// The script's text as it ran.
    pub script: &'a str,
    /// The script's queries, in the order of their start.
    pub queries: Vec<(&'a QueryInfo, &'a [Rc<BatchReport>])>,
    /// The one that the page shows.
    pub shown: usize,
    /// The session's clock when the script began, ms: what is younger and was not read came from the script itself.
    pub started_ms: i64,
}

/// The Python source. Err: why there can be none.
pub fn source(seen: &Seen<'_>) -> Result<String, String> {
    if let Some(refusal) = submit::refusal(seen.script) {
        return Err(refusal);
    }
    let (mut cases, mut notes) = (String::new(), String::new());
    let mut shown = None;
    for (index, (query, batches)) in seen.queries.iter().enumerate() {
        let name = query.name.as_deref().unwrap_or(&query.id);
        match Case::of(seen, query, batches) {
            Ok(case) => case.write(&mut cases, index, name),
            Err(reason) => {
                let _ = writeln!(notes, "Query {name} is not checked: {reason}");
                shown = shown.filter(|_| index != seen.shown).or(Some(reason));
            }
        }
    }
    if cases.is_empty() {
        return Err(shown.unwrap_or_else(|| "No query has run yet: step first.".to_owned()));
    }
    let name = seen.parcel.script().map_or("script.py", |script| script.name.as_str());
    let plain = |text: String| text.replace(['"', '\\'], "'");
    let values = [
        ("%TITLE%", plain(format!("What the queries of {name} do, batch by batch."))),
        ("%SPARK%", SPARK_VERSION.to_owned()),
        ("%NOTES%", plain(notes)),
        ("%NAME%", python::literal(name)),
        ("%SCRIPT%", python::block(&python::relative_paths(seen.script))),
        ("%CASES%", cases),
    ];
    Ok(substitute(TEMPLATE, &values))
}

/// What a batch read, by path.
type Fed<'a> = BTreeMap<i64, Vec<(String, Cow<'a, [u8]>)>>;

/// One query of the script.
struct Case<'a> {
    batches: &'a [Rc<BatchReport>],
    laid: Vec<&'a ParcelFile>,
    fed: Fed<'a>,
    sources: BTreeSet<String>,
    /// Format, folder and schema of the files that stand in for a source without files.
    stand_ins: Vec<(String, String, String)>,
}

/// Sources whose rows come from files in the test: nothing of real Spark's would give the same ones again.
const STAND_INS: [&str; 3] = ["rate", "rate-micro-batch", "socket"];

impl<'a> Case<'a> {
    fn of(seen: &Seen<'a>, query: &QueryInfo, batches: &'a [Rc<BatchReport>]) -> Result<Self, String> {
        let parcel = seen.parcel;
        if batches.is_empty() {
            return Err("No batch has run yet: step first.".to_owned());
        }
        if batches.iter().zip(0..).any(|(batch, number)| batch.batch != number) {
            return Err("The first batches are not remembered any more: run the script on an empty checkpoint first."
                .to_owned());
        }
        if query.trigger.starts_with("Continuous") {
            return Err("A continuous query has no batches to assert.".to_owned());
        }
        let sources: BTreeSet<String> = query.sources.iter().filter_map(crate::event_form::folder).collect();
        let mut stand_ins = Vec::new();
        for (at, source) in query.sources.iter().enumerate().filter(|(_, source)| source.folder.is_none()) {
            if !STAND_INS.contains(&source.format.as_str()) {
                let name = &source.description;
                return Err(format!("Only files, rate and socket sources can be fed again; {name} is none."));
            }
            if stand_ins.iter().any(|(_, (format, ..)): &(usize, (String, String, String))| *format == source.format) {
                return Err(format!(
                    "It reads from two {} sources: which rows are whose cannot be told.",
                    source.format
                ));
            }
            let columns = source.schema.iter().map(|column| format!("`{}` {}", column.name, column.data_type));
            let schema = columns.collect::<Vec<_>>().join(", ");
            stand_ins.push((at, (source.format.clone(), format!("stand-in-{}", source.format), schema)));
        }
        let read = files_of_batches(parcel, query, batches);
        let mut fed = Fed::new();
        for batch in batches {
            let files = read.get(&batch.batch).map(Vec::as_slice).unwrap_or_default();
            let mut all: Vec<_> =
                files.iter().map(|file| (file.path.clone(), Cow::Borrowed(file.content.as_slice()))).collect();
            for (source, (_, folder, _)) in &stand_ins {
                let rows = batch.events.iter().filter(|event| event.source == *source);
                let lines: String = rows.map(|event| format!("{}\n", event.row)).collect();
                if !lines.is_empty() {
                    let path = format!("{}/{folder}/{}.json", paths::CWD, batch.batch);
                    all.push((path, Cow::Owned(lines.into_bytes())));
                }
            }
            if batch.kind == BatchKind::Data && batch.input_rows > 0 && all.is_empty() {
                return Err(format!("What batch {} read is gone: it cannot be fed again.", batch.batch));
            }
            if !stand_ins.is_empty() && (batch.events.len() as i64) < batch.input_rows {
                return Err(format!("Batch {} read more rows than the page keeps.", batch.batch));
            }
            fed.insert(batch.batch, all);
        }
        let inputs = paths::inputs(parcel);
        let outside = inputs.iter().find(|file| !paths::is_below(&file.path, paths::CWD));
        if let Some(file) = outside {
            return Err(format!("{} lies outside of the folder of the script; a test cannot lay it.", file.path));
        }
        let again: BTreeSet<&str> = read.values().flatten().map(|file| file.path.as_str()).collect();
        let in_source = |file: &ParcelFile| sources.iter().any(|folder| paths::is_below(&file.path, folder));
        let laid = inputs
            .into_iter()
            .filter(|file| !paths::is_topic(&file.path) && !in_source(file) && !again.contains(file.path.as_str()))
            .filter(|file| file.modified_ms < seen.started_ms)
            .collect();
        let mut stand_ins: Vec<_> = stand_ins.into_iter().map(|(_, stand_in)| stand_in).collect();
        stand_ins.sort();
        Ok(Self { batches, laid, fed, sources, stand_ins })
    }

    fn write(&self, out: &mut String, index: usize, name: &str) {
        let file = |path: &str, content: &[u8]| {
            format!("{}: {},", python::literal(paths::shown(path)), python::content(content))
        };
        let folder_of = |path: &str| paths::shown(path).rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let laid = self.laid.iter().map(|file| file.path.as_str());
        let fed = self.fed.values().flatten().map(|(path, _)| path.as_str());
        let mut folders: BTreeSet<String> = laid.chain(fed).filter_map(folder_of).collect();
        folders.extend(self.sources.iter().map(|folder| paths::shown(folder).to_owned()));
        folders.extend(self.stand_ins.iter().map(|(_, folder, _)| folder.clone()));
        let folders: Vec<String> = folders.iter().map(|folder| python::literal(folder)).collect();
        let _ = write!(
            out,
            "    {}: {{\n        \"query\": {index},\n        \"folders\": [{}],\n        \"laid\": {{\n",
            python::literal(name),
            folders.join(", ")
        );
        for one in &self.laid {
            let _ = writeln!(out, "            {}", file(&one.path, &one.content));
        }
        out.push_str("        },\n        \"stand_ins\": {\n");
        for (format, folder, schema) in &self.stand_ins {
            let [format, folder, schema] = [format, folder, schema].map(|text| python::literal(text));
            let _ = writeln!(out, "            {format}: ({folder}, {schema}),");
        }
        out.push_str("        },\n        \"batches\": [\n");
        for batch in self.batches {
            let reason = match &batch.kind {
                BatchKind::Data => "",
                BatchKind::NoData { .. } => "  # without data",
            };
            let _ = write!(out, "            {{{reason}\n                \"files\": {{\n");
            for (path, content) in self.fed.get(&batch.batch).into_iter().flatten() {
                let _ = writeln!(out, "                    {}", file(path, content));
            }
            let columns: Vec<String> =
                batch.output.columns.iter().map(|column| python::literal(&column.name)).collect();
            let _ = writeln!(out, "                }},\n                \"columns\": [{}],", columns.join(", "));
            let _ = writeln!(out, "                \"count\": {},\n                \"rows\": [", batch.output.total);
            for row in &batch.output.rows {
                let cells: Vec<String> = row.iter().map(|cell| python::literal(&shown(cell.as_deref()))).collect();
                let _ = writeln!(out, "                    [{}],", cells.join(", "));
            }
            out.push_str("                ],\n            },\n");
        }
        out.push_str("        ],\n    },\n");
    }
}

/// Each place is filled once: what is put in is not looked at again.
fn substitute(template: &str, values: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((at, key, value)) =
        values.iter().filter_map(|(key, value)| Some((rest.find(key)?, key, value))).min_by_key(|(at, ..)| *at)
    {
        out.push_str(rest.get(..at).unwrap_or_default());
        out.push_str(value);
        rest = rest.get(at + key.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// A cell as `show` prints it (Dataset.showString): meta characters are escaped.
fn shown(cell: Option<&str>) -> String {
    let mut out = String::new();
    for letter in cell.unwrap_or("NULL").chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{c}' => out.push_str("\\f"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{7}' => out.push_str("\\a"),
            letter => out.push(letter),
        }
    }
    out.trim_end().to_owned()
}

/// The files that each batch read: by the checkpoint's logs (offsets and the sources' files), else by where its events came
/// from.
fn files_of_batches<'a>(
    parcel: &'a Parcel,
    query: &QueryInfo,
    batches: &[Rc<BatchReport>],
) -> BTreeMap<i64, Vec<&'a ParcelFile>> {
    let mut read = BTreeMap::new();
    for batch in batches {
        let paths = logged(parcel, checkpoint(query), batch.batch).unwrap_or_else(|| {
            let mut paths: Vec<String> = Vec::new();
            for event in &batch.events {
                let path = event.origin.strip_prefix("file://").or(event.origin.strip_prefix("file:"));
                let path = path.unwrap_or(&event.origin).to_owned();
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
            paths
        });
        let found = |path: &String| parcel.files.iter().find(|file| file.path == *path);
        let files: Vec<&ParcelFile> = paths.iter().filter_map(found).collect();
        if !files.is_empty() {
            read.insert(batch.batch, files);
        }
    }
    read
}

fn checkpoint(query: &QueryInfo) -> &str {
    let path = query.checkpoint.as_str();
    let path = path.strip_prefix("file://").or(path.strip_prefix("file:")).unwrap_or(path);
    path.trim_end_matches('/')
}

/// None: a log is missing.
fn logged(parcel: &Parcel, checkpoint: &str, batch: i64) -> Option<Vec<String>> {
    let text = |path: String| {
        let file = parcel.files.iter().find(|file| file.path == path)?;
        std::str::from_utf8(&file.content).ok()
    };
    // Version, metadata, then a line a source; those of sources without files have another form.
    let offsets = |batch: i64| -> Option<Vec<Option<i64>>> {
        let lines = text(format!("{checkpoint}/offsets/{batch}"))?.lines().skip(2);
        let offset = |line: &str| match line {
            "-" => Some(-1),
            line => serde_json::from_str::<serde_json::Value>(line).ok()?.get("logOffset")?.as_i64(),
        };
        Some(lines.map(offset).collect())
    };
    let now = offsets(batch)?;
    let before = if batch == 0 { vec![Some(-1); now.len()] } else { offsets(batch - 1)? };
    let mut paths = Vec::new();
    for (source, (from, to)) in before.iter().zip(&now).enumerate() {
        let (Some(from), Some(to)) = (from, to) else { continue };
        for entry in from + 1..=*to {
            let folder = format!("{checkpoint}/sources/{source}");
            let log = text(format!("{folder}/{entry}")).or_else(|| text(format!("{folder}/{entry}.compact")))?;
            for line in log.lines().skip(1) {
                let line: serde_json::Value = serde_json::from_str(line).ok()?;
                if line.get("batchId")?.as_i64()? == entry {
                    paths.push(super::checkpoint::path_of(line.get("path")?.as_str()?));
                }
            }
        }
    }
    Some(paths)
}

#[cfg(test)]
mod tests {
    use super::super::submit::tests::compiles;
    use super::*;
    use std::cell::RefCell;
    use tidemark_protocol::messages::{Command, Event, ScriptsEvent, ShareCommand, ShareEvent};
    use tidemark_protocol::workbench::{Options, Output, Workbench, opening_example};

    /// Runs a script on the files of the opening example, step by step, with one event more before the last steps.
    fn exported(name: &str, script: &str, steps: usize, more: &str) -> String {
        let said = Rc::new(RefCell::new(Vec::new()));
        let out = said.clone();
        let options = Options { now_ms: 1_772_442_000_000, seed: 1, stopwatch: None };
        let mut bench = Workbench::open(options, None, Rc::new(move |output| out.borrow_mut().push(output)));
        bench.handle(Command::Run { text: script.to_owned() });
        for step in 0..steps {
            if step + 2 == steps && !more.is_empty() {
                let content = more.as_bytes().to_vec();
                bench.handle(Command::WriteFile { path: "/workspace/data/stream_in/more.json".to_owned(), content });
            }
            bench.handle(Command::Step { query: None });
        }
        bench.handle(Command::Share(ShareCommand::Pack));
        let (mut queries, mut batches, mut parcel, mut started_ms) = (Vec::new(), Vec::new(), Parcel::default(), 0);
        for output in said.borrow().iter() {
            match output {
                Output::Event(Event::QueryStarted(info)) => {
                    match queries.iter_mut().find(|q: &&mut QueryInfo| q.id == info.id) {
                        Some(known) => *known = info.clone(),
                        None => queries.push(info.clone()),
                    }
                }
                Output::Event(Event::Scripts(ScriptsEvent::Ran(run))) => started_ms = run.clock_ms,
                Output::Event(Event::Batch(report)) => batches.push(Rc::new((**report).clone())),
                Output::Event(Event::Share(ShareEvent::Packed(packed))) => parcel = packed.clone(),
                _ => {}
            }
        }
        let of = |query: &QueryInfo| -> Vec<Rc<BatchReport>> {
            batches.iter().filter(|batch: &&Rc<BatchReport>| batch.query == query.id).cloned().collect()
        };
        let own: Vec<Vec<Rc<BatchReport>>> = queries.iter().map(of).collect();
        let queries = queries.iter().zip(&own).map(|(query, own)| (query, own.as_slice())).collect();
        let seen = Seen { parcel: &parcel, script, queries, shown: 0, started_ms };
        let source = source(&seen).unwrap();
        // To run them on real Spark: pytest in the folder that this names.
        if let Ok(folder) = std::env::var("TIDEMARK_KEEP_EXPORTS") {
            std::fs::write(format!("{folder}/test_{name}.py"), &source).unwrap();
            let submit = super::submit::source(&parcel).unwrap();
            std::fs::write(format!("{folder}/{name}.py"), submit).unwrap();
        }
        source
    }

    const LATE: &str =
        "{\"event_time\":\"2026-03-02T08:00:00\",\"user\":\"dee|'\\\"\",\"action\":\"buy\",\"amount\":1.5}\n";

    #[test]
    fn windows_late_events_and_batches_without_data_are_exported() {
        let source = exported("windows", &opening_example().script, 7, LATE);
        assert!(source.contains("# without data") && source.contains("more.json"), "{source}");
        assert!(source.contains("2026-03-02 09:00:00") && !source.contains("data/checkpoint/"), "{source}");
        compiles(&source);
    }

    #[test]
    fn a_function_of_foreach_batch_is_called_and_its_frames_asserted() {
        let script = r#"
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
rows = spark.readStream.schema("event_time timestamp, user string, action string, amount double").json("/workspace/data/stream_in")
counts = rows.groupBy("user").agg(F.count("*").alias("n"), F.collect_set("action").alias("'done'"), F.lit(None).cast("string").alias("nothing"))


def show(frame, number):
    frame.write.mode("append").json("data/out")


counts.writeStream.outputMode("update").foreachBatch(show).start().awaitTermination()
"#;
        let source = exported("updates", script, 3, LATE);
        assert!(source.contains("\"NULL\"") && source.contains("\"laid\": {\n        }"), "{source}");
        assert!(source.contains("\"folders\": [\"data/stream_in\"]"), "{source}");
        compiles(&source);
    }

    #[test]
    fn every_query_is_a_case_and_made_up_rows_come_from_files() {
        let script = r#"
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", 2)
ticks = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 4).option("startTimestamp", 1772442000000).load()
ticks.groupBy((F.col("value") % 2).alias("odd")).count().writeStream.queryName("ticks").outputMode("complete").format("console").start()
rows = spark.readStream.schema("event_time timestamp, user string, action string, amount double").json("data/stream_in")
rows.where("amount > 10").writeStream.queryName("large").format("noop").start()
spark.streams.awaitAnyTermination()
"#;
        let source = exported("several", script, 4, "");
        assert!(source.contains("\"ticks\": {") && source.contains("\"large\": {"), "{source}");
        assert!(
            source.contains(
                "\"rate-micro-batch\": (\"stand-in-rate-micro-batch\", \"`timestamp` timestamp, `value` bigint\")"
            ),
            "{source}"
        );
        assert!(source.contains(r#"{"timestamp":"2026-03-02T09:00:00.000Z","value":0}"#), "{source}");
        compiles(&source);
    }

    #[test]
    fn what_cannot_be_fed_again_says_why() {
        let query: QueryInfo = serde_json::from_value(serde_json::json!({
            "id": "q", "run_id": "r", "name": null, "output_mode": "append", "trigger": "Continuous(1000)", "sink": "",
            "checkpoint": "", "sources": [], "output": [], "operators": [], "watermark_delay_ms": null,
            "event_time_column": null
        }))
        .unwrap();
        let parcel = Parcel::default();
        let script = "from tidemark import kafka";
        let mut example = Seen { parcel: &parcel, script, queries: vec![(&query, &[])], shown: 0, started_ms: 0 };
        assert!(source(&example).unwrap_err().starts_with("Line 1"));
        example.script = "";
        assert_eq!(source(&example).unwrap_err(), "No batch has run yet: step first.");
    }
}
