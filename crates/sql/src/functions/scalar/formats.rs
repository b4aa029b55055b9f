//! Numbers in formats, texts in encodings, URLs.

use std::borrow::Cow;

use arrow::array::ArrayRef;

use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{In, check_inputs};
use crate::functions::describe::call_text;
use crate::functions::json::{base64, mime_base64};
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use crate::functions::typed::{
    Bytes, Columns, Decimal, Int, Read, Real, Text, Whole, column_call, each, one, three, two,
};
use crate::types::DataType;

const STR: &[In] = &[In::Str];
const S: Ret = Ret::Is(T::Str);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::columns(
        "format_number",
        2,
        2,
        &[In::Num, In::Either(&[In::Int, In::Str])],
        S,
        Nulls::StrictNullable,
        format_number,
    )
    .exact(),
    FunctionEntry::columns("base64", 1, 1, &[In::Bin], S, Nulls::Strict, |c| {
        one::<Bytes, Text>(c, &|data| Ok(Some(Cow::Owned(base64(data)))))
    }),
    FunctionEntry::columns("unbase64", 1, 1, STR, Ret::Is(T::Bin), Nulls::Strict, |c| {
        one::<Text, Bytes>(c, &|text| match mime_base64(text) {
            Ok(data) => Ok(Some(Cow::Owned(data))),
            Err(e) => Err(SparkError::plain(ErrorClass::IllegalArgument, e)),
        })
    }),
    FunctionEntry::columns("encode", 2, 2, STR, Ret::Is(T::Bin), Nulls::StrictNullable, |c| {
        two::<Text, Text, Bytes>(c, &|text, charset| encoded(text, charset).map(Some))
    }),
    FunctionEntry::custom("decode", 2, MANY, decode),
    FunctionEntry::columns("url_encode", 1, 1, STR, S, Nulls::StrictNullable, |c| {
        one::<Text, Text>(c, &|text| Ok(Some(Cow::Owned(url_encoded(text)))))
    }),
    FunctionEntry::columns("url_decode", 1, 1, STR, S, Nulls::StrictNullable, |c| {
        one::<Text, Text>(c, &|url| match url_decoded(url) {
            Some(text) => Ok(Some(Cow::Owned(text))),
            None => Err(SparkError::new(ErrorClass::IllegalArgument, "CANNOT_DECODE_URL", &[("url", url)])),
        })
    }),
    FunctionEntry::columns("try_url_decode", 1, 1, STR, S, Nulls::StrictNullable, |c| {
        one::<Text, Text>(c, &|url| Ok(url_decoded(url).map(Cow::Owned)))
    }),
    FunctionEntry::columns("parse_url", 2, 3, STR, S, Nulls::StrictNullable, |c| url_parts(c, false)).exact(),
    FunctionEntry::custom("try_parse_url", 2, 3, try_parse_url),
];

/// Spark puts parse_url in its place, which is what errors name.
fn try_parse_url(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = check_inputs(args, STR, false, b.ansi(), &|args| call_text("parse_url", args))?;
    Ok(column_call(b.name, args, DataType::String, true, true, b.ansi(), |c| url_parts(c, true)))
}

/// DecimalFormat.DOUBLE_FRACTION_DIGITS.
const MOST_DECIMALS: usize = 340;

/// format_number(x, d) rounds half even (DecimalFormat); a text is a DecimalFormat pattern.
fn format_number(c: &Columns<'_>) -> Result<ArrayRef> {
    match c.types[0] {
        DataType::Float | DataType::Double => numbered::<Real>(c, |x, decimals| {
            let digits = if x.is_nan() {
                return ("NaN".into(), false);
            } else if x.is_infinite() {
                "∞".into()
            } else {
                // Rust's formatting is exact and rounds ties to even.
                format!("{:.1$}", x.abs(), decimals.min(MOST_DECIMALS))
            };
            (digits, x.is_sign_negative())
        }),
        DataType::Decimal { scale, .. } => numbered::<Decimal>(c, |n, decimals| (half_even(n, scale, decimals), n < 0)),
        _ => numbered::<Whole>(c, |n, decimals| (half_even(n.into(), 0, decimals), n < 0)),
    }
}

/// Each number by its format; `digits` gives those of its magnitude with so many decimals, and whether it is negative.
fn numbered<A: Read>(c: &Columns<'_>, digits: impl Fn(A::Item<'_>, usize) -> (String, bool)) -> Result<ArrayRef> {
    let numbers = c.open::<A>(0)?;
    let shown = |row: usize, group: bool, least: usize, most: usize| {
        let (mut digits, negative) = digits(numbers.get(row)?, most);
        if digits.contains('.') {
            while digits.ends_with('0') && digits.len() - digits.find('.').unwrap_or(0) - 1 > least {
                digits.pop();
            }
            if digits.ends_with('.') {
                digits.pop();
            }
        }
        let digits = if group && digits.starts_with(|c: char| c.is_ascii_digit()) { grouped(&digits) } else { digits };
        Some(Cow::Owned(if negative { format!("-{digits}") } else { digits }))
    };
    if c.types[1].is_string() {
        let patterns = c.open::<Text>(1)?;
        return each::<Text>(c, &|row| {
            let Some(pattern) = patterns.get(row) else { return Ok(None) };
            if pattern.is_empty() {
                return Ok(shown(row, true, 0, 0));
            }
            let (whole, fraction) = pattern.split_once('.').unwrap_or((pattern, ""));
            let least = fraction.chars().filter(|c| *c == '0').count();
            let most = fraction.chars().filter(|c| matches!(c, '0' | '#')).count();
            Ok(shown(row, whole.contains(','), least, most))
        });
    }
    let decimals = c.open::<Int>(1)?;
    each::<Text>(c, &|row| {
        let decimals = decimals.get(row).and_then(|n| usize::try_from(n).ok());
        Ok(decimals.and_then(|n| shown(row, true, n, n)))
    })
}

