//! Values to text: CAST AS STRING, the cells of show, and literals as messages print them.

use crate::functions::datetime::zone::Zone;
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{
    calendar_interval_to_string, date_to_string, day_time_to_string, decimal_to_string, double_to_string,
    float_to_string, interval_bounds, local_timestamp_to_string, time_to_string, year_month_to_string,
};

struct Style {
    null: &'static str,
    /// Binary as "[41 42]" (ToPrettyString) instead of UTF-8 text.
    hex_binary: bool,
}

/// Cast to STRING of a non-null value; nested nulls print "null".
pub fn to_text(value: &Value, data_type: &DataType, zone: &Zone) -> String {
    let mut out = String::new();
    write(&mut out, value, data_type, zone, &Style { null: "null", hex_binary: false });
    out
}

/// The cell of `show` (ToPrettyString): nulls print "NULL", binary in hexadecimal.
pub fn to_pretty(value: &Value, data_type: &DataType, zone: &Zone) -> String {
    let mut out = String::new();
    write(&mut out, value, data_type, zone, &Style { null: "NULL", hex_binary: true });
    out
}

fn write(out: &mut String, value: &Value, data_type: &DataType, zone: &Zone, style: &Style) {
    match value {
        Value::Null => out.push_str(style.null),
        Value::Boolean(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Byte(n) => out.push_str(&n.to_string()),
        Value::Short(n) => out.push_str(&n.to_string()),
        Value::Integer(n) => out.push_str(&n.to_string()),
        Value::Long(n) => out.push_str(&n.to_string()),
        Value::Float(x) => out.push_str(&float_to_string(*x)),
        Value::Double(x) => out.push_str(&double_to_string(*x)),
        Value::Decimal(n, _, s) => out.push_str(&decimal_to_string(*n, *s)),
        Value::String(s) => out.push_str(s),
        Value::Binary(b) if style.hex_binary => {
            let parts: Vec<String> = b.iter().map(|b| format!("{b:02X}")).collect();
            out.push('[');
            out.push_str(&parts.join(" "));
            out.push(']');
        }
        Value::Binary(b) => out.push_str(&String::from_utf8_lossy(b)),
        Value::Date(d) => out.push_str(&date_to_string(*d)),
        Value::Timestamp(t) => out.push_str(&local_timestamp_to_string(zone.to_local(*t))),
        Value::TimestampNtz(t) => out.push_str(&local_timestamp_to_string(*t)),
        Value::Time(nanos) => out.push_str(&time_to_string(*nanos)),
        Value::YearMonthInterval(m) => {
            let (s, e) = interval_bounds(data_type);
            out.push_str(&year_month_to_string(*m, s, e));
        }
        Value::DayTimeInterval(us) => {
            let (s, e) = interval_bounds(data_type);
            out.push_str(&day_time_to_string(*us, s, e));
        }
        Value::CalendarInterval { months, days, micros } => {
            out.push_str(&calendar_interval_to_string(*months, *days, *micros));
        }
        Value::Array(items) => {
            let DataType::Array { element, .. } = data_type else { return };
            out.push('[');
            for (i, v) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write(out, v, element, zone, style);
            }
            out.push(']');
        }
        Value::Map(items) => {
            let DataType::Map { key, value, .. } = data_type else { return };
            out.push('{');
            for (i, (k, v)) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write(out, k, key, zone, style);
                out.push_str(" -> ");
                write(out, v, value, zone, style);
            }
            out.push('}');
        }
        Value::Struct(items) => {
            let DataType::Struct(s) = data_type else { return };
            out.push('{');
            for (i, (v, f)) in items.iter().zip(&s.fields).enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write(out, v, &f.data_type, zone, style);
            }
            out.push('}');
        }
        Value::Variant { value, metadata } => {
            out.push_str(&crate::functions::variant::to_json(value, metadata, zone).unwrap_or_default());
        }
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
