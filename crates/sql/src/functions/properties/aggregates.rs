//! Every aggregate function of the registry: groups side by side in batches give what each group gives alone, a row at a time;
//! and what partial aggregations over pieces give, merged.

use arrow::array::{Array, ArrayRef, BooleanArray};

use super::draws::{Draws, same};
use super::every::{context, refused_by_name, session};
use super::shapes::{Arg, Shape, find};
use crate::error::Result;
use crate::expr::{AggregateCall, Expr};
use crate::functions::eval::evaluate_columns;
use crate::functions::registry::{lookup, resolve_call};
use crate::types::DataType;
use crate::value::{Value, value_at};

/// Aggregates that are no function of rows alone, and why.
const APART: &[(&str, &str)] = &[("percentile_cont", "needs WITHIN GROUP"), ("percentile_disc", "needs WITHIN GROUP")];

/// Aggregates whose merged result may be another, and why: Spark's is too.
const UNMERGED: &[(&str, &str)] = &[("histogram_numeric", "bins are merged in another order")];

const ROWS: usize = 24;
const GROUPS: u32 = 3;

#[test]
fn every_aggregate_over_columns_is_that_over_rows() {
    let mut unseen = Vec::new();
    let mut wrong = Vec::new();
    for name in super::every::aggregates() {
        if APART.iter().any(|(apart, _)| *apart == name) {
            continue;
        }
        let seed = name.bytes().fold(3_u64, |seed, b| seed.wrapping_mul(31).wrapping_add(u64::from(b)));
        let conf = session(false, "UTC");
        let found = if name == "count_min_sketch" {
            Ok(sketches())
        } else {
            find(lookup(name).unwrap(), 5, &conf, &mut Draws::new(seed))
        };
        let shapes = match found {
            Ok(shapes) => shapes,
            Err(e) if refused_by_name(&e) => continue,
            Err(e) => {
                unseen.push(format!("{name}: {}", e.message));
                continue;
            }
        };
        for (i, shape) in shapes.iter().enumerate() {
            let conf = session(i % 2 == 1, "UTC");
            let Ok(Expr::Aggregate(call)) = resolve_call(name, shape.over(&shape.bound()), &conf) else { continue };
            for small in [false, true] {
                let mut draws = if small { Draws::small(seed) } else { Draws::new(seed + i as u64) };
                let types = shape.columns();
                let arrays: Vec<ArrayRef> = types
                    .iter()
                    .map(|t| {
                        let values: Vec<Value> = (0..ROWS).map(|_| draws.nullable(t)).collect();
                        draws.column(t, &values)
                    })
                    .collect();
                let ctx = context(&conf);
                let Ok(args) = arguments(&call, &arrays, &ctx) else { continue };
                if let Err(difference) = compared(&call, &args, small, &mut draws) {
                    wrong.push(format!("{name}{types:?} ansi {}: {difference}", conf.ansi()));
                }
            }
        }
    }
    assert!(unseen.is_empty(), "no call found for:\n{}", unseen.join("\n"));
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Calls of count_min_sketch, whose constants chance does not find.
fn sketches() -> Vec<Shape> {
    let number = |x: f64| Arg::Constant(Value::Double(x), DataType::Double);
    let seed = || Arg::Constant(Value::Integer(7), DataType::Integer);
    [DataType::Short, DataType::Long, DataType::String, DataType::Binary]
        .into_iter()
        .map(|t| Shape { args: vec![Arg::Column(t), number(0.1), number(0.9), seed()] })
        .collect()
}

fn arguments(
    call: &AggregateCall,
    arrays: &[ArrayRef],
    ctx: &crate::functions::EvalContext<'_>,
) -> Result<Vec<ArrayRef>> {
    call.args.iter().map(|arg| evaluate_columns(arg, arrays.to_vec(), ROWS, ctx)).collect()
}

/// Err: what differs.
fn compared(call: &AggregateCall, args: &[ArrayRef], small: bool, draws: &mut Draws) -> Result<(), String> {
    let groups: Vec<u32> = (0..ROWS).map(|_| draws.below(GROUPS as usize) as u32).collect();
    let passing: BooleanArray = (0..ROWS)
        .map(|_| match draws.below(6) {
            0 => None,
            1 => Some(false),
            _ => Some(true),
        })
        .collect();
    for filter in [None, Some(&passing)] {
        let together = together(call, args, &groups, filter);
        let merged = merged(call, args, &groups, filter);
        for group in 0..GROUPS {
            let rows: Vec<usize> = (0..ROWS).filter(|row| groups[*row] == group).collect();
            let alone = alone(call, args, &rows, filter);
            let (together, alone) = match (&together, &alone) {
                (Ok(together), Ok(alone)) => (&together[group as usize], alone),
                // Groups share an error, which may be another group's.
                (Err(_), _) => continue,
                (a, b) => return Err(format!("{a:?}, alone {b:?}")),
            };
            let shown = || {
                let row = |row: &usize| format!("{:?}", args.iter().map(|a| a.slice(*row, 1)).collect::<Vec<_>>());
                rows.iter().map(row).collect::<Vec<_>>().join(" ").replace('\n', "")
            };
            if !same(together, alone) {
                return Err(format!("{together:?}, alone {alone:?} over {}", shown()));
            }
            if let Ok(merged) = &merged
                && small
                && !UNMERGED.iter().any(|(name, _)| *name == &*call.name)
                && !near(&merged[group as usize], alone)
            {
                return Err(format!("merged {:?}, alone {alone:?} over {}", merged[group as usize], shown()));
            }
        }
    }
    Ok(())
}

fn results(call: &AggregateCall, array: &ArrayRef) -> Vec<Value> {
    (0..array.len()).map(|group| value_at(array, group, &call.data_type)).collect()
}

/// All groups in two batches.
fn together(
    call: &AggregateCall,
    args: &[ArrayRef],
    groups: &[u32],
    filter: Option<&BooleanArray>,
) -> Result<Vec<Value>> {
    let mut accumulator = call.function.accumulator();
    for (start, count) in [(0, ROWS / 3), (ROWS / 3, ROWS - ROWS / 3)] {
        let part: Vec<ArrayRef> = args.iter().map(|a| a.slice(start, count)).collect();
        accumulator.resize(GROUPS as usize);
        accumulator.update(&groups[start..start + count], &part, filter.map(|f| f.slice(start, count)).as_ref())?;
    }
    Ok(results(call, &accumulator.evaluate()?))
}

/// One group, a row at a time.
fn alone(call: &AggregateCall, args: &[ArrayRef], rows: &[usize], filter: Option<&BooleanArray>) -> Result<Value> {
    let mut accumulator = call.function.accumulator();
    accumulator.resize(1);
    for row in rows {
        let part: Vec<ArrayRef> = args.iter().map(|a| a.slice(*row, 1)).collect();
        accumulator.update(&[0], &part, filter.map(|f| f.slice(*row, 1)).as_ref())?;
    }
    Ok(results(call, &accumulator.evaluate()?).remove(0))
}

/// Partial aggregations over two pieces, their buffers merged into a third.
fn merged(
    call: &AggregateCall,
    args: &[ArrayRef],
    groups: &[u32],
    filter: Option<&BooleanArray>,
) -> Result<Vec<Value>> {
    let all: Vec<u32> = (0..GROUPS).collect();
    let mut last = call.function.accumulator();
    last.resize(GROUPS as usize);
    for (start, count) in [(0, ROWS / 2), (ROWS / 2, ROWS - ROWS / 2)] {
        let part: Vec<ArrayRef> = args.iter().map(|a| a.slice(start, count)).collect();
        let mut partial = call.function.accumulator();
        partial.resize(GROUPS as usize);
        partial.update(&groups[start..start + count], &part, filter.map(|f| f.slice(start, count)).as_ref())?;
        let buffers = partial.buffers()?;
        for (buffer, (name, t, _)) in buffers.iter().zip(call.function.buffer()) {
            assert_eq!(*buffer.data_type(), t.to_arrow(), "{}: buffer {name}", call.name);
        }
        last.merge(&all, &buffers)?;
    }
    Ok(results(call, &last.evaluate()?))
}

/// The same but for the rounding of sums in another order.
fn near(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Double(x), Value::Double(y)) => same(a, b) || (x - y).abs() <= 1e-9 * x.abs().max(y.abs()).max(1.0),
        (Value::Float(x), Value::Float(y)) => same(a, b) || (x - y).abs() <= 1e-4 * x.abs().max(y.abs()).max(1.0),
        (Value::Array(x), Value::Array(y)) | (Value::Struct(x), Value::Struct(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| near(x, y))
        }
        _ => same(a, b),
    }
}

#[test]
fn what_stands_apart_is_there() {
    for (name, _) in APART.iter().chain(UNMERGED) {
        assert!(matches!(lookup(name), Some(entry) if entry.name == *name), "{name}");
    }
}
