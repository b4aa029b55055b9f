//! format_string (java.util.Formatter).

use std::cell::RefCell;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};

use super::formats::grouped;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::cast::{CastContext, cast_array, parse_decimal};
use crate::functions::coercion::In;
use crate::functions::hash::murmur3_bytes;
use crate::functions::registry::{Build, FunctionEntry, MANY, wrong_count};
use crate::functions::typed::{
    Byte, Clock, Columns, Day, DayTime, Double, Float, Int, Long, Memo, Moment, Read, Short, Text, YearMonth,
    column_call, each,
};
use crate::functions::variant;
use crate::types::DataType;
use crate::value::text::{decimal_to_string, double_to_string};
use crate::value::{Value, value_at};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("format_string", 0, MANY, format_string),
    FunctionEntry::custom("printf", 0, MANY, format_string),
];

fn format_string(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    if args.is_empty() {
        return Err(wrong_count(b.written, "> 0", 0));
    }
    let args = b.inputs(args, &[In::Str, In::Any])?;
    let nullable = args[0].nullable();
    Ok(column_call(b.name, args, DataType::String, nullable, false, b.ansi(), |c| {
        let formats = Memo::default();
        let format = c.open::<Text>(0)?;
        let args: Vec<Argument<'_>> = (1..c.args.len()).map(|i| Argument::new(c, i)).collect();
        each::<Text>(c, &|row| match format.get(row) {
            Some(format) => Ok(Some(formatted(&formats.get(format, pieces)?, &args, row)?.into())),
            None => Ok(None),
        })
    }))
}

enum Piece {
    Text(String),
    Value(Spec),
}

struct Spec {
    /// Place of the argument from 1 on; None: the next one.
    index: Option<usize>,
    flags: String,
    width: Option<usize>,
    precision: Option<usize>,
    conversion: char,
}

/// As messages show it (FormatSpecifier.toString).
impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "%{}", self.flags)?;
        if let Some(index) = self.index {
            write!(f, "{index}$")?;
        }
        if let Some(width) = self.width {
            write!(f, "{width}")?;
        }
        if let Some(precision) = self.precision {
            write!(f, ".{precision}")?;
        }
        write!(f, "{}", self.conversion)
    }
}

impl Spec {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }
}

/// java.util.IllegalFormatException, which PySpark hands on as an IllegalArgumentException.
fn illegal(class: &str, message: String) -> SparkError {
    let mut error = SparkError::plain(ErrorClass::IllegalArgument, message);
    error.java_class = Some(class.to_owned());
    error
}

fn unknown(conversion: char) -> SparkError {
    illegal("java.util.UnknownFormatConversionException", format!("Conversion = '{conversion}'"))
}

/// A format, read.
fn pieces(format: &str) -> Result<Vec<Piece>> {
    let chars: Vec<char> = format.chars().collect();
    let mut out = Vec::new();
    let mut text = String::new();
    let mut i = 0;
    while i < chars.len() {
        if chars[i] != '%' {
            text.push(chars[i]);
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
        while let Some(f) = chars.get(i).filter(|f| "-#+ 0,(<".contains(**f)) {
            flags.push(*f);
            i += 1;
        }
        let width = number(&mut i);
        let mut precision = None;
        if chars.get(i) == Some(&'.') {
            i += 1;
            precision = number(&mut i);
        }
        // What does not even look like a conversion is told by its first character.
        let first = || unknown(chars.get(mark).copied().unwrap_or('%'));
        let conversion = *chars.get(i).ok_or_else(first)?;
        i += 1;
        let spec = Spec { index, flags, width, precision, conversion };
        if spec.width.is_none() && (spec.has('-') || spec.has('0')) {
            return Err(illegal("java.util.MissingFormatWidthException", spec.to_string()));
        }
        match conversion {
            '%' => text.push_str(&padded(&spec, "%".into())),
            'n' => text.push('\n'),
            c if "bhscdoxfeg".contains(c.to_ascii_lowercase()) => {
                out.push(Piece::Text(std::mem::take(&mut text)));
                out.push(Piece::Value(spec));
            }
            other if other.is_ascii_alphabetic() => return Err(unknown(other)),
            _ => return Err(first()),
        }
    }
    out.push(Piece::Text(text));
    Ok(out)
}

fn formatted(pieces: &[Piece], args: &[Argument<'_>], row: usize) -> Result<String> {
    let mut out = String::new();
    // Places count from 1.
    let (mut next, mut last) = (0, 0);
    for piece in pieces {
        let spec = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Value(spec) => spec,
        };
        if !spec.has('<') {
            last = spec.index.unwrap_or_else(|| {
                next += 1;
                next
            });
        }
        let Some(arg) = last.checked_sub(1).and_then(|at| args.get(at)) else {
            let message = format!("Format specifier '{spec}'");
            return Err(illegal("java.util.MissingFormatArgumentException", message));
        };
        let text = shown(spec, arg, row)?;
        let text = if spec.conversion.is_uppercase() { text.to_uppercase() } else { text };
        out.push_str(&padded(spec, text));
    }
    Ok(out)
}

fn padded(spec: &Spec, text: String) -> String {
    let fill = " ".repeat(spec.width.unwrap_or(0).saturating_sub(text.chars().count()));
    if spec.has('-') { text + &fill } else { fill + &text }
}

/// A column of values to be formatted.
struct Argument<'a> {
    array: &'a ArrayRef,
    scalar: bool,
    t: &'a DataType,
    c: &'a Columns<'a>,
    /// As texts, once a row has asked for its own.
    texts: RefCell<Option<StringArray>>,
}

