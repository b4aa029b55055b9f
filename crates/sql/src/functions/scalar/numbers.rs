//! to_number, to_char and to_binary: numbers and bytes by format (ToNumberParser, ToCharacter, ToBinary).

use std::borrow::Cow;

use arrow::array::ArrayRef;

use super::math::unhex;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::describe;
use crate::functions::json::{constant, unbase64};
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::typed::{Bytes, Columns, Decimal, Memo, Text, column_call, each, two};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::pow10;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("to_number", 2, 2, to_number),
    FunctionEntry::custom("try_to_number", 2, 2, to_number),
    FunctionEntry::custom("to_char", 2, 2, to_char),
    FunctionEntry::custom("to_varchar", 2, 2, to_char),
    FunctionEntry::custom("to_binary", 1, 2, to_binary),
    FunctionEntry::custom("try_to_binary", 1, 2, to_binary),
];

/// Where a sign may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    None,
    /// MI: a minus or nothing.
    Minus,
    /// S: a plus or a minus.
    Either,
}

/// A number format, in upper case: `[MI|S][$]999,999[.99][$][PR|MI|S]`.
#[derive(Clone, Debug)]
struct Format {
    text: String,
    lead: Sign,
    currency: bool,
    /// 0, 9 and commas before the point.
    whole: Vec<char>,
    point: bool,
    fraction: Vec<char>,
    trail: Sign,
    /// PR: negative numbers stand between angle brackets.
    angle: bool,
}

fn bad_format(condition: &str, format: &str, extra: &[(&str, &str)]) -> SparkError {
    let quoted = format!("'{format}'");
    let mut parameters = vec![("format", quoted.as_str())];
    parameters.extend_from_slice(extra);
    SparkError::analysis(&format!("INVALID_FORMAT.{condition}"), &parameters)
}

fn sign(rest: &mut &str) -> Sign {
    for (word, sign) in [("MI", Sign::Minus), ("S", Sign::Either)] {
        if let Some(after) = rest.strip_prefix(word) {
            *rest = after;
            return sign;
        }
    }
    Sign::None
}

impl Format {
    fn parse(written: &str) -> Result<Format> {
        let text = written.to_uppercase();
        if !text.contains(['0', '9']) {
            return Err(bad_format("WRONG_NUM_DIGIT", &text, &[]));
        }
        let mut rest = text.as_str();
        let lead = sign(&mut rest);
        let mut currency = false;
        if let Some(after) = rest.strip_prefix('$') {
            (currency, rest) = (true, after);
        }
        let end = rest.find(|c: char| !matches!(c, '0' | '9' | ',' | 'G')).unwrap_or(rest.len());
        let whole = rest[..end].chars().map(|c| if c == 'G' { ',' } else { c }).collect::<Vec<char>>();
        rest = &rest[end..];
        let mut point = false;
        let mut fraction = Vec::new();
        if let Some(after) = rest.strip_prefix(['.', 'D']) {
            point = true;
            let end = after.find(|c: char| !matches!(c, '0' | '9')).unwrap_or(after.len());
            fraction = after[..end].chars().collect();
            rest = &after[end..];
        }
        if let Some(after) = rest.strip_prefix('$') {
            (currency, rest) = (true, after);
        }
        let mut angle = false;
        if let Some(after) = rest.strip_prefix("PR") {
            (angle, rest) = (true, after);
        }
        let trail = if lead == Sign::None && !angle { sign(&mut rest) } else { Sign::None };
        if let Some(unexpected) = rest.chars().next() {
            return Err(bad_format(
                "UNEXPECTED_TOKEN",
                &text,
                &[("token", &format!("character '{unexpected}''")), ("structure", "number format")],
            ));
        }
        Ok(Format { text, lead, currency, whole, point, fraction, trail, angle })
    }

    fn digits(&self) -> usize {
        self.whole.iter().filter(|c| **c != ',').count()
    }

