//! counter_diff: what a cumulative counter grew by since the row before (CounterDiff, CounterDiffWithStartTime).

use std::cmp::Ordering;

use arrow::array::ArrayRef;

use crate::error::{Result, SparkError};
use crate::functions::cast::to_text;
use crate::functions::datetime::zone::Zone;
use crate::types::DataType;
use crate::value::{Value, ValueBuilder, compare, value_at};

/// A column of a window's sorted rows with its type.
pub(super) struct Typed<'a> {
    pub(super) array: &'a ArrayRef,
    pub(super) data_type: &'a DataType,
}

/// The growth of each row's counter since the last one of its partition that is not null; null where a counter was reset: it
/// fell, or its start moved on. `parts` holds the partition of every row: start, end.
pub(super) fn differences(
    counter: &Typed<'_>,
    started: Option<&Typed<'_>>,
    parts: &[(usize, usize)],
    zone: &Zone,
) -> Result<ArrayRef> {
    let mut out = ValueBuilder::new(counter.data_type, parts.len());
    let (mut before, mut before_start) = (Value::Null, Value::Null);
    for (row, (first, _)) in parts.iter().enumerate() {
        if row == *first {
            (before, before_start) = (Value::Null, Value::Null);
        }
        let now = value_at(counter.array, row, counter.data_type);
        let start = started.map_or(Value::Null, |s| value_at(s.array, row, s.data_type));
        if now.is_null() {
            out.append_null();
            continue;
        }
        if negative(&now) {
            let value = to_text(&now, counter.data_type, zone);
            return Err(SparkError::runtime(
                "COUNTER_DIFF_NEGATIVE_COUNTER_VALUE",
                &[("function", "`counter_diff`"), ("value", &value)],
            ));
        }
        let mut moved_on = false;
        if let Some(started) = started
            && !start.is_null()
            && !before_start.is_null()
        {
            let order = compare(&start, &before_start);
            if order == Ordering::Less {
                let text = |v: &Value| to_text(v, started.data_type, zone);
                return Err(SparkError::runtime(
                    "COUNTER_DIFF_START_TIME_DECREASED",
                    &[
                        ("function", "`counter_diff`"),
                        ("previousStartTime", &text(&before_start)),
                        ("currentStartTime", &text(&start)),
                    ],
                ));
            }
            moved_on = order == Ordering::Greater;
        }
        if before.is_null() || moved_on || compare(&now, &before) == Ordering::Less {
            out.append_null();
        } else {
            out.append(&minus(&now, &before))?;
        }
        (before, before_start) = (now, start);
    }
    out.finish()
}

fn negative(v: &Value) -> bool {
    match v {
        Value::Float(x) => *x < 0.0,
        Value::Double(x) => *x < 0.0,
        Value::Decimal(x, ..) => *x < 0,
        v => v.as_i64().is_some_and(|n| n < 0),
    }
}

/// `a - b` of two numbers of one type, where 0 <= b <= a.
fn minus(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Byte(a), Value::Byte(b)) => Value::Byte(a.wrapping_sub(*b)),
        (Value::Short(a), Value::Short(b)) => Value::Short(a.wrapping_sub(*b)),
        (Value::Integer(a), Value::Integer(b)) => Value::Integer(a.wrapping_sub(*b)),
        (Value::Long(a), Value::Long(b)) => Value::Long(a.wrapping_sub(*b)),
        (Value::Float(a), Value::Float(b)) => Value::Float(a - b),
        (Value::Double(a), Value::Double(b)) => Value::Double(a - b),
        (Value::Decimal(a, precision, scale), Value::Decimal(b, ..)) => {
            Value::Decimal(a.wrapping_sub(*b), *precision, *scale)
        }
        _ => Value::Null,
    }
}
