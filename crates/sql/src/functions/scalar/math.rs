//! Mathematical functions, rounding, bits.
//!
//! Transcendental functions are those of fdlibm (the crate libm), which Java's StrictMath has too: the same bits everywhere.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array};

use super::overflow;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::cast::parse::{fit_decimal, parse_decimal};
use crate::functions::coercion::{self, In, cast_to};
use crate::functions::describe;
use crate::functions::hash::{murmur3_hash_columns, xxhash64_columns};
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::typed::{
    Bytes, ColumnEval, Columns, Decimal, Double, Int, Long, Real, Text, Whole, column_call, each, one, plain_two,
    three, two,
};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{digits, double_to_string, float_to_string, pow10};

const DBL: &[In] = &[In::Double];
const D: Ret = Ret::Is(T::Double);
/// What sign and signum take: intervals by the sign of their months or microseconds.
const SIGNED: &[In] = &[In::Either(&[In::Double, In::YearMonth, In::DayTime])];
const DOUBLE_OR_DECIMAL: In = In::Either(&[In::Double, In::Dec, In::Long]);
const SHIFTED: &[In] = &[In::Either(&[In::Int, In::Long]), In::Int];

/// UnaryMathExpression: nullable whatever its argument is.
macro_rules! unary {
    ($name:literal, $shown:literal, $f:expr) => {
        FunctionEntry::columns($name, 1, 1, DBL, D, Nulls::StrictNullable, |c| {
            let f: fn(f64) -> f64 = $f;
            one::<Double, Double>(c, &|x| Ok(Some(f(x))))
        })
        .shown($shown)
    };
}

