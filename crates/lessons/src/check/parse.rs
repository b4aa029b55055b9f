//! From a line to a condition.

use super::{BatchTest, Clause, Condition, Count, Figure, Operator, QueryTest, ScriptTest, TextTest, Which};

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    /// `:`, `,`, `&` or an operator.
    Sign(&'static str),
}

const SIGNS: [&str; 9] = ["<=", ">=", "!=", "=", "<", ">", ":", ",", "&"];

/// The next quote that no backslash stands before.
fn closing_quote(text: &str) -> Option<usize> {
    text.match_indices('"').map(|(at, _)| at).find(|at| !text.get(..*at).unwrap_or_default().ends_with('\\'))
}

fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (token, len) = if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), sign.len())
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let end = closing_quote(quoted).ok_or_else(|| format!("a quote is not closed: {line}"))?;
            let text = quoted.get(..end).unwrap_or_default().replace("\\n", "\n").replace("\\\"", "\"");
            (Token::Text(text), end + 2)
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || "<>!=:,&\"".contains(c)).unwrap_or(rest.len());
            (Token::Word(rest.get(..end).unwrap_or_default().to_owned()), end.max(1))
        };
        found.push(token);
        rest = rest.get(len..).unwrap_or_default().trim_start();
    }
    Ok(found)
}

impl Condition {
    /// Reads a line of the language that this module describes.
    pub fn parse(line: &str) -> Result<Condition, String> {
        let tokens = tokens(line)?;
        let mut reader = Reader { tokens: tokens.into_iter().peekable(), line };
        let mut clauses = vec![reader.clause()?];
        while reader.sign("&") {
            clauses.push(reader.clause()?);
        }
        match reader.tokens.next() {
            None => Ok(Condition { clauses }),
            Some(_) => Err(reader.wrong("the end")),
        }
    }
}

struct Reader<'l> {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    line: &'l str,
}

