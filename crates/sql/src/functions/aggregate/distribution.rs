//! percentile, median, percentile_approx, mode: aggregates that keep values with their counts.

mod counted;

use super::{Accumulator, AggregateFunction, aggregate};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, SortOrder};
use crate::functions::coercion::{In, cast_to};
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::{DataType, StructField};
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("percentile", 2, 3, percentile),
    FunctionEntry::custom("median", 1, 1, percentile),
    FunctionEntry::custom("percentile_cont", 1, 1, within_group),
    FunctionEntry::custom("percentile_disc", 1, 1, within_group),
    FunctionEntry::custom("percentile_approx", 2, 3, approximate),
    FunctionEntry::custom("approx_percentile", 2, 3, approximate),
    FunctionEntry::custom("mode", 0, 2, mode),
];

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Interpolated, as DOUBLE or interval.
    Exact,
    /// The value at the rank.
    Ranked,
    /// The value at the rank, as DOUBLE or interval; true: counted from the greatest.
    Discrete(bool),
    /// The most frequent; of several the first in the map, or the lowest or greatest.
    Mode(Pick),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pick {
    First,
    Lowest,
    Greatest,
}

#[derive(Clone, Debug)]
struct Distribution {
    kind: Kind,
    input: DataType,
    result: DataType,
    percentages: Vec<f64>,
    /// Several percentages give an array.
    many: bool,
    /// A third argument counts each value so often.
    weighted: bool,
    /// That argument's text.
    frequency: String,
}

fn percentages(b: &Build<'_>, args: &[Expr], arg: &Expr) -> Result<(Vec<f64>, bool)> {
    let sql = || format!("\"{}\"", describe::call_text(b.name, args));
    let value = crate::functions::json::constant(b, arg)?;
    let Some(value) = value else {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
            &[
                ("sqlExpr", &sql()),
                ("inputName", "`percentage`"),
                ("inputType", "\"DOUBLE\""),
                ("inputExpr", &describe::quoted(arg)),
            ],
        ));
    };
    let (list, many) = match &value {
        Value::Array(items) => (items.iter().filter_map(Value::as_f64).collect::<Vec<_>>(), true),
        Value::Null => {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.UNEXPECTED_NULL",
                &[("sqlExpr", &sql()), ("exprName", "percentage")],
            ));
        }
        v => (v.as_f64().into_iter().collect(), false),
    };
    if let Some(bad) = list.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &sql()),
                ("exprName", "percentage"),
                ("valueRange", "[0.0, 1.0]"),
                ("currentValue", &format!("{}D", crate::value::text::double_to_string(*bad))),
            ],
        ));
    }
    Ok((list, many))
}