/// Null at and below a bound, as Spark's logarithms are.
macro_rules! logarithm {
    ($name:literal, $shown:literal, $bound:literal, $f:expr) => {
        FunctionEntry::columns($name, 1, 1, DBL, D, Nulls::StrictNullable, |c| {
            let f: fn(f64) -> f64 = $f;
            one::<Double, Double>(c, &|x| Ok(if x <= $bound { None } else { Some(f(x)) }))
        })
        .shown($shown)
    };
}

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    unary!("sqrt", "SQRT", f64::sqrt),
    unary!("cbrt", "CBRT", cbrt),
    unary!("exp", "EXP", libm::exp),
    unary!("expm1", "EXPM1", libm::expm1),
    unary!("sin", "SIN", libm::sin),
    unary!("cos", "COS", libm::cos),
    unary!("tan", "TAN", f64::tan),
    unary!("cot", "COT", |x| 1.0 / libm::tan(x)),
    unary!("sec", "SEC", |x| 1.0 / libm::cos(x)),
    unary!("csc", "CSC", |x| 1.0 / libm::sin(x)),
    unary!("asin", "ASIN", libm::asin),
    unary!("acos", "ACOS", libm::acos),
    unary!("atan", "ATAN", libm::atan),
    unary!("sinh", "SINH", libm::sinh),
    unary!("cosh", "COSH", libm::cosh),
    unary!("tanh", "TANH", libm::tanh),
    unary!("asinh", "ASINH", libm::asinh),
    unary!("acosh", "ACOSH", |x| libm::log(x + (x * x - 1.0).sqrt())),
    unary!("atanh", "ATANH", |x| 0.5 * (libm::log1p(x) - libm::log1p(-x))),
    unary!("degrees", "DEGREES", f64::to_degrees),
    unary!("radians", "RADIANS", f64::to_radians),
    unary!("rint", "rint", f64::round_ties_even),
    FunctionEntry::columns("signum", 1, 1, SIGNED, D, Nulls::StrictNullable, sign_of).shown("SIGNUM"),
    FunctionEntry::columns("sign", 1, 1, SIGNED, D, Nulls::StrictNullable, sign_of),
    logarithm!("ln", "ln", 0.0, libm::log),
    logarithm!("log10", "LOG10", 0.0, libm::log10),
    logarithm!("log2", "LOG2", 0.0, |x| libm::log(x) / libm::log(2.0)),
    logarithm!("log1p", "LOG1P", -1.0, libm::log1p),
    FunctionEntry::custom("log", 1, 2, log),
    FunctionEntry::columns("pow", 2, 2, DBL, D, Nulls::Strict, |c| doubles(c, power)),
    FunctionEntry::columns("power", 2, 2, DBL, D, Nulls::Strict, |c| doubles(c, power)).shown("POWER"),
    FunctionEntry::columns("atan2", 2, 2, DBL, D, Nulls::Strict, |c| doubles(c, |x, y| libm::atan2(x + 0.0, y + 0.0)))
        .shown("ATAN2"),
    FunctionEntry::columns("hypot", 2, 2, DBL, D, Nulls::Strict, |c| doubles(c, libm::hypot)).shown("HYPOT"),
    FunctionEntry::columns("e", 0, 0, &[], D, Nulls::Never, |c| each::<Double>(c, &|_| Ok(Some(std::f64::consts::E))))
        .shown("E"),
    FunctionEntry::columns("pi", 0, 0, &[], D, Nulls::Never, |c| {
        each::<Double>(c, &|_| Ok(Some(std::f64::consts::PI)))
    })
    .shown("PI"),
    FunctionEntry::custom("round", 1, 2, round),
    FunctionEntry::custom("bround", 1, 2, round),
    FunctionEntry::custom("ceil", 1, 2, ceil),
    FunctionEntry::custom("ceiling", 1, 2, ceil),
    FunctionEntry::custom("floor", 1, 2, ceil),
    FunctionEntry::columns("factorial", 1, 1, &[In::Int], Ret::Is(T::Long), Nulls::StrictNullable, |c| {
        one::<Int, Long>(c, &|n| Ok((0..=20).contains(&n).then(|| (1..=i64::from(n)).product())))
    }),
    FunctionEntry::columns("bin", 1, 1, &[In::Long], Ret::Is(T::Str), Nulls::Strict, |c| {
        one::<Long, Text>(c, &|n| Ok(Some(format!("{n:b}").into())))
    }),
    FunctionEntry::columns(
        "hex",
        1,
        1,
        &[In::Either(&[In::Long, In::Bin, In::Str])],
        Ret::Is(T::Str),
        Nulls::Strict,
        |c| match c.types[0] {
            DataType::Long => one::<Long, Text>(c, &|n| Ok(Some(format!("{n:X}").into()))),
            _ => one::<Bytes, Text>(c, &|bytes| Ok(Some(bytes.iter().map(|b| format!("{b:02X}")).collect()))),
        },
    ),
    FunctionEntry::columns("unhex", 1, 1, &[In::Str], Ret::Is(T::Bin), Nulls::StrictNullable, |c| {
        one::<Text, Bytes>(c, &|text| Ok(unhex(text).map(Cow::Owned)))
    }),
    FunctionEntry::columns("conv", 3, 3, &[In::Str, In::Int, In::Int], Ret::Is(T::Str), Nulls::StrictNullable, |c| {
        three::<Text, Int, Int, Text>(c, &|text, from, to| conv(text, from.into(), to.into(), c.ansi))
    }),
    FunctionEntry::custom("&", 2, 2, bits),
    FunctionEntry::custom("|", 2, 2, bits),
    FunctionEntry::custom("^", 2, 2, bits),
    FunctionEntry::columns("~", 1, 1, &[In::Integral], Ret::Same(0), Nulls::Strict, |c| c.plain(&|n| !n)),
    FunctionEntry::columns(
        "bit_count",
        1,
        1,
        &[In::Either(&[In::Integral, In::Bool])],
        Ret::Is(T::Int),
        Nulls::Strict,
        |c| c.plain(&|n| n.count_ones().into()),
    )
    .exact(),
    FunctionEntry::columns("bit_get", 2, 2, &[In::Integral, In::Int], Ret::Is(T::Byte), Nulls::Strict, |c| {
        bit_get(c, "bit_get")
    }),
    FunctionEntry::columns("getbit", 2, 2, &[In::Integral, In::Int], Ret::Is(T::Byte), Nulls::Strict, |c| {
        bit_get(c, "getbit")
    }),
    FunctionEntry::columns("shiftleft", 2, 2, SHIFTED, Ret::Same(0), Nulls::Strict, left),
    FunctionEntry::columns("<<", 2, 2, SHIFTED, Ret::Same(0), Nulls::Strict, left),
    FunctionEntry::columns("shiftright", 2, 2, SHIFTED, Ret::Same(0), Nulls::Strict, right),
    FunctionEntry::columns(">>", 2, 2, SHIFTED, Ret::Same(0), Nulls::Strict, right),
    FunctionEntry::columns("shiftrightunsigned", 2, 2, SHIFTED, Ret::Same(0), Nulls::Strict, right_unsigned),
    FunctionEntry::columns(">>>", 2, 2, SHIFTED, Ret::Same(0), Nulls::Strict, right_unsigned),
    FunctionEntry::custom("hash", 1, usize::MAX, hash),
    FunctionEntry::custom("xxhash64", 1, usize::MAX, hash),
    FunctionEntry::columns("crc32", 1, 1, &[In::Either(&[In::Bin, In::Str])], Ret::Is(T::Long), Nulls::Strict, |c| {
        one::<Bytes, Long>(c, &|bytes| {
            let mut crc = u32::MAX;
            for b in bytes {
                crc ^= u32::from(*b);
                for _ in 0..8 {
                    crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
                }
            }
            Ok(Some(i64::from(!crc)))
        })
    }),
];

