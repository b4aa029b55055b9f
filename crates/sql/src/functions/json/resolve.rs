//! The JSON functions of the registry.

use std::borrow::Cow;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder};

use super::columns::Scratch;
use super::generate::Writer;
use super::parse::Reader;
use super::{DEFAULT, items, members, path, root};
use crate::conf::SqlConf;
use crate::datasource::json_scan::{Kind, Lenience};
use crate::datasource::options::{Options, flag};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::datetime::pattern::Pattern;
use crate::functions::datetime::zone::Zone;
use crate::functions::eval::evaluate_constant;
use crate::functions::nested::list_array;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::call;
use crate::functions::typed::{Int, Memo, Text, one, two};
use crate::functions::{EvalContext, Kernel, describe};
use crate::types::{DataType, parse_data_type, parse_struct};
use crate::value::{Value, ValueBuilder};

const STR: &[In] = &[In::Str];

pub(in crate::functions) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("from_json", 2, 3, from_json),
    FunctionEntry::custom("to_json", 1, 2, to_json),
    FunctionEntry::custom("schema_of_json", 1, 2, schema_of_json),
    FunctionEntry::columns("get_json_object", 2, 2, STR, Ret::Is(T::Str), Nulls::StrictNullable, |c| {
        let paths = Memo::default();
        two::<Text, Text, Text>(c, &|text, path| {
            let steps = paths.get(path, |path| Ok(path::parse(path)))?;
            Ok(steps.as_ref().as_ref().and_then(|steps| path::get(text, steps)).map(Cow::from))
        })
    })
    .exact(),
    FunctionEntry::columns("json_array_length", 1, 1, STR, Ret::Is(T::Int), Nulls::StrictNullable, |c| {
        one::<Text, Int>(c, &|text| {
            let span = root(text, DEFAULT).filter(|s| s.kind == Kind::Array);
            Ok(span.map(|s| items(text.as_bytes(), s, DEFAULT).len() as i32))
        })
    }),
    FunctionEntry::columns("json_object_keys", 1, 1, STR, Ret::Is(T::StrArray), Nulls::StrictNullable, |c| {
        let column = c.operand(0)?.to_array(c.rows)?;
        let texts = column.as_string_opt::<i32>();
        let mut names = StringBuilder::new();
        let (mut offsets, mut there, mut count) = (vec![0], Vec::with_capacity(c.rows), 0);
        for row in 0..c.rows {
            let text = texts.filter(|t| t.is_valid(row)).map_or("", |t| t.value(row));
            let span = root(text, DEFAULT).filter(|s| s.kind == Kind::Object);
            there.push(span.is_some());
            for (name, _) in span.map(|s| members(text.as_bytes(), s, DEFAULT)).unwrap_or_default() {
                names.append_value(name);
                count += 1;
            }
            offsets.push(count);
        }
        list_array(c.result, std::sync::Arc::new(names.finish()), offsets, Some(there.into()))
    }),
];

/// A constant argument's value.
pub(in crate::functions) fn constant(b: &Build<'_>, expr: &Expr) -> Result<Option<Value>> {
    if !expr.foldable() && !matches!(expr, Expr::Call(c) if c.args.is_empty()) {
        return Ok(None);
    }
    let ctx = EvalContext { conf: b.conf, now_us: 0, partition: 0, row_base: 0, udfs: None };
    evaluate_constant(expr, &ctx).map(Some)
}

/// The options of a map argument, keys in lower case (ExprUtils.convertToMapData).
pub(in crate::functions) fn options(b: &Build<'_>, expr: Option<&Expr>) -> Result<Options> {
    let Some(expr) = expr else { return Ok(Options::new()) };
    let refused = || SparkError::analysis("INVALID_OPTIONS.NON_MAP_FUNCTION", &[]);
    let Some(Value::Map(entries)) = constant(b, expr)? else { return Err(refused()) };
    let mut out = Options::new();
    for (k, v) in entries.iter() {
        if let (Some(k), Some(v)) = (k.as_str(), v.as_str()) {
            out.insert(k.to_lowercase(), v.to_owned());
        }
    }
    Ok(out)
}

