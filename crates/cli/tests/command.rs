//! The program as a shell sees it: what goes to which stream, and the exit status.

// clippy.toml allows this in test functions, not in their helpers.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::{env, fs, process};

/// Runs a script in an empty folder of its own.
fn run(name: &str, script: &str) -> Output {
    let folder: PathBuf = env::temp_dir().join(format!("tidemark-{}-{name}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("script.py"), script).unwrap();
    let tidemark = env!("CARGO_BIN_EXE_tidemark");
    let output = Command::new(tidemark).args(["run", "script.py"]).current_dir(&folder).output().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    output
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn what_the_script_and_the_sinks_print_is_all_there_is() {
    let output = run(
        "prints",
        "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\nspark.range(2).show()\nprint('end')\n",
    );
    assert_eq!(text(&output.stdout), "+---+\n| id|\n+---+\n|  0|\n|  1|\n+---+\n\nend\n");
    assert!(output.status.success());
}

/// A difference that is meant: Spark 4.3.0 refuses the UUIDs in it.
#[test]
fn a_progress_report_can_be_dumped_as_json() {
    let script = "\
import json
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
query = spark.readStream.format('rate').load().writeStream.format('noop').start()
query.processAllAvailable()
progress = query.lastProgress
report = json.loads(json.dumps(progress, indent=2))
print(report['id'] == str(query.id) == progress['id'], type(progress.id).__name__)
";
    let output = run("dumps", script);
    assert_eq!(text(&output.stdout), "True UUID\n", "{}", text(&output.stderr));
}

#[test]
fn the_end_of_a_script_runs_its_handlers_and_lets_go_of_its_objects() {
    let script = "\
import atexit
atexit.register(print, 'handler')
class Kept:
    def __del__(self): print('gone')
kept = Kept()
print('end')
";
    let output = run("ends", script);
    assert_eq!(text(&output.stdout), "end\nhandler\ngone\n", "{}", text(&output.stderr));
}

#[test]
fn what_fails_as_a_script_is_taken_down_does_no_harm() {
    let script = "\
class Slotted:
    __slots__ = ('name', 'me')
    def __del__(self): print(self.name)
def suspended():
    try:
        yield 1
    finally:
        raise ValueError(__name__)
slotted, waiting = Slotted(), suspended()
slotted.me, _ = slotted, next(waiting)
print('end')
";
    let output = run("ends-badly", script);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("end\n"), "{}", text(&output.stdout));
}

#[test]
fn an_uncaught_error_ends_with_a_traceback_that_names_the_line_and_status_1() {
    let output = run(
        "fails",
        "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\nspark.range(2).select('ix')\n",
    );
    let shown = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        shown.starts_with("Traceback (most recent call last):\n  File \"script.py\", line 3, in <module>"),
        "{shown}"
    );
    assert!(shown.contains("[UNRESOLVED_COLUMN.WITH_SUGGESTION]") && shown.contains("SQLSTATE: 42703"), "{shown}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_script_that_is_not_there_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_tidemark")).args(["run", "nowhere.py"]).output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("nowhere.py"));
}
