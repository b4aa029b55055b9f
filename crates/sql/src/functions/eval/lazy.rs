//! Special forms: and, or, if, CASE, coalesce, try_eval.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::compute::kernels::boolean::{and_kleene, not, or_kleene};
use arrow::compute::{interleave, is_not_null, is_null, prep_null_mask_filter};

use super::{Frame, eval};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{Call, EvalMode, Expr};
use crate::functions::scalar::equal_values;
use crate::functions::{EvalContext, Operand};
use crate::types::DataType;
use crate::value::Value;

/// Runs the forms that the evaluator itself must; None: an ordinary function.
pub(super) fn special(call: &Call, frame: &Frame, ctx: &EvalContext<'_>) -> Result<Option<Operand>> {
    Ok(Some(match &*call.name {
        "and" | "or" => logical(call, frame, ctx)?,
        "if" => {
            let [condition, yes, no] = &call.args[..] else { return Ok(None) };
            let branches = [(condition.clone(), yes.clone())];
            case_when(&branches, Some(no), &call.data_type, frame, ctx)?
        }
        "nvl2" => {
            let [tested, yes, no] = &call.args[..] else { return Ok(None) };
            let present = is_not_null(&eval(tested, frame, ctx)?.to_array(frame.rows)?)?;
            let mut pieces = Pieces::new(frame.rows);
            take_value(yes, &present, frame, ctx, &mut pieces)?;
            take_value(no, &not(&present)?, frame, ctx, &mut pieces)?;
            pieces.finish(&call.data_type)?
        }
        "coalesce" | "nvl" | "ifnull" => coalesce(call, frame, ctx)?,
        "in" if call.args.len() > 1 && !call.args[1..].iter().all(harmless) => membership(call, frame, ctx)?,
        "try_eval" => try_eval(call, frame, ctx)?,
        _ => return Ok(None),
    }))
}

/// Whether an expression cannot raise, so that it may be evaluated for rows that do not need it.
pub(super) fn harmless(expr: &Expr) -> bool {
    let own = match expr {
        Expr::Literal { .. }
        | Expr::Bound { .. }
        | Expr::LambdaVariable(_)
        | Expr::GetField { .. }
        | Expr::Alias(_) => true,
        Expr::Cast { child, to, mode, .. } => {
            *mode != EvalMode::Ansi || (child.data_type().is_numeric() && matches!(to, DataType::Double))
        }
        Expr::Call(c) => matches!(
            &*c.name,
            "=" | "<=>"
                | "<"
                | "<="
                | ">"
                | ">="
                | "and"
                | "or"
                | "not"
                | "isnull"
                | "isnotnull"
                | "startswith"
                | "endswith"
                | "contains"
                | "length"
                | "upper"
                | "lower"
                | "in"
        ),
        _ => false,
    };
    own && expr.children().into_iter().all(harmless)
}

/// A mask whose nulls count as false.
fn plain_mask(mask: &BooleanArray) -> BooleanArray {
    if mask.null_count() == 0 { BooleanArray::new(mask.values().clone(), None) } else { prep_null_mask_filter(mask) }
}

fn booleans(operand: &Operand, rows: usize) -> Result<BooleanArray> {
    let array = operand.to_array(rows)?;
    Ok(array.as_boolean_opt().cloned().unwrap_or_else(|| BooleanArray::new_null(rows)))
}

