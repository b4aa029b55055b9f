//! if, when, coalesce and relatives.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, new_null_array};
use arrow::buffer::NullBuffer;
use arrow::compute::SortOptions;
use arrow::datatypes as at;

use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::cast::{CastContext, cast_operand};
use crate::functions::coercion::{self, In, cast_to, unexpected_input};
use crate::functions::nested::{all_comparable, interleaved};
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use crate::functions::row::{Special, call};
use crate::functions::typed::{ColumnEval, Columns, column_call};
use crate::functions::{EvalContext, Kernel, Operand, describe};
use crate::types::DataType;
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("if", 3, 3, if_then),
    FunctionEntry::custom("when", 1, MANY, when),
    FunctionEntry::custom("coalesce", 1, MANY, coalesce),
    FunctionEntry::custom("nvl", 2, 2, coalesce),
    FunctionEntry::custom("ifnull", 2, 2, coalesce),
    FunctionEntry::custom("nvl2", 3, 3, nvl2),
    FunctionEntry::custom("nullif", 2, 2, null_if),
    FunctionEntry::custom("zeroifnull", 1, 1, zero_if_null),
    FunctionEntry::custom("nullifzero", 1, 1, null_if_zero),
    FunctionEntry::columns(
        "nanvl",
        2,
        2,
        &[In::Either(&[In::Double, In::Float])],
        Ret::Of(float_type),
        Nulls::AnyArg,
        nanvl,
    ),
    FunctionEntry::custom("greatest", 2, MANY, extreme),
    FunctionEntry::custom("least", 2, MANY, extreme),
];

/// DATATYPE_MISMATCH.DATA_DIFF_TYPES.
pub(super) fn differing(sql: &str, function: &str, list: &str) -> SparkError {
    SparkError::analysis(
        "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
        &[("sqlExpr", &format!("\"{sql}\"")), ("functionName", &format!("`{function}`")), ("dataType", list)],
    )
}

/// Branches (condition, value) and the ELSE value.
pub(crate) type Case = (Vec<(Expr, Expr)>, Option<Expr>);

/// A resolved CASE WHEN with its values coerced to one type and its conditions checked.
pub fn coerce_case(branches: Vec<(Expr, Expr)>, otherwise: Option<Expr>, ansi: bool) -> Result<Case> {
    let types: Vec<DataType> =
        branches.iter().map(|b| b.1.data_type()).chain(otherwise.iter().map(Expr::data_type)).collect();
    let sql = |branches: &[(Expr, Expr)], otherwise: &Option<Expr>| {
        describe::pretty(&Expr::CaseWhen { branches: branches.to_vec(), otherwise: otherwise.clone().map(Box::new) })
    };
    let Some(t) = coercion::wider_common(&types, ansi) else {
        return Err(differing(&sql(&branches, &otherwise), "casewhen", &describe::type_list(&types, "[", ", ", "]")));
    };
    let fit = |e: Expr| if e.data_type().same_type(&t) { e } else { cast_to(e, &t, ansi) };
    let whole = sql(&branches, &otherwise);
    let mut out = Vec::with_capacity(branches.len());
    for (i, (condition, value)) in branches.into_iter().enumerate() {
        let condition = match condition.data_type() {
            DataType::Boolean => condition,
            _ => return Err(unexpected_input(&whole, i * 2, "\"BOOLEAN\"", &condition)),
        };
        out.push((condition, fit(value)));
    }
    Ok((out, otherwise.map(fit)))
}

fn if_then(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let (Some(no), Some(yes), Some(condition)) = (args.pop(), args.pop(), args.pop()) else {
        return Err(SparkError::internal("if has three arguments"));
    };
    let ansi = b.ansi();
    let sql = describe::call_text("if", &[condition.clone(), yes.clone(), no.clone()]);
    let condition = match condition.data_type() {
        DataType::Boolean => condition,
        DataType::Null => cast_to(condition, &DataType::Boolean, ansi),
        _ => return Err(unexpected_input(&sql, 0, "\"BOOLEAN\"", &condition)),
    };
    let types = [yes.data_type(), no.data_type()];
    let Some(t) = coercion::wider_common(&types, ansi) else {
        return Err(differing(&sql, "if", &describe::type_list(&types, "[", ", ", "]")));
    };
    let fit = |e: Expr| if e.data_type().same_type(&t) { e } else { cast_to(e, &t, ansi) };
    let (yes, no) = (fit(yes), fit(no));
    let nullable = yes.nullable() || no.nullable();
    let t = crate::expr::merge_nullability(yes.data_type(), &no.data_type());
    Ok(call("if", vec![condition, yes, no], t, nullable, Special))
}

/// when(c1, v1, c2, v2, ..., else): the flat form of CASE WHEN.
fn when(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let mut branches = Vec::new();
    let mut rest = args.into_iter();
    let mut otherwise = None;
    while let Some(first) = rest.next() {
        match rest.next() {
            Some(value) => branches.push((first, value)),
            None => otherwise = Some(first),
        }
    }
    let (branches, otherwise) = coerce_case(branches, otherwise, b.ansi())?;
    Ok(Expr::CaseWhen { branches, otherwise: otherwise.map(Box::new) })
}

fn one_type(b: &Build<'_>, args: Vec<Expr>, find: fn(&[DataType], bool) -> Option<DataType>) -> Result<Vec<Expr>> {
    match coercion::coerce_all(args, b.ansi(), find) {
        Ok((args, _)) => Ok(args),
        Err(args) => {
            let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
            // ComplexTypeMergingExpression lists the types in brackets, coalesce in its own way.
            let list = match b.name {
                "greatest" | "least" => describe::type_list(&types, "[", ", ", "]"),
                _ => describe::type_list(&types, "(", " or ", ")"),
            };
            Err(differing(&describe::call_text(b.name, &args), b.name, &list))
        }
    }
}

