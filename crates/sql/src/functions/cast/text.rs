//! Values to text: CAST AS STRING, the cells of show, and literals as messages print them.

use std::fmt::Write;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, Decimal128Array, IntervalMonthDayNanoArray, StringArray};
use arrow::buffer::NullBuffer;

use crate::error::{Result, SparkError};
use crate::functions::datetime::zone::Zone;
use crate::functions::typed::{Read, Real, RealColumn, Whole, WholeColumn, written};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{
    calendar_interval_to_string, date_to_string, day_time_to_string, decimal_to_string, double_to_string,
    float_to_string, interval_bounds, local_timestamp_to_string, time_to_string, year_month_to_string,
};

#[derive(Clone, Copy)]
struct Style {
    null: &'static str,
    /// Binary as "[41 42]" (ToPrettyString) instead of UTF-8 text.
    hex_binary: bool,
}

const CAST: Style = Style { null: "null", hex_binary: false };
const PRETTY: Style = Style { null: "NULL", hex_binary: true };

/// CAST AS STRING of a column.
pub(super) fn cast(array: &ArrayRef, from: &DataType, zone: &Zone) -> Result<ArrayRef> {
    texts(array, &Cells::new(array, from, zone, CAST)?)
}

/// ToPrettyString of a column; null where the column is.
pub(crate) fn pretty(array: &ArrayRef, from: &DataType, zone: &Zone) -> Result<ArrayRef> {
    texts(array, &Cells::new(array, from, zone, PRETTY)?)
}

fn texts(array: &ArrayRef, cells: &Cells<'_>) -> Result<ArrayRef> {
    written(array.len(), &|row, out| {
        let there = array.is_valid(row);
        if there {
            cells.write(row, out);
        }
        Ok(there)
    })
}

/// A column whose cells are written as texts.
struct Cells<'a> {
    kind: Kind<'a>,
    nulls: Option<&'a NullBuffer>,
    data_type: &'a DataType,
    zone: &'a Zone,
    style: Style,
}

