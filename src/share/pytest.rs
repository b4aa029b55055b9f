//! A test for real Spark that asserts the batches just seen.
//!
//! The test stands in for the script's sink: from inside each batch it lays the files of the next one, so that Spark cuts the
//! same batches, those without data too (it runs one by itself when nothing has come and the watermark has moved).

use super::{paths, python, submit};
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
    pub query: &'a QueryInfo,
    /// Which of the script's queries it is, in the order of their start.
    pub index: usize,
    pub batches: &'a [Rc<BatchReport>],
    /// The session's clock when the script began, ms: what is younger and was not read came from the script itself.
    pub started_ms: i64,
}

/// The Python source. Err: why there can be none.
pub fn source(seen: &Seen<'_>) -> Result<String, String> {
    let Seen { parcel, script, query, batches, .. } = seen;
    if let Some(refusal) = submit::refusal(script) {
        return Err(refusal);
    }
    if batches.is_empty() {
        return Err("No batch has run yet: step first.".to_owned());
    }
    if batches.iter().zip(0..).any(|(batch, number)| batch.batch != number) {
        return Err(
            "The first batches are not remembered any more: run the script on an empty checkpoint first.".to_owned()
        );
    }
    if query.trigger.starts_with("Continuous") {
        return Err("A continuous query has no batches to assert.".to_owned());
    }
    let folders = query.sources.iter().map(crate::event_form::folder).collect::<Option<BTreeSet<String>>>();
    let Some(sources) = folders.filter(|folders| !folders.is_empty()) else {
        let other = query.sources.iter().find(|source| source.folder.is_none());
        let name = other.map_or("the source", |source| source.description.as_str());
        return Err(format!("Only batches from folders of files can be fed again; {name} is none."));
    };
    let read = files_of_batches(parcel, query, batches);
    for batch in *batches {
        if batch.kind == BatchKind::Data && batch.input_rows > 0 && !read.contains_key(&batch.batch) {
            return Err(format!("The files that batch {} read are gone: they cannot be fed again.", batch.batch));
        }
    }
    let inputs = paths::inputs(parcel);
    let outside = inputs.iter().find(|file| !paths::is_below(&file.path, paths::CWD));
    if let Some(file) = outside {
        return Err(format!("{} lies outside of the folder of the script; a test cannot lay it.", file.path));
    }
    let fed: BTreeSet<&str> = read.values().flatten().map(|file| file.path.as_str()).collect();
    let in_source = |file: &ParcelFile| sources.iter().any(|folder| paths::is_below(&file.path, folder));
    let laid: Vec<&ParcelFile> = inputs
        .into_iter()
        .filter(|file| !paths::is_topic(&file.path) && !in_source(file) && !fed.contains(file.path.as_str()))
        .filter(|file| file.modified_ms < seen.started_ms)
        .collect();
    Ok(fill(seen, &laid, &read, &sources))
}