fn read<A: Read>(array: &ArrayRef, at: usize) -> Option<A::Item<'_>> {
    A::get(A::open(array)?, at)
}

impl<'a> Argument<'a> {
    fn new(c: &'a Columns<'a>, i: usize) -> Self {
        let arg = &c.args[i];
        Self { array: arg.array(), scalar: arg.is_scalar(), t: &c.types[i], c, texts: RefCell::default() }
    }

    fn at(&self, row: usize) -> usize {
        if self.scalar { 0 } else { row }
    }

    fn is_null(&self, row: usize) -> bool {
        *self.t == DataType::Null || self.array.is_null(self.at(row))
    }

    fn is_moment(&self) -> bool {
        use DataType as T;
        matches!(
            self.t,
            T::Date
                | T::Timestamp
                | T::TimestampNtz
                | T::Time(_)
                | T::YearMonthInterval { .. }
                | T::DayTimeInterval { .. }
        )
    }

    fn truth(&self, row: usize) -> Option<bool> {
        self.array.as_boolean_opt().map(|a| a.value(self.at(row)))
    }

    /// A whole number, or what dates and times are counted in.
    fn whole(&self, row: usize) -> Option<i64> {
        let (array, at) = (self.array, self.at(row));
        match self.t {
            DataType::Byte => read::<Byte>(array, at).map(i64::from),
            DataType::Short => read::<Short>(array, at).map(i64::from),
            DataType::Integer => read::<Int>(array, at).map(i64::from),
            DataType::Long => read::<Long>(array, at),
            DataType::Date => read::<Day>(array, at).map(i64::from),
            DataType::YearMonthInterval { .. } => read::<YearMonth>(array, at).map(i64::from),
            DataType::Timestamp | DataType::TimestampNtz => read::<Moment>(array, at),
            DataType::Time(_) => read::<Clock>(array, at),
            DataType::DayTimeInterval { .. } => read::<DayTime>(array, at),
            _ => None,
        }
    }

    /// A floating number; a Decimal is no BigDecimal, the formatter refuses it.
    fn real(&self, row: usize) -> Option<f64> {
        match self.t {
            DataType::Float => read::<Float>(self.array, self.at(row)).map(f64::from),
            DataType::Double => read::<Double>(self.array, self.at(row)),
            _ => None,
        }
    }

    /// toString of what the formatter gets.
    fn text(&self, row: usize) -> Result<String> {
        let at = self.at(row);
        if *self.t == DataType::Variant {
            let part = |i: usize| self.array.as_struct_opt().and_then(|s| s.column(i).as_binary_opt::<i32>());
            let (Some(value), Some(metadata)) = (part(0), part(1)) else { return Ok(String::new()) };
            return Ok(variant::to_json(value.value(at), metadata.value(at), self.c.zone()).unwrap_or_default());
        }
        if matches!(self.t, DataType::Array { .. } | DataType::Map { .. } | DataType::Struct(_)) {
            return Ok(java_text(&value_at(&**self.array, at, self.t)));
        }
        let mut texts = self.texts.borrow_mut();
        if texts.is_none() {
            let ctx = CastContext { mode: EvalMode::Legacy, zone: self.c.zone(), now_us: self.c.ctx.now_us };
            *texts = cast_array(self.array, self.t, &DataType::String, ctx)?.as_string_opt().cloned();
        }
        Ok(texts.as_ref().map_or("null", |texts| texts.value(at)).to_owned())
    }