fn doubles(c: &Columns<'_>, f: fn(f64, f64) -> f64) -> Result<ArrayRef> {
    two::<Double, Double, Double>(c, &|x, y| Ok(Some(f(x, y))))
}

fn sign_of(c: &Columns<'_>) -> Result<ArrayRef> {
    match c.types[0] {
        DataType::Double => one::<Double, Double>(c, &|x| Ok(Some(sign(x)))),
        _ => one::<Whole, Double>(c, &|n| Ok(Some(n.signum() as f64))),
    }
}

fn sign(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() { x } else { x.signum() }
}

/// fdlibm's cube root: a third of the exponent, one step to 23 bits, one of Newton's to 53.
fn cbrt(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let high = |x: f64| (x.to_bits() >> 32) as u32;
    let from_high = |h: u32| f64::from_bits(u64::from(h) << 32);
    let a = x.abs();
    let first = if high(a) < 0x0010_0000 {
        from_high(high(a * from_high(0x4350_0000)) / 3 + 696_219_795)
    } else {
        from_high(high(a) / 3 + 715_094_163)
    };
    let r = first * first / a;
    let s = 19.0 / 35.0 + r * first;
    let mut t = first * (5.0 / 14.0 + (45.0 / 28.0) / (s + 99.0 / 70.0 + (-864.0 / 1225.0) / s));
    // Cut to 20 bits and made a little larger than the root.
    t = from_high(high(t) + 1);
    let s = t * t;
    let r = a / s;
    let w = t + t;
    let r = (r - t) / (w + r);
    (t + t * r).copysign(x)
}

/// Math.pow: NaN where the exponent is infinite and the base one.
fn power(x: f64, y: f64) -> f64 {
    if y.is_nan() || (x.abs() == 1.0 && y.is_infinite()) { f64::NAN } else { libm::pow(x, y) }
}

fn log(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 1 {
        let e = b.invoke("e", Vec::new())?;
        args.insert(0, e);
    }
    let args = b.inputs(args, DBL)?;
    Ok(column_call("LOG", args, DataType::Double, true, true, b.ansi(), |c| {
        two::<Double, Double, Double>(c, &|base, n| {
            Ok(if base <= 0.0 || n <= 0.0 { None } else { Some(libm::log(n) / libm::log(base)) })
        })
    }))
}

fn scale_argument(b: &Build<'_>, arg: Option<&Expr>) -> Result<i32> {
    let Some(arg) = arg else { return Ok(0) };
    let refused = || {
        SparkError::analysis(
            "NON_FOLDABLE_ARGUMENT",
            &[("funcName", &format!("`{}`", b.name)), ("paramName", "`scale`"), ("paramType", "\"INT\"")],
        )
    };
    let int = cast_to(arg.clone(), &DataType::Integer, b.ansi());
    let value = crate::functions::json::constant(b, &int).map_err(|_| refused())?.ok_or_else(refused)?;
    Ok(in_range(value.as_i32().unwrap_or(0)))
}

/// RoundBase.dataType for decimals.
fn rounded_type(t: &DataType, scale: i32) -> DataType {
    let DataType::Decimal { precision, scale: s } = t else { return t.clone() };
    let integral = i32::from(*precision) - i32::from(*s) + 1;
    if scale < 0 {
        return DataType::decimal(integral.max(1 - scale).min(38) as u8, 0);
    }
    let new = i32::from(*s).min(scale);
    DataType::decimal((integral + new).min(38) as u8, new as i8)
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    HalfUp,
    HalfEven,
    Ceiling,
    Floor,
}

