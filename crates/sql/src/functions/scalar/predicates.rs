//! Comparisons, logic, null tests, IN.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::buffer::NullBuffer;
use arrow::compute::kernels::cmp;
use arrow::compute::{SortOptions, or_kleene};
use arrow::datatypes as at;
use arrow::row::Row;

use super::arithmetic::with_datum;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{self, In, cast_to};
use crate::functions::describe;
use crate::functions::nested::{all_comparable, comparable};
use crate::functions::registry::{Build, DataType2, FunctionEntry, MANY, Nulls, Ret};
use crate::functions::row::{Special, call};
use crate::functions::typed::Columns;
use crate::functions::{EvalContext, Kernel, NullOrder, Operand};
use crate::types::DataType;
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("=", 2, 2, comparison),
    FunctionEntry::custom("==", 2, 2, comparison),
    FunctionEntry::custom("<=>", 2, 2, comparison),
    FunctionEntry::custom("equal_null", 2, 2, comparison),
    FunctionEntry::custom("!=", 2, 2, not_equal),
    FunctionEntry::custom("<>", 2, 2, not_equal),
    FunctionEntry::custom("<", 2, 2, comparison),
    FunctionEntry::custom("<=", 2, 2, comparison),
    FunctionEntry::custom(">", 2, 2, comparison),
    FunctionEntry::custom(">=", 2, 2, comparison),
    FunctionEntry::custom("and", 2, 2, logical),
    FunctionEntry::custom("or", 2, 2, logical),
    FunctionEntry::columns("not", 1, 1, &[In::Bool], Ret::Is(DataType2::Bool), Nulls::Strict, negation),
    FunctionEntry::columns("!", 1, 1, &[In::Bool], Ret::Is(DataType2::Bool), Nulls::Strict, negation),
    FunctionEntry::custom("isnull", 1, 1, null_test),
    FunctionEntry::custom("isnotnull", 1, 1, null_test),
    FunctionEntry::columns(
        "isnan",
        1,
        1,
        &[In::Either(&[In::Double, In::Float])],
        Ret::Is(DataType2::Bool),
        Nulls::Never,
        |c| {
            let wide = arrow::compute::cast(&c.operand(0)?.to_array(c.rows)?, &at::DataType::Float64)?;
            let wide = wide.as_primitive::<at::Float64Type>();
            Ok(Arc::new(BooleanArray::from_iter(wide.iter().map(|x| Some(x.is_some_and(f64::is_nan))))))
        },
    ),
    FunctionEntry::custom("in", 1, MANY, membership),
    FunctionEntry::custom("between", 3, 3, between),
];

fn negation(c: &Columns<'_>) -> Result<ArrayRef> {
    let flags = c.operand(0)?.to_array(c.rows)?;
    let flags = flags.as_boolean_opt().ok_or_else(|| SparkError::internal("a truth value"))?;
    Ok(Arc::new(arrow::compute::not(flags)?))
}

fn pair(mut args: Vec<Expr>) -> Result<(Expr, Expr)> {
    match (args.pop(), args.pop()) {
        (Some(r), Some(l)) => Ok((l, r)),
        _ => Err(SparkError::internal("two arguments are needed")),
    }
}

/// DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES.
fn different(sql: &str, l: &DataType, r: &DataType) -> SparkError {
    SparkError::analysis(
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        &[("sqlExpr", &format!("\"{sql}\"")), ("left", &l.quoted_sql()), ("right", &r.quoted_sql())],
    )
}