impl Reader<'_> {
    fn wrong(&self, wanted: &str) -> String {
        format!("{wanted} expected: {}", self.line)
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.tokens.next_if(|token| matches!(token, Token::Sign(found) if *found == sign)).is_some()
    }

    fn word(&mut self) -> Result<String, String> {
        match self.tokens.next() {
            Some(Token::Word(word)) => Ok(word),
            _ => Err(self.wrong("a word")),
        }
    }

    fn the_word(&mut self, word: &str) -> bool {
        self.tokens.next_if(|token| matches!(token, Token::Word(found) if found == word)).is_some()
    }

    fn text(&mut self) -> Result<String, String> {
        match self.tokens.next() {
            Some(Token::Text(text)) => Ok(text),
            _ => Err(self.wrong("a quoted text")),
        }
    }

    fn number(&mut self) -> Result<i64, String> {
        self.word()?.parse().map_err(|_| self.wrong("a number"))
    }

    fn count(&mut self) -> Result<Count, String> {
        let operator = match self.tokens.next() {
            Some(Token::Sign("=")) => Operator::Equal,
            Some(Token::Sign("!=")) => Operator::NotEqual,
            Some(Token::Sign("<")) => Operator::Less,
            Some(Token::Sign("<=")) => Operator::AtMost,
            Some(Token::Sign(">")) => Operator::More,
            Some(Token::Sign(">=")) => Operator::AtLeast,
            _ => return Err(self.wrong("an operator")),
        };
        Ok(Count { operator, number: self.number()? })
    }

    /// `of NAME`, if it is there.
    fn of(&mut self) -> Result<Option<String>, String> {
        if self.the_word("of") { self.word().map(Some) } else { Ok(None) }
    }

    fn tests<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        if !self.sign(":") {
            return Err(self.wrong("a colon"));
        }
        let mut tests = vec![one(self)?];
        while self.sign(",") {
            tests.push(one(self)?);
        }
        Ok(tests)
    }

    fn clause(&mut self) -> Result<Clause, String> {
        let subject = self.word()?;
        Ok(match subject.as_str() {
            "batch" => {
                let number = self.number()?;
                self.batch(Which::Number(number))?
            }
            "last" | "some" | "every" => {
                if !self.the_word("batch") {
                    return Err(self.wrong("the word batch"));
                }
                self.batch(match subject.as_str() {
                    "last" => Which::Last,
                    "some" => Which::Some,
                    _ => Which::Every,
                })?
            }
            "batches" => Clause::Batches { query: self.of()?, count: self.count()? },
            "queries" => Clause::Queries(self.count()?),
            "query" => {
                let named = matches!(self.tokens.peek(), Some(Token::Word(_)));
                let name = if named { Some(self.word()?) } else { None };
                Clause::Query { name, tests: self.tests(Self::query_test)? }
            }
            "script" => Clause::Script(self.tests(Self::script_test)?),
            "console" => Clause::Console(self.tests(|reader| {
                let word = reader.word()?;
                reader.text_test(&word)?.ok_or_else(|| reader.wrong("has or lacks"))
            })?),
            "file" => {
                let path = self.word()?;
                let tests = self.tests(|reader| {
                    Ok(match reader.word()?.as_str() {
                        "there" => true,
                        "missing" => false,
                        _ => return Err(reader.wrong("there or missing")),
                    })
                })?;
                Clause::File { path, there: tests == [true] }
            }
            "files" => Clause::Files { path: self.word()?, count: self.count()? },
            _ => return Err(self.wrong("a subject")),
        })
    }

    fn batch(&mut self, which: Which) -> Result<Clause, String> {
        Ok(Clause::Batch { which, query: self.of()?, tests: self.tests(Self::batch_test)? })
    }

    fn batch_test(&mut self) -> Result<BatchTest, String> {
        let word = self.word()?;
        let figure = match word.as_str() {
            "in" => Figure::In,
            "out" => Figure::Out,
            "dropped" => Figure::Dropped,
            "late" => Figure::Late,
            "filtered" => Figure::Filtered,
            "state" => Figure::State,
            "bytes" => Figure::Bytes,
            "open" => Figure::Open,
            "closed" => Figure::Closed,
            "number" => Figure::Number,
            "replayed" => return Ok(BatchTest::Replayed),
            "data" => return Ok(BatchTest::Data(true)),
            "no" if self.the_word("data") => return Ok(BatchTest::Data(false)),
            "watermark" => return Ok(BatchTest::Watermark(self.time()?)),
            "next" => return Ok(BatchTest::NextWatermark(self.time()?)),
            "has" | "lacks" => {
                let cells = self.text()?.split('|').map(|cell| cell.trim().to_owned()).collect();
                return Ok(BatchTest::Row { cells, there: word == "has" });
            }
            _ => return Err(self.wrong("a test of a batch")),
        };
        Ok(BatchTest::Figure(figure, self.count()?))
    }

    fn time(&mut self) -> Result<Option<String>, String> {
        if !self.sign("=") {
            return Err(self.wrong("an equals sign"));
        }
        if self.the_word("none") { Ok(None) } else { self.text().map(Some) }
    }

    fn query_test(&mut self) -> Result<QueryTest, String> {
        Ok(match self.word()?.as_str() {
            "mode" => QueryTest::Mode(self.text()?),
            "trigger" => QueryTest::Trigger(self.text()?),
            "sink" => QueryTest::Sink(self.text()?),
            "active" => QueryTest::Active,
            "ended" => QueryTest::Ended,
            "failed" => QueryTest::Failed(self.text()?),
            _ => return Err(self.wrong("a test of a query")),
        })
    }

    fn script_test(&mut self) -> Result<ScriptTest, String> {
        let word = self.word()?;
        if let Some(test) = self.text_test(&word)? {
            return Ok(ScriptTest::Text(test));
        }
        Ok(match word.as_str() {
            "finished" => ScriptTest::Finished,
            "waits" => ScriptTest::Waits,
            "failed" => ScriptTest::Failed(self.text()?),
            _ => return Err(self.wrong("a test of the script")),
        })
    }

    fn text_test(&mut self, word: &str) -> Result<Option<TextTest>, String> {
        if !matches!(word, "has" | "lacks") {
            return Ok(None);
        }
        Ok(Some(TextTest { text: self.text()?, there: word == "has" }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use tidemark_protocol::messages::ScriptState;

    #[test]
    fn lines_are_read_and_wrong_ones_are_refused() {
        for line in [
            "batch 2: dropped = 1, out = 0",
            "some batch of totals: has \"2026-02-14 10:00:00 | ana | 3.5\", data",
            "last batch: watermark = \"2026-02-14 10:00:00\", next != 3",
            "every batch: no data",
            "batches >= 3 & batches of other = 1 & queries = 2",
            "query totals: mode \"append\", active",
            "query: failed \"STREAM_FAILED\"",
            "script: has \"a\", lacks \"b\", waits",
            "file data/checkpoint/commits/0: there & files data/out > 2",
        ] {
            let read = Condition::parse(line);
            assert_eq!(read.is_err(), line.contains("next !="), "{line}: {read:?}");
        }
        for line in [
            "",
            "batch",
            "batch x: out = 1",
            "batch 1",
            "batch 1: out 1",
            "nobody: out = 1",
            "console: has x",
            "script: has \"a",
        ] {
            assert!(Condition::parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_condition_is_judged_on_what_has_run() {
        let state = ScriptState::Finished;
        let run = Run { script: "print(1)", script_state: Some(&state), console: "1\n".to_owned(), ..Run::default() };
        let holds = |line: &str| Condition::parse(line).unwrap().holds(&run);
        assert!(holds("script: finished, has \"print\" & console: has \"1\" & queries = 0 & batches = 0"));
        assert!(holds("file data/x: missing & files data < 1"));
        for line in ["script: waits", "console: lacks \"1\"", "some batch: data", "every batch: data", "query: active"]
        {
            assert!(!holds(line), "{line}");
        }
    }
}
