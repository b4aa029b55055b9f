//! Numbers and texts in formats: format_string, format_number, encodings, URLs.

use super::strings::{bytes, s};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::json::{base64, mime_base64};
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret, wrong_count};
use crate::functions::row::{RowContext, row_call};
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];
const S: Ret = Ret::Is(T::Str);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("format_string", 0, MANY, format_string),
    FunctionEntry::custom("printf", 0, MANY, format_string),
    FunctionEntry::row(
        "format_number",
        2,
        2,
        &[In::Num, In::Either(&[In::Int, In::Str])],
        S,
        Nulls::StrictNullable,
        format_number,
    ),
    FunctionEntry::row("base64", 1, 1, &[In::Bin], S, Nulls::Strict, |_, v| Ok(Value::from(base64(bytes(&v[0]))))),
    FunctionEntry::row("unbase64", 1, 1, STR, Ret::Is(T::Bin), Nulls::Strict, |_, v| {
        mime_base64(s(&v[0])).map(Value::binary).map_err(|e| SparkError::plain(ErrorClass::IllegalArgument, e))
    }),
    FunctionEntry::row("encode", 2, 2, STR, Ret::Is(T::Bin), Nulls::StrictNullable, encode),
    FunctionEntry::custom("decode", 2, MANY, decode),
    FunctionEntry::row("url_encode", 1, 1, STR, S, Nulls::StrictNullable, |_, v| {
        let mut out = String::new();
        for b in s(&v[0]).bytes() {
            match b {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => out.push(char::from(b)),
                b' ' => out.push('+'),
                b => out.push_str(&format!("%{b:02X}")),
            }
        }
        Ok(Value::from(out))
    }),
    FunctionEntry::row("url_decode", 1, 1, STR, S, Nulls::StrictNullable, |_, v| {
        url_decode(s(&v[0]))
            .map(Value::from)
            .ok_or_else(|| SparkError::new(ErrorClass::IllegalArgument, "CANNOT_DECODE_URL", &[("url", s(&v[0]))]))
    }),
    FunctionEntry::row("try_url_decode", 1, 1, STR, S, Nulls::StrictNullable, |_, v| {
        Ok(url_decode(s(&v[0])).map_or(Value::Null, Value::from))
    }),
    FunctionEntry::row("parse_url", 2, 3, STR, S, Nulls::StrictNullable, parse_url),
    FunctionEntry::row("try_parse_url", 2, 3, STR, S, Nulls::StrictNullable, |c, v| match parse_url(c, v) {
        Err(error) if error.condition.as_deref() == Some("INVALID_URL") => Ok(Value::Null),
        other => other,
    }),
];

fn format_string(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    if args.is_empty() {
        return Err(wrong_count(b.written, "> 0", 0));
    }
    let args = b.inputs(args, &[In::Str, In::Any])?;
    let nullable = args[0].nullable();
    Ok(row_call(b.name, args, DataType::String, nullable, false, b.ansi(), |c, v| match v[0].as_str() {
        Some(format) => java_format(c, format, &v[1..]).map(Value::from),
        None => Ok(Value::Null),
    }))
}

struct Spec {
    flags: String,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

/// java.util.IllegalFormatException, which PySpark hands on as an IllegalArgumentException.
fn illegal(class: &str, message: String) -> SparkError {
    let mut error = SparkError::plain(ErrorClass::IllegalArgument, message);
    error.java_class = Some(class.to_owned());
    error
}

/// The Java class that a value has when it reaches the formatter.
fn java_class(value: &Value) -> &'static str {
    match value {
        Value::Boolean(_) => "java.lang.Boolean",
        Value::Byte(_) => "java.lang.Byte",
        Value::Short(_) => "java.lang.Short",
        Value::Integer(_) | Value::Date(_) | Value::YearMonthInterval(_) => "java.lang.Integer",
        Value::Float(_) => "java.lang.Float",
        Value::Double(_) => "java.lang.Double",
        Value::Decimal(..) => "org.apache.spark.sql.types.Decimal",
        Value::String(_) => "org.apache.spark.unsafe.types.UTF8String",
        Value::Binary(_) => "[B",
        Value::CalendarInterval { .. } => "org.apache.spark.unsafe.types.CalendarInterval",
        _ => "java.lang.Long",
    }
}

