//! A script for spark-submit: the same script, with what it needs laid out before it runs.

use super::{paths, python};
use std::collections::BTreeSet;
use std::fmt::Write;
use tidemark_protocol::SPARK_VERSION;
use tidemark_protocol::messages::Parcel;

/// Bytes of input files that the script may carry; with more it expects them beside itself.
const CARRIED_LIMIT: u64 = 256 * 1024;

/// Why a script cannot run elsewhere as it is.
pub fn refusal(script: &str) -> Option<String> {
    let lines = python::lines_of_ours(script);
    let first = lines.first()?;
    Some(format!(
        "Line {first} imports tidemark, which only this page has: it stands in for a broker or a socket. Take it out (a real \
         broker gets its messages by other means), then export again."
    ))
}

/// The Python source. Err: why there can be none.
pub fn source(parcel: &Parcel) -> Result<String, String> {
    let script = parcel.script().ok_or("There is no script.")?;
    if let Some(refusal) = refusal(&script.text) {
        return Err(refusal);
    }
    let files: Vec<_> = paths::inputs(parcel).into_iter().filter(|file| !paths::is_topic(&file.path)).collect();
    let size: u64 = files.iter().map(|file| file.content.len() as u64).sum();
    let mut folders: BTreeSet<&str> =
        files.iter().filter_map(|file| Some(paths::shown(&file.path).rsplit_once('/')?.0)).collect();
    folders.extend(
        parcel
            .folders
            .iter()
            .map(|folder| paths::shown(folder))
            .filter(|folder| !folder.starts_with('.') && !folder.starts_with('/')),
    );
    let kafka = script.text.contains("kafka");
    let packages = if kafka {
        format!(" --packages org.apache.spark:spark-sql-kafka-0-10_2.13:{SPARK_VERSION}")
    } else {
        String::new()
    };
    let (future, body) = split_future(&script.text);
    let mut out = future.to_owned();
    let _ = write!(
        out,
        "# Written by Tidemark, where this script ran as on Apache Spark {SPARK_VERSION}. To run it there:\n#\n\
         #   spark-submit --master \"local[2]\" --conf spark.sql.session.timeZone=UTC{packages} {}\n#\n\
         # Its input files are laid in the current folder, where they are not there yet; then it runs as it stood in the page.\n",
        script.name
    );
    if kafka {
        out.push_str(
            "# It speaks of Kafka: the broker that kafka.bootstrap.servers names has to be there, with its topics.\n",
        );
    }
    if script.text.contains(paths::CWD) {
        out.push_str("# Paths below the page's folder are relative now.\n");
    }
    out.push_str("import os as _os\nimport time as _time\n\n");
    if !script.text.contains("SparkSession") {
        out.push_str("from pyspark.sql import SparkSession\n\nspark = SparkSession.builder.getOrCreate()\n\n");
    }
    let _ = writeln!(out, "for _folder in [{}]:", list(folders.into_iter()));
    out.push_str("    _os.makedirs(_folder, exist_ok=True)\n");
    if size <= CARRIED_LIMIT {
        out.push_str("# In the order of their arrival, a second apart: a file source reads them in it.\n_files = [\n");
        for file in &files {
            let _ = writeln!(
                out,
                "    ({}, {}),",
                python::literal(paths::shown(&file.path)),
                python::content(&file.content)
            );
        }
        out.push_str(
            "]\nfor _at, (_path, _content) in enumerate(_files):\n    if not _os.path.exists(_path):\n        \
             with open(_path, \"wb\") as _out:\n            _out.write(_content if isinstance(_content, bytes) else _content.encode())\n        \
             _when = _time.time() - len(_files) + _at\n        _os.utime(_path, (_when, _when))\n",
        );
    } else {
        let _ = writeln!(
            out,
            "# {} input files are too many to carry along: save the workspace from the page, and unpack files/workspace here.",
            files.len()
        );
    }
    let _ = write!(out, "\n# ---- {} ----\n{}", script.name, python::relative_paths(body));
    if !out.ends_with('\n') {
        out.push('\n');
    }
    Ok(out)
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.map(python::literal).collect::<Vec<_>>().join(", ")
}

/// Imports from `__future__` have to stay the first statements; with them goes what stands before them.
fn split_future(script: &str) -> (&str, &str) {
    let mut at = 0;
    let mut end = 0;
    for line in script.split_inclusive('\n') {
        at += line.len();
        if line.starts_with("from __future__") {
            end = at;
        }
    }
    script.split_at(end)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::paths::tests::file;
    use super::*;
    use tidemark_protocol::messages::NamedScript;

    pub(crate) fn parcel(script: &str) -> Parcel {
        Parcel {
            scripts: vec![NamedScript { name: "job.py".to_owned(), text: script.to_owned() }],
            current: "job.py".to_owned(),
            files: vec![
                file("/workspace/data/in/b's \"1\".json", "{\"a\": \"\\\\ ü\"}\n", 1),
                file("/workspace/data/in/2.json", "{}", 2),
                file("/workspace/.tidemark/kafka/events/topic.json", "{}", 2),
            ],
            folders: vec!["/workspace/data/more".to_owned()],
            ..Parcel::default()
        }
    }

    #[test]
    fn the_script_carries_its_files_and_runs_as_it_was() {
        let script = "from __future__ import annotations\nfrom pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\nspark.read.json(\"/workspace/data/in\").show()";
        let source = source(&parcel(script)).unwrap();
        assert!(source.starts_with("from __future__"), "{source}");
        assert!(source.contains(r#"for _folder in ["data/in", "data/more"]:"#), "{source}");
        assert!(source.contains("spark.read.json(\"data/in\").show()\n"), "{source}");
        assert!(!source.contains(".tidemark") && !source.contains("builder.getOrCreate()\n\nfor"), "{source}");
        compiles(&source);
    }

    #[test]
    fn a_script_without_a_session_gets_one_and_kafka_its_package() {
        let source = source(&parcel("spark.readStream.format('kafka').load()\n")).unwrap();
        assert!(source.contains("spark = SparkSession.builder.getOrCreate()"), "{source}");
        assert!(source.contains("--packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0"), "{source}");
        compiles(&source);
    }

    #[test]
    fn what_only_the_page_has_is_refused_with_its_line() {
        let refused = source(&parcel("import os\nfrom tidemark import kafka\n")).unwrap_err();
        assert!(refused.starts_with("Line 2 imports tidemark"), "{refused}");
    }

    /// Asks the interpreter that comes along.
    pub(crate) fn compiles(source: &str) {
        use std::cell::RefCell;
        use std::rc::Rc;
        use std::sync::Arc;
        use tidemark_protocol::engine::{Engine, Outcome, Setup};
        let printed = Rc::new(RefCell::new(String::new()));
        let sink = printed.clone();
        let setup = Setup::new(Arc::new(tidemark_vfs::MemoryFs::new()), "/workspace");
        let print = Rc::new(move |_, text: &str| sink.borrow_mut().push_str(text));
        let engine = Engine::new(setup, "check.py", print).unwrap();
        let outcome = engine.run(&format!("compile({}, 'generated.py', 'exec')\n", python::literal(source)));
        assert!(matches!(outcome, Outcome::Finished { status: 0 }), "{outcome:?}\n{source}");
    }
}
