//! Higher-order functions: the lambda is evaluated once over all elements of a batch.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int32Array, ListArray, UInt32Array};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::take;
use arrow::datatypes::{DataType as ArrowType, Int32Type};
use arrow::row::Row;

use super::{Frame, eval};
use crate::error::{Result, SparkError};
use crate::expr::{Call, Expr, LambdaVariable};
use crate::functions::cast::to_text;
use crate::functions::nested::{Lists, built_maps, comparable, interleaved, map_array, relabelled};
use crate::functions::{EvalContext, Operand};
use crate::types::DataType;
use crate::value::value_at;

/// Element positions of a list or map column, row by row.
struct Flat {
    /// Row of each element.
    parent: Vec<u32>,
    /// Index of each element in the values array.
    at: Vec<u32>,
    /// Position within its row.
    position: Vec<i32>,
    /// First element of each row in the vectors above; one more at the end.
    starts: Vec<usize>,
}

impl Flat {
    fn of(offsets: &[i32], valid: &dyn Fn(usize) -> bool, rows: usize) -> Flat {
        let mut flat = Flat { parent: Vec::new(), at: Vec::new(), position: Vec::new(), starts: vec![0] };
        for row in 0..rows {
            if valid(row) {
                for (position, at) in (offsets[row]..offsets[row + 1]).enumerate() {
                    flat.parent.push(row as u32);
                    flat.at.push(at as u32);
                    flat.position.push(position as i32);
                }
            }
            flat.starts.push(flat.parent.len());
        }
        flat
    }

    fn pick(&self, values: &ArrayRef) -> Result<ArrayRef> {
        Ok(take(values, &UInt32Array::from(self.at.clone()), None)?)
    }

    fn positions(&self) -> ArrayRef {
        Arc::new(Int32Array::from(self.position.clone()))
    }
}

/// The lambda over `rows` combinations; `parent` says which row of the frame each belongs to.
fn body(lambda: &Expr, vars: Vec<ArrayRef>, parent: &[u32], frame: &Frame, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    let Expr::Lambda { params, body } = lambda else { return Err(SparkError::internal("a lambda is needed")) };
    let indexes = UInt32Array::from(parent.to_vec());
    let mut inner = frame.narrowed(&[body], parent.len(), &|c| Ok(take(c, &indexes, None)?))?;
    inner.vars.extend(params.iter().map(|p: &LambdaVariable| p.id).zip(vars));
    eval(body, &inner, ctx)?.to_array(parent.len())
}

fn arity(lambda: &Expr) -> usize {
    match lambda {
        Expr::Lambda { params, .. } => params.len(),
        _ => 0,
    }
}

fn list(array: &ArrayRef) -> Result<&ListArray> {
    array.as_list_opt::<i32>().ok_or_else(|| SparkError::internal("a higher-order function over what is no array"))
}

fn rebuild(data_type: &DataType, values: ArrayRef, starts: &[usize], nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let ArrowType::List(field) = data_type.to_arrow() else { return Err(SparkError::internal("array type")) };
    let offsets: Vec<i32> = starts.iter().map(|s| *s as i32).collect();
    let values = relabelled(&values, field.data_type())?;
    Ok(Arc::new(ListArray::try_new(field, OffsetBuffer::new(offsets.into()), values, nulls)?))
}

pub(super) fn higher_order(call: &Call, frame: &Frame, ctx: &EvalContext<'_>) -> Result<Operand> {
    let input = eval(&call.args[0], frame, ctx)?.to_array(frame.rows)?;
    if *input.data_type() == ArrowType::Null {
        return Ok(Operand::Scalar(arrow::array::new_null_array(&call.data_type.to_arrow(), 1)));
    }
    let out = match &*call.name {
        "transform" | "filter" | "exists" | "forall" => over_elements(call, &input, frame, ctx)?,
        "aggregate" | "reduce" => fold(call, &input, frame, ctx)?,
        "array_sort" => sort(call, &input, frame, ctx)?,
        "zip_with" => zip(call, &input, frame, ctx)?,
        "transform_keys" | "transform_values" | "map_filter" => over_entries(call, &input, frame, ctx)?,
        "map_zip_with" => map_zip(call, &input, frame, ctx)?,
        other => return Err(SparkError::not_yet(&format!("The higher-order function {other}"))),
    };
    Ok(Operand::Column(out))
}