/// java.util.Formatter.
fn java_format(c: &RowContext<'_>, format: &str, args: &[Value]) -> Result<String> {
    let chars: Vec<char> = format.chars().collect();
    let mut out = String::new();
    let (mut i, mut next) = (0, 0);
    while i < chars.len() {
        if chars[i] != '%' {
            out.push(chars[i]);
            i += 1;
            continue;
        }
        i += 1;
        let number = |i: &mut usize| {
            let start = *i;
            while chars.get(*i).is_some_and(char::is_ascii_digit) {
                *i += 1;
            }
            chars[start..*i].iter().collect::<String>().parse::<usize>().ok()
        };
        let mark = i;
        let mut index = number(&mut i);
        if index.is_some() && chars.get(i) == Some(&'$') {
            i += 1;
        } else {
            index = None;
            i = mark;
        }
        let mut flags = String::new();
        while let Some(f) = chars.get(i).filter(|f| "-#+ 0,(".contains(**f)) {
            flags.push(*f);
            i += 1;
        }
        let width = number(&mut i).unwrap_or(0);
        let mut precision = None;
        if chars.get(i) == Some(&'.') {
            i += 1;
            precision = number(&mut i);
        }
        let Some(conversion) = chars.get(i).copied() else {
            return Err(illegal("java.util.UnknownFormatConversionException", "Conversion = '%'".into()));
        };
        i += 1;
        let spec = Spec { flags, width, precision, conversion };
        if conversion == '%' {
            out.push_str(&padded(&spec, "%".into()));
            continue;
        }
        if conversion == 'n' {
            out.push('\n');
            continue;
        }
        let at = index.map_or(next, |n| n - 1);
        if index.is_none() {
            next += 1;
        }
        let Some(value) = args.get(at) else {
            return Err(illegal(
                "java.util.MissingFormatArgumentException",
                format!("Format specifier '%{conversion}'"),
            ));
        };
        let t = c.types.get(at + 1).cloned().unwrap_or(DataType::Null);
        let text = one(&spec, value, &t, c)?;
        let text = if conversion.is_uppercase() { text.to_uppercase() } else { text };
        out.push_str(&padded(&spec, text));
    }
    Ok(out)
}

fn padded(spec: &Spec, text: String) -> String {
    let len = text.chars().count();
    if len >= spec.width {
        return text;
    }
    let fill = " ".repeat(spec.width - len);
    if spec.flags.contains('-') { text + &fill } else { fill + &text }
}

fn grouped(digits: &str) -> String {
    let (whole, rest) = digits.split_once('.').map_or((digits, String::new()), |(w, f)| (w, format!(".{f}")));
    let mut out = String::new();
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out + &rest
}

/// Sign and zero padding of a number's digits.
fn signed(spec: &Spec, negative: bool, digits: String) -> String {
    let digits = if spec.flags.contains(',') { grouped(&digits) } else { digits };
    let (head, tail) = match (negative, spec.flags.contains('(')) {
        (true, true) => ("(", ")"),
        (true, false) => ("-", ""),
        _ if spec.flags.contains('+') => ("+", ""),
        _ if spec.flags.contains(' ') => (" ", ""),
        _ => ("", ""),
    };
    let mut body = digits;
    if spec.flags.contains('0') {
        while head.len() + body.len() + tail.len() < spec.width {
            body.insert(0, '0');
        }
    }
    format!("{head}{body}{tail}")
}