fn percentile(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let name = b.name;
    let weighted = args.len() == 3;
    if name != "median" && !weighted {
        // Percentile shows its frequency too.
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let (percentages, many) = if name == "median" {
        (vec![0.5], false)
    } else {
        let arg = args[1].clone();
        percentages(b, &args, &arg)?
    };
    let mut head = b.inputs(vec![args[0].clone()], &[In::Either(&[In::Num, In::YearMonth, In::DayTime])])?;
    let input = head[0].data_type();
    let result = several(single(&input), many);
    if name != "median" {
        args[0] = head.remove(0);
        args[2] = cast_to(args[2].clone(), &DataType::Long, b.ansi());
    } else {
        args = head;
    }
    let frequency = args.get(2).map(describe::quoted).unwrap_or_default();
    let plain = Distribution::of(Kind::Exact, input, result.clone());
    let function = Distribution { percentages, many, weighted, frequency, ..plain };
    Ok(aggregate(b, name, args, result, true, function))
}

/// percentile_cont(p) WITHIN GROUP (ORDER BY value): the percentile of the values, counted from the other end for DESC.
fn within_group(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let order = std::mem::take(&mut b.within_group);
    let [key] = order.as_slice() else {
        return Err(SparkError::analysis(
            "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING",
            &[("funcName", &format!("`{}`", b.name))],
        ));
    };
    args.insert(0, key.child.clone());
    let share = args[1].clone();
    let (mut percentages, many) = percentages(b, &args, &share)?;
    args[0] = b.inputs(vec![args[0].clone()], &[In::Either(&[In::Num, In::YearMonth, In::DayTime])])?.remove(0);
    let kind = if b.name == "percentile_disc" {
        Kind::Discrete(!key.ascending)
    } else {
        if !key.ascending {
            percentages.iter_mut().for_each(|p| *p = 1.0 - *p);
        }
        Kind::Exact
    };
    let input = args[0].data_type();
    let result = several(single(&input), many);
    args.push(Expr::SortOrder(Box::new(key.clone())));
    let function = Distribution { percentages, many, ..Distribution::of(kind, input, result.clone()) };
    Ok(aggregate(b, b.name, args, result, true, function))
}

/// Type of a percentile of these values.
fn single(input: &DataType) -> DataType {
    match input {
        DataType::YearMonthInterval { .. } => DataType::INTERVAL_YM,
        DataType::DayTimeInterval { .. } => DataType::INTERVAL_DT,
        _ => DataType::Double,
    }
}

fn several(single: DataType, many: bool) -> DataType {
    if many { DataType::array(single, false) } else { single }
}

fn approximate(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let name = b.name;
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(10_000), DataType::Integer));
    }
    let accuracy = crate::functions::json::constant(b, &args[2])?.and_then(|v| v.as_i64());
    let arg = args[1].clone();
    let (percentages, many) = percentages(b, &args, &arg)?;
    if let Some(accuracy) = accuracy.filter(|n| !(1..=i64::from(i32::MAX)).contains(n)) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(name, &args))),
                ("exprName", "accuracy"),
                ("valueRange", "(0, 2147483647]"),
                ("currentValue", &format!("{accuracy}L")),
            ],
        ));
    }
    let input_kind = In::Either(&[In::Num, In::Date, In::Ts, In::Ntz, In::YearMonth, In::DayTime]);
    args[0] = b.inputs(vec![args[0].clone()], &[input_kind])?.remove(0);
    let input = args[0].data_type();
    let result = if many { DataType::array(input.clone(), false) } else { input.clone() };
    let function = Distribution { percentages, many, ..Distribution::of(Kind::Ranked, input, result.clone()) };
    Ok(aggregate(b, name, args, result, true, function))
}

fn mode(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let order = std::mem::take(&mut b.within_group);
    let pick = match (order.as_slice(), args.get(1)) {
        ([key], _) if args.is_empty() => {
            args.push(key.child.clone());
            args.push(Expr::SortOrder(Box::new(key.clone())));
            if key.ascending { Pick::Lowest } else { Pick::Greatest }
        }
        (_, deterministic) => {
            let lowest = matches!(deterministic, Some(Expr::Literal { value: Value::Boolean(true), .. }));
            args.truncate(1);
            if args.is_empty() {
                return Err(SparkError::analysis(
                    "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING",
                    &[("funcName", "`mode`")],
                ));
            }
            if lowest {
                // mode(value, true) is mode() WITHIN GROUP (ORDER BY value).
                let child = args[0].clone();
                args.push(Expr::SortOrder(Box::new(SortOrder { child, ascending: true, nulls_first: true })));
                Pick::Lowest
            } else {
                Pick::First
            }
        }
    };
    let t = args[0].data_type();
    let function = Distribution::of(Kind::Mode(pick), t.clone(), t.clone());
    Ok(aggregate(b, "mode", args, t, true, function))
}

impl Distribution {
    /// Of values that count once each, without percentages.
    fn of(kind: Kind, input: DataType, result: DataType) -> Self {
        let (percentages, frequency) = (Vec::new(), String::new());
        Self { kind, input, result, percentages, many: false, weighted: false, frequency }
    }

    /// Key and count: how a buffer's entries are written.
    fn entries_type(&self) -> DataType {
        DataType::array(
            DataType::structure(vec![
                StructField::new("key", self.input.clone(), true),
                StructField::new("count", DataType::Long, false),
            ]),
            false,
        )
    }
}

impl AggregateFunction for Distribution {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![("buf".into(), DataType::Binary, true)]
    }
    fn is_object(&self) -> bool {
        true
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(counted::Distributions::new(self))
    }
}
