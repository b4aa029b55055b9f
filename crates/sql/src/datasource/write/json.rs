//! JSON lines (JsonOutputWriter): each row as to_json writes it.

use super::{Rows, line_separator};
use crate::datasource::charset::Charset;
use crate::datasource::options::flag;
use crate::error::Result;
use crate::functions::json::writer;
use crate::types::{DataType, StructType};
use crate::value::{Value, value_at};

pub(super) fn encode(rows: &Rows<'_>) -> Result<Vec<u8>> {
    let writer = writer(rows.options, rows.conf)?;
    let code_points = flag(rows.options, "writenonasciicharacterascodepoint", false)?;
    let charset = Charset::of(rows.options, "JSONOptions")?;
    let separator = line_separator(rows.options);
    let fields = rows.columns.iter().map(|(_, field)| field.clone()).collect();
    let record = DataType::Struct(StructType::new(fields).into());
    let mut out = String::new();
    for batch in rows.batches {
        for row in 0..batch.num_rows() {
            let cell = |(column, field): &(usize, crate::types::StructField)| {
                value_at(batch.column(*column).as_ref(), row, &field.data_type)
            };
            let value = Value::structure(rows.columns.iter().map(cell).collect::<Vec<_>>());
            out.push_str(&writer.write(&value, &record, rows.conf.time_zone()));
            out.push_str(separator);
        }
    }
    let out = if code_points { ascii(&out) } else { out };
    Ok(charset.encode(&out))
}

/// Characters beyond ASCII, which stand in texts only, as `\u00E9` in UTF-16's units.
fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04X}"));
        }
    }
    out
}
