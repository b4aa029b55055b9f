//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::prelude::{Long, Short, Value};
use lexopt::{Parser, ValueExt};

pub(crate) const HELP: &str = "\
usage: tidemark run [--clock virtual|real] [--seed N] SCRIPT.py [ARGUMENT]...
       tidemark doctest [-v] [--only NAME] [--limit SECONDS] [--goal PERCENT] PATH...
       tidemark functions [--cases FOLDER] [--check FILE] PATH
       tidemark --version | --help

run: a PySpark script on the files below the current directory. SCRIPT.py may be - for standard input.

  --clock virtual  waiting takes no time: triggers, sleep() and awaitTermination(n) move the session's clock,
                   which starts at the present (the default)
  --clock real     waiting waits
  --seed N         seed of everything random (rand(), uuid(), ids): the same script, files, seed give the same output
  --               what follows belongs to the script, also if it looks like an option of tidemark

doctest: the examples in the docstrings of pyspark's own files, read from PATH: a file, or a folder with pyspark/sql.
Prints for each file how many passed, failed or cannot run here.

  -v               every failed example, with what it expected and got
  --only NAME      only docstrings whose name holds NAME (DataFrame.show)
  --limit SECONDS  for each docstring (20)
  --goal PERCENT   exit status 1 when fewer of a file's examples pass

functions: a Markdown table of the functions in pyspark.sql.functions, with what shows that each is as in Spark.
PATH is the folder of an installed pyspark.

  --cases FOLDER   the recorded cases (tests/conformance/cases)
  --check FILE     compare with FILE instead: exit status 1 when it is not the table

Exit status: 0; 1 after an uncaught error (the traceback is on standard error); the script's own with sys.exit;
130 after Ctrl-C (a second Ctrl-C ends at once); 2 for a wrong command line.
";

/// The limit of a docstring without --limit.
const DOCSTRING_LIMIT: Duration = Duration::from_secs(20);

#[derive(Debug, PartialEq)]
pub(crate) enum Request {
    Help,
    Version,
    Run(RunRequest),
    Doctest(DoctestRequest),
    Functions(FunctionsRequest),
}

#[derive(Debug, PartialEq)]
pub(crate) struct DoctestRequest {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) verbose: bool,
    /// Part of the names of the docstrings to run; empty: all.
    pub(crate) only: String,
    /// For each docstring.
    pub(crate) limit: Duration,
    /// Percent of a file's examples that are to pass.
    pub(crate) goal: Option<f64>,
}

impl DoctestRequest {
    /// All examples of one file.
    pub(crate) fn all(path: PathBuf) -> Self {
        Self { paths: vec![path], verbose: false, only: String::new(), limit: DOCSTRING_LIMIT, goal: None }
    }
}