    fn data_type(&self) -> DataType {
        let (whole, scale) = (self.digits(), self.fraction.len());
        DataType::decimal((whole + scale).min(38) as u8, scale.min(38) as i8)
    }

    /// The unscaled number of a text; None when the text does not match.
    fn read(&self, text: &str) -> Option<i128> {
        let mut rest = text.trim();
        let mut negative = false;
        let mut angled = false;
        if self.angle && rest.starts_with('<') {
            (negative, angled, rest) = (true, true, &rest[1..]);
        }
        let mut take_sign = |kind: Sign, rest: &mut &str| match (kind, rest.chars().next()) {
            (Sign::Minus | Sign::Either, Some('-')) => {
                negative = true;
                *rest = &rest[1..];
            }
            (Sign::Either, Some('+')) => *rest = &rest[1..],
            _ => {}
        };
        take_sign(self.lead, &mut rest);
        if self.currency {
            rest = rest.strip_prefix('$')?;
        }
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ',')).unwrap_or(rest.len());
        let whole: Vec<char> = rest[..end].chars().collect();
        rest = &rest[end..];
        let mut pattern = self.whole.iter().rev();
        for c in whole.iter().rev() {
            match (pattern.next()?, c) {
                (',', ',') => {}
                ('0' | '9', c) if c.is_ascii_digit() => {}
                _ => return None,
            }
        }
        if pattern.any(|c| *c == '0') {
            return None;
        }
        let mut fraction = "";
        if self.point
            && let Some(after) = rest.strip_prefix('.')
        {
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            (fraction, rest) = (&after[..end], &after[end..]);
        }
        if fraction.len() > self.fraction.len() || (whole.is_empty() && fraction.is_empty()) {
            return None;
        }
        take_sign(self.trail, &mut rest);
        if angled {
            rest = rest.strip_prefix('>')?;
        }
        if !rest.is_empty() {
            return None;
        }
        let digits: String = whole.iter().filter(|c| **c != ',').chain(&fraction.chars().collect::<Vec<_>>()).collect();
        let n: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let n = n.checked_mul(pow10((self.fraction.len() - fraction.len()) as u32)?)?;
        Some(if negative { -n } else { n })
    }

    /// A decimal's text; digits that have no place give `#`.
    fn write(&self, n: i128, scale: i8) -> String {
        let (mut unscaled, mut scale) = (n, i32::from(scale));
        while scale > 0 && unscaled % 10 == 0 {
            (unscaled, scale) = (unscaled / 10, scale - 1);
        }
        let negative = unscaled < 0;
        let shown = unscaled.unsigned_abs().to_string();
        let width = usize::try_from(scale.max(0)).unwrap_or(0);
        let padded = format!("{}{shown}", "0".repeat((width + 1).saturating_sub(shown.len())));
        let (whole, fraction) = padded.split_at(padded.len() - width);
        let whole = whole.trim_start_matches('0');
        if whole.len() > self.digits() || fraction.len() > self.fraction.len() {
            return self.text.replace(['0', '9'], "#");
        }
        let mut digits = format!("{}{whole}", "0".repeat(self.digits() - whole.len())).chars().collect::<Vec<_>>();
        digits.reverse();
        let mut body = String::new();
        let mut blanks = 0;
        let mut started = false;
        let last = self.whole.iter().rposition(|c| *c != ',');
        for (i, c) in self.whole.iter().enumerate() {
            if *c == ',' {
                if started {
                    body.push(',')
                } else {
                    blanks += 1
                }
                continue;
            }
            let digit = digits.pop().unwrap_or('0');
            started |= digit != '0' || *c == '0' || Some(i) == last;
            if started { body.push(digit) } else { blanks += 1 }
        }
        if self.point {
            body.push('.');
            body.push_str(fraction);
            body.push_str(&"0".repeat(self.fraction.len() - fraction.len()));
        }
        let sign = |kind: Sign| match (kind, negative) {
            (Sign::None, _) => "",
            (_, true) => "-",
            (Sign::Minus, false) => " ",
            (Sign::Either, false) => "+",
        };
        let open = if self.angle && negative { "<" } else { "" };
        let close = match (self.angle, negative) {
            (true, true) => ">",
            (true, false) => "  ",
            _ => "",
        };
        let currency = if self.currency { "$" } else { "" };
        format!("{}{open}{}{currency}{body}{}{close}", " ".repeat(blanks), sign(self.lead), sign(self.trail))
    }
}