fn one(spec: &Spec, value: &Value, t: &DataType, c: &RowContext<'_>) -> Result<String> {
    let mismatch = || {
        let message = format!("{} != {}", spec.conversion, java_class(value));
        Err(illegal("java.util.IllegalFormatConversionException", message))
    };
    let cut = |text: String| match spec.precision {
        Some(n) => text.chars().take(n).collect(),
        None => text,
    };
    if spec.conversion == 'b' || spec.conversion == 'B' {
        return Ok(cut(match value {
            Value::Null => "false".into(),
            Value::Boolean(b) => b.to_string(),
            _ => "true".into(),
        }));
    }
    if value.is_null() {
        return Ok(cut("null".into()));
    }
    Ok(match spec.conversion.to_ascii_lowercase() {
        // A time of day arrives as its nanoseconds.
        's' if matches!(value, Value::Time(_)) => cut(value.as_i64().unwrap_or(0).to_string()),
        's' => cut(crate::functions::cast::to_text(value, t, c.zone())),
        'h' => {
            let hash = match value {
                // java.lang.String.hashCode of the text would need UTF-16; UTF8String has its own.
                Value::String(s) => crate::functions::hash::murmur3_bytes(s.as_bytes(), 42),
                v => v.as_i64().unwrap_or(0) as i32,
            };
            let _ = hash;
            let text = crate::functions::cast::to_text(value, t, c.zone());
            let java = text.encode_utf16().fold(0i32, |h, u| h.wrapping_mul(31).wrapping_add(i32::from(u)));
            format!("{:x}", if matches!(value, Value::String(_)) { hash } else { java })
        }
        'd' => match value {
            Value::Byte(_) | Value::Short(_) | Value::Integer(_) | Value::Long(_) => {
                let n = value.as_i64().unwrap_or(0);
                signed(spec, n < 0, n.unsigned_abs().to_string())
            }
            _ => return mismatch(),
        },
        'x' | 'o' => {
            let text = match (value, spec.conversion.to_ascii_lowercase()) {
                (Value::Byte(n), 'x') => format!("{n:x}"),
                (Value::Short(n), 'x') => format!("{n:x}"),
                (Value::Integer(n), 'x') => format!("{n:x}"),
                (Value::Long(n), 'x') => format!("{n:x}"),
                (Value::Integer(n), _) => format!("{n:o}"),
                (Value::Long(n), _) => format!("{n:o}"),
                _ => return mismatch(),
            };
            let mut text = text;
            if spec.flags.contains('#') {
                text.insert_str(0, "0x");
            }
            if spec.flags.contains('0') {
                while text.len() < spec.width {
                    text.insert(0, '0');
                }
            }
            text
        }
        'f' | 'e' | 'g' => {
            let x = match value {
                // A Decimal is no BigDecimal: the formatter refuses it.
                Value::Float(_) | Value::Double(_) => value.as_f64().unwrap_or(0.0),
                _ => return mismatch(),
            };
            if x.is_nan() {
                return Ok("NaN".into());
            }
            if x.is_infinite() {
                return Ok(if x < 0.0 { "-Infinity".into() } else { "Infinity".into() });
            }
            let precision = spec.precision.unwrap_or(6);
            let digits = if spec.conversion.eq_ignore_ascii_case(&'f') {
                half_up(value, precision)
            } else {
                scientific(x.abs(), precision)
            };
            signed(spec, x.is_sign_negative(), digits)
        }
        'c' => match value {
            Value::String(s) => s.to_string(),
            v => v.as_i64().and_then(|n| char::from_u32(n as u32)).map_or_else(String::new, String::from),
        },
        other => {
            return Err(illegal("java.util.UnknownFormatConversionException", format!("Conversion = '{other}'")));
        }
    })
}

/// The magnitude with so many decimals, rounded half up on its decimal text as Java does.
fn half_up(value: &Value, decimals: usize) -> String {
    let text = crate::value::text::double_to_string(value.as_f64().unwrap_or(0.0).abs());
    let Some((n, scale)) = crate::functions::cast::parse_decimal(&text) else {
        return format!("{:.decimals$}", value.as_f64().unwrap_or(0.0).abs());
    };
    match crate::functions::cast::parse::fit_decimal(n, scale, 38, decimals.min(38) as i8) {
        Some(fitted) => crate::value::text::decimal_to_string(fitted, decimals.min(38) as i8),
        None => format!("{:.decimals$}", value.as_f64().unwrap_or(0.0).abs()),
    }
}

