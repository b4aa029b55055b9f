//! + - * / % div pmod, unary minus, abs, and their try_ forms.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Datum, Float64Array, Scalar};
use arrow::compute::kernels::numeric;
use arrow::datatypes as at;

use super::{decimal, intervals};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::coercion::{self, In, adjusted, cast_to, decimal_for, eval_mode, unexpected_input};
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::{RowContext, call};
use crate::functions::{EvalContext, Kernel, Operand};
use crate::types::DataType;
use crate::value::{Value, ValueBuilder, value_at};

const NUMBER_OR_INTERVAL: In = In::Either(&[In::Num, In::DayTime, In::YearMonth, In::Calendar]);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("+", 1, 2, |b, a| binary(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("-", 1, 2, |b, a| binary(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("*", 2, 2, |b, a| binary(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("/", 2, 2, |b, a| binary(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("%", 2, 2, |b, a| binary(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("mod", 2, 2, |b, a| binary(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("div", 2, 2, |b, a| binary(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("pmod", 2, 2, |b, a| binary(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("try_add", 2, 2, tried),
    FunctionEntry::custom("try_subtract", 2, 2, tried),
    FunctionEntry::custom("try_multiply", 2, 2, tried),
    FunctionEntry::custom("try_divide", 2, 2, tried),
    FunctionEntry::custom("try_mod", 2, 2, tried),
    FunctionEntry::custom("negative", 1, 1, negative),
    FunctionEntry::row("positive", 1, 1, &[NUMBER_OR_INTERVAL], Ret::Same(0), Nulls::Strict, |_, v| Ok(v[0].clone()))
        .shown("+"),
    FunctionEntry::row(
        "abs",
        1,
        1,
        &[In::Either(&[In::Num, In::DayTime, In::YearMonth])],
        Ret::Same(0),
        Nulls::Strict,
        |c, v| abs(c, &v[0]),
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    IntegralDivide,
    Pmod,
}

impl Op {
    fn of(name: &str) -> Op {
        match name {
            "+" | "try_add" => Op::Add,
            "-" | "try_subtract" => Op::Subtract,
            "*" | "try_multiply" => Op::Multiply,
            "/" | "try_divide" => Op::Divide,
            "%" | "mod" | "try_mod" => Op::Remainder,
            "div" => Op::IntegralDivide,
            _ => Op::Pmod,
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            Op::Add => "+",
            Op::Subtract => "-",
            Op::Multiply => "*",
            Op::Divide => "/",
            Op::Remainder => "%",
            Op::IntegralDivide => "div",
            Op::Pmod => "pmod",
        }
    }

    fn accepts(self) -> In {
        match self {
            Op::Add | Op::Subtract => NUMBER_OR_INTERVAL,
            Op::Divide => In::Either(&[In::Double, In::Dec]),
            Op::IntegralDivide => In::Either(&[In::Long, In::Dec, In::YearMonth, In::DayTime]),
            _ => In::Num,
        }
    }

    /// What the name of the try_ function is for this operator.
    fn try_name(self) -> &'static str {
        match self {
            Op::Add => "try_add",
            Op::Subtract => "try_subtract",
            Op::Multiply => "try_multiply",
            Op::Divide | Op::IntegralDivide => "try_divide",
            Op::Remainder | Op::Pmod => "try_mod",
        }
    }

    /// DecimalType of the result (allowPrecisionLoss).
    fn decimal_type(self, a: (u8, i8), b: (u8, i8)) -> DataType {
        let (p1, s1, p2, s2) = (i32::from(a.0), i32::from(a.1), i32::from(b.0), i32::from(b.1));
        match self {
            Op::Add | Op::Subtract => {
                let scale = s1.max(s2);
                adjusted((p1 - s1).max(p2 - s2) + scale + 1, scale)
            }
            Op::Multiply => adjusted(p1 + p2 + 1, s1 + s2),
            Op::Divide => {
                let scale = (s1 + p2 + 1).max(6);
                adjusted(p1 - s1 + s2 + scale, scale)
            }
            Op::Remainder | Op::Pmod => {
                let scale = s1.max(s2);
                adjusted((p1 - s1).min(p2 - s2) + scale, scale)
            }
            Op::IntegralDivide => DataType::Long,
        }
    }
}

/// The exact type of an integral literal as a decimal (DecimalType.fromLiteral), else that of its type.
fn decimal_of(expr: &Expr) -> Option<(u8, i8)> {
    if let Expr::Literal { value, data_type } = expr
        && data_type.is_integral()
        && let Some(n) = value.as_i64()
    {
        return Some((crate::value::text::digits(i128::from(n)) as u8, 0));
    }
    decimal_for(&expr.data_type())
}

/// try_add and its kin: numbers have operators that give null, for the rest every error of the plain one does.
fn tried(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let number = |e: &Expr| e.data_type().is_numeric() || e.data_type() == DataType::Null;
    if args.iter().all(number) {
        return binary(b, args, EvalMode::Try);
    }
    let plain = b.invoke(Op::of(b.name).symbol(), args.clone())?;
    let t = plain.data_type();
    let guarded = call("try_eval", vec![plain], t.clone(), true, crate::functions::row::Special);
    Ok(super::replaced(b.name, args, guarded, t, true))
}

fn binary(b: &mut Build<'_>, mut args: Vec<Expr>, mode: EvalMode) -> Result<Expr> {
    let op = Op::of(b.name);
    if args.len() == 1 {
        return if op == Op::Add { b.invoke("positive", args) } else { negative(b, args) };
    }
    let (Some(mut right), Some(mut left)) = (args.pop(), args.pop()) else {
        return Err(SparkError::internal("a binary operator has two sides"));
    };
    let ansi = b.ansi();
    if let Some(done) = intervals::date_time(b, op.symbol(), &left, &right, mode)? {
        return Ok(done);
    }
    let (mut lt, mut rt) = (left.data_type(), right.data_type());
    // Strings give way to numbers.
    if lt.is_string() != rt.is_string() {
        let target = if ansi {
            coercion::wider_for_string(&lt, &rt)
        } else if lt.is_numeric() || rt.is_numeric() || lt == DataType::Null || rt == DataType::Null {
            Some(DataType::Double)
        } else {
            None
        };
        if let Some(t) = target {
            left = cast_to(left, &t, ansi);
            right = cast_to(right, &t, ansi);
        }
    } else if !ansi && lt.is_string() {
        left = cast_to(left, &DataType::Double, ansi);
        right = cast_to(right, &DataType::Double, ansi);
    }
    (lt, rt) = (left.data_type(), right.data_type());
    let is_decimal = |t: &DataType| matches!(t, DataType::Decimal { .. });
    if is_decimal(&lt) || is_decimal(&rt) {
        match (&lt, &rt) {
            (DataType::Float | DataType::Double, _) | (_, DataType::Float | DataType::Double) => {
                left = cast_to(left, &DataType::Double, ansi);
                right = cast_to(right, &DataType::Double, ansi);
            }
            (l, r) => {
                if l.is_integral()
                    && let Some((p, s)) = decimal_of(&left)
                {
                    left = cast_to(left, &DataType::decimal(p, s), ansi);
                }
                if r.is_integral()
                    && let Some((p, s)) = decimal_of(&right)
                {
                    right = cast_to(right, &DataType::decimal(p, s), ansi);
                }
                if *l == DataType::Null {
                    left = cast_to(left, r, ansi);
                }
                if *r == DataType::Null {
                    right = cast_to(right, l, ansi);
                }
            }
        }
        (lt, rt) = (left.data_type(), right.data_type());
        if let (Some(l), Some(r)) = (decimal_for(&lt), decimal_for(&rt))
            && is_decimal(&lt)
            && is_decimal(&rt)
        {
            let result = op.decimal_type(l, r);
            return Ok(build(op, b.name, left, right, result, mode));
        }
    }
    let number = |t: &DataType| t.is_numeric() || *t == DataType::Null;
    let whole = |t: &DataType| t.is_integral() || *t == DataType::Null;
    match op {
        Op::Divide if number(&lt) && number(&rt) => {
            left = cast_to(left, &DataType::Double, ansi);
            right = cast_to(right, &DataType::Double, ansi);
        }
        Op::IntegralDivide if whole(&lt) && whole(&rt) => {
            left = cast_to(left, &DataType::Long, ansi);
            right = cast_to(right, &DataType::Long, ansi);
        }
        _ if lt != rt => {
            if let Some(t) = coercion::tightest_common(&lt, &rt, ansi)
                && op.accepts().accepts(&t)
            {
                left = cast_to(left, &t, ansi);
                right = cast_to(right, &t, ansi);
            }
        }
        _ => {}
    }
    (lt, rt) = (left.data_type(), right.data_type());
    if lt == DataType::Null && rt == DataType::Null {
        left = cast_to(left, &DataType::Double, ansi);
        right = cast_to(right, &DataType::Double, ansi);
        (lt, rt) = (DataType::Double, DataType::Double);
    }
    let sql = |l: Expr, r: Expr| describe::call_text(op.symbol(), &[l, r]);
    if !lt.same_type(&rt) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{}\"", sql(left, right))),
                ("left", &lt.quoted_sql()),
                ("right", &rt.quoted_sql()),
            ],
        ));
    }
    if !op.accepts().accepts(&lt) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
            &[
                ("sqlExpr", &format!("\"{}\"", sql(left, right))),
                ("inputType", &op.accepts().describe()),
                ("actualDataType", &lt.quoted_sql()),
            ],
        ));
    }
    let result = match op {
        Op::IntegralDivide => DataType::Long,
        _ => lt.clone(),
    };
    Ok(build(op, b.name, left, right, result, mode))
}

fn build(op: Op, name: &str, left: Expr, right: Expr, result: DataType, mode: EvalMode) -> Expr {
    let divides = !matches!(op, Op::Add | Op::Subtract | Op::Multiply);
    let decimal = matches!(result, DataType::Decimal { .. }) && mode != EvalMode::Ansi;
    let nullable = left.nullable() || right.nullable() || divides || decimal || mode == EvalMode::Try;
    let kernel = Arith { op, mode, input: left.data_type(), right: right.data_type(), result: result.clone() };
    let shown = if mode == EvalMode::Try || name == "mod" { name } else { op.symbol() };
    call(shown, vec![left, right], result, nullable, kernel)
}

#[derive(Debug)]
struct Arith {
    op: Op,
    mode: EvalMode,
    input: DataType,
    right: DataType,
    result: DataType,
}

/// ARITHMETIC_OVERFLOW with its suggestion.
pub(crate) fn overflow(message: &str, function: &str) -> SparkError {
    let alternative = if function.is_empty() {
        String::new()
    } else {
        format!(" Use '{function}' to tolerate overflow and return NULL instead.")
    };
    SparkError::new(
        ErrorClass::Arithmetic,
        "ARITHMETIC_OVERFLOW",
        &[("message", message), ("alternative", &alternative), ("config", "\"spark.sql.ansi.enabled\"")],
    )
}

/// DIVIDE_BY_ZERO or REMAINDER_BY_ZERO.
pub(crate) fn div_zero(remainder: bool) -> SparkError {
    let condition = if remainder { "REMAINDER_BY_ZERO" } else { "DIVIDE_BY_ZERO" };
    SparkError::new(ErrorClass::Arithmetic, condition, &[("config", "\"spark.sql.ansi.enabled\"")])
}

pub(super) fn with_datum<R>(operand: &Operand, f: impl FnOnce(&dyn Datum) -> R) -> R {
    match operand {
        Operand::Column(a) => f(a),
        Operand::Scalar(a) => f(&Scalar::new(a.clone())),
    }
}

impl Kernel for Arith {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let operands: Vec<Operand> = args.iter().map(|a| Operand::Column(a.clone())).collect();
        self.evaluate_operands(&operands, rows, ctx)
    }

    fn evaluate_operands(&self, args: &[Operand], rows: usize, _: &EvalContext<'_>) -> Result<ArrayRef> {
        let [l, r] = args else { return Err(SparkError::internal("a binary operator has two sides")) };
        let floating = matches!(self.input, DataType::Float | DataType::Double);
        let whole = matches!(self.input, DataType::Integer | DataType::Long);
        let both_scalar = l.is_scalar() && r.is_scalar();
        if (floating || whole && self.mode != EvalMode::Try)
            && matches!(self.op, Op::Add | Op::Subtract | Op::Multiply)
            && !both_scalar
        {
            let wrapping = floating || self.mode == EvalMode::Legacy;
            let done = with_datum(l, |l| {
                with_datum(r, |r| match (self.op, wrapping) {
                    (Op::Add, false) => numeric::add(l, r),
                    (Op::Add, true) => numeric::add_wrapping(l, r),
                    (Op::Subtract, false) => numeric::sub(l, r),
                    (Op::Subtract, true) => numeric::sub_wrapping(l, r),
                    (_, false) => numeric::mul(l, r),
                    (_, true) => numeric::mul_wrapping(l, r),
                })
            });
            return match done {
                Ok(out) => Ok(out),
                Err(arrow::error::ArrowError::ArithmeticOverflow(_)) => Err(overflow("overflow", self.op.try_name())),
                Err(e) => Err(e.into()),
            };
        }
        if self.op == Op::Divide
            && self.input == DataType::Double
            && let (Some(x), Some(y)) =
                (l.array().as_primitive_opt::<at::Float64Type>(), r.array().as_primitive_opt::<at::Float64Type>())
        {
            let mut out = Vec::with_capacity(rows);
            for row in 0..rows {
                let (i, j) = (l.index(row), r.index(row));
                if x.is_null(i) || y.is_null(j) {
                    out.push(None);
                    continue;
                }
                let d = y.value(j);
                if d == 0.0 {
                    if self.mode == EvalMode::Ansi {
                        return Err(div_zero(false));
                    }
                    out.push(None);
                } else {
                    out.push(Some(x.value(i) / d));
                }
            }
            return Ok(Arc::new(Float64Array::from(out)));
        }
        let mut out = ValueBuilder::new(&self.result, rows);
        for row in 0..rows {
            let a = value_at(l.array(), l.index(row), &self.input);
            let b = value_at(r.array(), r.index(row), &self.right);
            if a.is_null() || b.is_null() {
                out.append_null();
            } else {
                out.append(&self.one(&a, &b)?)?;
            }
        }
        out.finish()
    }
}

impl Arith {
    fn one(&self, a: &Value, b: &Value) -> Result<Value> {
        let fail = |error: SparkError| if self.mode == EvalMode::Ansi { Err(error) } else { Ok(Value::Null) };
        let remainder = matches!(self.op, Op::Remainder | Op::Pmod);
        let zero = match b {
            Value::Decimal(n, ..) => *n == 0,
            Value::Float(x) => *x == 0.0,
            Value::Double(x) => *x == 0.0,
            other => other.as_i64() == Some(0),
        };
        if zero && !matches!(self.op, Op::Add | Op::Subtract | Op::Multiply) {
            return fail(div_zero(remainder));
        }
        match (a, b) {
            (Value::Decimal(x, _, s), Value::Decimal(y, _, t)) => self.decimal((*x, *s), (*y, *t)),
            (Value::Double(x), Value::Double(y)) => Ok(Value::Double(self.float(*x, *y))),
            (Value::Float(x), Value::Float(y)) => Ok(Value::Float(match self.op {
                Op::Add => x + y,
                Op::Subtract => x - y,
                Op::Multiply => x * y,
                Op::Remainder => x % y,
                _ => self.float(f64::from(*x), f64::from(*y)) as f32,
            })),
            (Value::YearMonthInterval(x), Value::YearMonthInterval(y)) => match self.op {
                Op::IntegralDivide => Ok(Value::Long(i64::from(*x) / i64::from(*y))),
                op => {
                    let n = if op == Op::Add { x.checked_add(*y) } else { x.checked_sub(*y) };
                    n.map_or_else(|| fail(intervals::overflow(op.try_name())), |n| Ok(Value::YearMonthInterval(n)))
                }
            },
            (Value::DayTimeInterval(x), Value::DayTimeInterval(y)) => match self.op {
                Op::IntegralDivide => Ok(Value::Long(x / y)),
                op => {
                    let n = if op == Op::Add { x.checked_add(*y) } else { x.checked_sub(*y) };
                    n.map_or_else(|| fail(intervals::overflow(op.try_name())), |n| Ok(Value::DayTimeInterval(n)))
                }
            },
            (
                Value::CalendarInterval { months: m, days: d, micros: u },
                Value::CalendarInterval { months: n, days: e, micros: v },
            ) => {
                let sum = if self.op == Op::Add {
                    m.checked_add(*n).zip(d.checked_add(*e)).zip(u.checked_add(*v))
                } else {
                    m.checked_sub(*n).zip(d.checked_sub(*e)).zip(u.checked_sub(*v))
                };
                match sum {
                    Some(((months, days), micros)) => Ok(Value::CalendarInterval { months, days, micros }),
                    None => fail(intervals::overflow(self.op.try_name())),
                }
            }
            _ => self.integral(a, b),
        }
    }

    fn float(&self, x: f64, y: f64) -> f64 {
        match self.op {
            Op::Add => x + y,
            Op::Subtract => x - y,
            Op::Multiply => x * y,
            Op::Divide | Op::IntegralDivide => x / y,
            Op::Remainder => x % y,
            Op::Pmod => {
                let r = x % y;
                if r < 0.0 { (r + y) % y } else { r }
            }
        }
    }

    fn decimal(&self, a: (i128, i8), b: (i128, i8)) -> Result<Value> {
        let DataType::Decimal { precision, scale } = self.result else {
            // div: the whole part as BIGINT.
            let q = decimal::integral_quotient(a, b).and_then(|q| i64::try_from(q).ok());
            return match q {
                Some(q) => Ok(Value::Long(q)),
                None if self.mode == EvalMode::Ansi => Err(overflow("Overflow in integral divide", "try_divide")),
                None => Ok(Value::Null),
            };
        };
        let outcome = match self.op {
            Op::Add => decimal::add(a, b, precision, scale),
            Op::Subtract => decimal::add(a, (-b.0, b.1), precision, scale),
            Op::Multiply => decimal::multiply(a, b, precision, scale),
            Op::Divide | Op::IntegralDivide => decimal::divide(a, b, precision, scale),
            Op::Remainder => decimal::remainder(a, b, precision, scale),
            Op::Pmod => match decimal::remainder(a, b, precision, scale) {
                Ok(r) if r < 0 => decimal::add((r, scale), b, 38, scale)
                    .and_then(|s| decimal::remainder((s, scale), b, precision, scale)),
                other => other,
            },
        };
        match outcome {
            Ok(n) => Ok(Value::Decimal(n, precision, scale)),
            Err(text) if self.mode == EvalMode::Ansi => {
                Err(crate::functions::cast::decimal_overflow(&text, precision, scale))
            }
            Err(_) => Ok(Value::Null),
        }
    }

    fn integral(&self, a: &Value, b: &Value) -> Result<Value> {
        let (Some(x), Some(y)) = (a.as_i64(), b.as_i64()) else { return Ok(Value::Null) };
        let (x, y) = (i128::from(x), i128::from(y));
        let n = match self.op {
            Op::Add => x + y,
            Op::Subtract => x - y,
            Op::Multiply => x * y,
            Op::Divide | Op::IntegralDivide => x / y,
            Op::Remainder => x % y,
            Op::Pmod => {
                let r = x % y;
                if r < 0 { (r + y) % y } else { r }
            }
        };
        let fitted = match self.result {
            DataType::Byte => i8::try_from(n).ok().map(Value::Byte),
            DataType::Short => i16::try_from(n).ok().map(Value::Short),
            DataType::Integer => i32::try_from(n).ok().map(Value::Integer),
            _ => i64::try_from(n).ok().map(Value::Long),
        };
        match (fitted, self.mode) {
            (Some(v), _) => Ok(v),
            (None, EvalMode::Try) => Ok(Value::Null),
            (None, EvalMode::Legacy) => Ok(match self.result {
                DataType::Byte => Value::Byte(n as i8),
                DataType::Short => Value::Short(n as i16),
                DataType::Integer => Value::Integer(n as i32),
                _ => Value::Long(n as i64),
            }),
            (None, EvalMode::Ansi) => Err(match (self.op, &self.result) {
                (Op::IntegralDivide, _) => overflow("Overflow in integral divide", "try_divide"),
                // Both widths carry the suffix S in Spark's message.
                (op, DataType::Byte | DataType::Short) => SparkError::new(
                    ErrorClass::Arithmetic,
                    "BINARY_ARITHMETIC_OVERFLOW",
                    &[
                        ("value1", &format!("{x}S")),
                        ("symbol", op.symbol()),
                        ("value2", &format!("{y}S")),
                        ("functionName", &format!("`{}`", op.try_name())),
                    ],
                ),
                (op, _) => overflow("overflow", op.try_name()),
            }),
        }
    }
}

fn negative(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let Some(mut arg) = args.pop() else { return Err(SparkError::internal("negative has one argument")) };
    // The name tells the SQL form `- x` from the function.
    let name = if b.name == "negative" { "negative" } else { "-" };
    let t = arg.data_type();
    if !NUMBER_OR_INTERVAL.accepts(&t) {
        match NUMBER_OR_INTERVAL.implicit(&t, b.ansi()) {
            Some(to) => arg = cast_to(arg, &to, b.ansi()),
            None => {
                let sql = describe::call_text(name, std::slice::from_ref(&arg));
                return Err(unexpected_input(&sql, 0, &NUMBER_OR_INTERVAL.describe(), &arg));
            }
        }
    }
    let t = arg.data_type();
    let nullable = arg.nullable();
    Ok(crate::functions::row::row_call(name, vec![arg], t, nullable, true, b.ansi(), |c, v| negate(c, &v[0])))
}

fn negate(c: &RowContext<'_>, v: &Value) -> Result<Value> {
    macro_rules! int {
        ($n:expr, $make:expr) => {
            match ($n.checked_neg(), c.ansi) {
                (Some(n), _) => Ok($make(n)),
                (None, true) => Err(overflow("overflow", "")),
                (None, false) => Ok($make($n.wrapping_neg())),
            }
        };
    }
    match v {
        Value::Byte(n) => int!(n, Value::Byte),
        Value::Short(n) => int!(n, Value::Short),
        Value::Integer(n) => int!(n, Value::Integer),
        Value::Long(n) => int!(n, Value::Long),
        Value::Float(x) => Ok(Value::Float(-x)),
        Value::Double(x) => Ok(Value::Double(-x)),
        Value::Decimal(n, p, s) => Ok(Value::Decimal(-n, *p, *s)),
        Value::YearMonthInterval(n) => {
            n.checked_neg().map(Value::YearMonthInterval).ok_or_else(|| intervals::overflow(""))
        }
        Value::DayTimeInterval(n) => n.checked_neg().map(Value::DayTimeInterval).ok_or_else(|| intervals::overflow("")),
        Value::CalendarInterval { months, days, micros } => Ok(Value::CalendarInterval {
            months: months.wrapping_neg(),
            days: days.wrapping_neg(),
            micros: micros.wrapping_neg(),
        }),
        _ => Ok(Value::Null),
    }
}

fn abs(c: &RowContext<'_>, v: &Value) -> Result<Value> {
    let negative = match v {
        Value::Float(x) => return Ok(Value::Float(x.abs())),
        Value::Double(x) => return Ok(Value::Double(x.abs())),
        Value::Decimal(n, ..) => *n < 0,
        v => v.as_i64().is_some_and(|n| n < 0),
    };
    if negative { negate(c, v) } else { Ok(v.clone()) }
}