/// n / 10^drop in a rounding mode.
fn quotient(n: i128, drop: u32, mode: Mode) -> i128 {
    let Some(divisor) = pow10(drop) else {
        return match mode {
            Mode::Ceiling if n > 0 => 1,
            Mode::Floor if n < 0 => -1,
            _ => 0,
        };
    };
    let (q, r) = (n / divisor, n % divisor);
    if r == 0 {
        return q;
    }
    let twice = r.unsigned_abs() * 2;
    let away = match mode {
        Mode::HalfUp => twice >= divisor.unsigned_abs(),
        Mode::HalfEven => twice > divisor.unsigned_abs() || (twice == divisor.unsigned_abs() && q % 2 != 0),
        Mode::Ceiling => n > 0,
        Mode::Floor => n < 0,
    };
    if away { q + n.signum() } else { q }
}

fn rounded_double(x: f64, text: &str, scale: i32, mode: Mode) -> f64 {
    if x.is_nan() || x.is_infinite() {
        return x;
    }
    let Some((n, s)) = parse_decimal(text) else { return x };
    if s <= scale {
        return x + 0.0;
    }
    let q = quotient(n, (s - scale) as u32, mode);
    format!("{q}e{}", -scale).parse().unwrap_or(x)
}

/// Numbers at the scales of argument 1, or whole.
fn rounded(c: &Columns<'_>, mode: Mode) -> Result<ArrayRef> {
    let scales = if c.args.len() > 1 { Some(c.open::<Int>(1)?) } else { None };
    let scale_at = |row| scales.as_ref().map_or(Some(0), |scales| scales.get(row)).map(in_range);
    match (&c.types[0], c.result) {
        (t @ (DataType::Float | DataType::Double), _) => {
            let (numbers, float) = (c.open::<Real>(0)?, *t == DataType::Float);
            each::<Real>(c, &|row| {
                let Some((x, scale)) = numbers.get(row).zip(scale_at(row)) else { return Ok(None) };
                let text = if float { float_to_string(x as f32) } else { double_to_string(x) };
                Ok(Some(rounded_double(x, &text, scale, mode)))
            })
        }
        (DataType::Decimal { scale: from, .. }, DataType::Decimal { precision, scale: to }) => {
            let (numbers, from) = (c.open::<Decimal>(0)?, i32::from(*from));
            each::<Decimal>(c, &|row| {
                let Some((n, scale)) = numbers.get(row).zip(scale_at(row)) else { return Ok(None) };
                let (n, at) = if from > scale { (quotient(n, (from - scale) as u32, mode), scale) } else { (n, from) };
                match fit_decimal(n, at, *precision, *to).filter(|q| digits(*q) <= u32::from(*precision)) {
                    None if c.ansi => Err(overflow("Overflow", "")),
                    fitted => Ok(fitted),
                }
            })
        }
        (t, _) => {
            let numbers = c.open::<Whole>(0)?;
            let (low, high) = match t {
                DataType::Byte => (i8::MIN.into(), i8::MAX.into()),
                DataType::Short => (i16::MIN.into(), i16::MAX.into()),
                DataType::Integer => (i32::MIN.into(), i32::MAX.into()),
                _ => (i64::MIN.into(), i64::MAX.into()),
            };
            each::<Whole>(c, &|row| {
                let Some((n, scale)) = numbers.get(row).zip(scale_at(row)) else { return Ok(None) };
                if scale >= 0 {
                    return Ok(Some(n));
                }
                let by = scale.unsigned_abs();
                let n: i128 = quotient(n.into(), by, mode).saturating_mul(pow10(by).unwrap_or(0));
                if c.ansi && !(low..=high).contains(&n) {
                    return Err(overflow("Overflow", ""));
                }
                Ok(Some(n as i64))
            })
        }
    }
}

/// Beyond a double's digits nothing changes.
fn in_range(scale: i32) -> i32 {
    scale.clamp(-400, 400)
}