fn scientific(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |d| ('-', d));
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}

/// format_number(x, d) rounds half even (DecimalFormat); a text is a DecimalFormat pattern.
fn format_number(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let (group, least, most) = match &v[1] {
        Value::String(p) if p.is_empty() => (true, 0, 0),
        Value::String(p) => {
            let (whole, fraction) = p.split_once('.').unwrap_or((p, ""));
            let least = fraction.chars().filter(|c| *c == '0').count();
            (whole.contains(','), least, fraction.chars().filter(|c| matches!(c, '0' | '#')).count())
        }
        d => match d.as_i64().and_then(|d| usize::try_from(d).ok()) {
            Some(d) => (true, d, d),
            None => return Ok(Value::Null),
        },
    };
    let x = v[0].as_f64().unwrap_or(0.0);
    if x.is_nan() {
        return Ok(Value::from("NaN"));
    }
    if x.is_infinite() {
        return Ok(Value::from(if x < 0.0 { "-∞" } else { "∞" }));
    }
    let exact = match &v[0] {
        Value::Decimal(n, _, s) => {
            crate::value::text::decimal_to_string(n.saturating_abs(), *s).parse::<f64>().unwrap_or(x.abs())
        }
        _ => x.abs(),
    };
    // Rust's formatting is exact and rounds ties to even, as DecimalFormat's HALF_EVEN does.
    let mut digits = format!("{exact:.most$}");
    if digits.contains('.') {
        while digits.ends_with('0') && digits.len() - digits.find('.').unwrap_or(0) - 1 > least {
            digits.pop();
        }
        if digits.ends_with('.') {
            digits.pop();
        }
    }
    let digits = if group { grouped(&digits) } else { digits };
    let negative = x < 0.0 || (x == 0.0 && x.is_sign_negative());
    Ok(Value::from(if negative { format!("-{digits}") } else { digits }))
}

fn bad_charset(function: &str, charset: &str) -> SparkError {
    SparkError::new(
        ErrorClass::IllegalArgument,
        "INVALID_PARAMETER_VALUE.CHARSET",
        &[
            ("parameter", "`charset`"),
            ("functionName", &format!("`{function}`")),
            ("charset", charset),
            ("charsets", "iso-8859-1, us-ascii, utf-16, utf-16be, utf-16le, utf-32, utf-8"),
        ],
    )
}

fn unmappable(function: &str, charset: &str) -> SparkError {
    SparkError::runtime("MALFORMED_CHARACTER_CODING", &[("function", &format!("`{function}`")), ("charset", charset)])
}

fn encode(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let (text, charset) = (s(&v[0]), s(&v[1]));
    let wide = |big: bool| -> Vec<u8> {
        text.encode_utf16().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
    };
    let narrow = |limit: u32| -> Result<Vec<u8>> {
        text.chars()
            .map(|c| if (c as u32) < limit { Ok(c as u8) } else { Err(unmappable("encode", charset)) })
            .collect()
    };
    Ok(Value::binary(match charset.to_uppercase().as_str() {
        "UTF-8" => text.as_bytes().to_vec(),
        "UTF-16" => [vec![0xFE, 0xFF], wide(true)].concat(),
        "UTF-16BE" => wide(true),
        "UTF-16LE" => wide(false),
        "UTF-32" => text.chars().flat_map(|c| (c as u32).to_be_bytes()).collect(),
        "US-ASCII" => narrow(128)?,
        "ISO-8859-1" => narrow(256)?,
        _ => return Err(bad_charset("encode", charset)),
    }))
}