fn lenience(options: &Options) -> Result<Lenience> {
    Ok(Lenience {
        single_quotes: flag(options, "allowsinglequotes", true)?,
        non_numeric: flag(options, "allownonnumericnumbers", true)?,
        unquoted_names: flag(options, "allowunquotedfieldnames", false)?,
        control_chars: flag(options, "allowunquotedcontrolchars", false)?,
        leading_zeros: flag(options, "allownumericleadingzeros", false)?,
        backslash_any: flag(options, "allowbackslashescapinganycharacter", false)?,
        comments: flag(options, "allowcomments", false)?,
    })
}

/// The schema argument: DDL or the JSON of a type, constant.
pub(in crate::functions) fn schema_argument(b: &Build<'_>, expr: &Expr) -> Result<DataType> {
    let Some(value) = constant(b, expr)? else {
        return Err(SparkError::analysis(
            "INVALID_SCHEMA.NON_STRING_LITERAL",
            &[("inputSchema", &describe::quoted(expr))],
        ));
    };
    let Some(text) = value.as_str() else {
        return Err(SparkError::analysis(
            "INVALID_SCHEMA.NON_STRING_LITERAL",
            &[("inputSchema", &describe::quoted(expr))],
        ));
    };
    let trimmed = text.trim();
    if trimmed.starts_with(['{', '"'])
        && let Ok(t) = DataType::from_json(trimmed)
    {
        return Ok(t);
    }
    match parse_data_type(text) {
        Ok(t) => Ok(t),
        Err(mut first) => parse_struct(text).map(|s| DataType::Struct(s.into())).map_err(|_| {
            // The place is that of the call.
            first.class = ErrorClass::Analysis;
            first.context.clear();
            first
        }),
    }
}

fn pattern(options: &Options, key: &str) -> Result<Option<Pattern>> {
    options.get(key).map(|p| Pattern::new(p, false)).transpose()
}

fn zone(options: &Options) -> Result<Option<Zone>> {
    options.get("timezone").map(|id| Zone::of(id)).transpose()
}

fn bad_key(t: &DataType) -> Option<&DataType> {
    match t {
        DataType::Map { key, value, .. } => {
            if key.is_string() {
                bad_key(value)
            } else {
                Some(t)
            }
        }
        DataType::Array { element, .. } => bad_key(element),
        DataType::Struct(s) => s.fields.iter().find_map(|f| bad_key(&f.data_type)),
        _ => None,
    }
}

fn invalid_schema(sql: &str, t: &DataType) -> SparkError {
    SparkError::analysis(
        "DATATYPE_MISMATCH.INVALID_JSON_SCHEMA",
        &[("sqlExpr", &format!("\"{sql}\"")), ("schema", &t.quoted_sql())],
    )
}

fn from_json(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let schema = schema_argument(b, &args[1])?;
    let options = options(b, args.get(2))?;
    let child = b.inputs(vec![args[0].clone()], STR)?;
    let sql = describe::call_text("from_json", &child);
    if !matches!(schema, DataType::Struct(_) | DataType::Array { .. } | DataType::Map { .. } | DataType::Variant) {
        return Err(invalid_schema(&sql, &schema));
    }
    if let Some(map) = bad_key(&schema) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.INVALID_JSON_MAP_KEY_TYPE",
            &[("sqlExpr", "\"entries\""), ("schema", &map.quoted_sql())],
        ));
    }
    let mode = options.get("mode").map_or_else(String::new, |m| m.to_uppercase());
    let schema = schema.as_nullable();
    let corrupt_name = options.get("columnnameofcorruptrecord").cloned().unwrap_or_else(|| {
        b.conf.get("spark.sql.columnNameOfCorruptRecord").unwrap_or_else(|| "_corrupt_record".into())
    });
    let corrupt = match &schema {
        DataType::Struct(s) => s.fields.iter().position(|f| f.name == corrupt_name && f.data_type == DataType::String),
        _ => None,
    };
    let reading = |key: &str| options.get(key).map(|p| Pattern::reading(p));
    let reader = Reader {
        lenience: lenience(&options)?,
        zone: zone(&options)?,
        timestamp: reading("timestampformat"),
        timestamp_ntz: reading("timestampntzformat"),
        date: reading("dateformat"),
        fail_fast: mode == "FAILFAST",
        corrupt,
        schema: schema.clone(),
    };
    let comments = flag(&options, "allowcomments", false)?;
    Ok(call("from_json", child, schema, true, FromJson { reader, comments, drops: mode == "DROPMALFORMED" }))
}

