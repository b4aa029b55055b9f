//! Mathematical functions, rounding, bits.
//!
//! Transcendental functions are those of fdlibm (the crate libm), which Java's StrictMath has too: the same bits everywhere.

use super::overflow;
use super::strings::s;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::cast::parse::{fit_decimal, parse_decimal};
use crate::functions::coercion::{self, In, cast_to};
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::{RowContext, RowEval, row_call};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{digits, double_to_string, pow10};

const DBL: &[In] = &[In::Double];
const D: Ret = Ret::Is(T::Double);
/// What sign and signum take: intervals by the sign of their months or microseconds.
const SIGNED: &[In] = &[In::Either(&[In::Double, In::YearMonth, In::DayTime])];
const DOUBLE_OR_DECIMAL: In = In::Either(&[In::Double, In::Dec, In::Long]);
const INT_OR_LONG: In = In::Either(&[In::Int, In::Long]);

/// UnaryMathExpression: nullable whatever its argument is.
macro_rules! unary {
    ($name:literal, $shown:literal, $f:expr) => {
        FunctionEntry::row($name, 1, 1, DBL, D, Nulls::StrictNullable, |_, v| {
            let f: fn(f64) -> f64 = $f;
            Ok(Value::Double(f(x(&v[0]))))
        })
        .shown($shown)
    };
}

