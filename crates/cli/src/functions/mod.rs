//! `tidemark functions PATH`: the table of the functions in pyspark.sql.functions, as Markdown. What is said of each comes
//! from its docstring's examples, run here, from the recorded cases that call it, and from one list of differences.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::arguments::{DoctestRequest, FunctionsRequest};
use crate::doctest::{self, Tally};

/// One difference a line: names (with `*`), `different` or `absent`, how.
const DIFFERENCES: &str = include_str!("differences.txt");
const HEAD: &str = "\
# Functions

Every name of `pyspark.sql.functions` in PySpark 4.3.0, and how it behaves here. *same* is shown by the examples of its docstring
in PySpark, which run here and print what they say, or by a recorded case of Spark that calls it (`tests/conformance/cases`).
*different* says how. *absent* functions raise an error that says that Tidemark does not have them yet. *not shown* is there, but
neither an example nor a case shows that it is as in Spark.

Written by `tidemark functions PYSPARK`, where PYSPARK is the folder of an installed pyspark; do not edit by hand.
";

/// What is known of one name.
struct Row {
    state: &'static str,
    note: String,
}

struct Difference {
    pattern: String,
    state: &'static str,
    note: String,
}

/// Prints the table, or compares it with a file. Ok: the process status. Err: what is missing.
pub(crate) fn run(request: &FunctionsRequest) -> Result<u8, String> {
    let table = table(request)?;
    let Some(check) = &request.check else {
        print!("{table}");
        return Ok(0);
    };
    let known = fs::read_to_string(check).map_err(|error| format!("{}: {error}", check.display()))?;
    if known == table {
        println!("{}: up to date", check.display());
        return Ok(0);
    }
    let changed = table.lines().find(|line| !known.lines().any(|other| other == *line));
    println!("{}: not up to date; for one: {}", check.display(), changed.unwrap_or("lines too many"));
    Ok(1)
}

fn table(request: &FunctionsRequest) -> Result<String, String> {
    let home = [request.path.clone(), request.path.join("pyspark"), request.path.join("sql")]
        .into_iter()
        .map(|folder| if folder.ends_with("sql") { folder } else { folder.join("sql") })
        .find(|folder| folder.join("functions/builtin.py").is_file())
        .ok_or_else(|| format!("{}: no pyspark/sql folder", request.path.display()))?;
    let names = fs::read_to_string(home.join("functions/__init__.py")).map_err(|error| error.to_string())?;
    let doctests = DoctestRequest::all(home.join("functions/builtin.py"));
    let tallies = doctest::tallies(&doctests)?;
    let cases = cases(&request.cases)?;
    let differences = differences()?;
    let mut out = HEAD.to_owned();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (section, names) in sections(&names) {
        let _ = write!(out, "\n## {section}\n\n| function | here | shown by |\n|--|--|--|\n");
        for name in names {
            let row = row(&name, tallies.get(&name), &cases, &differences)?;
            *counts.entry(row.state).or_default() += 1;
            let _ = writeln!(out, "| {name} | {} | {} |", row.state, row.note);
        }
    }
    let total: usize = counts.values().sum();
    let counts: Vec<String> = counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let _ = write!(out, "\nOf {total} names: {}.\n", counts.join(", "));
    Ok(out)
}

/// The names of `__all__` below the comments between them.
fn sections(init: &str) -> Vec<(String, Vec<String>)> {
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    for line in init.lines().skip_while(|line| !line.starts_with("__all__")).skip(1) {
        let line = line.trim();
        if line.starts_with(']') {
            break;
        }
        if let Some(title) = line.strip_prefix('#') {
            sections.push((title.trim().to_owned(), Vec::new()));
        } else if let Some(name) = line.strip_prefix('"').and_then(|rest| rest.split('"').next()) {
            if sections.is_empty() {
                sections.push(("Functions".to_owned(), Vec::new()));
            }
            if let Some((_, names)) = sections.last_mut() {
                names.push(name.to_owned());
            }
        }
    }
    sections.retain(|(_, names)| !names.is_empty());
    sections
}

fn differences() -> Result<Vec<Difference>, String> {
    let lines = DIFFERENCES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.splitn(3, " | ");
            let (Some(pattern), Some(state), Some(note)) = (parts.next(), parts.next(), parts.next()) else {
                return Err(format!("a difference without its three parts: {line}"));
            };
            let state = match state {
                "different" => "different",
                "absent" => "absent",
                other => return Err(format!("{pattern}: neither different nor absent but {other}")),
            };
            Ok(Difference { pattern: pattern.to_owned(), state, note: note.to_owned() })
        })
        .collect()
}

fn row(
    name: &str,
    tally: Option<&Tally>,
    cases: &[(String, String)],
    differences: &[Difference],
) -> Result<Row, String> {
    let listed = differences.iter().find(|known| fits(&known.pattern, name));
    let (passed, failed) = tally.map_or((0, 0), |tally| (tally.passed, tally.failed));
    if let Some(known) = listed {
        if known.state == "absent" && passed > 0 && failed == 0 {
            return Err(format!("{name} is listed as absent, but its examples pass"));
        }
        return Ok(Row { state: known.state, note: known.note.clone() });
    }
    if failed > 0 {
        let note = format!("{failed} of {} examples of its docstring print something else", passed + failed);
        return Ok(Row { state: "different", note });
    }
    if passed > 0 {
        let note = if passed == 1 { "its docstring".to_owned() } else { format!("its docstring, {passed} examples") };
        return Ok(Row { state: "same", note });
    }
    let call = format!("{name}(");
    let found = cases.iter().find(|(_, text)| {
        text.match_indices(&call).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        })
    });
    Ok(match found {
        Some((case, _)) => Row { state: "same", note: format!("case {case}") },
        None => Row { state: "not shown", note: "no example and no case".to_owned() },
    })
}

/// A name that a pattern with `*` at its ends or within means.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
    }
}

/// FOLDER/NAME and text of the recorded cases, in order.
fn cases(home: &Path) -> Result<Vec<(String, String)>, String> {
    let list = |folder: &Path| -> Result<Vec<PathBuf>, String> {
        let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        Ok(paths)
    };
    let mut found = Vec::new();
    for folder in list(home)?.into_iter().filter(|path| path.is_dir()) {
        for script in list(&folder)?.into_iter().filter(|path| path.extension().is_some_and(|e| e == "py")) {
            if script.with_extension("out").is_file() {
                let text = fs::read_to_string(&script).map_err(|error| format!("{}: {error}", script.display()))?;
                let case = script.strip_prefix(home).unwrap_or(&script).with_extension("");
                found.push((case.to_string_lossy().into_owned(), text));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_below_their_sections() {
        let init = "x\n__all__ = [  # noqa\n    # Normal Functions\n    \"col\",\n    \"lit\",\n    # None\n    # Math\n    \"abs\",\n]\n\"no\",\n";
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            sections(init),
            [("Normal Functions".to_owned(), names(&["col", "lit"])), ("Math".to_owned(), names(&["abs"]))]
        );
    }

    #[test]
    fn the_list_of_differences_can_be_read() {
        let known = differences().unwrap();
        assert!(known.iter().any(|known| fits(&known.pattern, "kll_sketch_agg_bigint") && known.state == "absent"));
        assert!(!known.iter().any(|known| fits(&known.pattern, "upper")));
    }
}
