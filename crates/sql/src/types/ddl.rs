//! Types and table schemas from DDL text ("a INT NOT NULL COMMENT 'x', b STRUCT<c: STRING>", "array<int>"),
//! with the errors of Spark's DataTypeParser.

use std::sync::Arc;

use super::json::interval_type;
use super::{DataType, StructField, StructType};
use crate::error::{ErrorClass, Result, SparkError};

/// A single type (DataType.fromDDL's second try, CatalystSqlParser.parseDataType).
pub fn parse_data_type(text: &str) -> Result<DataType> {
    let mut p = Parser::new(text)?;
    let data_type = match p.data_type() {
        // Words after one that is no type are told first.
        Err(error) if error.condition.as_deref() == Some("UNSUPPORTED_DATATYPE") && p.is_followed() => {
            p.at = 1;
            DataType::Null
        }
        read => read?,
    };
    match p.tokens.get(p.at..) {
        // One word more than a type has.
        Some([(Token::Word(_) | Token::Quoted(_), offset, word)]) => {
            let parameters = [("error", &*format!("'{word}'")), ("hint", &*format!(": extra input '{word}'"))];
            Err(located(SparkError::new(ErrorClass::Parse, "PARSE_SYNTAX_ERROR", &parameters), text, *offset))
        }
        _ => p.end().map(|()| data_type),
    }
}

/// A table schema (StructType.fromDDL); a struct type as a whole and `name: type` columns are taken too.
pub fn parse_struct(text: &str) -> Result<StructType> {
    let columns = || -> Result<StructType> {
        let mut p = Parser::new(text)?;
        let fields = p.columns(false)?;
        p.end()?;
        Ok(StructType { fields })
    };
    match columns() {
        Ok(schema) => Ok(schema),
        Err(first) => match parse_data_type(text) {
            Ok(DataType::Struct(s)) => Ok((*s).clone()),
            _ => Err(first),
        },
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Text(String),
    Number(String),
    Symbol(char),
}

struct Parser<'a> {
    sql: &'a str,
    tokens: Vec<(Token, usize, String)>,
    at: usize,
}

/// A parse error with the place, as ParseException.getMessage ends.
fn located(mut error: SparkError, sql: &str, offset: usize) -> SparkError {
    let before = &sql[..offset];
    let line = before.matches('\n').count() + 1;
    let pos = before.rsplit('\n').next().map_or(0, |l| l.chars().count());
    let mut shown = String::new();
    for (i, text) in sql.split('\n').enumerate() {
        shown.push_str(text);
        shown.push('\n');
        if i + 1 == line {
            shown.push_str(&"-".repeat(pos));
            shown.push_str("^^^\n");
        }
    }
    error.context = format!(" (line {line}, pos {pos})\n\n== SQL ==\n{shown}");
    error
}

