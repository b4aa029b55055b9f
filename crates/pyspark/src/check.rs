//! What is certainly wrong with a script before it runs: Python's syntax errors, and a few mistakes of Spark's API.
//!
//! Only what would fail whenever the line is reached is reported: literals in the places where Spark parses them. What
//! stands in a `try` may be meant to fail and is left alone.

mod spark;

use rustpython_vm::compiler::{self, CompileError, CompileOpts, Mode, parser};

/// Something that is wrong, and where: offsets in UTF-16 units, as a browser counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub from: usize,
    pub to: usize,
    pub message: String,
}

/// Problems in the order of their places. A script that does not parse has one.
pub fn check(source: &str) -> Vec<Problem> {
    if let Err(error) = compiler::compile(source, Mode::Exec, "script.py", CompileOpts::default()) {
        return vec![syntax_error(source, &error)];
    }
    let Ok(parsed) = parser::parse_module(source) else { return Vec::new() };
    let mut problems = spark::mistakes(parsed.syntax());
    problems.sort_by_key(|(range, _)| range.start());
    let place = |offset: usize| utf16(source.get(..offset).unwrap_or(source));
    problems
        .into_iter()
        .map(|(range, message)| Problem {
            from: place(range.start().to_usize()),
            to: place(range.end().to_usize()),
            message,
        })
        .collect()
}

fn utf16(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn syntax_error(source: &str, error: &CompileError) -> Problem {
    let (line, column) = error.python_location();
    let from = offset(source, line, column);
    let to = error.python_end_location().map_or(from, |(line, column)| offset(source, line, column));
    let kind = if is_indentation(error) { "IndentationError" } else { "SyntaxError" };
    Problem { from, to: to.max(from), message: format!("{kind}: {error}") }
}

fn is_indentation(error: &CompileError) -> bool {
    let text = error.to_string().to_lowercase();
    text.contains("indent") && matches!(error, CompileError::Parse(_))
}

/// UTF-16 offset of a line and a column, both counted from 1 and in characters.
fn offset(source: &str, line: usize, column: usize) -> usize {
    let mut at = 0;
    for (number, text) in source.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            let before = text.trim_end_matches(['\n', '\r']).chars().take(column.saturating_sub(1));
            return at + before.map(char::len_utf16).sum::<usize>();
        }
        at += utf16(text);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that each problem underlines, and what it says.
    fn found(source: &str) -> Vec<(String, String)> {
        let units: Vec<u16> = source.encode_utf16().collect();
        check(source)
            .into_iter()
            .map(|problem| (String::from_utf16_lossy(&units[problem.from..problem.to]), problem.message))
            .collect()
    }

    #[test]
    fn a_syntax_error_has_its_place() {
        let problems = check("x = 1\nif x\n    y = 2\n");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.starts_with("SyntaxError: "), "{problems:?}");
        assert_eq!(problems[0].from, 10);
        // A character beyond the basic plane counts for two.
        let problems = check("s = '𝄞'\nreturn s\n");
        assert_eq!((problems[0].from, problems[0].message.as_str()), (9, "SyntaxError: 'return' outside function"));
        assert!(check("def f():\nreturn 1\n")[0].message.starts_with("IndentationError: "));
        assert_eq!(check("x = (1,\n").len(), 1);
    }

    #[test]
    fn literals_that_spark_refuses_are_underlined() {
        let source = r#"
from pyspark.sql import functions as F
from pyspark.sql.functions import window, session_window as sw
df = (spark.readStream.format("jsn").schema("a INT, b STRIN").load("in")
      .withWatermark("t", "5 minuts"))
df.groupBy(window("t", "1 hour", "x"), F.window(F.col("t"), "2 ours"), sw("t", "1 month"))
q = df.writeStream.format("consol").outputMode("Appendd").trigger(processingTime="5 sec onds").start()
df.writeStream.trigger(once=True, availableNow=True).start(outputMode="all")
"#;
        let texts: Vec<String> = found(source).into_iter().map(|(text, _)| text).collect();
        let expected = [
            "\"jsn\"",
            "\"a INT, b STRIN\"",
            "\"5 minuts\"",
            "\"x\"",
            "\"2 ours\"",
            "\"consol\"",
            "\"Appendd\"",
            "\"5 sec onds\"",
            ".trigger(once=True, availableNow=True)",
            "\"all\"",
        ];
        assert_eq!(texts, expected.map(|text| text.trim_start_matches(".trigger").to_owned()));
        let messages: Vec<String> = found(source).into_iter().map(|(_, message)| message).collect();
        assert!(messages[0].contains("DATA_SOURCE_NOT_FOUND"), "{}", messages[0]);
        assert!(messages[1].contains("UNSUPPORTED_DATATYPE"), "{}", messages[1]);
        assert!(messages[2].contains("CANNOT_PARSE_INTERVAL"), "{}", messages[2]);
    }

    #[test]
    fn what_may_be_right_is_left_alone() {
        for source in [
            "spark.readStream.format(kind).schema(schema).load(p)",
            "spark.readStream.format('com.example.Source').load()",
            "class W:\n    def outputMode(self, m): return self\nW().outputMode('x')",
            "try:\n    df.writeStream.outputMode('nope').start()\nexcept Exception as e:\n    print(e)",
            "def window(a, b): pass\nwindow('t', 'x')",
            "w.writeStream.outputMode('Complete').trigger(processingTime='2 seconds').format('memory')",
            "spark.dataSource.register(Mine)\nspark.readStream.format('mine').load()",
            "df.withWatermark('t', '10 minutes').withWatermark('t', delayThreshold='1 month')",
            "spark.readStream.schema('a: int, b array<string>').json('in')",
            "'{}'.format('x')",
            "spark.read.schema('struct<a:int>').format('kafka')",
        ] {
            assert_eq!(found(source), [], "{source}");
        }
    }
}