/// decode(binary, charset), or decode(value, search, result, ..., default).
fn decode(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    if args.len() > 2 {
        let value = args[0].clone();
        let mut flat = Vec::new();
        let mut rest = args[1..].iter().cloned();
        while let Some(search) = rest.next() {
            match rest.next() {
                Some(result) => {
                    flat.push(b.invoke("<=>", vec![value.clone(), search])?);
                    flat.push(result);
                }
                None => flat.push(search),
            }
        }
        let case = b.invoke("when", flat)?;
        let (t, nullable) = (case.data_type(), case.nullable());
        return Ok(super::replaced("decode", args, case, t, nullable));
    }
    let args = b.inputs(args, &[In::Bin, In::Str])?;
    Ok(row_call("decode", args, DataType::String, true, true, b.ansi(), |_, v| {
        let (data, charset) = (bytes(&v[0]), s(&v[1]));
        let wide = |data: &[u8], big: bool| -> Result<String> {
            let units: Vec<u16> = data
                .chunks(2)
                .map(|p| {
                    let pair = [p[0], p.get(1).copied().unwrap_or(0)];
                    if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
                })
                .collect();
            String::from_utf16(&units).map_err(|_| unmappable("decode", charset))
        };
        Ok(Value::from(match charset.to_uppercase().as_str() {
            "UTF-8" => String::from_utf8(data.to_vec()).map_err(|_| unmappable("decode", charset))?,
            "UTF-16" => match data {
                [0xFF, 0xFE, rest @ ..] => wide(rest, false)?,
                [0xFE, 0xFF, rest @ ..] => wide(rest, true)?,
                rest => wide(rest, true)?,
            },
            "UTF-16BE" => wide(data, true)?,
            "UTF-16LE" => wide(data, false)?,
            "US-ASCII" if data.is_ascii() => data.iter().map(|b| char::from(*b)).collect(),
            "US-ASCII" => return Err(unmappable("decode", charset)),
            "ISO-8859-1" => data.iter().map(|b| char::from(*b)).collect(),
            _ => return Err(bad_charset("decode", charset)),
        }))
    }))
}

fn url_decode(text: &str) -> Option<String> {
    let b = text.as_bytes();
    let mut out = Vec::with_capacity(b.len());
    let mut i = 0;
    while i < b.len() {
        match b[i] {
            b'+' => out.push(b' '),
            b'%' => {
                out.push(u8::from_str_radix(text.get(i + 1..i + 3)?, 16).ok()?);
                i += 2;
            }
            c => out.push(c),
        }
        i += 1;
    }
    String::from_utf8(out).ok()
}

fn parse_url(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let url = s(&v[0]);
    if url.contains(' ') {
        return Err(SparkError::new(ErrorClass::IllegalArgument, "INVALID_URL", &[("url", url)]));
    }
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(s, r)| (s, r));
    let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(r, f)| (r, Some(f)));
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(r, q)| (r, Some(q)));
    let at = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(at);
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(u, h)| (Some(u), h));
    let host = host.rsplit_once(':').map_or(host, |(h, _)| h);
    let found = match s(&v[1]) {
        "HOST" => Some(host.to_owned()).filter(|h| !h.is_empty()),
        "PATH" => Some(path.to_owned()),
        "QUERY" => match v.get(2) {
            Some(key) => query.and_then(|q| {
                q.split('&').find_map(|p| p.split_once('=').filter(|(k, _)| *k == s(key)).map(|(_, v)| v.to_owned()))
            }),
            None => query.map(str::to_owned),
        },
        "REF" => fragment.map(str::to_owned),
        "PROTOCOL" => Some(scheme.to_owned()).filter(|s| !s.is_empty()),
        "FILE" => Some(query.map_or_else(|| path.to_owned(), |q| format!("{path}?{q}"))),
        "AUTHORITY" => Some(authority.to_owned()).filter(|a| !a.is_empty()),
        "USERINFO" => user.map(str::to_owned),
        _ => None,
    };
    Ok(found.map_or(Value::Null, Value::from))
}