#[derive(Debug, PartialEq)]
pub(crate) struct FunctionsRequest {
    /// The folder of an installed pyspark.
    pub(crate) path: PathBuf,
    /// The recorded cases.
    pub(crate) cases: PathBuf,
    /// The file to compare with.
    pub(crate) check: Option<PathBuf>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct RunRequest {
    pub(crate) script: PathBuf,
    /// sys.argv after the script.
    pub(crate) arguments: Vec<String>,
    pub(crate) real_clock: bool,
    pub(crate) seed: Option<u64>,
}

pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Request, String> {
    read(&mut Parser::from_args(arguments)).map_err(|error| error.to_string())
}

fn read(parser: &mut Parser) -> Result<Request, lexopt::Error> {
    match parser.next()? {
        None | Some(Short('h') | Long("help")) => return Ok(Request::Help),
        Some(Short('V') | Long("version")) => return Ok(Request::Version),
        Some(Value(word)) if word == "run" => {}
        Some(Value(word)) if word == "doctest" => return read_doctest(parser),
        Some(Value(word)) if word == "functions" => return read_functions(parser),
        Some(Value(word)) => return Err(format!("no command {word:?}").into()),
        Some(other) => return Err(other.unexpected()),
    }
    let mut script = None;
    let mut arguments = Vec::new();
    let (mut real_clock, mut seed) = (false, None);
    loop {
        // After the script, only our own options are looked at: the rest is the script's.
        if script.is_some()
            && let Some(mut raw) = parser.try_raw_args()
            && let Some(word) = raw.peek().map(|word| word.to_string_lossy().into_owned())
        {
            if word == "--" {
                raw.next();
                arguments.extend(raw.map(|word| word.to_string_lossy().into_owned()));
                break;
            }
            let name = word.split('=').next().unwrap_or_default();
            if name != "--clock" && name != "--seed" {
                raw.next();
                arguments.push(word);
                continue;
            }
        }
        match parser.next()? {
            None => break,
            Some(Long("clock")) => {
                real_clock = match parser.value()?.string()?.as_str() {
                    "virtual" => false,
                    "real" => true,
                    other => return Err(format!("--clock is virtual or real, not {other}").into()),
                }
            }
            Some(Long("seed")) => seed = Some(parser.value()?.parse()?),
            Some(Short('h') | Long("help")) => return Ok(Request::Help),
            Some(Value(word)) => script = Some(PathBuf::from(word)),
            Some(other) => return Err(other.unexpected()),
        }
    }
    let script = script.ok_or("run needs a SCRIPT.py")?;
    Ok(Request::Run(RunRequest { script, arguments, real_clock, seed }))
}

fn read_doctest(parser: &mut Parser) -> Result<Request, lexopt::Error> {
    let mut request =
        DoctestRequest { paths: Vec::new(), verbose: false, only: String::new(), limit: DOCSTRING_LIMIT, goal: None };
    while let Some(argument) = parser.next()? {
        match argument {
            Short('v') => request.verbose = true,
            Long("only") => request.only = parser.value()?.string()?,
            Long("limit") => request.limit = Duration::from_secs(parser.value()?.parse()?),
            Long("goal") => request.goal = Some(parser.value()?.parse()?),
            Short('h') | Long("help") => return Ok(Request::Help),
            Value(path) => request.paths.push(PathBuf::from(path)),
            other => return Err(other.unexpected()),
        }
    }
    if request.paths.is_empty() {
        return Err("doctest needs a PATH".into());
    }
    Ok(Request::Doctest(request))
}

fn read_functions(parser: &mut Parser) -> Result<Request, lexopt::Error> {
    let mut path = None;
    let (mut cases, mut check) = (PathBuf::from("tests/conformance/cases"), None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("cases") => cases = PathBuf::from(parser.value()?),
            Long("check") => check = Some(PathBuf::from(parser.value()?)),
            Short('h') | Long("help") => return Ok(Request::Help),
            Value(word) => path = Some(PathBuf::from(word)),
            other => return Err(other.unexpected()),
        }
    }
    let path = path.ok_or("functions needs a PATH")?;
    Ok(Request::Functions(FunctionsRequest { path, cases, check }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn request(script: &str, arguments: &[&str], real_clock: bool, seed: Option<u64>) -> Request {
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        Request::Run(RunRequest { script: script.into(), arguments, real_clock, seed })
    }

    #[test]
    fn options_stand_before_and_after_the_script() {
        assert_eq!(run("run a.py"), Ok(request("a.py", &[], false, None)));
        assert_eq!(run("run --clock real a.py x -v --seed=7"), Ok(request("a.py", &["x", "-v"], true, Some(7))));
        assert_eq!(run("run a.py -- --seed 7"), Ok(request("a.py", &["--seed", "7"], false, None)));
        assert_eq!(run("run - --help"), Ok(request("-", &["--help"], false, None)));
    }

    #[test]
    fn wrong_lines_are_told() {
        assert_eq!(run("--version"), Ok(Request::Version));
        assert_eq!(run("run"), Err("run needs a SCRIPT.py".to_owned()));
        assert!(run("doctest -v").is_err());
        assert!(run("functions --check docs/functions.md").is_err());
        assert!(run("walk").is_err());
        assert!(run("run --clock slow a.py").is_err());
        assert!(run("run --seed x a.py").is_err());
    }
}