/// AND and OR: the right side only where the left does not decide.
fn logical(call: &Call, frame: &Frame, ctx: &EvalContext<'_>) -> Result<Operand> {
    let [left, right] = &call.args[..] else { return Err(SparkError::internal("a logical operator has two sides")) };
    let is_and = &*call.name == "and";
    let l = booleans(&eval(left, frame, ctx)?, frame.rows)?;
    let combine = |l: &BooleanArray, r: &BooleanArray| -> Result<Operand> {
        let out = if is_and { and_kleene(l, r)? } else { or_kleene(l, r)? };
        Ok(Operand::Column(Arc::new(out)))
    };
    if harmless(right) {
        let r = booleans(&eval(right, frame, ctx)?, frame.rows)?;
        return combine(&l, &r);
    }
    // Undecided: not false for AND, not true for OR (null included).
    let decided: BooleanArray = l.iter().map(|v| Some(v == Some(!is_and))).collect();
    let needed = not(&decided)?;
    if needed.true_count() == frame.rows {
        let r = booleans(&eval(right, frame, ctx)?, frame.rows)?;
        return combine(&l, &r);
    }
    if needed.true_count() == 0 {
        return Ok(Operand::Column(Arc::new(l)));
    }
    let part = frame.filtered(right, &needed)?;
    let r = booleans(&eval(right, &part, ctx)?, part.rows)?;
    let mut next = 0;
    let full: BooleanArray = needed
        .iter()
        .map(|n| {
            if n == Some(true) {
                next += 1;
                r.is_valid(next - 1).then(|| r.value(next - 1))
            } else {
                Some(!is_and)
            }
        })
        .collect();
    combine(&l, &full)
}

/// The arguments of a call that any null argument makes null. Spark looks at them in turn (a divisor first) and stops at the first
/// null, so one that may raise is evaluated only where those before it are there. None: a null literal settles all rows.
pub(super) fn strict_arguments(
    call: &Call,
    backward: bool,
    frame: &Frame,
    ctx: &EvalContext<'_>,
) -> Result<Option<Vec<Operand>>> {
    if call.args.iter().any(|a| matches!(a, Expr::Literal { value: Value::Null, .. })) {
        return Ok(None);
    }
    let in_turn = |arg: &Expr, before: &[Operand]| -> Result<Operand> {
        if harmless(arg) {
            return eval(arg, frame, ctx);
        }
        let mut open: Option<BooleanArray> = None;
        for seen in before.iter().filter(|seen| seen.array().logical_null_count() > 0) {
            let present = is_not_null(&seen.to_array(frame.rows)?)?;
            open = Some(match open {
                Some(open) => arrow::compute::and(&open, &present)?,
                None => present,
            });
        }
        Ok(match &open {
            Some(open) if open.true_count() == 0 => {
                Operand::Scalar(arrow::array::new_null_array(&arg.data_type().to_arrow(), 1))
            }
            Some(open) if open.true_count() < frame.rows => {
                let part = frame.filtered(arg, open)?;
                let mut pieces = Pieces::new(frame.rows);
                pieces.put(open, &eval(arg, &part, ctx)?, true);
                pieces.finish(&arg.data_type())?
            }
            _ => eval(arg, frame, ctx)?,
        })
    };
    let mut args: Vec<Operand> = Vec::with_capacity(call.args.len());
    if backward {
        for arg in call.args.iter().rev() {
            args.push(in_turn(arg, &args)?);
        }
        args.reverse();
    } else {
        for arg in &call.args {
            args.push(in_turn(arg, &args)?);
        }
    }
    Ok(Some(args))
}

/// IN whose list may raise: an item counts only for the rows whose value is there and was not found before.
fn membership(call: &Call, frame: &Frame, ctx: &EvalContext<'_>) -> Result<Operand> {
    let Some((value, list)) = call.args.split_first() else { return Err(SparkError::internal("IN has a value")) };
    let t = value.data_type();
    let value = Operand::Column(eval(value, frame, ctx)?.to_array(frame.rows)?);
    let mut open = is_not_null(value.array())?;
    let mut found: Option<BooleanArray> = None;
    for item in list {
        let mut pieces = Pieces::new(frame.rows);
        take_value(item, &open, frame, ctx, &mut pieces)?;
        let equal = equal_values(&value, &pieces.finish(&t)?, &t, frame.rows)?;
        let so_far = match found {
            Some(found) => or_kleene(&found, &equal)?,
            None => equal,
        };
        open = arrow::compute::and(&open, &not(&plain_mask(&so_far))?)?;
        found = Some(so_far);
    }
    Ok(Operand::Column(Arc::new(found.unwrap_or_else(|| BooleanArray::new_null(frame.rows)))))
}