    /// hashCode of what the formatter gets.
    fn hash(&self, row: usize) -> Result<i32> {
        let folded = |n: i64| (n ^ (n as u64 >> 32) as i64) as i32;
        if let Some(truth) = self.truth(row) {
            return Ok(if truth { 1231 } else { 1237 });
        }
        if let Some(n) = self.whole(row) {
            return Ok(if self.java_class() == "java.lang.Long" { folded(n) } else { n as i32 });
        }
        if let Some(x) = self.real(row) {
            let float = *self.t == DataType::Float;
            return Ok(if float { (x as f32).to_bits() as i32 } else { folded(x.to_bits() as i64) });
        }
        let text = self.text(row)?;
        Ok(if self.t.is_string() {
            // UTF8String has a hash code of its own.
            murmur3_bytes(text.as_bytes(), 42)
        } else {
            text.encode_utf16().fold(0i32, |h, u| h.wrapping_mul(31).wrapping_add(i32::from(u)))
        })
    }

    /// The Java class that a value has when it reaches the formatter.
    fn java_class(&self) -> &'static str {
        match self.t {
            DataType::Boolean => "java.lang.Boolean",
            DataType::Byte => "java.lang.Byte",
            DataType::Short => "java.lang.Short",
            DataType::Integer | DataType::Date | DataType::YearMonthInterval { .. } => "java.lang.Integer",
            DataType::Float => "java.lang.Float",
            DataType::Double => "java.lang.Double",
            DataType::Decimal { .. } => "org.apache.spark.sql.types.Decimal",
            t if t.is_string() => "org.apache.spark.unsafe.types.UTF8String",
            DataType::Binary => "[B",
            DataType::CalendarInterval => "org.apache.spark.unsafe.types.CalendarInterval",
            _ => "java.lang.Long",
        }
    }
}

/// toString of the objects that arrays (GenericArrayData), maps (ArrayBasedMapData) and structs (GenericInternalRow) are kept
/// in, with their dates and times as the numbers that these are stored as.
fn java_text(value: &Value) -> String {
    let joined = |values: &mut dyn Iterator<Item = &Value>| {
        let texts: Vec<String> = values.map(java_text).collect();
        format!("[{}]", texts.join(","))
    };
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(values) | Value::Struct(values) => joined(&mut values.iter()),
        Value::Map(entries) => {
            let keys = joined(&mut entries.iter().map(|(key, _)| key));
            format!("keys: {keys}, values: {}", joined(&mut entries.iter().map(|(_, value)| value)))
        }
        Value::Date(n) | Value::YearMonthInterval(n) => n.to_string(),
        Value::Timestamp(n) | Value::TimestampNtz(n) | Value::Time(n) | Value::DayTimeInterval(n) => n.to_string(),
        other => super::text_of(other),
    }
}

/// Sign and zero padding of a number's digits.
fn signed(spec: &Spec, negative: bool, digits: String) -> String {
    let digits = if spec.has(',') { grouped(&digits) } else { digits };
    let (head, tail) = match (negative, spec.has('(')) {
        (true, true) => ("(", ")"),
        (true, false) => ("-", ""),
        _ if spec.has('+') => ("+", ""),
        _ if spec.has(' ') => (" ", ""),
        _ => ("", ""),
    };
    let body = if spec.has('0') {
        zeroed(digits, spec.width.unwrap_or(0).saturating_sub(head.len() + tail.len()))
    } else {
        digits
    };
    format!("{head}{body}{tail}")
}

fn zeroed(digits: String, width: usize) -> String {
    let fill = "0".repeat(width.saturating_sub(digits.len()));
    fill + &digits
}

fn shown(spec: &Spec, arg: &Argument<'_>, row: usize) -> Result<String> {
    let conversion = spec.conversion.to_ascii_lowercase();
    let mismatch = || {
        let message = format!("{} != {}", spec.conversion, arg.java_class());
        Err(illegal("java.util.IllegalFormatConversionException", message))
    };
    let cut = |text: String| match spec.precision {
        Some(n) => text.chars().take(n).collect(),
        None => text,
    };
    let null = arg.is_null(row);
    if conversion == 'b' {
        return Ok(cut((!null && arg.truth(row).unwrap_or(true)).to_string()));
    }
    if null {
        return Ok(cut("null".into()));
    }
    Ok(match conversion {
        // Dates and times arrive as the numbers they are stored as.
        's' if arg.is_moment() => cut(arg.whole(row).unwrap_or(0).to_string()),
        's' => cut(arg.text(row)?),
        'h' => format!("{:x}", arg.hash(row)?),
        'd' => match arg.whole(row) {
            Some(n) => signed(spec, n < 0, n.unsigned_abs().to_string()),
            None => return mismatch(),
        },
        'x' | 'o' => {
            let Some(n) = arg.whole(row) else { return mismatch() };
            // Those of the number's own width.
            let bits = match arg.java_class() {
                "java.lang.Byte" => (n as u8).into(),
                "java.lang.Short" => (n as u16).into(),
                "java.lang.Integer" => (n as u32).into(),
                _ => n as u64,
            };
            let (digits, mark) =
                if conversion == 'x' { (format!("{bits:x}"), "0x") } else { (format!("{bits:o}"), "0") };
            let digits = if spec.has('#') { format!("{mark}{digits}") } else { digits };
            if spec.has('0') { zeroed(digits, spec.width.unwrap_or(0)) } else { digits }
        }
        'c' => match arg.whole(row) {
            Some(n) => char::from_u32(n as u32).map_or_else(String::new, String::from),
            None => return mismatch(),
        },
        // f, e, g
        _ => match arg.real(row) {
            None => return mismatch(),
            Some(x) if x.is_nan() => "NaN".into(),
            Some(x) if x.is_infinite() => if x < 0.0 { "-Infinity" } else { "Infinity" }.into(),
            Some(x) => {
                let precision = spec.precision.unwrap_or(6).min(u16::MAX.into());
                let digits = match conversion {
                    'f' => half_up(x.abs(), precision),
                    'e' => scientific(x.abs(), precision),
                    _ => general(x.abs(), precision.max(1)),
                };
                signed(spec, x.is_sign_negative(), digits)
            }
        },
    })
}