/// Null at and below a bound, as Spark's logarithms are.
macro_rules! logarithm {
    ($name:literal, $shown:literal, $bound:literal, $f:expr) => {
        FunctionEntry::row($name, 1, 1, DBL, D, Nulls::StrictNullable, |_, v| {
            let f: fn(f64) -> f64 = $f;
            let x = x(&v[0]);
            Ok(if x <= $bound { Value::Null } else { Value::Double(f(x)) })
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
    FunctionEntry::row("signum", 1, 1, SIGNED, D, Nulls::StrictNullable, sign_of).shown("SIGNUM"),
    FunctionEntry::row("sign", 1, 1, SIGNED, D, Nulls::StrictNullable, sign_of),
    logarithm!("ln", "ln", 0.0, libm::log),
    logarithm!("log10", "LOG10", 0.0, libm::log10),
    logarithm!("log2", "LOG2", 0.0, |x| libm::log(x) / libm::log(2.0)),
    logarithm!("log1p", "LOG1P", -1.0, libm::log1p),
    FunctionEntry::custom("log", 1, 2, log),
    FunctionEntry::row("pow", 2, 2, DBL, D, Nulls::Strict, |_, v| Ok(Value::Double(power(x(&v[0]), x(&v[1]))))),
    FunctionEntry::row("power", 2, 2, DBL, D, Nulls::Strict, |_, v| Ok(Value::Double(power(x(&v[0]), x(&v[1])))))
        .shown("POWER"),
    FunctionEntry::row("atan2", 2, 2, DBL, D, Nulls::Strict, |_, v| {
        Ok(Value::Double(libm::atan2(x(&v[0]) + 0.0, x(&v[1]) + 0.0)))
    })
    .shown("ATAN2"),
    FunctionEntry::row("hypot", 2, 2, DBL, D, Nulls::Strict, |_, v| Ok(Value::Double(libm::hypot(x(&v[0]), x(&v[1])))))
        .shown("HYPOT"),
    FunctionEntry::row("e", 0, 0, &[], D, Nulls::Never, |_, _| Ok(Value::Double(std::f64::consts::E))).shown("E"),
    FunctionEntry::row("pi", 0, 0, &[], D, Nulls::Never, |_, _| Ok(Value::Double(std::f64::consts::PI))).shown("PI"),
    FunctionEntry::custom("round", 1, 2, round),
    FunctionEntry::custom("bround", 1, 2, round),
    FunctionEntry::custom("ceil", 1, 2, ceil),
    FunctionEntry::custom("ceiling", 1, 2, ceil),
    FunctionEntry::custom("floor", 1, 2, ceil),
    FunctionEntry::row("factorial", 1, 1, &[In::Int], Ret::Is(T::Long), Nulls::StrictNullable, |_, v| {
        let n = v[0].as_i64().unwrap_or(-1);
        Ok(if (0..=20).contains(&n) { Value::Long((1..=n).product()) } else { Value::Null })
    }),
    FunctionEntry::row("bin", 1, 1, &[In::Long], Ret::Is(T::Str), Nulls::Strict, |_, v| {
        Ok(Value::from(format!("{:b}", v[0].as_i64().unwrap_or(0))))
    }),
    FunctionEntry::row(
        "hex",
        1,
        1,
        &[In::Either(&[In::Long, In::Bin, In::Str])],
        Ret::Is(T::Str),
        Nulls::Strict,
        |_, v| {
            Ok(Value::from(match &v[0] {
                Value::Long(n) => format!("{n:X}"),
                v => super::strings::bytes(v).iter().map(|b| format!("{b:02X}")).collect(),
            }))
        },
    ),
    FunctionEntry::row("unhex", 1, 1, &[In::Str], Ret::Is(T::Bin), Nulls::StrictNullable, |_, v| {
        Ok(unhex(s(&v[0])).map_or(Value::Null, Value::binary))
    }),
    FunctionEntry::row("conv", 3, 3, &[In::Str, In::Int, In::Int], Ret::Is(T::Str), Nulls::StrictNullable, conv),
    FunctionEntry::custom("&", 2, 2, bits),
    FunctionEntry::custom("|", 2, 2, bits),
    FunctionEntry::custom("^", 2, 2, bits),
    FunctionEntry::row("~", 1, 1, &[In::Integral], Ret::Same(0), Nulls::Strict, |_, v| {
        Ok(whole(&v[0], !v[0].as_i64().unwrap_or(0)))
    }),
    FunctionEntry::row(
        "bit_count",
        1,
        1,
        &[In::Either(&[In::Integral, In::Bool])],
        Ret::Is(T::Int),
        Nulls::Strict,
        |_, v| {
            Ok(Value::Integer(match &v[0] {
                Value::Boolean(b) => i32::from(*b),
                v => v.as_i64().unwrap_or(0).count_ones() as i32,
            }))
        },
    )
    .exact(),
    FunctionEntry::row("bit_get", 2, 2, &[In::Integral, In::Int], Ret::Is(T::Byte), Nulls::Strict, bit_get),
    FunctionEntry::row("getbit", 2, 2, &[In::Integral, In::Int], Ret::Is(T::Byte), Nulls::Strict, bit_get),
    FunctionEntry::row("shiftleft", 2, 2, &[INT_OR_LONG, In::Int], Ret::Same(0), Nulls::Strict, left),
    FunctionEntry::row("<<", 2, 2, &[INT_OR_LONG, In::Int], Ret::Same(0), Nulls::Strict, left),
    FunctionEntry::row("shiftright", 2, 2, &[INT_OR_LONG, In::Int], Ret::Same(0), Nulls::Strict, right),
    FunctionEntry::row(">>", 2, 2, &[INT_OR_LONG, In::Int], Ret::Same(0), Nulls::Strict, right),
    FunctionEntry::row(
        "shiftrightunsigned",
        2,
        2,
        &[INT_OR_LONG, In::Int],
        Ret::Same(0),
        Nulls::Strict,
        right_unsigned,
    ),
    FunctionEntry::row(">>>", 2, 2, &[INT_OR_LONG, In::Int], Ret::Same(0), Nulls::Strict, right_unsigned),
    FunctionEntry::custom("hash", 1, usize::MAX, hash),
    FunctionEntry::custom("xxhash64", 1, usize::MAX, hash),
    FunctionEntry::row("crc32", 1, 1, &[In::Either(&[In::Bin, In::Str])], Ret::Is(T::Long), Nulls::Strict, |_, v| {
        let mut crc = u32::MAX;
        for b in super::strings::bytes(&v[0]) {
            crc ^= u32::from(*b);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
            }
        }
        Ok(Value::Long(i64::from(!crc)))
    }),
];

fn x(v: &Value) -> f64 {
    v.as_f64().unwrap_or(f64::NAN)
}

fn sign_of(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    Ok(Value::Double(match &v[0] {
        Value::YearMonthInterval(months) => f64::from(months.signum()),
        Value::DayTimeInterval(micros) => micros.signum() as f64,
        v => sign(x(v)),
    }))
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
    Ok(row_call("LOG", args, DataType::Double, true, true, b.ansi(), |_, v| {
        let (base, n) = (x(&v[0]), x(&v[1]));
        Ok(if base <= 0.0 || n <= 0.0 { Value::Null } else { Value::Double(libm::log(n) / libm::log(base)) })
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
    // Beyond a double's digits nothing changes.
    Ok(value.as_i32().unwrap_or(0).clamp(-400, 400))
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

fn round_value(c: &RowContext<'_>, v: &Value, scale: i32, mode: Mode) -> Result<Value> {
    Ok(match v {
        Value::Double(x) => Value::Double(rounded_double(*x, &double_to_string(*x), scale, mode)),
        Value::Float(x) => {
            let text = crate::value::text::float_to_string(*x);
            Value::Float(rounded_double(f64::from(*x), &text, scale, mode) as f32)
        }
        Value::Decimal(n, _, s) => {
            let DataType::Decimal { precision, scale: to } = c.result else { return Ok(Value::Null) };
            let q = if i32::from(*s) > scale {
                let q = quotient(*n, (i32::from(*s) - scale) as u32, mode);
                fit_decimal(q, scale, *precision, *to)
            } else {
                fit_decimal(*n, i32::from(*s), *precision, *to)
            };
            match q {
                Some(q) if digits(q) <= u32::from(*precision) => Value::Decimal(q, *precision, *to),
                _ if c.ansi => return Err(overflow("Overflow", "")),
                _ => Value::Null,
            }
        }
        v => {
            let n = i128::from(v.as_i64().unwrap_or(0));
            if scale >= 0 {
                return Ok(v.clone());
            }
            let by = scale.unsigned_abs();
            let n = quotient(n, by, mode).saturating_mul(pow10(by).unwrap_or(0));
            let fits = match v {
                Value::Byte(_) => i8::try_from(n).is_ok(),
                Value::Short(_) => i16::try_from(n).is_ok(),
                Value::Integer(_) => i32::try_from(n).is_ok(),
                _ => i64::try_from(n).is_ok(),
            };
            if !fits && c.ansi {
                return Err(overflow("Overflow", ""));
            }
            whole(v, n as i64)
        }
    })
}

/// A whole number of the width of another.
fn whole(like: &Value, n: i64) -> Value {
    match like {
        Value::Byte(_) => Value::Byte(n as i8),
        Value::Short(_) => Value::Short(n as i16),
        Value::Integer(_) => Value::Integer(n as i32),
        _ => Value::Long(n),
    }
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
    let args = b.inputs(args, &[In::Num, In::Any])?;
    let t = rounded_type(&args[0].data_type(), scale);
    let eval: RowEval = if b.name == "round" {
        |c, v| round_value(c, &v[0], scale_of(&v[1]), Mode::HalfUp)
    } else {
        |c, v| round_value(c, &v[0], scale_of(&v[1]), Mode::HalfEven)
    };
    Ok(row_call(b.name, args, t, true, true, b.ansi(), eval))
}

fn scale_of(v: &Value) -> i32 {
    match v {
        Value::Decimal(n, _, s) => crate::value::text::rescale(*n, *s, 0).unwrap_or(0) as i32,
        v => v.as_i64().unwrap_or(0) as i32,
    }
}

fn ceil(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let up = b.name != "floor";
    if args.len() == 2 {
        let scale = scale_argument(b, args.get(1))?;
        let args = b.inputs(args, &[In::Dec, In::Int])?;
        let t = rounded_type(&args[0].data_type(), scale);
        let eval: RowEval = if up {
            |c, v| round_value(c, &v[0], scale_of(&v[1]), Mode::Ceiling)
        } else {
            |c, v| round_value(c, &v[0], scale_of(&v[1]), Mode::Floor)
        };
        return Ok(row_call(b.name, args, t, true, true, b.ansi(), eval));
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
    fn run(c: &RowContext<'_>, v: &Value, mode: Mode) -> Result<Value> {
        match v {
            Value::Double(x) => {
                let r = if mode == Mode::Ceiling { x.ceil() } else { x.floor() };
                if c.ansi && !r.is_nan() && !(-9.223_372_036_854_776e18..9.223_372_036_854_776e18).contains(&r) {
                    return Err(overflow("overflow", ""));
                }
                Ok(Value::Long(r as i64))
            }
            Value::Decimal(..) => round_value(c, v, 0, mode),
            v => Ok(Value::Long(v.as_i64().unwrap_or(0))),
        }
    }
    let eval: RowEval = if up { |c, v| run(c, &v[0], Mode::Ceiling) } else { |c, v| run(c, &v[0], Mode::Floor) };
    Ok(row_call(shown, args, t, true, true, b.ansi(), eval))
}

pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let padded = if text.len() % 2 == 1 { format!("0{text}") } else { text.to_owned() };
    padded.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// NumberConverter.convert.
fn conv(c: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let (text, from, to) = (s(&v[0]).trim(), v[1].as_i64().unwrap_or(0), v[2].as_i64().unwrap_or(0));
    if !(2..=36).contains(&from.abs()) || !(2..=36).contains(&to.abs()) || text.is_empty() {
        return Ok(Value::Null);
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
    if over && c.ansi {
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
    Ok(Value::from(out.into_iter().rev().collect::<String>()))
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
    let eval: RowEval = match b.name {
        "&" => |_, v| Ok(whole(&v[0], v[0].as_i64().unwrap_or(0) & v[1].as_i64().unwrap_or(0))),
        "|" => |_, v| Ok(whole(&v[0], v[0].as_i64().unwrap_or(0) | v[1].as_i64().unwrap_or(0))),
        _ => |_, v| Ok(whole(&v[0], v[0].as_i64().unwrap_or(0) ^ v[1].as_i64().unwrap_or(0))),
    };
    Ok(row_call(b.name, args, l, nullable, true, ansi, eval))
}

fn bit_get(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let width = match v[0] {
        Value::Byte(_) => 8,
        Value::Short(_) => 16,
        Value::Integer(_) => 32,
        _ => 64,
    };
    let pos = v[1].as_i64().unwrap_or(-1);
    if pos < 0 || pos >= width {
        return Err(SparkError::new(
            ErrorClass::IllegalArgument,
            "INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE",
            &[
                ("parameter", "`pos`"),
                ("functionName", "`bit_get`"),
                ("lower", "0"),
                ("upper", &width.to_string()),
                ("invalidValue", &pos.to_string()),
            ],
        ));
    }
    Ok(Value::Byte(((v[0].as_i64().unwrap_or(0) >> pos) & 1) as i8))
}

fn left(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let by = v[1].as_i64().unwrap_or(0) as u32;
    Ok(match v[0] {
        Value::Integer(n) => Value::Integer(n.wrapping_shl(by)),
        ref n => Value::Long(n.as_i64().unwrap_or(0).wrapping_shl(by)),
    })
}

fn right(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let by = v[1].as_i64().unwrap_or(0) as u32;
    Ok(match v[0] {
        Value::Integer(n) => Value::Integer(n.wrapping_shr(by)),
        ref n => Value::Long(n.as_i64().unwrap_or(0).wrapping_shr(by)),
    })
}

fn right_unsigned(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let by = v[1].as_i64().unwrap_or(0) as u32;
    Ok(match v[0] {
        Value::Integer(n) => Value::Integer((n as u32).wrapping_shr(by) as i32),
        ref n => Value::Long((n.as_i64().unwrap_or(0) as u64).wrapping_shr(by) as i64),
    })
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
    let (t, eval): (DataType, RowEval) = if b.name == "hash" {
        (DataType::Integer, |_, v| {
            Ok(Value::Integer(v.iter().fold(42, |h, v| crate::functions::hash::murmur3_value(v, h))))
        })
    } else {
        (DataType::Long, |_, v| Ok(Value::Long(v.iter().fold(42, |h, v| crate::functions::hash::xxhash64_value(v, h)))))
    };
    Ok(row_call(b.name, args, t, false, false, b.ansi(), eval))
}