/// Where each row of a result comes from.
struct Pieces {
    arrays: Vec<ArrayRef>,
    /// Array and index in it, by row; `None` while undecided.
    sources: Vec<Option<(usize, usize)>>,
}

impl Pieces {
    fn new(rows: usize) -> Self {
        Self { arrays: Vec::new(), sources: vec![None; rows] }
    }

    /// The rows of `mask`, in order, come from `operand` (its rows when `dense`, else the same row of a whole column).
    fn put(&mut self, mask: &BooleanArray, operand: &Operand, dense: bool) {
        let at = self.arrays.len();
        self.arrays.push(operand.array().clone());
        let mut next = 0;
        for row in 0..mask.len() {
            if mask.value(row) {
                let index = if operand.is_scalar() {
                    0
                } else if dense {
                    next
                } else {
                    row
                };
                self.sources[row] = Some((at, index));
                next += 1;
            }
        }
    }

    fn finish(mut self, data_type: &DataType) -> Result<Operand> {
        let target = data_type.to_arrow();
        // Arrays of the same Spark type may differ in names inside.
        for array in &mut self.arrays {
            if *array.data_type() != target {
                *array = match array.data_type() {
                    arrow::datatypes::DataType::Null => arrow::array::new_null_array(&target, array.len()),
                    _ => arrow::compute::cast(array, &target)?,
                };
            }
        }
        let null_at = self.arrays.len();
        if self.sources.iter().any(Option::is_none) {
            self.arrays.push(arrow::array::new_null_array(&target, 1));
        }
        let indexes: Vec<(usize, usize)> = self.sources.iter().map(|s| s.unwrap_or((null_at, 0))).collect();
        let arrays: Vec<&dyn Array> = self.arrays.iter().map(|a| a.as_ref()).collect();
        if arrays.is_empty() {
            return Ok(Operand::Column(arrow::array::new_empty_array(&target)));
        }
        Ok(Operand::Column(interleave(&arrays, &indexes)?))
    }
}

/// CASE WHEN: conditions in turn, each only for the rows still open, and values only for the rows that take them.
pub(super) fn case_when(
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    data_type: &DataType,
    frame: &Frame,
    ctx: &EvalContext<'_>,
) -> Result<Operand> {
    let rows = frame.rows;
    let mut open = BooleanArray::from(vec![true; rows]);
    let mut pieces = Pieces::new(rows);
    for (condition, value) in branches {
        if open.true_count() == 0 {
            break;
        }
        let hit = condition_over(condition, &open, frame, ctx)?;
        if hit.true_count() > 0 {
            take_value(value, &hit, frame, ctx, &mut pieces)?;
            open = arrow::compute::and(&open, &not(&hit)?)?;
        }
    }
    if let Some(value) = otherwise
        && open.true_count() > 0
    {
        take_value(value, &open, frame, ctx, &mut pieces)?;
    }
    pieces.finish(data_type)
}

fn take_value(
    value: &Expr,
    mask: &BooleanArray,
    frame: &Frame,
    ctx: &EvalContext<'_>,
    pieces: &mut Pieces,
) -> Result<()> {
    if mask.true_count() == 0 {
        return Ok(());
    }
    if mask.true_count() == frame.rows || harmless(value) {
        pieces.put(mask, &eval(value, frame, ctx)?, false);
    } else {
        let part = frame.filtered(value, mask)?;
        pieces.put(mask, &eval(value, &part, ctx)?, true);
    }
    Ok(())
}

