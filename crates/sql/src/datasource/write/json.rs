//! JSON lines (JsonOutputWriter): each row as to_json writes it.

use super::{Rows, line_separator};
use crate::datasource::charset::Charset;
use crate::datasource::options::flag;
use crate::error::Result;
use crate::functions::json::writer;

pub(super) fn encode(rows: &Rows<'_>) -> Result<Vec<u8>> {
    let writer = writer(rows.options, rows.conf)?;
    let code_points = flag(rows.options, "writenonasciicharacterascodepoint", false)?;
    let charset = Charset::of(rows.options, "JSONOptions")?;
    let separator = line_separator(rows.options);
    let mut out = String::new();
    for batch in rows.batches {
        let columns: Vec<_> = rows.columns.iter().map(|(column, field)| (batch.column(*column), field)).collect();
        for row in 0..batch.num_rows() {
            writer.write_row(&columns, row, rows.conf.time_zone(), &mut out);
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
