//! sequence(start, stop[, step]).

use arrow::array::{ArrayRef, AsArray, IntervalMonthDayNanoArray, new_null_array};
use arrow::datatypes as at;

use super::intervals::add_interval;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{self, cast_to};
use crate::functions::datetime::zone::Zone;
use crate::functions::integers::{Numbers, from_numbers};
use crate::functions::nested::list_array;
use crate::functions::registry::Build;
use crate::functions::typed::{Columns, column_call};
use crate::types::DataType;
use crate::value::text::MICROS_PER_DAY;

/// Longest array of Spark (ByteArrayMethods.MAX_ROUNDED_ARRAY_LENGTH), kept lower for the memory of a tab.
const LONGEST: usize = 50_000_000;

pub(super) fn sequence(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    let types: Vec<DataType> = args.iter().take(2).map(Expr::data_type).collect();
    if let Some(t) = coercion::wider_common(&types, ansi) {
        for a in args.iter_mut().take(2) {
            *a = cast_to(a.clone(), &t, ansi);
        }
        if args.len() == 3 && t.is_integral() {
            args[2] = cast_to(args[2].clone(), &t, ansi);
        }
    }
    let t = args[0].data_type();
    if !(t.is_integral() || t.is_datetime()) {
        let sql = crate::functions::describe::call_text("sequence", &args);
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES",
            &[
                ("sqlExpr", &format!("\"{sql}\"")),
                ("functionName", "`sequence`"),
                ("startType", "(\"TIMESTAMP\" or \"TIMESTAMP_NTZ\" or \"DATE\")"),
                ("stepType", "(\"INTERVAL\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL DAY TO SECOND\")"),
                ("otherStartType", "\"INTEGRAL\""),
            ],
        ));
    }
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("sequence", args, DataType::array(t, false), nullable, true, ansi, run))
}

fn illegal(start: i64, stop: i64, step: &str) -> SparkError {
    SparkError::plain(
        ErrorClass::IllegalArgument,
        format!("requirement failed: Illegal sequence boundaries: {start} to {stop} by {step}"),
    )
}

fn run(c: &Columns<'_>) -> Result<ArrayRef> {
    let DataType::Array { element, .. } = c.result else { return Err(SparkError::internal("array type")) };
    let nothing = || Ok(new_null_array(&c.result.to_arrow(), c.rows));
    // An end or a step of another type leads nowhere.
    let (Ok(starts), Ok(stops)) = (Numbers::of(c.operand(0)?.array()), Numbers::of(c.operand(1)?.array())) else {
        return nothing();
    };
    let steps = match c.args.get(2).map(|step| Steps::of(step.array())) {
        Some(Err(_)) => return nothing(),
        Some(Ok(steps)) => Some(steps),
        None => None,
    };
    let nulls = c.present();
    let mut out: Vec<i64> = Vec::new();
    let mut offsets = vec![0];
    for row in 0..c.rows {
        if nulls.as_ref().is_none_or(|n| n.is_valid(row)) {
            let ends = (starts.value(c.args[0].index(row)) as i64, stops.value(c.args[1].index(row)) as i64);
            let step = steps.as_ref().map(|steps| steps.at(c.args[2].index(row)));
            if element.is_integral() {
                numbers(ends, step.map(|step| step.2), &mut out)?;
            } else {
                moments(ends, step, element, c.zone(), &mut out)?;
            }
        }
        offsets.push(out.len() as i32);
    }
    let values = from_numbers(element, &mut out.iter().map(|n| Some(i128::from(*n))))?;
    list_array(c.result, values, offsets, nulls)
}

/// Months, days, microseconds; a whole number stands for the last.
type Step = (i32, i32, i64);

enum Steps<'a> {
    Numbers(Numbers<'a>),
    Months(Numbers<'a>),
    Times(Numbers<'a>),
    Calendar(&'a IntervalMonthDayNanoArray),
}

impl<'a> Steps<'a> {
    fn of(array: &'a ArrayRef) -> Result<Steps<'a>> {
        Ok(match array.data_type() {
            at::DataType::Interval(at::IntervalUnit::YearMonth) => Steps::Months(Numbers::of(array)?),
            at::DataType::Duration(_) => Steps::Times(Numbers::of(array)?),
            at::DataType::Interval(_) => Steps::Calendar(array.as_primitive()),
            _ => Steps::Numbers(Numbers::of(array)?),
        })
    }

    fn at(&self, row: usize) -> Step {
        match self {
            Steps::Numbers(numbers) => (0, 0, numbers.value(row) as i64),
            Steps::Months(numbers) => (numbers.value(row) as i32, 0, 0),
            Steps::Times(numbers) => {
                let us = numbers.value(row) as i64;
                (0, (us / MICROS_PER_DAY) as i32, us % MICROS_PER_DAY)
            }
            Steps::Calendar(intervals) => {
                let interval = intervals.value(row);
                (interval.months, interval.days, interval.nanoseconds / 1000)
            }
        }
    }
}

fn numbers((from, to): (i64, i64), step: Option<i64>, out: &mut Vec<i64>) -> Result<()> {
    let step = step.unwrap_or(if from <= to { 1 } else { -1 });
    if (step > 0 && from > to) || (step < 0 && from < to) || (step == 0 && from != to) {
        return Err(illegal(from, to, &step.to_string()));
    }
    let count = if step == 0 { 1 } else { ((i128::from(to) - i128::from(from)) / i128::from(step)) as usize + 1 };
    if count > LONGEST {
        return Err(too_long(count));
    }
    out.extend((0..count as i64).map(|i| from + i * step));
    Ok(())
}

fn moments((from, to): (i64, i64), step: Option<Step>, t: &DataType, session: &Zone, out: &mut Vec<i64>) -> Result<()> {
    let (months, days, micros) = step.unwrap_or((0, if from <= to { 1 } else { -1 }, 0));
    let utc = Zone::UTC;
    let (zone, unit) = match t {
        DataType::Timestamp => (session, 1),
        DataType::Date => (&utc, MICROS_PER_DAY),
        _ => (&utc, 1),
    };
    let (first, last) = (from * unit, to * unit);
    // The sign of the step, months counted as 28 days.
    let direction = i64::from(months) * 28 * MICROS_PER_DAY + i64::from(days) * MICROS_PER_DAY + micros;
    if (direction > 0 && first > last) || (direction < 0 && first < last) || (direction == 0 && first != last) {
        let step = crate::value::text::calendar_interval_to_string(months, days, micros);
        return Err(illegal(from, to, &step));
    }
    let before = out.len();
    let mut i = 0;
    loop {
        let at = add_interval(first, months * i, days * i, micros * i64::from(i), zone)
            .ok_or_else(|| SparkError::plain(ErrorClass::Java("java.lang.ArithmeticException"), "long overflow"))?;
        if (direction >= 0 && at > last) || (direction < 0 && at < last) {
            break;
        }
        out.push(at.div_euclid(unit));
        if direction == 0 {
            break;
        }
        i += 1;
        if out.len() - before > LONGEST {
            return Err(too_long(out.len() - before));
        }
    }
    Ok(())
}

fn too_long(count: usize) -> SparkError {
    SparkError::runtime(
        "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
        &[
            ("numberOfElements", &count.to_string()),
            ("maxRoundedArrayLength", "2147483632"),
            ("functionName", "`sequence`"),
            ("parameter", "`count`"),
        ],
    )
}