fn round(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if let Some(scale) = args.get(1).filter(|scale| !scale.foldable()) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, &args))),
                ("inputName", "`scale`"),
                ("inputType", "\"INT\""),
                ("inputExpr", &describe::quoted(scale)),
            ],
        ));
    }
    let scale = scale_argument(b, args.get(1))?;
    if args.len() == 1 {
        args.push(Expr::literal(Value::Integer(0), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Num, In::Int])?;
    let t = rounded_type(&args[0].data_type(), scale);
    let eval: ColumnEval =
        if b.name == "round" { |c| rounded(c, Mode::HalfUp) } else { |c| rounded(c, Mode::HalfEven) };
    Ok(column_call(b.name, args, t, true, true, b.ansi(), eval))
}

fn ceil(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let up = b.name != "floor";
    if args.len() == 2 {
        let scale = scale_argument(b, args.get(1))?;
        let args = b.inputs(args, &[In::Dec, In::Int])?;
        let t = rounded_type(&args[0].data_type(), scale);
        let eval: ColumnEval = if up { |c| rounded(c, Mode::Ceiling) } else { |c| rounded(c, Mode::Floor) };
        return Ok(column_call(b.name, args, t, true, true, b.ansi(), eval));
    }
    let shown = match b.name {
        "ceil" => "CEIL",
        "floor" => "FLOOR",
        other => other,
    };
    let args = super::super::coercion::check_inputs(args, &[DOUBLE_OR_DECIMAL], true, b.ansi(), &|a| {
        describe::call_text(shown, a)
    })?;
    let t = match args[0].data_type() {
        DataType::Decimal { precision, scale } if scale > 0 => {
            DataType::decimal((precision as i32 - i32::from(scale) + 1).min(38) as u8, 0)
        }
        t @ DataType::Decimal { .. } => t,
        _ => DataType::Long,
    };
    fn run(c: &Columns<'_>, mode: Mode) -> Result<ArrayRef> {
        match c.types[0] {
            DataType::Double => one::<Double, Long>(c, &|x| {
                let r = if mode == Mode::Ceiling { x.ceil() } else { x.floor() };
                if c.ansi && !r.is_nan() && !(-9.223_372_036_854_776e18..9.223_372_036_854_776e18).contains(&r) {
                    return Err(overflow("overflow", ""));
                }
                Ok(Some(r as i64))
            }),
            DataType::Decimal { .. } => rounded(c, mode),
            _ => c.plain(&|n| n),
        }
    }
    let eval: ColumnEval = if up { |c| run(c, Mode::Ceiling) } else { |c| run(c, Mode::Floor) };
    Ok(column_call(shown, args, t, true, true, b.ansi(), eval))
}

pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let padded = if text.len() % 2 == 1 { format!("0{text}") } else { text.to_owned() };
    padded.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// NumberConverter.convert.
fn conv(text: &str, from: i64, to: i64, ansi: bool) -> Result<Option<Cow<'static, str>>> {
    let text = text.trim();
    if !(2..=36).contains(&from.abs()) || !(2..=36).contains(&to.abs()) || text.is_empty() {
        return Ok(None);
    }
    let (negative, body) = text.strip_prefix('-').map_or((false, text), |b| (true, b));
    let mut n: u128 = 0;
    let mut over = false;
    for ch in body.chars() {
        let Some(d) = ch.to_digit(36).filter(|d| i64::from(*d) < from.abs()) else { break };
        n = n * from.unsigned_abs() as u128 + u128::from(d);
        if n > u128::from(u64::MAX) {
            over = true;
            n = u128::from(u64::MAX);
            break;
        }
    }
    if over && ansi {
        return Err(overflow("Overflow in function conv()", ""));
    }
    let mut value = n as u64;
    let mut minus = negative;
    if negative && to > 0 {
        value = if (value as i64) < 0 { u64::MAX } else { (value as i64).wrapping_neg() as u64 };
        minus = false;
    }
    if to < 0 && (value as i64) < 0 {
        value = (value as i64).wrapping_neg() as u64;
        minus = true;
    }
    let base = to.unsigned_abs();
    let mut out = Vec::new();
    loop {
        out.push(char::from_digit((value % base) as u32, 36).unwrap_or('0').to_ascii_uppercase());
        value /= base;
        if value == 0 {
            break;
        }
    }
    if minus && to < 0 {
        out.push('-');
    }
    Ok(Some(out.into_iter().rev().collect()))
}