impl<'a> Parser<'a> {
    fn new(sql: &'a str) -> Result<Self> {
        let mut tokens = Vec::new();
        let bytes = sql.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            let start = i;
            let c = bytes[i];
            let token = if c.is_ascii_whitespace() {
                i += 1;
                continue;
            } else if c.is_ascii_alphabetic() || c == b'_' {
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                    i += 1;
                }
                Token::Word(sql[start..i].to_owned())
            } else if c.is_ascii_digit() {
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                    i += 1;
                }
                let text = sql[start..i].to_owned();
                if text.bytes().all(|b| b.is_ascii_digit()) { Token::Number(text) } else { Token::Word(text) }
            } else if matches!(c, b'`' | b'\'' | b'"') {
                let (text, next) =
                    quoted(sql, i).ok_or_else(|| located(syntax(&format!("'{}'", c as char)), sql, start))?;
                i = next;
                if c == b'`' { Token::Quoted(text) } else { Token::Text(text) }
            } else {
                let symbol = sql[i..].chars().next().unwrap_or(' ');
                i += symbol.len_utf8();
                Token::Symbol(symbol)
            };
            tokens.push((token, start, sql[start..i].to_owned()));
        }
        if tokens.is_empty() {
            let error = SparkError::new(ErrorClass::Parse, "PARSE_EMPTY_STATEMENT", &[]);
            return Err(located(error, sql, 0));
        }
        Ok(Self { sql, tokens, at: 0 })
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|t| &t.0)
    }

    fn peek_word(&self, offset: usize) -> Option<String> {
        match self.tokens.get(self.at + offset).map(|t| &t.0) {
            Some(Token::Word(w)) => Some(w.to_ascii_lowercase()),
            _ => None,
        }
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.sql.len(), |t| t.1)
    }

    fn unexpected(&self) -> SparkError {
        let near = self.tokens.get(self.at).map_or("end of input".to_owned(), |t| format!("'{}'", t.2));
        located(syntax(&near), self.sql, self.offset())
    }

    fn symbol(&mut self, c: char) -> Result<()> {
        if self.take(c) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn take(&mut self, c: char) -> bool {
        let hit = self.peek() == Some(&Token::Symbol(c));
        self.at += usize::from(hit);
        hit
    }

    fn take_word(&mut self, word: &str) -> bool {
        let hit = self.peek_word(0).as_deref() == Some(word);
        self.at += usize::from(hit);
        hit
    }

    /// Whether the text goes on after its first word, other than with numbers in parentheses or types in brackets.
    fn is_followed(&self) -> bool {
        let word = matches!(self.tokens.first(), Some((Token::Word(_), ..)));
        word && self.tokens.get(1).is_some_and(|(next, ..)| !matches!(next, Token::Symbol('(' | '<')))
    }

    fn end(&self) -> Result<()> {
        if self.at < self.tokens.len() { Err(self.unexpected()) } else { Ok(()) }
    }

    fn columns(&mut self, nested: bool) -> Result<Vec<StructField>> {
        let mut fields = Vec::new();
        loop {
            let name = match self.peek() {
                Some(Token::Word(w) | Token::Quoted(w)) => w.clone(),
                _ => return Err(self.unexpected()),
            };
            self.at += 1;
            let colon = self.take(':');
            let _ = (colon, nested);
            let data_type = self.data_type()?;
            let mut nullable = true;
            if self.peek_word(0).as_deref() == Some("not") && self.peek_word(1).as_deref() == Some("null") {
                self.at += 2;
                nullable = false;
            }
            let mut metadata: Arc<str> = "{}".into();
            if self.take_word("comment") {
                let Some(Token::Text(text)) = self.peek().cloned() else { return Err(self.unexpected()) };
                self.at += 1;
                metadata = serde_json::json!({ "comment": text }).to_string().into();
            }
            fields.push(StructField { name, data_type, nullable, metadata });
            if !self.take(',') {
                return Ok(fields);
            }
        }
    }

    fn numbers(&mut self) -> Result<Vec<u32>> {
        let mut out = Vec::new();
        if self.take('(') {
            loop {
                let Some(Token::Number(n)) = self.peek().cloned() else { return Err(self.unexpected()) };
                self.at += 1;
                out.push(n.parse().unwrap_or(u32::MAX));
                if !self.take(',') {
                    break;
                }
            }
            self.symbol(')')?;
        }
        Ok(out)
    }

    fn data_type(&mut self) -> Result<DataType> {
        let start = self.offset();
        let (word, raw) = match self.tokens.get(self.at) {
            Some((Token::Word(w), _, raw)) => (w.to_ascii_lowercase(), raw.clone()),
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        let sql = self.sql;
        let fail = |condition: &str, parameters: &[(&str, &str)]| {
            Err(located(SparkError::new(ErrorClass::Parse, condition, parameters), sql, start))
        };
        let simple = match word.as_str() {
            "boolean" => DataType::Boolean,
            "tinyint" | "byte" => DataType::Byte,
            "smallint" | "short" => DataType::Short,
            "int" | "integer" => DataType::Integer,
            "bigint" | "long" => DataType::Long,
            "float" | "real" => DataType::Float,
            "double" => DataType::Double,
            "date" => DataType::Date,
            "timestamp_ltz" => DataType::Timestamp,
            "timestamp_ntz" => DataType::TimestampNtz,
            "binary" => DataType::Binary,
            "void" => DataType::Null,
            "variant" => DataType::Variant,
            "string" => {
                if self.take_word("collate") {
                    self.at += 1;
                }
                DataType::String
            }
            "timestamp" => {
                if self.peek_word(0).as_deref() == Some("without") {
                    self.at += 1;
                    for w in ["time", "zone"] {
                        if !self.take_word(w) {
                            return Err(self.unexpected());
                        }
                    }
                    DataType::TimestampNtz
                } else if self.peek_word(0).as_deref() == Some("with") {
                    self.at += 1;
                    for w in ["local", "time", "zone"] {
                        if !self.take_word(w) {
                            return Err(self.unexpected());
                        }
                    }
                    DataType::Timestamp
                } else {
                    match self.numbers()?.first() {
                        None | Some(6) => DataType::Timestamp,
                        Some(precision) => return Err(timestamp_precision(*precision)),
                    }
                }
            }
            "decimal" | "dec" | "numeric" => {
                let n = self.numbers()?;
                let precision = n.first().copied().unwrap_or(10);
                let scale = n.get(1).copied().unwrap_or(0);
                return decimal(precision, scale, ErrorClass::Parse, |e| located(e, sql, start));
            }
            "char" | "character" | "varchar" => {
                let n = self.numbers()?;
                let Some(n) = n.first() else {
                    return fail("DATATYPE_MISSING_SIZE", &[("type", &format!("\"{}\"", raw.to_uppercase()))]);
                };
                if word == "varchar" { DataType::Varchar(*n) } else { DataType::Char(*n) }
            }
            "interval" => return self.interval(),
            "array" | "map" | "struct" => return self.complex(&word, start),
            "time" => {
                let precision = self.numbers()?.first().copied().unwrap_or(6);
                match u8::try_from(precision).ok().filter(|p| *p <= 9) {
                    Some(precision) => DataType::Time(precision),
                    None => return Err(located(time_precision(precision), sql, start)),
                }
            }
            _ => {
                if self.peek() == Some(&Token::Symbol('<')) {
                    return Err(self.unexpected());
                }
                let n = self.numbers()?;
                let shown = if n.is_empty() {
                    raw
                } else {
                    format!("{raw}({})", n.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
                };
                return fail("UNSUPPORTED_DATATYPE", &[("typeName", &format!("\"{}\"", shown.to_uppercase()))]);
            }
        };
        Ok(simple)
    }

    fn interval(&mut self) -> Result<DataType> {
        let Some(from) = self.peek_word(0) else { return Ok(DataType::CalendarInterval) };
        let Some(single) = interval_type(&from) else { return Ok(DataType::CalendarInterval) };
        self.at += 1;
        if self.peek_word(0).as_deref() == Some("to")
            && let Some(to) = self.peek_word(1)
        {
            let start = self.offset();
            self.at += 2;
            let whole = interval_type(&format!("{from} to {to}"));
            let ordered = match whole {
                Some(DataType::YearMonthInterval { start, end } | DataType::DayTimeInterval { start, end }) => {
                    start < end
                }
                _ => false,
            };
            return match whole {
                Some(whole) if ordered => Ok(whole),
                _ => Err(located(
                    SparkError::new(ErrorClass::Parse, "_LEGACY_ERROR_TEMP_0028", &[("from", &from), ("to", &to)]),
                    self.sql,
                    start,
                )),
            };
        }
        Ok(single)
    }

    fn complex(&mut self, word: &str, start: usize) -> Result<DataType> {
        let open = self.offset();
        if !self.take('<') {
            let condition = match word {
                "array" => "INCOMPLETE_TYPE_DEFINITION.ARRAY",
                "map" => "INCOMPLETE_TYPE_DEFINITION.MAP",
                _ => "INCOMPLETE_TYPE_DEFINITION.STRUCT",
            };
            return Err(located(SparkError::new(ErrorClass::Parse, condition, &[]), self.sql, start));
        }
        let data_type = match word {
            "array" => DataType::array(self.data_type()?, true),
            "map" => {
                let key = self.data_type()?;
                self.symbol(',')?;
                DataType::map(key, self.data_type()?, true)
            }
            _ if self.peek() == Some(&Token::Symbol('>')) => DataType::structure(Vec::new()),
            _ => DataType::structure(self.columns(true)?),
        };
        if self.peek().is_none() {
            // Without its end the bracket itself is what cannot be understood.
            return Err(located(syntax("'<'"), self.sql, open));
        }
        self.symbol('>')?;
        Ok(data_type)
    }
}

fn syntax(near: &str) -> SparkError {
    SparkError::new(ErrorClass::Parse, "PARSE_SYNTAX_ERROR", &[("error", near), ("hint", "")])
}

/// TIMESTAMP(n) is known for microseconds only.
/// UNSUPPORTED_TIME_PRECISION.
pub(crate) fn time_precision(precision: u32) -> SparkError {
    SparkError::analysis("UNSUPPORTED_TIME_PRECISION", &[("precision", &precision.to_string())])
}

fn timestamp_precision(precision: u32) -> SparkError {
    if (7..=9).contains(&precision) {
        return SparkError::not_yet("A timestamp in nanoseconds");
    }
    SparkError::new(
        ErrorClass::Java("org.apache.spark.SparkException"),
        "INVALID_TIMESTAMP_PRECISION",
        &[("precision", &precision.to_string()), ("type", "TIMESTAMP_LTZ")],
    )
}

/// DecimalType(p, s) with its checks.
pub(super) fn decimal(
    precision: u32,
    scale: u32,
    class: ErrorClass,
    at: impl Fn(SparkError) -> SparkError,
) -> Result<DataType> {
    if scale > precision {
        return Err(at(SparkError::new(
            class,
            "DECIMAL_SCALE_EXCEEDS_PRECISION",
            &[("scale", &scale.to_string()), ("precision", &precision.to_string())],
        )));
    }
    match (u8::try_from(precision), i8::try_from(scale)) {
        (Ok(p), Ok(s)) if p <= 38 => Ok(DataType::decimal(p, s)),
        _ => Err(SparkError::new(
            ErrorClass::Arithmetic,
            "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
            &[("precision", &precision.to_string()), ("maxPrecision", "38")],
        )),
    }
}

/// A quoted token from `start`; the text without quotes, and the offset after it.
fn quoted(sql: &str, start: usize) -> Option<(String, usize)> {
    let bytes = sql.as_bytes();
    let quote = bytes[start];
    let mut out = Vec::new();
    let mut i = start + 1;
    while i < bytes.len() {
        if bytes[i] == b'\\' && quote != b'`' && i + 1 < bytes.len() {
            out.push(match bytes[i + 1] {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                other => other,
            });
            i += 2;
        } else if bytes[i] == quote {
            if bytes.get(i + 1) == Some(&quote) {
                out.push(quote);
                i += 2;
            } else {
                return String::from_utf8(out).ok().map(|s| (s, i + 1));
            }
        } else {
            out.push(bytes[i]);
            i += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_and_types() {
        let text = "a INT NOT NULL COMMENT 'the key', b STRING, c: bigint, `d e` DECIMAL(8,3), \
                    f ARRAY<STRUCT<x: INT, y: MAP<STRING, DATE>>>, h INTERVAL DAY TO SECOND, m STRUCT<>";
        let s = parse_struct(text).unwrap();
        assert_eq!(
            s.simple_string(),
            "struct<a:int,b:string,c:bigint,d e:decimal(8,3),f:array<struct<x:int,y:map<string,date>>>,\
             h:interval day to second,m:struct<>>"
        );
        assert_eq!(&*s.fields[0].metadata, r#"{"comment":"the key"}"#);
        assert_eq!(StructType::from_json(&s.json()).unwrap(), s);
        assert_eq!(parse_data_type("int").unwrap(), DataType::Integer);
        let condition = |t: &str| parse_data_type(t).unwrap_err().condition.unwrap();
        assert_eq!(condition("array<>"), "PARSE_SYNTAX_ERROR");
        assert_eq!(condition("array"), "INCOMPLETE_TYPE_DEFINITION.ARRAY");
        assert_eq!(condition("str"), "UNSUPPORTED_DATATYPE");
        assert_eq!(condition(""), "PARSE_EMPTY_STATEMENT");
        assert_eq!(condition("varchar"), "DATATYPE_MISSING_SIZE");
    }

    #[test]
    fn tree() {
        let s = parse_struct("id int not null, ys array<array<string>>, m map<string,int>").unwrap();
        assert_eq!(
            s.tree_string(0),
            "root\n |-- id: integer (nullable = false)\n |-- ys: array (nullable = true)\n |    |-- element: array \
             (containsNull = true)\n |    |    |-- element: string (containsNull = true)\n |-- m: map (nullable = true)\n \
             |    |-- key: string\n |    |-- value: integer (valueContainsNull = true)\n"
        );
    }
}