/// The rows of `open` where a condition is true.
fn condition_over(condition: &Expr, open: &BooleanArray, frame: &Frame, ctx: &EvalContext<'_>) -> Result<BooleanArray> {
    if open.true_count() == frame.rows || harmless(condition) {
        let c = plain_mask(&booleans(&eval(condition, frame, ctx)?, frame.rows)?);
        return Ok(arrow::compute::and(&c, open)?);
    }
    let part = frame.filtered(condition, open)?;
    let c = plain_mask(&booleans(&eval(condition, &part, ctx)?, part.rows)?);
    let mut next = 0;
    Ok((0..open.len())
        .map(|row| {
            if open.value(row) {
                next += 1;
                Some(c.value(next - 1))
            } else {
                Some(false)
            }
        })
        .collect())
}

/// The first argument that is not null.
fn coalesce(call: &Call, frame: &Frame, ctx: &EvalContext<'_>) -> Result<Operand> {
    let mut open = BooleanArray::from(vec![true; frame.rows]);
    let mut pieces = Pieces::new(frame.rows);
    for arg in &call.args {
        if open.true_count() == 0 {
            break;
        }
        let whole = open.true_count() == frame.rows;
        let part = if whole { None } else { Some(frame.filtered(arg, &open)?) };
        let seen = part.as_ref().unwrap_or(frame);
        let operand = Operand::Column(eval(arg, seen, ctx)?.to_array(seen.rows)?);
        let present = is_not_null(operand.array())?;
        // Rows of the whole batch that this argument settles.
        let mut next = 0;
        let mut sources = Vec::with_capacity(seen.rows);
        let hit: BooleanArray = (0..frame.rows)
            .map(|row| {
                if !open.value(row) {
                    return Some(false);
                }
                let at = next;
                next += 1;
                if present.value(at) {
                    sources.push((row, at));
                }
                Some(present.value(at))
            })
            .collect();
        let at = pieces.arrays.len();
        pieces.arrays.push(operand.array().clone());
        for (row, index) in sources {
            pieces.sources[row] = Some((at, index));
        }
        open = arrow::compute::and(&open, &not(&hit)?)?;
    }
    pieces.finish(&call.data_type)
}

/// TryEval: null where the argument raises.
fn try_eval(call: &Call, frame: &Frame, ctx: &EvalContext<'_>) -> Result<Operand> {
    let [child] = &call.args[..] else { return Err(SparkError::internal("try_eval has one argument")) };
    match eval(child, frame, ctx) {
        Ok(done) => return Ok(done),
        Err(e) if !catchable(&e) => return Err(e),
        Err(_) => {}
    }
    let mut arrays = Vec::with_capacity(frame.rows);
    for row in 0..frame.rows {
        let one = frame.narrowed(&[child], 1, &|c| Ok(c.slice(row, 1)))?;
        arrays.push(match eval(child, &one, ctx) {
            Ok(v) => v.to_array(1)?,
            Err(e) if !catchable(&e) => return Err(e),
            Err(_) => arrow::array::new_null_array(&call.data_type.to_arrow(), 1),
        });
    }
    if arrays.is_empty() {
        return Ok(Operand::Column(arrow::array::new_empty_array(&call.data_type.to_arrow())));
    }
    let arrays: Vec<&dyn Array> = arrays.iter().map(|a| a.as_ref()).collect();
    Ok(Operand::Column(arrow::compute::concat(&arrays)?))
}

/// What the data did; not what the program is.
fn catchable(e: &SparkError) -> bool {
    !matches!(e.class, ErrorClass::UnsupportedOperation | ErrorClass::Python)
        && e.condition.as_deref() != Some("INTERNAL_ERROR")
        && e.condition.as_deref() != Some("INCONSISTENT_BEHAVIOR_CROSS_VERSION.PARSE_DATETIME_BY_NEW_PARSER")
}

/// Whether a value is null, as a mask without nulls.
pub(super) fn null_mask(array: &ArrayRef) -> Result<BooleanArray> {
    Ok(is_null(array)?)
}
