//! JSON lines (JacksonGenerator).

use super::times::Times;
use super::{Rows, line_separator};
use crate::error::Result;
use crate::types::{DataType, StructField};
use crate::value::text::{decimal_to_scientific, double_to_string, float_to_string};
use crate::value::{Value, value_at};

pub(super) fn encode(rows: &Rows<'_>) -> Result<Vec<u8>> {
    let default = rows.conf.get("spark.sql.jsonGenerator.ignoreNullFields");
    let ignore = rows.options.get("ignorenullfields").or(default.as_ref());
    let ignore_nulls = ignore.is_none_or(|text| !text.eq_ignore_ascii_case("false"));
    let style = Style { times: rows.times, ignore_nulls };
    let separator = line_separator(rows.options);
    let mut out = String::new();
    for batch in rows.batches {
        for row in 0..batch.num_rows() {
            let cells = rows
                .columns
                .iter()
                .map(|(column, field)| (field, value_at(batch.column(*column).as_ref(), row, &field.data_type)));
            style.object(cells, &mut out);
            out.push_str(separator);
        }
    }
    Ok(out.into_bytes())
}

struct Style<'a> {
    times: &'a Times,
    ignore_nulls: bool,
}

impl Style<'_> {
    fn object<'f>(&self, fields: impl Iterator<Item = (&'f StructField, Value)>, out: &mut String) {
        out.push('{');
        let mut first = true;
        for (field, value) in fields {
            if self.ignore_nulls && value.is_null() {
                continue;
            }
            if !std::mem::take(&mut first) {
                out.push(',');
            }
            string(&field.name, out);
            out.push(':');
            self.value(&value, &field.data_type, out);
        }
        out.push('}');
    }

    fn value(&self, value: &Value, data_type: &DataType, out: &mut String) {
        match (value, data_type) {
            (Value::Null, _) => out.push_str("null"),
            (Value::Boolean(v), _) => out.push_str(if *v { "true" } else { "false" }),
            (Value::Byte(v), _) => out.push_str(&v.to_string()),
            (Value::Short(v), _) => out.push_str(&v.to_string()),
            (Value::Integer(v), _) => out.push_str(&v.to_string()),
            (Value::Long(v), _) => out.push_str(&v.to_string()),
            (Value::Float(v), _) => number(&float_to_string(*v), v.is_finite(), out),
            (Value::Double(v), _) => number(&double_to_string(*v), v.is_finite(), out),
            (Value::Decimal(unscaled, _, scale), _) => out.push_str(&decimal_to_scientific(*unscaled, *scale)),
            (Value::String(text), _) => string(text, out),
            (Value::Binary(bytes), _) => string(&base64(bytes), out),
            (Value::Date(days), _) => string(&self.times.date(*days), out),
            (Value::Timestamp(us), _) => string(&self.times.timestamp(*us), out),
            (Value::TimestampNtz(us), _) => string(&self.times.timestamp_ntz(*us), out),
            (Value::Time(nanos), _) => string(&crate::value::text::time_to_string(*nanos), out),
            (Value::Array(items), DataType::Array { element, .. }) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    self.value(item, element, out);
                }
                out.push(']');
            }
            (Value::Map(entries), DataType::Map { key, value, .. }) => {
                out.push('{');
                for (i, (k, v)) in entries.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    string(&self.text(k, key), out);
                    out.push(':');
                    self.value(v, value, out);
                }
                out.push('}');
            }
            (Value::Struct(values), DataType::Struct(fields)) => {
                self.object(fields.fields.iter().zip(values.iter().cloned()), out);
            }
            (other, data_type) => string(&self.text(other, data_type), out),
        }
    }

    fn text(&self, value: &Value, data_type: &DataType) -> String {
        crate::functions::cast::to_text(value, data_type, self.times.zone())
    }
}

/// Jackson quotes numbers that JSON does not have.
fn number(text: &str, finite: bool, out: &mut String) {
    if finite { out.push_str(text) } else { string(text, out) }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| (word << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(ALPHABET[(word >> (18 - 6 * i)) as usize & 63] as char);
            } else {
                out.push('=');
            }
        }
    }
    out
}