fn over_elements(call: &Call, input: &ArrayRef, frame: &Frame, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    let lists = list(input)?;
    let flat = Flat::of(lists.value_offsets(), &|row| lists.is_valid(row), frame.rows);
    let elements = flat.pick(lists.values())?;
    let mut vars = vec![elements.clone()];
    if arity(&call.args[1]) > 1 {
        vars.push(flat.positions());
    }
    let result = body(&call.args[1], vars, &flat.parent, frame, ctx)?;
    if &*call.name == "transform" {
        return rebuild(&call.data_type, result, &flat.starts, lists.nulls().cloned());
    }
    let flags = result.as_boolean_opt().cloned().unwrap_or_else(|| BooleanArray::new_null(result.len()));
    let flag = |i: usize| flags.is_valid(i).then(|| flags.value(i));
    if &*call.name == "filter" {
        let mut keep = Vec::new();
        let mut starts = vec![0];
        for row in 0..frame.rows {
            for i in flat.starts[row]..flat.starts[row + 1] {
                if flag(i) == Some(true) {
                    keep.push(i as u32);
                }
            }
            starts.push(keep.len());
        }
        let values = take(&elements, &UInt32Array::from(keep), None)?;
        return rebuild(&call.data_type, values, &starts, lists.nulls().cloned());
    }
    let any = &*call.name == "exists";
    let out: BooleanArray = (0..frame.rows)
        .map(|row| {
            if lists.is_null(row) {
                return None;
            }
            let mut unknown = false;
            for i in flat.starts[row]..flat.starts[row + 1] {
                match flag(i) {
                    Some(v) if v == any => return Some(any),
                    None => unknown = true,
                    _ => {}
                }
            }
            if unknown { None } else { Some(!any) }
        })
        .collect();
    Ok(Arc::new(out))
}

/// aggregate(array, zero, merge[, finish]): one step for all rows at a time.
fn fold(call: &Call, input: &ArrayRef, frame: &Frame, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    let lists = list(input)?;
    let zero = eval(&call.args[1], frame, ctx)?.to_array(frame.rows)?;
    let merge = &call.args[2];
    let accumulator = call.args[1].data_type().to_arrow();
    // The rows that go on, where each has its accumulator among those of the last step, and the accumulators of those that are
    // done with the row each belongs to.
    let mut live: Vec<u32> = (0..frame.rows as u32).filter(|r| lists.is_valid(*r as usize)).collect();
    let mut at: Vec<u32> = live.clone();
    let mut current = relabelled(&zero, &accumulator)?;
    let mut done: Vec<ArrayRef> = vec![arrow::array::new_null_array(&accumulator, 1)];
    let mut place: Vec<(usize, usize)> = vec![(0, 0); frame.rows];
    let mut step = 0;
    while !live.is_empty() {
        let (mut going, mut going_at, mut ended_at) = (Vec::new(), Vec::new(), Vec::new());
        for (row, at) in live.iter().zip(&at) {
            if lists.value_length(*row as usize) > step {
                going.push(*row);
                going_at.push(*at);
            } else {
                place[*row as usize] = (done.len(), ended_at.len());
                ended_at.push(*at);
            }
        }
        if !ended_at.is_empty() {
            done.push(take(&current, &UInt32Array::from(ended_at), None)?);
        }
        if !going.is_empty() {
            let elements: Vec<u32> = going.iter().map(|r| (lists.value_offsets()[*r as usize] + step) as u32).collect();
            let vars = vec![
                take(&current, &UInt32Array::from(going_at), None)?,
                take(lists.values(), &UInt32Array::from(elements), None)?,
            ];
            current = relabelled(&body(merge, vars, &going, frame, ctx)?, &accumulator)?;
        }
        at = (0..going.len() as u32).collect();
        live = going;
        step += 1;
    }
    let rows: Vec<u32> = (0..frame.rows as u32).collect();
    let done: Vec<&dyn Array> = done.iter().map(AsRef::as_ref).collect();
    let accumulated = interleaved(&done, &place, &accumulator)?;
    let finished = match call.args.get(3) {
        Some(finish) => body(finish, vec![accumulated], &rows, frame, ctx)?,
        None => accumulated,
    };
    if lists.null_count() == 0 {
        return Ok(finished);
    }
    Ok(arrow::compute::nullif(&finished, &super::lazy::null_mask(input)?)?)
}

