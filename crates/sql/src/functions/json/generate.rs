//! to_json (JacksonGenerator).

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes as at;

use super::quote;
use crate::functions::cast::to_text;
use crate::functions::datetime::pattern::Pattern;
use crate::functions::datetime::zone::Zone;
use crate::types::{DataType, StructField};
use crate::value::text::{MICROS_PER_DAY, decimal_to_scientific, double_to_string, float_to_string};
use crate::value::value_at;

/// How values are written.
#[derive(Debug)]
pub(crate) struct Writer {
    pub ignore_nulls: bool,
    pub pretty: bool,
    /// None: the session's.
    pub zone: Option<Zone>,
    pub timestamp: Pattern,
    pub timestamp_ntz: Pattern,
    pub date: Option<Pattern>,
}

impl Writer {
    /// Appends the value of a row that is not null.
    pub(crate) fn write(&self, array: &dyn Array, row: usize, t: &DataType, session: &Zone, out: &mut String) {
        self.value(array, row, t, self.zone.as_ref().unwrap_or(session), 0, out);
    }

    /// Appends an object of these columns of a row.
    pub(crate) fn write_row(
        &self,
        columns: &[(&ArrayRef, &StructField)],
        row: usize,
        session: &Zone,
        out: &mut String,
    ) {
        self.object(columns, row, self.zone.as_ref().unwrap_or(session), 0, out);
    }

    fn line(&self, depth: usize, out: &mut String) {
        if self.pretty {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
    }

    fn member(&self, first: &mut bool, name: &str, depth: usize, out: &mut String) {
        if !std::mem::take(first) {
            out.push(',');
        }
        self.line(depth + 1, out);
        quote(name, out);
        out.push_str(if self.pretty { " : " } else { ":" });
    }

    fn object(&self, columns: &[(&ArrayRef, &StructField)], row: usize, zone: &Zone, depth: usize, out: &mut String) {
        out.push('{');
        let mut first = true;
        for (column, field) in columns {
            if self.ignore_nulls && is_null(column, row) {
                continue;
            }
            self.member(&mut first, &field.name, depth, out);
            self.value(column, row, &field.data_type, zone, depth + 1, out);
        }
        self.close(first, depth, out);
    }

    fn close(&self, empty: bool, depth: usize, out: &mut String) {
        if !empty {
            self.line(depth, out);
        } else if self.pretty {
            out.push(' ');
        }
        out.push('}');
    }

    fn value(&self, array: &dyn Array, row: usize, t: &DataType, zone: &Zone, depth: usize, out: &mut String) {
        if is_null(array, row) {
            out.push_str("null");
            return;
        }
        macro_rules! cell {
            ($t:ty) => {
                array.as_primitive::<$t>().value(row)
            };
        }
        match t {
            DataType::Boolean => out.push_str(if array.as_boolean().value(row) { "true" } else { "false" }),
            DataType::Float => {
                let x = cell!(at::Float32Type);
                number(&float_to_string(x), x.is_finite(), out);
            }
            DataType::Double => {
                let x = cell!(at::Float64Type);
                number(&double_to_string(x), x.is_finite(), out);
            }
            DataType::Decimal { scale, .. } => out.push_str(&decimal_to_scientific(cell!(at::Decimal128Type), *scale)),
            DataType::Byte => out.push_str(&cell!(at::Int8Type).to_string()),
            DataType::Short => out.push_str(&cell!(at::Int16Type).to_string()),
            DataType::Integer => out.push_str(&cell!(at::Int32Type).to_string()),
            DataType::Long => out.push_str(&cell!(at::Int64Type).to_string()),
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
                quote(array.as_string::<i32>().value(row), out);
            }
            DataType::Binary => quote(&super::resolve::base64(array.as_binary::<i32>().value(row)), out),
            DataType::Date => {
                let days = cell!(at::Date32Type);
                match &self.date {
                    Some(p) => quote(&p.format(i64::from(days) * MICROS_PER_DAY, &Zone::UTC), out),
                    None => quote(&crate::value::text::date_to_string(days), out),
                }
            }
            DataType::Timestamp => quote(&self.timestamp.format(cell!(at::TimestampMicrosecondType), zone), out),
            DataType::TimestampNtz => {
                quote(&self.timestamp_ntz.format(cell!(at::TimestampMicrosecondType), &Zone::UTC), out);
            }
            DataType::Time(_) => {
                quote(&crate::value::text::time_to_string(cell!(at::Time64NanosecondType)), out);
            }
            DataType::Array { element, .. } => {
                let list = array.as_list::<i32>();
                out.push('[');
                for (i, place) in (list.value_offsets()[row]..list.value_offsets()[row + 1]).enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    if self.pretty {
                        out.push(' ');
                    }
                    self.value(list.values(), place as usize, element, zone, depth, out);
                }
                out.push_str(if self.pretty { " ]" } else { "]" });
            }
            DataType::Map { key, value, .. } => {
                let map = array.as_map();
                out.push('{');
                let mut first = true;
                for place in map.value_offsets()[row] as usize..map.value_offsets()[row + 1] as usize {
                    self.member(&mut first, &key_text(map.keys(), place, key), depth, out);
                    self.value(map.values(), place, value, zone, depth + 1, out);
                }
                self.close(first, depth, out);
            }
            DataType::Struct(s) => {
                let columns: Vec<(&ArrayRef, &StructField)> =
                    array.as_struct().columns().iter().zip(&s.fields).collect();
                self.object(&columns, row, zone, depth, out);
            }
            DataType::Variant => {
                let parts = array.as_struct();
                let (value, metadata) = (parts.column(0).as_binary::<i32>(), parts.column(1).as_binary::<i32>());
                let shown = crate::functions::variant::to_json(value.value(row), metadata.value(row), zone);
                out.push_str(&shown.unwrap_or_default());
            }
            // Intervals.
            t => quote(&to_text(&value_at(array, row, t), t, zone), out),
        }
    }
}

fn is_null(array: &dyn Array, row: usize) -> bool {
    array.is_null(row) || *array.data_type() == at::DataType::Null
}

fn number(text: &str, finite: bool, out: &mut String) {
    if finite { out.push_str(text) } else { quote(text, out) }
}

/// Keys as the internal values print: days and microseconds as numbers, structs in brackets.
fn key_text(keys: &dyn Array, row: usize, t: &DataType) -> String {
    match t {
        DataType::String => keys.as_string::<i32>().value(row).to_owned(),
        DataType::Date => keys.as_primitive::<at::Date32Type>().value(row).to_string(),
        DataType::Timestamp | DataType::TimestampNtz => {
            keys.as_primitive::<at::TimestampMicrosecondType>().value(row).to_string()
        }
        DataType::Time(_) => keys.as_primitive::<at::Time64NanosecondType>().value(row).to_string(),
        DataType::Struct(s) => {
            let fields = keys.as_struct().columns().iter().zip(&s.fields);
            let parts: Vec<String> = fields
                .map(|(c, f)| if is_null(c, row) { "null".into() } else { key_text(c, row, &f.data_type) })
                .collect();
            format!("[{}]", parts.join(","))
        }
        other => to_text(&value_at(keys, row, other), other, &Zone::UTC),
    }
}