fn fill(
    seen: &Seen<'_>,
    laid: &[&ParcelFile],
    read: &BTreeMap<i64, Vec<&ParcelFile>>,
    sources: &BTreeSet<String>,
) -> String {
    let parcel = seen.parcel;
    let name = parcel.script().map_or("script.py", |script| script.name.as_str());
    let file = |indent: &str, file: &ParcelFile| {
        let path = python::literal(paths::shown(&file.path));
        format!("{indent}{path}: {},\n", python::content(&file.content))
    };
    let parents = laid.iter().copied().chain(read.values().flatten().copied());
    let mut folders: BTreeSet<&str> =
        parents.filter_map(|file| Some(paths::shown(&file.path).rsplit_once('/')?.0)).collect();
    folders.extend(sources.iter().map(|folder| paths::shown(folder)));
    let folders: Vec<String> = folders.into_iter().map(python::literal).collect();
    let mut batches = String::new();
    for batch in seen.batches {
        let files = read.get(&batch.batch).map(Vec::as_slice).unwrap_or_default();
        let files: String = files.iter().map(|one| file("            ", one)).collect();
        let reason = match &batch.kind {
            BatchKind::Data => String::new(),
            BatchKind::NoData { .. } => "  # without data".to_owned(),
        };
        let columns: Vec<String> = batch.output.columns.iter().map(|column| python::literal(&column.name)).collect();
        let _ = write!(batches, "    {{{reason}\n        \"files\": {{\n{files}        }},\n");
        let _ = writeln!(batches, "        \"columns\": [{}],", columns.join(", "));
        let _ = write!(batches, "        \"count\": {},\n        \"rows\": [\n", batch.output.total);
        for row in &batch.output.rows {
            let cells: Vec<String> = row.iter().map(|cell| python::literal(&shown(cell.as_deref()))).collect();
            let _ = writeln!(batches, "            [{}],", cells.join(", "));
        }
        batches.push_str("        ],\n    },\n");
    }
    let title =
        format!("What query {} of {name} does, batch by batch.", seen.query.name.as_deref().unwrap_or(&seen.query.id));
    let notes = if seen.query.sink.to_lowercase().contains("foreachbatch") {
        "The function of foreachBatch is called as well.\n"
    } else {
        "The script's own sink is not written.\n"
    };
    let values = [
        ("%TITLE%", title.replace(['"', '\\'], "'")),
        ("%SPARK%", SPARK_VERSION.to_owned()),
        ("%NOTES%", notes.to_owned()),
        ("%NAME%", python::literal(name)),
        ("%SCRIPT%", python::block(&python::relative_paths(seen.script))),
        ("%QUERY%", seen.index.to_string()),
        ("%FOLDERS%", folders.join(", ")),
        ("%LAID%", laid.iter().map(|one| file("    ", one)).collect()),
        ("%BATCHES%", batches),
    ];
    substitute(TEMPLATE, &values)
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
    // Version, metadata, then a line a source.
    let offsets = |batch: i64| -> Option<Vec<i64>> {
        let lines = text(format!("{checkpoint}/offsets/{batch}"))?.lines().skip(2);
        let offset = |line: &str| match line {
            "-" => Some(-1),
            line => serde_json::from_str::<serde_json::Value>(line).ok()?.get("logOffset")?.as_i64(),
        };
        lines.map(offset).collect()
    };
    let now = offsets(batch)?;
    let before = if batch == 0 { vec![-1; now.len()] } else { offsets(batch - 1)? };
    let mut paths = Vec::new();
    for (source, (from, to)) in before.iter().zip(&now).enumerate() {
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
        let (mut query, mut batches, mut parcel, mut started_ms) = (None, Vec::new(), Parcel::default(), 0);
        for output in said.borrow().iter() {
            match output {
                Output::Event(Event::QueryStarted(info)) => query = Some(info.clone()),
                Output::Event(Event::Scripts(ScriptsEvent::Ran(run))) => started_ms = run.clock_ms,
                Output::Event(Event::Batch(report)) => batches.push(Rc::new((**report).clone())),
                Output::Event(Event::Share(ShareEvent::Packed(packed))) => parcel = packed.clone(),
                _ => {}
            }
        }
        let query = query.unwrap();
        let seen = Seen { parcel: &parcel, script, query: &query, index: 0, batches: &batches, started_ms };
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
        assert!(source.contains("The function of foreachBatch is called") && source.contains("\"NULL\""), "{source}");
        assert!(source.contains("LAID = {\n}") && source.contains("[\"data/stream_in\"]"), "{source}");
        compiles(&source);
    }

    #[test]
    fn what_cannot_be_fed_again_says_why() {
        let mut example = Seen {
            parcel: &Parcel::default(),
            script: "from tidemark import kafka",
            query: &serde_json::from_value(serde_json::json!({
                "id": "q", "run_id": "r", "name": null, "output_mode": "append", "trigger": "Continuous(1000)", "sink": "",
                "checkpoint": "", "sources": [], "output": [], "operators": [], "watermark_delay_ms": null,
                "event_time_column": null
            }))
            .unwrap(),
            index: 0,
            batches: &[],
            started_ms: 0,
        };
        assert!(source(&example).unwrap_err().starts_with("Line 1"));
        example.script = "";
        assert_eq!(source(&example).unwrap_err(), "No batch has run yet: step first.");
    }
}