enum Kind<'a> {
    Null,
    Whole(WholeColumn<'a>),
    Real(RealColumn<'a>),
    Decimal(&'a Decimal128Array, i8),
    Text(&'a StringArray),
    Binary(&'a BinaryArray),
    Calendar(&'a IntervalMonthDayNanoArray),
    List(&'a [i32], Box<Cells<'a>>),
    Map(&'a [i32], Box<[Cells<'a>; 2]>),
    Struct(Vec<Cells<'a>>),
    Variant(&'a BinaryArray, &'a BinaryArray),
}

impl<'a> Cells<'a> {
    fn new(array: &'a ArrayRef, data_type: &'a DataType, zone: &'a Zone, style: Style) -> Result<Self> {
        let of = |array, data_type| Cells::new(array, data_type, zone, style);
        let kind = match data_type {
            DataType::Null => Some(Kind::Null),
            DataType::Float | DataType::Double => Real::open(array).map(Kind::Real),
            DataType::Decimal { scale, .. } => array.as_primitive_opt().map(|a| Kind::Decimal(a, *scale)),
            DataType::Binary => array.as_binary_opt().map(Kind::Binary),
            DataType::CalendarInterval => array.as_primitive_opt().map(Kind::Calendar),
            DataType::Array { element, .. } => match array.as_list_opt::<i32>() {
                Some(a) => Some(Kind::List(a.value_offsets(), Box::new(of(a.values(), element)?))),
                None => None,
            },
            DataType::Map { key, value, .. } => match array.as_map_opt() {
                Some(a) => {
                    let entries = Box::new([of(a.keys(), key)?, of(a.values(), value)?]);
                    Some(Kind::Map(a.value_offsets(), entries))
                }
                None => None,
            },
            DataType::Struct(s) => match array.as_struct_opt() {
                Some(a) => {
                    let fields = s.fields.iter().zip(a.columns()).map(|(f, column)| of(column, &f.data_type));
                    Some(Kind::Struct(fields.collect::<Result<_>>()?))
                }
                None => None,
            },
            DataType::Variant => array.as_struct_opt().and_then(|a| {
                let part = |i: usize| a.columns().get(i)?.as_binary_opt();
                Some(Kind::Variant(part(0)?, part(1)?))
            }),
            t if t.is_string() => array.as_string_opt().map(Kind::Text),
            _ => Whole::open(array).map(Kind::Whole),
        };
        let kind =
            kind.ok_or_else(|| SparkError::internal(format!("{} is no column of {data_type:?}", array.data_type())))?;
        Ok(Self { kind, nulls: array.nulls(), data_type, zone, style })
    }

    fn write(&self, row: usize, out: &mut String) {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return out.push_str(self.style.null);
        }
        let listed = |out: &mut String, offsets: &[i32], brackets: [char; 2], entry: &dyn Fn(usize, &mut String)| {
            let (first, end) = (offsets[row] as usize, offsets[row + 1] as usize);
            bracketed(out, brackets, end - first, |i, out| entry(first + i, out));
        };
        match &self.kind {
            Kind::Null => out.push_str(self.style.null),
            Kind::Whole(a) => write_whole(out, Whole::get(*a, row).unwrap_or(0), self.data_type, self.zone),
            Kind::Real(a) => write_real(out, Real::get(*a, row).unwrap_or(0.0), *self.data_type == DataType::Float),
            Kind::Decimal(a, scale) => out.push_str(&decimal_to_string(a.value(row), *scale)),
            Kind::Text(a) => out.push_str(a.value(row)),
            Kind::Binary(a) => write_binary(out, a.value(row), self.style),
            Kind::Calendar(a) => {
                let interval = a.value(row);
                let micros = interval.nanoseconds / 1000;
                out.push_str(&calendar_interval_to_string(interval.months, interval.days, micros));
            }
            Kind::List(offsets, values) => listed(out, offsets, ['[', ']'], &|i, out| values.write(i, out)),
            Kind::Map(offsets, entries) => listed(out, offsets, ['{', '}'], &|i, out| {
                entries[0].write(i, out);
                out.push_str(" -> ");
                entries[1].write(i, out);
            }),
            Kind::Struct(fields) => bracketed(out, ['{', '}'], fields.len(), |i, out| fields[i].write(row, out)),
            Kind::Variant(value, metadata) => write_variant(out, value.value(row), metadata.value(row), self.zone),
        }
    }
}

fn bracketed(out: &mut String, [open, close]: [char; 2], count: usize, mut entry: impl FnMut(usize, &mut String)) {
    out.push(open);
    for i in 0..count {
        if i > 0 {
            out.push_str(", ");
        }
        entry(i, out);
    }
    out.push(close);
}

/// What is stored as whole numbers: integers, truth values, dates, moments, times, intervals of one kind.
fn write_whole(out: &mut String, n: i64, data_type: &DataType, zone: &Zone) {
    let (start, end) = interval_bounds(data_type);
    match data_type {
        DataType::Boolean => out.push_str(if n != 0 { "true" } else { "false" }),
        DataType::Date => out.push_str(&date_to_string(n as i32)),
        DataType::Timestamp => out.push_str(&local_timestamp_to_string(zone.to_local(n))),
        DataType::TimestampNtz => out.push_str(&local_timestamp_to_string(n)),
        DataType::Time(_) => out.push_str(&time_to_string(n)),
        DataType::YearMonthInterval { .. } => out.push_str(&year_month_to_string(n as i32, start, end)),
        DataType::DayTimeInterval { .. } => out.push_str(&day_time_to_string(n, start, end)),
        // Writing to a text cannot fail.
        _ => drop(write!(out, "{n}")),
    }
}

fn write_real(out: &mut String, x: f64, float: bool) {
    out.push_str(&if float { float_to_string(x as f32) } else { double_to_string(x) });
}

fn write_binary(out: &mut String, bytes: &[u8], style: Style) {
    if !style.hex_binary {
        return out.push_str(&String::from_utf8_lossy(bytes));
    }
    let parts: Vec<String> = bytes.iter().map(|b| format!("{b:02X}")).collect();
    out.push('[');
    out.push_str(&parts.join(" "));
    out.push(']');
}

fn write_variant(out: &mut String, value: &[u8], metadata: &[u8], zone: &Zone) {
    out.push_str(&crate::functions::variant::to_json(value, metadata, zone).unwrap_or_default());
}

/// Cast to STRING of a non-null value; nested nulls print "null".
pub fn to_text(value: &Value, data_type: &DataType, zone: &Zone) -> String {
    let mut out = String::new();
    write_value(&mut out, value, data_type, zone, CAST);
    out
}

/// The cell of `show` (ToPrettyString): nulls print "NULL", binary in hexadecimal.
pub fn to_pretty(value: &Value, data_type: &DataType, zone: &Zone) -> String {
    let mut out = String::new();
    write_value(&mut out, value, data_type, zone, PRETTY);
    out
}

/// A single value, which says what it is; its type is looked at for what it holds and for the fields of intervals.
fn write_value(out: &mut String, value: &Value, data_type: &DataType, zone: &Zone, style: Style) {
    let whole = |out: &mut String, n: i64, t: &DataType| write_whole(out, n, t, zone);
    match (value, data_type) {
        (Value::Null, _) => out.push_str(style.null),
        (Value::Boolean(b), _) => whole(out, i64::from(*b), &DataType::Boolean),
        (Value::Byte(_) | Value::Short(_) | Value::Integer(_) | Value::Long(_), _) => {
            whole(out, value.as_i64().unwrap_or(0), &DataType::Long);
        }
        (Value::Date(d), _) => whole(out, i64::from(*d), &DataType::Date),
        (Value::Timestamp(us), _) => whole(out, *us, &DataType::Timestamp),
        (Value::TimestampNtz(us), _) => whole(out, *us, &DataType::TimestampNtz),
        (Value::Time(nanos), _) => whole(out, *nanos, &DataType::Time(6)),
        (Value::YearMonthInterval(months), t) => {
            let (start, end) = interval_bounds(t);
            whole(out, i64::from(*months), &DataType::YearMonthInterval { start, end });
        }
        (Value::DayTimeInterval(us), t) => {
            let (start, end) = interval_bounds(t);
            whole(out, *us, &DataType::DayTimeInterval { start, end });
        }
        (Value::Float(x), _) => write_real(out, f64::from(*x), true),
        (Value::Double(x), _) => write_real(out, *x, false),
        (Value::Decimal(n, _, s), _) => out.push_str(&decimal_to_string(*n, *s)),
        (Value::String(s), _) => out.push_str(s),
        (Value::Binary(b), _) => write_binary(out, b, style),
        (Value::CalendarInterval { months, days, micros }, _) => {
            out.push_str(&calendar_interval_to_string(*months, *days, *micros));
        }
        (Value::Array(items), DataType::Array { element, .. }) => {
            bracketed(out, ['[', ']'], items.len(), |i, out| write_value(out, &items[i], element, zone, style));
        }
        (Value::Map(items), DataType::Map { key, value, .. }) => bracketed(out, ['{', '}'], items.len(), |i, out| {
            write_value(out, &items[i].0, key, zone, style);
            out.push_str(" -> ");
            write_value(out, &items[i].1, value, zone, style);
        }),
        (Value::Struct(items), DataType::Struct(s)) => bracketed(out, ['{', '}'], items.len(), |i, out| {
            let t = s.fields.get(i).map_or(&DataType::Null, |f| &f.data_type);
            write_value(out, &items[i], t, zone, style);
        }),
        (Value::Variant { value, metadata }, _) => write_variant(out, value, metadata, zone),
        (Value::Array(_) | Value::Map(_) | Value::Struct(_), _) => {}
    }
}

/// Literal.sql: how a value stands in messages and in SQL text (QueryErrorsBase.toSQLValue).
pub fn literal_sql(value: &Value, data_type: &DataType, zone: &Zone) -> String {
    match value {
        Value::Null => match data_type {
            DataType::Null => "NULL".into(),
            t => format!("CAST(NULL AS {})", t.sql()),
        },
        Value::Byte(n) => format!("{n}Y"),
        Value::Short(n) => format!("{n}S"),
        Value::Long(n) => format!("{n}L"),
        Value::Float(x) => {
            if x.is_nan() {
                "CAST('NaN' AS FLOAT)".into()
            } else if x.is_infinite() {
                format!("CAST('{}' AS FLOAT)", float_to_string(*x))
            } else {
                format!("CAST({} AS FLOAT)", float_to_string(*x))
            }
        }
        Value::Double(x) => {
            if x.is_nan() {
                "CAST('NaN' AS DOUBLE)".into()
            } else if x.is_infinite() {
                format!("CAST('{}' AS DOUBLE)", double_to_string(*x))
            } else {
                format!("{}D", double_to_string(*x))
            }
        }
        Value::Decimal(n, _, s) => format!("{}BD", decimal_to_string(*n, *s)),
        Value::String(s) => format!("'{}'", s.replace('\\', "\\\\").replace('\'', "\\'")),
        Value::Binary(b) => {
            let hex: String = b.iter().map(|b| format!("{b:02X}")).collect();
            format!("X'{hex}'")
        }
        Value::Date(_) => format!("DATE '{}'", to_text(value, data_type, zone)),
        Value::Timestamp(_) => format!("TIMESTAMP '{}'", to_text(value, data_type, zone)),
        Value::TimestampNtz(_) => format!("TIMESTAMP_NTZ '{}'", to_text(value, data_type, zone)),
        Value::Time(_) => format!("TIME '{}'", to_text(value, data_type, zone)),
        Value::Array(items) => {
            let DataType::Array { element, .. } = data_type else { return String::new() };
            let parts: Vec<String> = items.iter().map(|v| literal_sql(v, element, zone)).collect();
            format!("ARRAY({})", parts.join(", "))
        }
        Value::Map(items) => {
            let DataType::Map { key, value, .. } = data_type else { return String::new() };
            let keys: Vec<String> = items.iter().map(|(k, _)| literal_sql(k, key, zone)).collect();
            let values: Vec<String> = items.iter().map(|(_, v)| literal_sql(v, value, zone)).collect();
            format!("MAP_FROM_ARRAYS(ARRAY({}), ARRAY({}))", keys.join(", "), values.join(", "))
        }
        Value::Struct(items) => {
            let DataType::Struct(s) = data_type else { return String::new() };
            let parts: Vec<String> = items
                .iter()
                .zip(&s.fields)
                .map(|(v, f)| format!("'{}', {}", f.name, literal_sql(v, &f.data_type, zone)))
                .collect();
            format!("NAMED_STRUCT({})", parts.join(", "))
        }
        _ => to_text(value, data_type, zone),
    }
}