fn comparison(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let (mut left, mut right) = pair(args)?;
    let symbol = match b.name {
        "==" => "=",
        "equal_null" => "<=>",
        other => other,
    };
    let ansi = b.ansi();
    let (lt, rt) = (left.data_type(), right.data_type());
    if !lt.same_type(&rt) && !lt.same_structure(&rt) {
        let common = if ansi {
            coercion::wider_type(&lt, &rt, ansi)
        } else {
            match (&lt, &rt) {
                // BooleanEquality: numbers against booleans.
                (DataType::Boolean, n) | (n, DataType::Boolean) if n.is_numeric() && matches!(symbol, "=" | "<=>") => {
                    if let Some(done) = boolean_equality(b, symbol, &left, &right)? {
                        return Ok(done);
                    }
                    Some(n.clone())
                }
                _ => coercion::legacy_comparison(&lt, &rt).or_else(|| coercion::wider_without_string(&lt, &rt, ansi)),
            }
        };
        if let Some(t) = common {
            left = cast_to(left, &t, ansi);
            right = cast_to(right, &t, ansi);
        }
    }
    let t = left.data_type();
    let sql = describe::call_text(symbol, &[left.clone(), right.clone()]);
    // Names and nullability of struct fields do not count.
    if !t.same_structure(&right.data_type()) {
        return Err(different(&sql, &lt, &rt));
    }
    if !t.is_orderable() {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
            &[
                ("sqlExpr", &format!("\"{sql}\"")),
                ("functionName", &format!("`{symbol}`")),
                ("dataType", &t.quoted_sql()),
            ],
        ));
    }
    let nullable = symbol != "<=>" && (left.nullable() || right.nullable());
    let kernel = Comparison { op: Op::of(symbol), data_type: t };
    let shown = if b.name == "equal_null" { b.name } else { symbol };
    Ok(call(shown, vec![left, right], DataType::Boolean, nullable, kernel))
}

/// BooleanEquality: a boolean against the literal 1 or 0 is the boolean or its negation.
fn boolean_equality(b: &Build<'_>, symbol: &str, left: &Expr, right: &Expr) -> Result<Option<Expr>> {
    let (boolean, literal) = if left.data_type() == DataType::Boolean { (left, right) } else { (right, left) };
    let Expr::Literal { value, .. } = literal else { return Ok(None) };
    let whole = match value {
        Value::Decimal(n, _, 0) => i64::try_from(*n).ok(),
        Value::Byte(_) | Value::Short(_) | Value::Integer(_) | Value::Long(_) => value.as_i64(),
        _ => None,
    };
    let plain = match whole {
        Some(1) => boolean.clone(),
        Some(0) => b.invoke("not", vec![boolean.clone()])?,
        _ => return Ok(None),
    };
    if symbol == "=" {
        return Ok(Some(plain));
    }
    let present = b.invoke("isnotnull", vec![boolean.clone()])?;
    Ok(Some(b.invoke("and", vec![present, plain])?))
}

fn not_equal(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let equal = b.invoke("=", args)?;
    b.invoke("not", vec![equal])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Equal,
    NullSafe,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Op {
    fn of(symbol: &str) -> Op {
        match symbol {
            "=" => Op::Equal,
            "<=>" => Op::NullSafe,
            "<" => Op::Less,
            "<=" => Op::LessEqual,
            ">" => Op::Greater,
            _ => Op::GreaterEqual,
        }
    }

    fn holds(self, c: Ordering) -> bool {
        match self {
            Op::Equal | Op::NullSafe => c.is_eq(),
            Op::Less => c.is_lt(),
            Op::LessEqual => c.is_le(),
            Op::Greater => c.is_gt(),
            Op::GreaterEqual => c.is_ge(),
        }
    }
}

#[derive(Debug)]
struct Comparison {
    op: Op,
    data_type: DataType,
}

impl Kernel for Comparison {
    fn nulls(&self) -> NullOrder {
        if self.op == Op::NullSafe { NullOrder::Seen } else { NullOrder::Forward }
    }

    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let operands: Vec<Operand> = args.iter().map(|a| Operand::Column(a.clone())).collect();
        self.evaluate_operands(&operands, rows, ctx)
    }

    fn evaluate_operands(&self, args: &[Operand], rows: usize, _: &EvalContext<'_>) -> Result<ArrayRef> {
        let [l, r] = args else { return Err(SparkError::internal("a comparison has two sides")) };
        self.compared(l, r, rows)
    }
}

/// Which values of two columns of one type are equal; null where either is null.
pub(in crate::functions) fn equal_values(l: &Operand, r: &Operand, t: &DataType, rows: usize) -> Result<BooleanArray> {
    let equal = Comparison { op: Op::Equal, data_type: t.clone() }.compared(l, r, rows)?;
    equal.as_boolean_opt().cloned().ok_or_else(|| SparkError::internal("a comparison gives truth values"))
}