fn bits(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    for i in 0..2 {
        // Beside a decimal a whole number becomes one (DecimalPrecision), and then neither fits.
        if matches!(args[1 - i].data_type(), DataType::Decimal { .. })
            && args[i].data_type().is_integral()
            && let Some((p, s)) = coercion::decimal_for(&args[i].data_type())
        {
            args[i] = cast_to(args[i].clone(), &DataType::decimal(p, s), ansi);
        }
    }
    let types = [args[0].data_type(), args[1].data_type()];
    let decimal = types.iter().any(|t| matches!(t, DataType::Decimal { .. }));
    if types[0] != types[1]
        && !decimal
        && let Some(t) = coercion::wider_type(&types[0], &types[1], ansi)
    {
        for a in &mut args {
            *a = cast_to(a.clone(), &t, ansi);
        }
    }
    let sql = describe::call_text(b.name, &args);
    let (l, r) = (args[0].data_type(), args[1].data_type());
    if l != r || !l.is_integral() {
        return Err(SparkError::analysis(
            if l == r { "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE" } else { "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES" },
            &[
                ("sqlExpr", &format!("\"{sql}\"")),
                ("left", &l.quoted_sql()),
                ("right", &r.quoted_sql()),
                ("inputType", "\"INTEGRAL\""),
                ("actualDataType", &l.quoted_sql()),
            ],
        ));
    }
    let nullable = args.iter().any(Expr::nullable);
    let eval: ColumnEval = match b.name {
        "&" => |c| plain_two(c, &|x, y| x & y),
        "|" => |c| plain_two(c, &|x, y| x | y),
        _ => |c| plain_two(c, &|x, y| x ^ y),
    };
    Ok(column_call(b.name, args, l, nullable, true, ansi, eval))
}

fn bit_get(c: &Columns<'_>, name: &str) -> Result<ArrayRef> {
    let width = match c.types[0] {
        DataType::Byte => 8,
        DataType::Short => 16,
        DataType::Integer => 32,
        _ => 64,
    };
    two::<Whole, Whole, Whole>(c, &|n, pos| {
        if pos < 0 || pos >= width {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE",
                &[
                    ("parameter", "`pos`"),
                    ("functionName", &format!("`{name}`")),
                    ("lower", "0"),
                    ("upper", &width.to_string()),
                    ("invalidValue", &pos.to_string()),
                ],
            ));
        }
        Ok(Some((n >> pos) & 1))
    })
}

/// Shifts at the width of the numbers.
fn shifted(c: &Columns<'_>, int: fn(i32, u32) -> i32, long: fn(i64, u32) -> i64) -> Result<ArrayRef> {
    match c.types[0] {
        DataType::Integer => plain_two(c, &|n, by| int(n as i32, by as u32).into()),
        _ => plain_two(c, &|n, by| long(n, by as u32)),
    }
}

fn left(c: &Columns<'_>) -> Result<ArrayRef> {
    shifted(c, i32::wrapping_shl, i64::wrapping_shl)
}

fn right(c: &Columns<'_>) -> Result<ArrayRef> {
    shifted(c, i32::wrapping_shr, i64::wrapping_shr)
}

fn right_unsigned(c: &Columns<'_>) -> Result<ArrayRef> {
    shifted(c, |n, by| (n as u32).wrapping_shr(by) as i32, |n, by| (n as u64).wrapping_shr(by) as i64)
}

/// hash(...) and xxhash64(...): seed 42. Equal maps may hash differently, so there is no hash of one.
fn hash(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    if args.iter().any(|arg| arg.data_type().contains_map()) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.HASH_MAP_TYPE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, &args))),
                ("functionName", &format!("`{}`", b.name)),
            ],
        ));
    }
    let (t, eval): (DataType, ColumnEval) = if b.name == "hash" {
        (DataType::Integer, |c| {
            let columns = (0..c.args.len()).map(|i| c.same(i)).collect::<Result<Vec<_>>>()?;
            Ok(Arc::new(Int32Array::from(murmur3_hash_columns(&columns, c.types, 42))))
        })
    } else {
        (DataType::Long, |c| {
            let columns = (0..c.args.len()).map(|i| c.same(i)).collect::<Result<Vec<_>>>()?;
            Ok(Arc::new(Int64Array::from(xxhash64_columns(&columns, c.types, 42))))
        })
    };
    Ok(column_call(b.name, args, t, false, false, b.ansi(), eval))
}