#[derive(Debug)]
struct FromJson {
    reader: Reader,
    comments: bool,
    /// The mode DROPMALFORMED, which is refused when rows come.
    drops: bool,
}

impl Kernel for FromJson {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        if self.drops {
            return Err(SparkError::analysis(
                "PARSE_MODE_UNSUPPORTED",
                &[("funcName", "`from_json`"), ("mode", "DROPMALFORMED")],
            ));
        }
        let mut out = ValueBuilder::new(&self.reader.schema, rows);
        let mut scratch = Scratch::default();
        let texts = args.first().and_then(|a| a.as_string_opt::<i32>());
        for row in 0..rows {
            match texts {
                Some(texts) if texts.is_valid(row) => {
                    let text = texts.value(row);
                    let plain =
                        !self.comments && self.reader.append(text, ctx.conf.time_zone(), &mut out, &mut scratch)?;
                    if plain {
                        continue;
                    }
                    let value = if self.comments {
                        self.reader.read(&without_comments(text), ctx.conf.time_zone())?
                    } else {
                        self.reader.read(text, ctx.conf.time_zone())?
                    };
                    out.append(&value)?;
                }
                _ => out.append_null(),
            }
        }
        out.finish()
    }
}

/// The text with `/* */` and `//` comments blanked.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                quoted = !quoted;
                out.push(c);
            }
            '\\' if quoted => {
                out.push(c);
                out.extend(chars.next());
            }
            '/' if !quoted && chars.peek() == Some(&'*') => {
                chars.next();
                let mut last = ' ';
                for n in chars.by_ref() {
                    if last == '*' && n == '/' {
                        break;
                    }
                    last = n;
                }
                out.push(' ');
            }
            '/' if !quoted && chars.peek() == Some(&'/') => {
                for n in chars.by_ref() {
                    if n == '\n' {
                        break;
                    }
                }
                out.push(' ');
            }
            c => out.push(c),
        }
    }
    out
}

/// The writer that the options and the configuration describe (JSONOptions).
pub(crate) fn writer(options: &Options, conf: &SqlConf) -> Result<Writer> {
    let ignore = conf.bool("spark.sql.jsonGenerator.ignoreNullFields");
    Ok(Writer {
        ignore_nulls: flag(options, "ignorenullfields", ignore)?,
        pretty: flag(options, "pretty", false)?,
        zone: zone(options)?,
        timestamp: match pattern(options, "timestampformat")? {
            Some(p) => p,
            None => Pattern::new("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", false)?,
        },
        timestamp_ntz: match pattern(options, "timestampntzformat")? {
            Some(p) => p,
            None => Pattern::new("yyyy-MM-dd'T'HH:mm:ss.SSS", false)?,
        },
        date: pattern(options, "dateformat")?,
    })
}

fn to_json(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let options = options(b, args.get(1))?;
    let child = vec![args[0].clone()];
    let t = child[0].data_type();
    if t == DataType::Null {
        let nothing = Expr::literal(Value::Null, DataType::String);
        return Ok(crate::functions::scalar::replaced("to_json", child, nothing, DataType::String, true));
    }
    if !matches!(t, DataType::Struct(_) | DataType::Array { .. } | DataType::Map { .. } | DataType::Variant) {
        return Err(invalid_schema(&describe::call_text("to_json", &child), &t));
    }
    let writer = writer(&options, b.conf)?;
    Ok(call("to_json", child, DataType::String, true, ToJson { writer, input: t }))
}

#[derive(Debug)]
struct ToJson {
    writer: Writer,
    input: DataType,
}

