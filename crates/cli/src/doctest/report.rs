//! What came out of one file's examples, and its text.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Counts, Line};

/// An example whose output was not the expected one.
#[derive(Debug)]
struct Failure {
    docstring: String,
    /// Line of the file, 1-based.
    line: usize,
    source: String,
    want: String,
    got: String,
}

/// How many examples of a docstring did what they say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

/// The results of one file.
#[derive(Debug)]
pub(super) struct FileReport {
    /// Path below the `pyspark` folder.
    name: String,
    passed: usize,
    failed: usize,
    /// Examples that cannot run here, by reason.
    not_applicable: Counts,
    failures: Vec<Failure>,
    docstring: String,
    tallies: BTreeMap<String, Tally>,
}

impl FileReport {
    pub(super) fn new(path: &Path) -> Self {
        let text = path.to_string_lossy();
        let name = text.rsplit_once("pyspark/").map_or(text.as_ref(), |(_, name)| name).to_owned();
        Self {
            name,
            passed: 0,
            failed: 0,
            not_applicable: Counts::new(),
            failures: Vec::new(),
            docstring: String::new(),
            tallies: BTreeMap::new(),
        }
    }

    /// The results by docstring.
    pub(super) fn into_tallies(self) -> BTreeMap<String, Tally> {
        self.tallies
    }

    /// What is added from here on belongs to this docstring.
    pub(super) fn begin(&mut self, docstring: &str) {
        docstring.clone_into(&mut self.docstring);
    }

    pub(super) fn add(&mut self, line: Line) {
        let tally = self.tallies.entry(self.docstring.clone()).or_default();
        match line.state.as_deref() {
            Some("passed") => {
                self.passed += 1;
                tally.passed += 1;
            }
            Some("not applicable") => *self.not_applicable.entry(line.reason.unwrap_or_default()).or_default() += 1,
            _ => {
                self.failed += 1;
                tally.failed += 1;
                self.failures.push(Failure {
                    docstring: self.docstring.clone(),
                    line: line.line.unwrap_or(0),
                    source: line.source.unwrap_or_default(),
                    want: line.want.unwrap_or_default(),
                    got: line.got.unwrap_or_default(),
                });
            }
        }
    }

    /// The docstring ended its session before `rest` of its examples had a result: they failed.
    pub(super) fn broken(&mut self, rest: usize, reason: &str) {
        self.failed += rest;
        self.tallies.entry(self.docstring.clone()).or_default().failed += rest;
        self.failures.push(Failure {
            docstring: self.docstring.clone(),
            line: 0,
            source: format!("(the next {rest} examples)\n"),
            want: String::new(),
            got: format!("{}\n", reason.trim_end()),
        });
    }

    /// Passed ones of those that can run here.
    pub(super) fn percent(&self) -> f64 {
        let applicable = self.passed + self.failed;
        if applicable == 0 { 100.0 } else { self.passed as f64 * 100.0 / applicable as f64 }
    }

    /// To standard output; `verbose`: each failed example first, with what it expected and got.
    pub(super) fn print(&self, verbose: bool) {
        if verbose {
            for failure in &self.failures {
                println!("{}:{} {}", self.name, failure.line, failure.docstring);
                block("example", &failure.source);
                block("expected", &failure.want);
                block("got", &failure.got);
            }
        }
        let left_out: usize = self.not_applicable.values().sum();
        println!(
            "{}: passed {}, failed {}, not applicable {left_out} ({:.1} % of the applicable)",
            self.name,
            self.passed,
            self.failed,
            self.percent()
        );
        for (reason, count) in &self.not_applicable {
            println!("    {count:4} {reason}");
        }
    }
}

fn block(title: &str, text: &str) {
    println!("  {title}:");
    for line in text.lines() {
        println!("      {line}");
    }
}