/// array_sort(array, comparator): a stable merge sort by the lambda.
fn sort(call: &Call, input: &ArrayRef, frame: &Frame, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    let lists = list(input)?;
    let mut order = Vec::new();
    let mut starts = vec![0];
    for row in 0..frame.rows {
        if lists.is_valid(row) {
            let (from, to) = (lists.value_offsets()[row] as u32, lists.value_offsets()[row + 1] as u32);
            let mut items: Vec<u32> = (from..to).collect();
            let mut failure = None;
            // Insertion by binary search keeps the number of evaluations low and needs no total order to end.
            let mut sorted: Vec<u32> = Vec::with_capacity(items.len());
            for item in items.drain(..) {
                let at = sorted.partition_point(|other| {
                    if failure.is_some() {
                        return false;
                    }
                    match compare_pair(call, lists, *other, item, row, frame, ctx) {
                        Ok(c) => c <= 0,
                        Err(e) => {
                            failure = Some(e);
                            false
                        }
                    }
                });
                if let Some(e) = failure {
                    return Err(e);
                }
                sorted.insert(at, item);
            }
            order.extend(sorted);
        }
        starts.push(order.len());
    }
    let values = take(lists.values(), &UInt32Array::from(order), None)?;
    rebuild(&call.data_type, values, &starts, lists.nulls().cloned())
}

fn compare_pair(
    call: &Call,
    lists: &ListArray,
    a: u32,
    b: u32,
    row: usize,
    frame: &Frame,
    ctx: &EvalContext<'_>,
) -> Result<i32> {
    let vars = vec![lists.values().slice(a as usize, 1), lists.values().slice(b as usize, 1)];
    let out = body(&call.args[1], vars, &[row as u32], frame, ctx)?;
    if let Some(order) = out.as_primitive_opt::<Int32Type>().filter(|order| order.is_valid(0)) {
        return Ok(order.value(0));
    }
    let t = element_type(&call.args[0]);
    let text = |at: u32| to_text(&value_at(lists.values(), at as usize, &t), &t, ctx.conf.time_zone());
    Err(SparkError::runtime("COMPARATOR_RETURNS_NULL", &[("firstValue", &text(a)), ("secondValue", &text(b))]))
}

fn element_type(expr: &Expr) -> DataType {
    match expr.data_type() {
        DataType::Array { element, .. } => (*element).clone(),
        _ => DataType::Null,
    }
}

fn zip(call: &Call, input: &ArrayRef, frame: &Frame, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    let right = eval(&call.args[1], frame, ctx)?.to_array(frame.rows)?;
    let (l, r) = (list(input)?, list(&right)?);
    let (mut parent, mut left_at, mut right_at) = (Vec::new(), Vec::new(), Vec::new());
    let mut starts = vec![0];
    let valid: Vec<bool> = (0..frame.rows).map(|row| l.is_valid(row) && r.is_valid(row)).collect();
    for (row, valid) in valid.iter().enumerate() {
        if *valid {
            let (a, b) = (l.value_length(row), r.value_length(row));
            for i in 0..a.max(b) {
                parent.push(row as u32);
                left_at.push((i < a).then(|| (l.value_offsets()[row] + i) as u32));
                right_at.push((i < b).then(|| (r.value_offsets()[row] + i) as u32));
            }
        }
        starts.push(parent.len());
    }
    let vars = vec![
        take(l.values(), &UInt32Array::from(left_at), None)?,
        take(r.values(), &UInt32Array::from(right_at), None)?,
    ];
    let values = body(&call.args[2], vars, &parent, frame, ctx)?;
    rebuild(&call.data_type, values, &starts, Some(NullBuffer::from(valid)))
}