/// With so many digits, as a decimal where it is at least 0.0001 and they suffice for its whole part.
fn general(x: f64, digits: usize) -> String {
    let rounded = scientific(x, digits - 1);
    let exponent = rounded.rsplit_once('e').and_then(|(_, exponent)| exponent.parse::<i64>().ok()).unwrap_or(0);
    match usize::try_from(digits as i64 - 1 - exponent) {
        Ok(decimals) if x == 0.0 || exponent >= -4 => half_up(x, decimals),
        _ => rounded,
    }
}

/// With so many decimals, rounded half up on its decimal text as Java does.
fn half_up(x: f64, decimals: usize) -> String {
    let scale = decimals.min(38) as i8;
    let fitted = parse_decimal(&double_to_string(x))
        .and_then(|(n, from)| crate::functions::cast::parse::fit_decimal(n, from, 38, scale));
    match fitted {
        Some(fitted) => decimal_to_string(fitted, scale),
        None => format!("{x:.decimals$}"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conf::SqlConf;
    use crate::functions::EvalContext;
    use crate::functions::eval::evaluate_constant;
    use crate::functions::registry::resolve_call;

    fn formatted(args: &[(Value, DataType)]) -> Result<Value> {
        let conf = SqlConf::default();
        let ctx = EvalContext { conf: &conf, now_us: 0, partition: 0, row_base: 0, udfs: None };
        let args = args.iter().map(|(value, t)| Expr::literal(value.clone(), t.clone())).collect();
        evaluate_constant(&resolve_call("format_string", args, &conf)?, &ctx)
    }

    fn text(text: &str) -> (Value, DataType) {
        (Value::from(text), DataType::String)
    }

    fn double(x: f64) -> (Value, DataType) {
        (Value::Double(x), DataType::Double)
    }

    #[test]
    fn formats_are_those_of_java() {
        let int = |n| (Value::Integer(n), DataType::Integer);
        let cases = [
            (vec![text("%5.1f|%-8.2f|%+d"), double(2.25), double(4.5678), int(5)], "  2.3|4.57    |+5"),
            (vec![text("%08.3f"), double(-4.5678)], "-004.568"),
            (
                vec![text("%g %g %g"), double(0.5), double(123_456_789.0), double(0.00001)],
                "0.500000 1.23457e+08 1.00000e-05",
            ),
            (vec![text("%.3g"), double(1234.5678)], "1.23e+03"),
            (vec![text("%s %<s %1$s"), text("a")], "a a a"),
            (vec![text("%h %(d %#x"), int(42), int(-5), int(255)], "2a (5) 0xff"),
            (vec![text("%s"), (Value::Date(19_724), DataType::Date)], "19724"),
            (vec![text("%10s|"), (Value::Null, DataType::String)], "      null|"),
            (vec![text("%-5%|")], "%    |"),
        ];
        for (args, expected) in cases {
            assert_eq!(formatted(&args).unwrap(), Value::from(expected), "{args:?}");
        }
    }

    #[test]
    fn malformed_formats_are_told_first() {
        for (args, message) in [
            (vec![text("%d %q"), text("x")], "Conversion = 'q'"),
            (vec![text("%5")], "Conversion = '5'"),
            (vec![text("%0d"), text("x")], "%0d"),
            (vec![text("%s %-3s"), text("x")], "Format specifier '%-3s'"),
            (vec![text("%c"), text("x")], "c != org.apache.spark.unsafe.types.UTF8String"),
        ] {
            assert_eq!(formatted(&args).unwrap_err().message, message, "{args:?}");
        }
    }
}
