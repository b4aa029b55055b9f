//! + - * / % div pmod, unary minus, abs, and their try_ forms.

use arrow::array::{ArrayRef, Datum, Scalar};
use arrow::compute::kernels::numeric;

use super::intervals::Parts;
use super::{decimal, intervals};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::coercion::{self, In, adjusted, cast_to, decimal_for, eval_mode};
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::call;
use crate::functions::typed::{Calendar, Columns, Decimal, Long, Real, Whole, two};
use crate::functions::{EvalContext, Kernel, NullOrder, Operand};
use crate::types::DataType;

pub(super) const NUMBER_OR_INTERVAL: In = In::Either(&[In::Num, In::DayTime, In::YearMonth, In::Calendar]);

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
        return if op == Op::Add { b.invoke("positive", args) } else { super::signs::negative(b, args) };
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
    fn nulls(&self) -> NullOrder {
        match self.op {
            Op::Add | Op::Subtract | Op::Multiply => NullOrder::Forward,
            _ => NullOrder::Backward,
        }
    }

    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let operands: Vec<Operand> = args.iter().map(|a| Operand::Column(a.clone())).collect();
        self.evaluate_operands(&operands, rows, ctx)
    }

    fn evaluate_operands(&self, args: &[Operand], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
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
        let types = [self.input.clone(), self.right.clone()];
        let ansi = self.mode == EvalMode::Ansi;
        self.typed(&Columns { args, types: &types, result: &self.result, rows, ansi, ctx })
    }
}

impl Arith {
    fn typed(&self, c: &Columns<'_>) -> Result<ArrayRef> {
        match (&self.input, &self.right, &self.result) {
            (DataType::Float | DataType::Double, ..) => two::<Real, Real, Real>(c, &|x, y| {
                if y == 0.0 && self.divides() { self.by_zero() } else { Ok(Some(self.float(x, y))) }
            }),
            (DataType::Decimal { scale: s, .. }, DataType::Decimal { scale: t, .. }, result) => {
                if let DataType::Decimal { precision, scale } = result {
                    return two::<Decimal, Decimal, Decimal>(c, &|x, y| {
                        self.exact((x, *s), (y, *t), *precision, *scale)
                    });
                }
                two::<Decimal, Decimal, Long>(c, &|x, y| self.whole_part((x, *s), (y, *t)))
            }
            (DataType::CalendarInterval, ..) => two::<Calendar, Calendar, Calendar>(c, &|x, y| self.calendar(x, y)),
            (DataType::YearMonthInterval { .. } | DataType::DayTimeInterval { .. }, ..) => {
                two::<Whole, Whole, Whole>(c, &|x, y| self.interval(x, y))
            }
            _ => two::<Whole, Whole, Whole>(c, &|x, y| self.whole(x, y)),
        }
    }

    fn divides(&self) -> bool {
        !matches!(self.op, Op::Add | Op::Subtract | Op::Multiply)
    }

    /// What comes of a divisor of zero.
    fn by_zero<T>(&self) -> Result<Option<T>> {
        if self.mode != EvalMode::Ansi {
            return Ok(None);
        }
        Err(div_zero(matches!(self.op, Op::Remainder | Op::Pmod)))
    }

    /// Months or microseconds.
    fn interval(&self, x: i64, y: i64) -> Result<Option<i64>> {
        if self.divides() {
            return if y == 0 { self.by_zero() } else { Ok(Some(x.wrapping_div(y))) };
        }
        let n = if self.op == Op::Add { x.checked_add(y) } else { x.checked_sub(y) };
        let months = matches!(self.result, DataType::YearMonthInterval { .. });
        match n.filter(|n| !months || i32::try_from(*n).is_ok()) {
            None if self.mode == EvalMode::Ansi => Err(intervals::overflow(self.op.try_name())),
            n => Ok(n),
        }
    }

    /// Months, days and microseconds, each by itself.
    fn calendar(&self, (m, d, u): Parts, (n, e, v): Parts) -> Result<Option<Parts>> {
        let sum = if self.op == Op::Add {
            m.checked_add(n).zip(d.checked_add(e)).zip(u.checked_add(v))
        } else {
            m.checked_sub(n).zip(d.checked_sub(e)).zip(u.checked_sub(v))
        };
        match sum {
            Some(((months, days), micros)) => Ok(Some((months, days, micros))),
            None if self.mode == EvalMode::Ansi => Err(intervals::overflow(self.op.try_name())),
            None => Ok(None),
        }
    }

    /// Floats are computed as doubles: of two of them a sum, product, quotient or remainder rounds to the same float.
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

    /// div of decimals: the whole part as BIGINT.
    fn whole_part(&self, a: (i128, i8), b: (i128, i8)) -> Result<Option<i64>> {
        if b.0 == 0 {
            return self.by_zero();
        }
        match decimal::integral_quotient(a, b).and_then(|q| i64::try_from(q).ok()) {
            None if self.mode == EvalMode::Ansi => Err(overflow("Overflow in integral divide", "try_divide")),
            q => Ok(q),
        }
    }

    /// Decimals with their scales; None where the result does not fit its type.
    fn exact(&self, a: (i128, i8), b: (i128, i8), precision: u8, scale: i8) -> Result<Option<i128>> {
        if b.0 == 0 && self.divides() {
            return self.by_zero();
        }
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
            Ok(n) => Ok(Some(n)),
            Err(text) if self.mode == EvalMode::Ansi => {
                Err(crate::functions::cast::decimal_overflow(&text, precision, scale))
            }
            Err(_) => Ok(None),
        }
    }

    /// Whole numbers, at the width of the result; None where the result does not fit and the mode forgives.
    fn whole(&self, x: i64, y: i64) -> Result<Option<i64>> {
        if y == 0 && self.divides() {
            return self.by_zero();
        }
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
        let wrapped = match self.result {
            DataType::Byte => i64::from(n as i8),
            DataType::Short => i64::from(n as i16),
            DataType::Integer => i64::from(n as i32),
            _ => n as i64,
        };
        match self.mode {
            _ if i128::from(wrapped) == n => Ok(Some(wrapped)),
            EvalMode::Legacy => Ok(Some(wrapped)),
            EvalMode::Try => Ok(None),
            EvalMode::Ansi => Err(match (self.op, &self.result) {
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