pub(super) fn merged_type(args: &[Expr]) -> DataType {
    let mut types = args.iter().map(Expr::data_type);
    let first = types.next().unwrap_or(DataType::Null);
    types.fold(first, |a, b| crate::expr::merge_nullability(a, &b))
}

fn coalesce(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = one_type(b, args, coercion::wider_common)?;
    let nullable = args.iter().all(Expr::nullable);
    let t = merged_type(&args);
    Ok(call(b.name, args, t, nullable, Special))
}

fn nvl2(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let (Some(no), Some(yes), Some(tested)) = (args.pop(), args.pop(), args.pop()) else {
        return Err(SparkError::internal("nvl2 has three arguments"));
    };
    let mut values = one_type(b, vec![yes, no], coercion::wider_common)?;
    let t = merged_type(&values);
    let nullable = values.iter().any(Expr::nullable);
    values.insert(0, tested);
    Ok(call("nvl2", values, t, nullable, Special))
}

#[derive(Debug)]
struct NullIf {
    left: DataType,
    right: DataType,
    common: DataType,
}

impl Kernel for NullIf {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let [l, r] = args else { return Err(SparkError::internal("nullif has two arguments")) };
        let cast = CastContext { mode: EvalMode::Legacy, zone: ctx.conf.time_zone(), now_us: ctx.now_us };
        let (l, r) = (Operand::Column(l.clone()), Operand::Column(r.clone()));
        let left = cast_operand(&l, &self.left, &self.common, cast)?;
        let right = cast_operand(&r, &self.right, &self.common, cast)?;
        let equal = super::equal_values(&left, &right, &self.common, rows)?;
        // Where the comparison gives null the values count as different.
        Ok(arrow::compute::nullif(l.array(), &equal)?)
    }
}

fn null_if(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    // The equality is checked as any other.
    let equal = b.invoke("=", args.clone())?;
    let common = equal.children().first().map_or(DataType::Null, |c| c.data_type());
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    let kernel = NullIf { left: types[0].clone(), right: types[1].clone(), common };
    Ok(call("nullif", args, types[0].clone(), true, kernel))
}

fn zero() -> Expr {
    Expr::literal(Value::Integer(0), DataType::Integer)
}

/// zeroifnull(x): coalesce(x, 0).
fn zero_if_null(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let value = b.invoke("coalesce", args.iter().cloned().chain([zero()]).collect())?;
    let (t, nullable) = (value.data_type(), value.nullable());
    Ok(super::replaced("zeroifnull", args, value, t, nullable))
}

/// nullifzero(x): if(x = 0, null, x).
fn null_if_zero(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let equal = b.invoke("=", args.iter().cloned().chain([zero()]).collect())?;
    let null = Expr::literal(Value::Null, DataType::Null);
    let value = b.invoke("if", [equal, null].into_iter().chain(args.iter().cloned()).collect())?;
    let t = value.data_type();
    Ok(super::replaced("nullifzero", args, value, t, true))
}

fn float_type(args: &[Expr]) -> DataType {
    args.first().map_or(DataType::Double, Expr::data_type)
}

fn nanvl(c: &Columns<'_>) -> Result<ArrayRef> {
    let wide = |i: usize| -> Result<ArrayRef> {
        Ok(arrow::compute::cast(&c.operand(i)?.to_array(c.rows)?, &at::DataType::Float64)?)
    };
    let (x, y) = (wide(0)?, wide(1)?);
    let (x, y) = (x.as_primitive::<at::Float64Type>(), y.as_primitive::<at::Float64Type>());
    let chosen = x.iter().zip(y.iter()).map(|(x, y)| if x.is_some_and(f64::is_nan) { y } else { x });
    Ok(arrow::compute::cast(&Float64Array::from_iter(chosen), &c.result.to_arrow())?)
}

fn extreme(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = one_type(b, args, coercion::wider_common_without_string)?;
    let t = merged_type(&args);
    let nullable = args.iter().all(Expr::nullable);
    if !t.is_orderable() {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, &args))),
                ("functionName", &format!("`{}`", b.name)),
                ("dataType", &t.quoted_sql()),
            ],
        ));
    }
    let pick: ColumnEval =
        if b.name == "greatest" { |c| best(c, Ordering::Greater) } else { |c| best(c, Ordering::Less) };
    Ok(column_call(b.name, args, t, nullable, false, b.ansi(), pick))
}

/// The greatest or least argument of each row, the first of equal ones; null where all are.
fn best(c: &Columns<'_>, wanted: Ordering) -> Result<ArrayRef> {
    let arrays: Vec<&ArrayRef> = c.args.iter().map(Operand::array).collect();
    let comparable = all_comparable(&arrays, SortOptions::default())?;
    let absent: Vec<Option<NullBuffer>> = arrays.iter().map(|a| a.logical_nulls()).collect();
    let nothing = new_null_array(&c.result.to_arrow(), 1);
    let pick = |row: usize| {
        let places = c.args.iter().enumerate().map(|(i, a)| (i, a.index(row)));
        let present = places.filter(|(i, at)| absent[*i].as_ref().is_none_or(|n| n.is_valid(*at)));
        let key = |(i, at): (usize, usize)| comparable[i].row(at);
        let found = present.reduce(|a, b| if key(b).cmp(&key(a)) == wanted { b } else { a });
        found.unwrap_or((c.args.len(), 0))
    };
    let picked: Vec<(usize, usize)> = (0..c.rows).map(pick).collect();
    let sources: Vec<&dyn Array> = arrays.iter().map(|a| a.as_ref()).chain([nothing.as_ref()]).collect();
    interleaved(&sources, &picked, &c.result.to_arrow())
}