fn format_argument(b: &Build<'_>, args: &[Expr]) -> Result<Option<String>> {
    let Some(value) = constant(b, &args[1])? else {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, args))),
                ("inputName", "`format`"),
                ("inputType", "\"STRING\""),
                ("inputExpr", &describe::quoted(&args[1])),
            ],
        ));
    };
    Ok(value.as_str().map(str::to_owned))
}

fn to_number(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Str, In::Str])?;
    let Some(text) = format_argument(b, &args)? else {
        // A null format: never a row is read.
        return Ok(column_call(b.name, args, DataType::decimal(38, 0), true, true, b.ansi(), |c| number(c, false)));
    };
    let t = Format::parse(&text)?.data_type();
    let nullable = b.name != "to_number" || args.iter().any(Expr::nullable);
    Ok(if b.name == "to_number" {
        column_call(b.name, args, t, nullable, true, b.ansi(), |c| number(c, true))
    } else {
        column_call(b.name, args, t, nullable, true, b.ansi(), |c| number(c, false))
    })
}

fn number(c: &Columns<'_>, fails: bool) -> Result<ArrayRef> {
    let formats = Memo::default();
    two::<Text, Text, Decimal>(c, &|text, format| match formats.get(format, Format::parse)?.read(text) {
        None if fails => Err(SparkError::new(
            ErrorClass::IllegalArgument,
            "INVALID_FORMAT.MISMATCH_INPUT",
            &[("inputType", "\"STRING\""), ("input", text), ("format", format)],
        )),
        read => Ok(read),
    })
}

/// Of dates a date_format, of bytes their text, of numbers a text by format.
fn to_char(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    match args[0].data_type() {
        t if t.is_datetime() => return b.invoke("date_format", args),
        DataType::Binary => {
            let format = format_argument(b, &args)?.map(|f| f.to_lowercase());
            let input = args[0].clone();
            return match format.as_deref() {
                Some("base64") => b.invoke("base64", vec![input]),
                Some("hex") => b.invoke("hex", vec![input]),
                Some("utf-8") => b.invoke("decode", vec![input, Expr::literal(Value::from("utf-8"), DataType::String)]),
                _ => Err(SparkError::analysis(
                    "INVALID_PARAMETER_VALUE.BINARY_FORMAT",
                    &[
                        ("functionName", "`to_char`"),
                        ("parameter", "`format`"),
                        ("invalidFormat", &describe::quoted(&args[1])),
                    ],
                )),
            };
        }
        _ => {}
    }
    let args = super::super::coercion::check_inputs(args, &[In::Dec, In::Str], true, b.ansi(), &|a| {
        describe::call_text("to_char", a)
    })?;
    if let Some(text) = format_argument(b, &args)? {
        Format::parse(&text)?;
    }
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("to_char", args, DataType::String, nullable, true, b.ansi(), |c| {
        let DataType::Decimal { scale, .. } = c.types[0] else { return Err(SparkError::internal("a decimal")) };
        let formats = Memo::default();
        two::<Decimal, Text, Text>(c, &|n, format| Ok(Some(formats.get(format, Format::parse)?.write(n, scale).into())))
    }))
}