/// The magnitude of a decimal with so many decimals, ties to the even neighbour.
fn half_even(unscaled: i128, scale: i8, decimals: usize) -> String {
    let magnitude = unscaled.unsigned_abs();
    let scale = usize::try_from(scale).unwrap_or(0);
    let (kept, dropped) = (scale.min(decimals), scale.saturating_sub(decimals));
    let unit = 10_u128.pow(dropped as u32);
    let (quotient, rest) = (magnitude / unit, magnitude % unit);
    let up = rest > unit - rest || (rest == unit - rest && quotient % 2 == 1);
    let mut digits = format!("{:0>width$}", quotient + u128::from(up), width = kept + 1);
    if decimals > 0 {
        digits.insert(digits.len() - kept, '.');
        digits.push_str(&"0".repeat(decimals - kept));
    }
    digits
}

/// Commas between groups of three digits.
pub(super) fn grouped(digits: &str) -> String {
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

fn encoded<'a>(text: &'a str, charset: &str) -> Result<Cow<'a, [u8]>> {
    let wide = |big: bool| -> Vec<u8> {
        text.encode_utf16().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
    };
    let narrow = |limit: u32| -> Result<Vec<u8>> {
        text.chars()
            .map(|c| if (c as u32) < limit { Ok(c as u8) } else { Err(unmappable("encode", charset)) })
            .collect()
    };
    Ok(Cow::Owned(match charset.to_uppercase().as_str() {
        "UTF-8" => return Ok(Cow::Borrowed(text.as_bytes())),
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
    Ok(column_call("decode", args, DataType::String, true, true, b.ansi(), |c| {
        two::<Bytes, Text, Text>(c, &|data, charset| decoded(data, charset).map(Some))
    }))
}

fn decoded<'a>(data: &'a [u8], charset: &str) -> Result<Cow<'a, str>> {
    let wrong = || unmappable("decode", charset);
    let wide = |data: &[u8], big: bool| -> Result<String> {
        let units: Vec<u16> = data
            .chunks(2)
            .map(|p| {
                let pair = [p[0], p.get(1).copied().unwrap_or(0)];
                if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
            })
            .collect();
        String::from_utf16(&units).map_err(|_| wrong())
    };
    Ok(Cow::Owned(match charset.to_uppercase().as_str() {
        "UTF-8" => return std::str::from_utf8(data).map(Cow::Borrowed).map_err(|_| wrong()),
        "UTF-16" => match data {
            [0xFF, 0xFE, rest @ ..] => wide(rest, false)?,
            [0xFE, 0xFF, rest @ ..] => wide(rest, true)?,
            rest => wide(rest, true)?,
        },
        "UTF-16BE" => wide(data, true)?,
        "UTF-16LE" => wide(data, false)?,
        "US-ASCII" if !data.is_ascii() => return Err(wrong()),
        "US-ASCII" | "ISO-8859-1" => data.iter().map(|b| char::from(*b)).collect(),
        _ => return Err(bad_charset("decode", charset)),
    }))
}

fn url_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => out.push(char::from(b)),
            b' ' => out.push('+'),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

fn url_decoded(text: &str) -> Option<String> {
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

/// parse_url(url, part[, key]); `forgiving`: null for what is no URL.
fn url_parts(c: &Columns<'_>, forgiving: bool) -> Result<ArrayRef> {
    let part = |url, part, key| {
        if !str::contains(url, ' ') {
            return Ok(url_part(url, part, key));
        }
        if forgiving {
            Ok(None)
        } else {
            Err(SparkError::new(ErrorClass::IllegalArgument, "INVALID_URL", &[("url", url)]))
        }
    };
    if c.args.len() == 2 {
        return two::<Text, Text, Text>(c, &|url, name| part(url, name, None));
    }
    three::<Text, Text, Text, Text>(c, &|url, name, key| part(url, name, Some(key)))
}

/// A part of a URL by its name, of the query the value of a key.
fn url_part<'a>(url: &'a str, part: &str, key: Option<&str>) -> Option<Cow<'a, str>> {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(s, r)| (s, r));
    // Without a scheme before it there is no host, only a path.
    let named = rest.len() < url.len();
    let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(r, f)| (r, Some(f)));
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(r, q)| (r, Some(q)));
    let at = if named { rest.find('/').unwrap_or(rest.len()) } else { 0 };
    let (authority, path) = rest.split_at(at);
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(u, h)| (Some(u), h));
    let host = host.rsplit_once(':').map_or(host, |(h, _)| h);
    let found = match part {
        "HOST" => Some(host).filter(|h| !h.is_empty()),
        "PATH" => Some(path),
        "QUERY" => match key {
            Some(key) => query?.split('&').find_map(|p| p.split_once('=').filter(|(k, _)| *k == key).map(|(_, v)| v)),
            None => query,
        },
        "REF" => fragment,
        "PROTOCOL" => Some(scheme).filter(|s| !s.is_empty()),
        "FILE" => return Some(query.map_or(Cow::Borrowed(path), |q| Cow::Owned(format!("{path}?{q}")))),
        "AUTHORITY" => Some(authority).filter(|a| !a.is_empty()),
        "USERINFO" => user,
        _ => None,
    };
    found.map(Cow::Borrowed)
}