impl Comparison {
    fn compared(&self, l: &Operand, r: &Operand, rows: usize) -> Result<ArrayRef> {
        if self.op != Op::NullSafe {
            for (side, other) in [(l, r), (r, l)] {
                if side.is_scalar() && side.array().is_null(0) && !other.is_scalar() {
                    return Ok(Arc::new(BooleanArray::new_null(rows)));
                }
            }
        }
        match self.data_type {
            DataType::Double => {
                if let Some(out) = self.floats::<at::Float64Type>(l, r, rows, |x| x) {
                    return Ok(out);
                }
            }
            DataType::Float => {
                if let Some(out) = self.floats::<at::Float32Type>(l, r, rows, f64::from) {
                    return Ok(out);
                }
            }
            ref t if t.is_atomic() && *t != DataType::Variant && !(l.is_scalar() && r.is_scalar()) => {
                let out = with_datum(l, |l| {
                    with_datum(r, |r| match self.op {
                        Op::Equal => cmp::eq(l, r),
                        Op::NullSafe => cmp::not_distinct(l, r),
                        Op::Less => cmp::lt(l, r),
                        Op::LessEqual => cmp::lt_eq(l, r),
                        Op::Greater => cmp::gt(l, r),
                        Op::GreaterEqual => cmp::gt_eq(l, r),
                    })
                })?;
                return Ok(Arc::new(out));
            }
            _ => {}
        }
        let [a, b] = comparable([l.array(), r.array()])?;
        let (absent_l, absent_r) = (l.array().logical_nulls(), r.array().logical_nulls());
        let absent = |nulls: &Option<NullBuffer>, at: usize| nulls.as_ref().is_some_and(|n| n.is_null(at));
        let out: BooleanArray = (0..rows)
            .map(|row| {
                let (i, j) = (l.index(row), r.index(row));
                match (absent(&absent_l, i), absent(&absent_r, j)) {
                    (false, false) => Some(self.op.holds(a.row(i).cmp(&b.row(j)))),
                    (x, y) if self.op == Op::NullSafe => Some(x && y),
                    _ => None,
                }
            })
            .collect();
        Ok(Arc::new(out))
    }

    /// Floating numbers: NaN equals NaN and is greatest, -0.0 equals 0.0 (Arrow's total order differs).
    fn floats<T: at::ArrowPrimitiveType>(
        &self,
        l: &Operand,
        r: &Operand,
        rows: usize,
        wide: impl Fn(T::Native) -> f64,
    ) -> Option<ArrayRef> {
        let (a, b) = (l.array().as_primitive_opt::<T>()?, r.array().as_primitive_opt::<T>()?);
        let order = |x: f64, y: f64| x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()));
        let null_safe = self.op == Op::NullSafe;
        if a.null_count() == 0 && b.null_count() == 0 {
            let bits = arrow::buffer::BooleanBuffer::collect_bool(rows, |row| {
                self.op.holds(order(wide(a.value(l.index(row))), wide(b.value(r.index(row)))))
            });
            return Some(Arc::new(BooleanArray::new(bits, None)));
        }
        let out: BooleanArray = (0..rows)
            .map(|row| {
                let (i, j) = (l.index(row), r.index(row));
                match (a.is_null(i), b.is_null(j)) {
                    (false, false) => Some(self.op.holds(order(wide(a.value(i)), wide(b.value(j))))),
                    (x, y) if null_safe => Some(x && y),
                    _ => None,
                }
            })
            .collect();
        Some(Arc::new(out))
    }
}

fn logical(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let (mut left, mut right) = pair(args)?;
    let ansi = b.ansi();
    for side in [&mut left, &mut right] {
        let t = side.data_type();
        if t == DataType::Null || (t.is_string() && ansi) {
            *side = cast_to(side.clone(), &DataType::Boolean, ansi);
        }
    }
    let sql = describe::call_text(b.name, &[left.clone(), right.clone()]);
    let (lt, rt) = (left.data_type(), right.data_type());
    if lt != rt {
        return Err(different(&sql, &lt, &rt));
    }
    if lt != DataType::Boolean {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
            &[("sqlExpr", &format!("\"{sql}\"")), ("inputType", "\"BOOLEAN\""), ("actualDataType", &lt.quoted_sql())],
        ));
    }
    let nullable = left.nullable() || right.nullable();
    Ok(call(b.name, vec![left, right], DataType::Boolean, nullable, Special))
}

#[derive(Debug)]
struct NullTest {
    wanted: bool,
}