impl Kernel for ToJson {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let Some(column) = args.first() else { return Err(SparkError::internal("to_json has an argument")) };
        let mut out = StringBuilder::with_capacity(rows, rows * 32);
        let mut text = String::new();
        for row in 0..rows {
            if column.is_null(row) {
                out.append_null();
                continue;
            }
            text.clear();
            self.writer.write(column, row, &self.input, ctx.conf.time_zone(), &mut text);
            out.append_value(&text);
        }
        Ok(std::sync::Arc::new(out.finish()))
    }
}

/// The constant text whose schema is asked for: schema_of_json, schema_of_csv.
pub(in crate::functions) fn sample(b: &Build<'_>, child: &[Expr], name: &str) -> Result<String> {
    let arg = &child[0];
    let sql = describe::call_text(b.name, child);
    match constant(b, arg)? {
        Some(Value::Null) => Err(SparkError::analysis(
            "DATATYPE_MISMATCH.UNEXPECTED_NULL",
            &[("sqlExpr", &format!("\"{sql}\"")), ("exprName", name)],
        )),
        Some(Value::String(text)) => Ok(text.to_string()),
        Some(_) => Err(crate::functions::coercion::unexpected_input(&sql, 0, "\"STRING\"", arg)),
        None => Err(SparkError::analysis(
            "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
            &[
                ("sqlExpr", &format!("\"{sql}\"")),
                ("inputName", &format!("`{name}`")),
                ("inputType", "\"STRING\""),
                ("inputExpr", &describe::quoted(arg)),
            ],
        )),
    }
}

fn schema_of_json(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let options = options(b, args.get(1))?;
    let child = vec![args[0].clone()];
    let text = &*sample(b, &child, "json")?;
    let lenience = lenience(&options)?;
    let Some(span) = root(text, lenience) else {
        return Err(SparkError::plain(
            ErrorClass::Java("com.fasterxml.jackson.core.JsonParseException"),
            format!("Malformed JSON: {text}"),
        ));
    };
    let prefers = flag(&options, "prefersdecimal", false)?;
    let t = super::infer::canonical(super::infer::infer(
        text.as_bytes(),
        span,
        super::Kinds { lenience, prefers_decimal: prefers, time: None },
    ));
    let value = Expr::literal(Value::from(t.sql()), DataType::String);
    Ok(crate::functions::scalar::replaced("schema_of_json", child, value, DataType::String, false))
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding.
pub(in crate::functions) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0u32, |n, b| (n << 8) | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(char::from(ALPHABET[(n >> (18 - 6 * i)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// The bytes of Base64 text, blanks skipped; None where it is not whole (UnBase64.isValidBase64).
pub(in crate::functions) fn unbase64(text: &str) -> Option<Vec<u8>> {
    let fits = |c: u8| c == b'=' || c.is_ascii_whitespace() || ALPHABET.contains(&c);
    if text.bytes().all(fits) { mime_base64(text).ok() } else { None }
}

/// java.util.Base64.getMimeDecoder(): what is no letter of the alphabet is skipped. Err: what is wrong with the end.
pub(in crate::functions) fn mime_base64(text: &str) -> std::result::Result<Vec<u8>, String> {
    let wrong_end = || "Input byte array has wrong 4-byte ending unit".to_owned();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut n, mut held) = (0u32, 0);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(c) = bytes.get(at) {
        at += 1;
        if *c == b'=' {
            // One pad after three letters, two after two.
            let second = held == 2 && bytes.get(at) == Some(&b'=');
            if held != 3 && !second {
                return Err(wrong_end());
            }
            at += usize::from(second);
            break;
        }
        let Some(letter) = ALPHABET.iter().position(|a| a == c) else { continue };
        n = (n << 6) | letter as u32;
        held += 1;
        if held == 4 {
            out.extend([(n >> 16) as u8, (n >> 8) as u8, n as u8]);
            (n, held) = (0, 0);
        }
    }
    match held {
        1 => return Err("Last unit does not have enough valid bits".to_owned()),
        2 => out.push((n >> 4) as u8),
        3 => out.extend([(n >> 10) as u8, (n >> 2) as u8]),
        _ => {}
    }
    match bytes[at..].iter().position(|c| *c == b'=' || ALPHABET.contains(c)) {
        Some(more) => Err(format!("Input byte array has incorrect ending byte at {}", at + more + 1)),
        None => Ok(out),
    }
}