fn to_binary(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Str, In::Str])?;
    if args.len() == 2 {
        let format = format_argument(b, &args)?;
        let known = ["hex", "utf-8", "utf8", "base64"];
        if let Some(format) = format.filter(|f| !known.iter().any(|k| f.eq_ignore_ascii_case(k))) {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.INVALID_ARG_VALUE",
                &[
                    ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, &args))),
                    ("inputName", "`fmt`"),
                    (
                        "requireType",
                        "case-insensitive \"STRING\" with the possible values 'hex', 'utf-8', 'utf8', or 'base64'",
                    ),
                    ("inputValue", &format!("'{format}'")),
                ],
            ));
        }
    }
    let lenient = b.name == "try_to_binary";
    // Unhex and encode may give null; base64 does not.
    let base64 = args.get(1).and_then(|format| match format.unaliased() {
        Expr::Literal { value, .. } => value.as_str().map(|format| format.eq_ignore_ascii_case("base64")),
        _ => None,
    });
    let nullable = lenient || base64 != Some(true) || args.iter().any(Expr::nullable);
    let name = b.name;
    Ok(if lenient {
        column_call(name, args, DataType::Binary, nullable, true, b.ansi(), |c| binary(c, false))
    } else {
        column_call(name, args, DataType::Binary, nullable, true, b.ansi(), |c| binary(c, true))
    })
}

/// The bytes that texts name; what does not read fails or is null.
fn binary(c: &Columns<'_>, fails: bool) -> Result<ArrayRef> {
    let texts = c.open::<Text>(0)?;
    let formats = if c.args.len() > 1 { Some(c.open::<Text>(1)?) } else { None };
    each::<Bytes>(c, &|row| {
        let Some(text) = texts.get(row) else { return Ok(None) };
        let format = match &formats {
            None => "hex",
            Some(formats) => match formats.get(row) {
                None => return Ok(None),
                Some(format) => format,
            },
        };
        match bytes_of(text, format) {
            Err(_) if !fails => Ok(None),
            made => made.map(|bytes| Some(Cow::Owned(bytes))),
        }
    })
}

fn bytes_of(text: &str, format: &str) -> Result<Vec<u8>> {
    let format = format.to_lowercase();
    let made = match format.as_str() {
        "hex" => unhex(text),
        "base64" => unbase64(text),
        _ => Some(text.as_bytes().to_vec()),
    };
    made.ok_or_else(|| {
        SparkError::new(
            ErrorClass::IllegalArgument,
            "CONVERSION_INVALID_INPUT",
            &[
                ("str", &format!("'{text}'")),
                ("fmt", &format!("'{}'", format.to_uppercase())),
                ("targetType", "\"BINARY\""),
                ("suggestion", "`try_to_binary`"),
            ],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(n: i128, scale: i8, format: &str) -> String {
        Format::parse(format).unwrap().write(n, scale)
    }

    #[test]
    fn numbers_are_written_as_spark_writes_them() {
        assert_eq!(write(12454, 3, "99.9"), "##.#");
        assert_eq!(write(12345, 0, "999"), "###");
        assert_eq!(write(12345, 1, "9,999.99"), "1,234.50");
        assert_eq!(write(-12, 0, "S999"), " -12");
        assert_eq!(write(12345678, 0, "999,999,999"), " 12,345,678");
        assert_eq!(write(5, 0, "000"), "005");
        assert_eq!(write(4, 1, "9.9"), "0.4");
        assert_eq!(write(124, 1, "MI99.9"), " 12.4");
        assert_eq!(write(-124, 1, "99.9S"), "12.4-");
        assert_eq!(write(124, 1, "99.9PR"), "12.4  ");
        assert_eq!(write(-78, 0, "$99.0PR"), "<$78.0>");
    }

    #[test]
    fn texts_are_read_by_format() {
        let read = |text: &str, format: &str| Format::parse(format).unwrap().read(text);
        assert_eq!(read("$1,234.50", "$9,999.99"), Some(123_450));
        assert_eq!(read("12-", "99MI"), Some(-12));
        assert_eq!(read("<12>", "99PR"), Some(-12));
        assert_eq!(read("12,454.8-", "99,999.9S"), Some(-124_548));
        assert_eq!(read("454", "000.00"), Some(45_400));
        assert_eq!(read("-$54,321.10", "MI$99,999.99"), Some(-5_432_110));
        assert_eq!(read("12x", "999"), None);
        assert_eq!(read("1234", "999"), None);
    }
}