impl Kernel for NullTest {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, _: &EvalContext<'_>) -> Result<ArrayRef> {
        let Some(array) = args.first() else { return Err(SparkError::internal("a null test has one argument")) };
        if *array.data_type() == at::DataType::Null {
            return Ok(Arc::new(BooleanArray::from(vec![self.wanted; rows])));
        }
        let out = if self.wanted { arrow::compute::is_null(array)? } else { arrow::compute::is_not_null(array)? };
        Ok(Arc::new(out))
    }
}

fn null_test(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    Ok(call(b.name, args, DataType::Boolean, false, NullTest { wanted: b.name == "isnull" }))
}

fn membership(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    // Structs may differ in the names of their fields.
    let alike = types.windows(2).all(|pair| pair[0].same_structure(&pair[1]));
    let common = coercion::wider_common(&types, ansi).or_else(|| types.first().filter(|_| alike).cloned());
    let Some(t) = common else {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text("in", &args))),
                ("functionName", "`in`"),
                ("dataType", &describe::type_list(&types, "[", ", ", "]")),
            ],
        ));
    };
    let args: Vec<Expr> =
        args.into_iter().map(|a| if alike || a.data_type().same_type(&t) { a } else { cast_to(a, &t, ansi) }).collect();
    let nullable = args.iter().any(Expr::nullable);
    Ok(call("in", args, DataType::Boolean, nullable, Membership { data_type: t }))
}

/// So many values of IN are compared one after the other; a set holds more.
const FEW: usize = 16;

#[derive(Debug)]
struct Membership {
    data_type: DataType,
}

impl Kernel for Membership {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let operands: Vec<Operand> = args.iter().map(|a| Operand::Column(a.clone())).collect();
        self.evaluate_operands(&operands, rows, ctx)
    }

    fn evaluate_operands(&self, args: &[Operand], rows: usize, _: &EvalContext<'_>) -> Result<ArrayRef> {
        let Some((value, list)) = args.split_first() else { return Err(SparkError::internal("IN has a value")) };
        if (1..=FEW).contains(&list.len()) {
            let mut found = equal_values(value, &list[0], &self.data_type, rows)?;
            for item in &list[1..] {
                found = or_kleene(&found, &equal_values(value, item, &self.data_type, rows)?)?;
            }
            return Ok(Arc::new(found));
        }
        let arrays: Vec<&ArrayRef> = args.iter().map(Operand::array).collect();
        let comparable = all_comparable(&arrays, SortOptions::default())?;
        let absent: Vec<Option<NullBuffer>> = arrays.iter().map(|a| a.logical_nulls()).collect();
        let is_null = |arg: usize, at: usize| absent[arg].as_ref().is_some_and(|n| n.is_null(at));
        let (fixed, moving): (Vec<usize>, Vec<usize>) = (1..args.len()).partition(|arg| args[*arg].is_scalar());
        let fixed_null = fixed.iter().any(|arg| is_null(*arg, 0));
        let fixed: HashSet<Row<'_>> =
            fixed.into_iter().filter(|arg| !is_null(*arg, 0)).map(|arg| comparable[arg].row(0)).collect();
        let out: BooleanArray = (0..rows)
            .map(|row| {
                let at = value.index(row);
                if is_null(0, at) {
                    return if list.is_empty() { Some(false) } else { None };
                }
                let key = comparable[0].row(at);
                if fixed.contains(&key)
                    || moving.iter().any(|arg| !is_null(*arg, row) && comparable[*arg].row(row) == key)
                {
                    return Some(true);
                }
                let unknown = fixed_null || moving.iter().any(|arg| is_null(*arg, row));
                (!unknown).then_some(false)
            })
            .collect();
        Ok(Arc::new(out))
    }
}

fn between(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let (Some(high), Some(low), Some(value)) = (args.pop(), args.pop(), args.pop()) else {
        return Err(SparkError::internal("between has three arguments"));
    };
    let from = b.invoke(">=", vec![value.clone(), low])?;
    let to = b.invoke("<=", vec![value, high])?;
    let both = b.invoke("and", vec![from, to])?;
    let nullable = both.nullable();
    Ok(call("between", vec![both], DataType::Boolean, nullable, Replaced))
}

/// A function that stands for its one argument, which the optimizer puts in its place (Catalyst's RuntimeReplaceable).
#[derive(Debug)]
struct Replaced;

impl Kernel for Replaced {
    fn evaluate(&self, args: &[ArrayRef], _rows: usize, _ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        args.first().cloned().ok_or_else(|| SparkError::internal("a function without its replacement"))
    }
}