fn over_entries(call: &Call, input: &ArrayRef, frame: &Frame, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    let Some(maps) = input.as_map_opt() else { return Err(SparkError::internal("no map")) };
    let flat = Flat::of(maps.value_offsets(), &|row| maps.is_valid(row), frame.rows);
    let (keys, values) = (flat.pick(maps.keys())?, flat.pick(maps.values())?);
    let result = body(&call.args[1], vec![keys.clone(), values.clone()], &flat.parent, frame, ctx)?;
    let offsets = |starts: &[usize]| starts.iter().map(|s| *s as i32).collect();
    let nulls = maps.nulls().cloned();
    match &*call.name {
        "transform_keys" => built_maps(&call.data_type, result, values, offsets(&flat.starts), nulls, ctx.conf),
        "transform_values" => map_array(&call.data_type, &keys, &result, offsets(&flat.starts), nulls),
        _ => {
            let wanted = result.as_boolean_opt();
            let wanted = |i: &usize| wanted.is_some_and(|w| w.is_valid(*i) && w.value(*i));
            let (mut kept, mut starts) = (Vec::new(), vec![0]);
            for ends in flat.starts.windows(2) {
                kept.extend((ends[0]..ends[1]).filter(wanted).map(|i| i as u32));
                starts.push(kept.len());
            }
            let kept = UInt32Array::from(kept);
            let (keys, values) = (take(&keys, &kept, None)?, take(&values, &kept, None)?);
            map_array(&call.data_type, &keys, &values, offsets(&starts), nulls)
        }
    }
}

fn map_zip(call: &Call, input: &ArrayRef, frame: &Frame, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    let operands = [Operand::Column(input.clone()), eval(&call.args[1], frame, ctx)?];
    let [left, right] = [Lists::of(&operands[0])?, Lists::of(&operands[1])?];
    let [left_keys, right_keys] = comparable([left.keys()?, right.keys()?])?;
    // Keys by side and place, and the value of each key on both sides.
    let mut keys: Vec<(usize, usize)> = Vec::new();
    let (mut lefts, mut rights): (Vec<Option<u32>>, Vec<Option<u32>>) = (Vec::new(), Vec::new());
    let (mut parent, mut offsets, mut there) = (Vec::new(), vec![0], Vec::with_capacity(frame.rows));
    let mut unmatched: HashMap<Row<'_>, usize> = HashMap::new();
    for row in 0..frame.rows {
        let whole = !left.is_null(row) && !right.is_null(row);
        if whole {
            let (a, b) = (left.range(row), right.range(row));
            unmatched.clear();
            for at in b.clone().rev() {
                unmatched.insert(right_keys.row(at), at);
            }
            for at in a {
                keys.push((0, at));
                lefts.push(Some(at as u32));
                rights.push(unmatched.remove(&left_keys.row(at)).map(|at| at as u32));
            }
            for at in b.filter(|at| unmatched.get(&right_keys.row(*at)) == Some(at)) {
                keys.push((1, at));
                lefts.push(None);
                rights.push(Some(at as u32));
            }
        }
        parent.resize(keys.len(), row as u32);
        offsets.push(keys.len() as i32);
        there.push(whole);
    }
    let DataType::Map { key, .. } = &call.data_type else { return Err(SparkError::internal("map type")) };
    let keys = interleaved(&[left.keys()?.as_ref(), right.keys()?.as_ref()], &keys, &key.to_arrow())?;
    let vars = vec![
        keys.clone(),
        take(left.values, &UInt32Array::from(lefts), None)?,
        take(right.values, &UInt32Array::from(rights), None)?,
    ];
    let values = body(&call.args[2], vars, &parent, frame, ctx)?;
    map_array(&call.data_type, &keys, &values, offsets, Some(NullBuffer::from(there)))
}
