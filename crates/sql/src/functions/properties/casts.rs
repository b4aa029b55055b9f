//! Casts: whole columns give what single values give, and text to a type and back is the text again.

use super::draws::{Draws, same};
use super::shapes::pool;
use crate::expr::EvalMode;
use crate::functions::cast::{CastContext, can_cast, cast_array, cast_value};
use crate::functions::datetime::zone::Zone;
use crate::types::DataType;
use crate::value::{Value, value_at};

const ROWS: usize = 12;

/// Each type of the pool once, and those that only casts meet.
fn types() -> Vec<DataType> {
    let mut types = pool();
    types.dedup();
    types.push(DataType::Null);
    types.push(DataType::decimal(5, 5));
    types.push(DataType::DayTimeInterval { start: 0, end: 0 });
    types.push(DataType::YearMonthInterval { start: 1, end: 1 });
    types
}

#[test]
fn casts_of_columns_are_those_of_values() {
    let zone = Zone::parse("America/Los_Angeles").unwrap();
    let mut wrong = Vec::new();
    let types = types();
    for (i, from) in types.iter().enumerate() {
        for (j, to) in types.iter().enumerate() {
            let mut draws = Draws::new((i * 100 + j) as u64);
            let values: Vec<Value> = (0..ROWS).map(|_| draws.nullable(from)).collect();
            for mode in [EvalMode::Ansi, EvalMode::Legacy, EvalMode::Try] {
                if !can_cast(from, to, mode) {
                    continue;
                }
                let ctx = CastContext { mode, zone: &zone, now_us: 0 };
                let mut good = Vec::new();
                let mut expected = Vec::new();
                let mut failure = None;
                for value in &values {
                    match cast_value(value, from, to, ctx) {
                        Ok(cast) => {
                            good.push(value.clone());
                            expected.push(cast);
                        }
                        Err(e) => failure = failure.or(Some(e)),
                    }
                }
                if let Some(alone) = failure {
                    match cast_array(&draws.column(from, &values), from, to, ctx) {
                        Err(e) if e.condition == alone.condition && e.message == alone.message => {}
                        other => wrong.push(format!("{from:?} to {to:?} {mode:?}: {:?}, alone {alone}", other.err())),
                    }
                }
                match cast_array(&draws.column(from, &good), from, to, ctx) {
                    Ok(array) => {
                        assert_eq!(*array.data_type(), to.to_arrow(), "{from:?} to {to:?}");
                        for (row, expected) in expected.iter().enumerate() {
                            let got = value_at(&array, row, to);
                            if !same(&got, expected) {
                                wrong.push(format!("{:?} to {to:?} {mode:?}: {got:?}, alone {expected:?}", good[row]));
                                break;
                            }
                        }
                    }
                    Err(e) => wrong.push(format!("{from:?} to {to:?} {mode:?}: {e}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Types with a text for every value that reads as that value.
fn written() -> Vec<DataType> {
    use DataType as T;
    vec![
        T::Boolean,
        T::Byte,
        T::Short,
        T::Integer,
        T::Long,
        T::Float,
        T::Double,
        T::decimal(12, 3),
        T::decimal(38, 10),
        T::Date,
        T::Timestamp,
        T::TimestampNtz,
        T::Time(6),
        T::INTERVAL_DT,
        T::INTERVAL_YM,
        T::CalendarInterval,
    ]
}

/// CAST(CAST(x AS STRING) AS T) is x, and its text the same text.
#[test]
fn casts_to_text_and_back_keep_the_value() {
    let zones = [Zone::UTC, Zone::parse("Asia/Kolkata").unwrap()];
    for t in written() {
        let mut draws = Draws::new(7);
        for round in 0..300 {
            let ctx = CastContext { mode: EvalMode::Ansi, zone: &zones[round % zones.len()], now_us: 0 };
            let value = draws.value(&t);
            let text = cast_value(&value, &t, &DataType::String, ctx).unwrap();
            let back = cast_value(&text, &DataType::String, &t, ctx)
                .unwrap_or_else(|e| panic!("{t:?}: {value:?}, as text {text:?}: {e}"));
            assert!(same(&value, &back), "{t:?}: {value:?}, as text {text:?}, back {back:?}");
            let again = cast_value(&back, &t, &DataType::String, ctx).unwrap();
            assert_eq!(text, again, "{t:?}");
        }
    }
}

/// A text that reads as a value becomes that value's text, which reads as the same value.
#[test]
fn texts_settle_after_one_cast() {
    let ctx = CastContext { mode: EvalMode::Try, zone: &Zone::UTC, now_us: 0 };
    let texts = [
        " 12 ",
        "+7",
        "007",
        "1e2",
        "-0",
        ".5",
        "5.",
        "inf",
        "-Infinity",
        "nan",
        "T",
        "no",
        "2024-2-9",
        "2024",
        "2024-02-29T",
        "1999-12-31 23:59",
        "2020-01-01 00:00:00 +05:30",
        "2020-06-01T12:00:00Z",
        "T10:11:12",
        "23:59:59.9999994",
        "1 02:03:04.5",
        "INTERVAL '1 02' DAY TO HOUR",
        "-3-11",
        "1 year 2 days",
        "interval 90 minutes",
        "99999999999999999999",
        "1e-30",
        "0x10",
        "",
    ];
    for t in written() {
        for text in texts {
            let value = cast_value(&Value::from(text), &DataType::String, &t, ctx).unwrap();
            if value.is_null() {
                continue;
            }
            let shown = cast_value(&value, &t, &DataType::String, ctx).unwrap();
            let back = cast_value(&shown, &DataType::String, &t, ctx).unwrap();
            assert!(same(&value, &back), "{t:?}: {text:?} is {value:?}, shown {shown:?}, back {back:?}");
        }
    }
}
