//! State for people: rows of a store as text, and state files in readable form.

use arrow::array::ArrayRef;
use tidemark_sql::error::Result;
use tidemark_sql::functions::datetime::zone::Zone;
use tidemark_sql::types::{DataType, StructType};
use tidemark_sql::value::text::{
    calendar_interval_to_string, date_to_string, day_time_to_string, decimal_to_string, interval_bounds,
    local_timestamp_to_string, time_to_string, year_month_to_string,
};
use tidemark_sql::value::{Value, value_at};

use super::metadata::OperatorMetadata;
use super::records::{self, Record};
use super::schema;
use super::unsafe_row::decode_rows;

/// Cells of state rows as text, a list a row; None for null.
pub(crate) fn format_rows(schema: &StructType, rows: &[&[u8]], zone: &Zone) -> Result<Vec<Vec<Option<String>>>> {
    let types: Vec<DataType> = schema.fields.iter().map(|field| field.data_type.clone()).collect();
    let columns: Vec<ArrayRef> = decode_rows(&types, rows)?;
    let cell = |row: usize, (column, data_type): (&ArrayRef, &DataType)| match value_at(column.as_ref(), row, data_type)
    {
        Value::Null => None,
        value => Some(text(&value, data_type, zone)),
    };
    Ok((0..rows.len()).map(|row| columns.iter().zip(&types).map(|pair| cell(row, pair)).collect()).collect())
}

fn text(value: &Value, data_type: &DataType, zone: &Zone) -> String {
    let list = |items: Vec<String>, open: char, close: char| format!("{open}{}{close}", items.join(", "));
    match (value, data_type) {
        (Value::Null, _) => "null".into(),
        (Value::Boolean(v), _) => v.to_string(),
        (Value::Byte(v), _) => v.to_string(),
        (Value::Short(v), _) => v.to_string(),
        (Value::Integer(v), _) => v.to_string(),
        (Value::Long(v), _) => v.to_string(),
        (Value::Float(v), _) => tidemark_sql::value::text::float_to_string(*v),
        (Value::Double(v), _) => tidemark_sql::value::text::double_to_string(*v),
        (Value::Decimal(unscaled, _, scale), _) => decimal_to_string(*unscaled, *scale),
        (Value::String(v), _) => v.to_string(),
        (Value::Binary(v), _) => {
            let hex: Vec<String> = v.iter().take(32).map(|byte| format!("{byte:02X}")).collect();
            let more = if v.len() > 32 { format!(" ... {} bytes", v.len()) } else { String::new() };
            format!("[{}{more}]", hex.join(" "))
        }
        (Value::Date(days), _) => date_to_string(*days),
        (Value::Timestamp(us), _) => local_timestamp_to_string(zone.to_local(*us)),
        (Value::TimestampNtz(us), _) => local_timestamp_to_string(*us),
        (Value::Time(nanos), _) => time_to_string(*nanos),
        (Value::YearMonthInterval(months), _) => {
            let (start, end) = interval_bounds(data_type);
            year_month_to_string(*months, start, end)
        }
        (Value::DayTimeInterval(us), _) => {
            let (start, end) = interval_bounds(data_type);
            day_time_to_string(*us, start, end)
        }
        (Value::CalendarInterval { months, days, micros }, _) => calendar_interval_to_string(*months, *days, *micros),
        (Value::Array(items), DataType::Array { element, .. }) => {
            list(items.iter().map(|item| text(item, element, zone)).collect(), '[', ']')
        }
        (Value::Map(entries), DataType::Map { key, value, .. }) => {
            let pair = |(k, v)| format!("{} -> {}", text(k, key, zone), text(v, value, zone));
            list(entries.iter().map(|(k, v)| pair((k, v))).collect(), '{', '}')
        }
        (Value::Struct(values), DataType::Struct(fields)) => {
            list(values.iter().zip(&fields.fields).map(|(v, f)| text(v, &f.data_type, zone)).collect(), '{', '}')
        }
        (other, _) => format!("{other:?}"),
    }
}

/// A state file in readable form, times in UTC: delta, snapshot, schema or operator metadata. `schema`: the content of the store's schema
/// file, without which rows show as bytes. None: not a state file.
pub fn explain_file(path: &str, bytes: &[u8], schema: Option<&[u8]>) -> Option<String> {
    let name = tidemark_vfs::file_name(path);
    if name.ends_with(".delta") || name.ends_with(".snapshot") {
        return Some(explain_records(bytes, name.ends_with(".snapshot"), schema.and_then(|s| schema::read(s).ok())));
    }
    if path.ends_with("/_metadata/schema") {
        let (key, value) = schema::read(bytes).ok()?;
        return Some(format!("key\n{}\nvalue\n{}", key.tree_string(0), value.tree_string(0)));
    }
    if path.ends_with("/_metadata/metadata") {
        let metadata = OperatorMetadata::read(bytes)?;
        let mut text = format!("operator {}: {}\n", metadata.operator_id, metadata.operator_name);
        for store in metadata.stores {
            text.push_str(&format!(
                "store {}: {} partitions, prefix of {} columns\n",
                store.name, store.partitions, store.prefix
            ));
        }
        return Some(text);
    }
    None
}

fn explain_records(bytes: &[u8], snapshot: bool, schema: Option<(StructType, StructType)>) -> String {
    let row = |schema: Option<&StructType>, row: &[u8]| {
        let cells =
            schema.and_then(|s| format_rows(s, &[row], &Zone::UTC).ok()).and_then(|rows| rows.into_iter().next());
        match cells {
            Some(cells) => {
                let cells: Vec<String> = cells.into_iter().map(|c| c.unwrap_or_else(|| "null".into())).collect();
                format!("({})", cells.join(", "))
            }
            None => row.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    };
    let mut lines = Vec::new();
    let read = records::read(bytes, snapshot, &mut |record| {
        lines.push(match record {
            Record::Put(key, value) => {
                format!("{} -> {}", row(schema.as_ref().map(|s| &s.0), key), row(schema.as_ref().map(|s| &s.1), value))
            }
            Record::Remove(key) => format!("{} removed", row(schema.as_ref().map(|s| &s.0), key)),
        });
    });
    if read.is_err() {
        lines.push("(the file is damaged from here on)".into());
    } else if lines.is_empty() {
        lines.push("(no changes)".into());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::StateSchema;
    use crate::state::records::RecordWriter;
    use tidemark_sql::types::StructField;

    #[test]
    fn a_delta_reads_as_rows() {
        let schema = StateSchema::new(
            StructType::new(vec![StructField::new("k", DataType::Long, true)]),
            StructType::new(vec![StructField::new("count", DataType::Long, true)]),
        );
        let row = |null: u8, n: i64| {
            let mut row = vec![null, 0, 0, 0, 0, 0, 0, 0];
            row.extend_from_slice(&n.to_le_bytes());
            row
        };
        let mut writer = RecordWriter::default();
        writer.put(&row(0, 7), &row(0, 2));
        writer.remove(&row(1, 0));
        let file = writer.finish();
        let schema_file = schema::write(&schema);
        let text = explain_file("/cp/state/0/0/1.delta", &file, Some(&schema_file)).unwrap();
        assert_eq!(text, "(7) -> (2)\n(null) removed");
        assert!(explain_file("/cp/state/0/0/1.delta", &file[..20], None).unwrap().contains("damaged"));
        assert!(explain_file("/cp/offsets/0", b"v1", None).is_none());
    }
}
