//! The text of `show` (Dataset.showString) and single cells as text.

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;

use crate::functions::cast::to_pretty;
use crate::functions::datetime::zone::Zone;
use crate::types::{DataType, StructType};
use crate::value::value_at;

/// Dataset.showString over the first rows of a result. `rows` may hold one row more than `num_rows`: that is how "only
/// showing top N rows" is known. `truncate` 0 means whole cells, left-aligned.
pub fn show_string(
    schema: &StructType,
    rows: &[RecordBatch],
    num_rows: i32,
    truncate: i32,
    vertical: bool,
    zone: &Zone,
) -> String {
    // Dataset.showString keeps within what an array can hold.
    let wanted = usize::try_from(num_rows.clamp(0, i32::MAX - 15)).unwrap_or(0);
    let truncate = usize::try_from(truncate).unwrap_or(0);
    // Column names are shown whole, however long.
    // Names are not cut, whatever `truncate` says.
    let mut cells: Vec<Vec<String>> = vec![schema.fields.iter().map(|f| escape(&f.name)).collect()];
    let mut more = false;
    'batches: for batch in rows {
        for row in 0..batch.num_rows() {
            if cells.len() > wanted {
                more = true;
                break 'batches;
            }
            cells.push(
                schema
                    .fields
                    .iter()
                    .zip(batch.columns())
                    .map(|(f, c)| cut(&escape(&cell_text(c, row, &f.data_type, zone)), truncate))
                    .collect(),
            );
        }
    }
    let mut out = if vertical { vertical_text(&cells) } else { table_text(&cells, truncate) };
    if vertical && cells.len() == 1 {
        out.push_str("(0 rows)");
    } else if more {
        out.push_str(&format!("only showing top {wanted} {}", if wanted == 1 { "row" } else { "rows" }));
    }
    out
}

/// One cell as show prints it (ToPrettyString), whole.
pub fn cell_text(array: &ArrayRef, row: usize, data_type: &DataType, zone: &Zone) -> String {
    to_pretty(&value_at(array, row, data_type), data_type, zone)
}

/// SchemaUtils.escapeMetaCharacters.
fn escape(text: &str) -> String {
    if !text.chars().any(|c| matches!(c, '\u{7}'..='\u{d}')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 4);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{c}' => out.push_str("\\f"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{7}' => out.push_str("\\a"),
            c => out.push(c),
        }
    }
    out
}

/// Cuts to `truncate` characters; from 4 on the last three are dots.
fn cut(text: &str, truncate: usize) -> String {
    if truncate == 0 || utf16_len(text) <= truncate {
        return text.to_owned();
    }
    if truncate < 4 { utf16_prefix(text, truncate) } else { utf16_prefix(text, truncate - 3) + "..." }
}

fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn utf16_prefix(text: &str, units: usize) -> String {
    let mut left = units;
    text.chars()
        .take_while(|c| {
            let fits = c.len_utf16() <= left;
            left = left.saturating_sub(c.len_utf16());
            fits
        })
        .collect()
}

/// Utils.stringHalfWidth: UTF-16 units, full-width ones twice.
fn width(text: &str) -> usize {
    text.encode_utf16().map(|u| if full_width(u) { 2 } else { 1 }).sum()
}

/// The ranges of Utils.fullWidthRegex.
fn full_width(unit: u16) -> bool {
    matches!(unit,
        0x1100..=0x115F
        | 0x2E80..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE4F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6)
}

fn table_text(cells: &[Vec<String>], truncate: usize) -> String {
    let columns = cells.first().map_or(0, Vec::len);
    let mut widths = vec![3; columns];
    for row in cells {
        for (w, cell) in widths.iter_mut().zip(row) {
            *w = (*w).max(width(cell));
        }
    }
    let dashes: Vec<String> = widths.iter().map(|w| "-".repeat(*w)).collect();
    let rule = format!("+{}+\n", dashes.join("+"));
    let mut out = rule.clone();
    for (i, row) in cells.iter().enumerate() {
        let padded: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, w)| {
                let fill = " ".repeat(w - width(cell));
                if truncate > 0 { fill + cell } else { cell.clone() + &fill }
            })
            .collect();
        out.push_str(&format!("|{}|\n", padded.join("|")));
        if i == 0 {
            out.push_str(&rule);
        }
    }
    out.push_str(&rule);
    out
}

fn vertical_text(cells: &[Vec<String>]) -> String {
    let (header, rows) = match cells.split_first() {
        Some(parts) => parts,
        None => return String::new(),
    };
    let name_width = header.iter().map(|h| width(h)).max().unwrap_or(0).max(3);
    let data_width = rows.iter().flatten().map(|c| width(c)).max().unwrap_or(0).max(3);
    let mut out = String::new();
    for (i, row) in rows.iter().enumerate() {
        let title = format!("-RECORD {i}");
        let total = name_width + data_width + 5;
        out.push_str(&title);
        out.push_str(&"-".repeat(total.saturating_sub(title.len())));
        out.push('\n');
        for (name, cell) in header.iter().zip(row) {
            let name = format!("{name}{}", " ".repeat(name_width - width(name)));
            let cell = format!("{cell}{}", " ".repeat(data_width - width(cell)));
            out.push_str(&format!(" {name} | {cell} \n"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::parse_struct;
    use crate::value::{Value, array_from_values};

    fn shown(num_rows: i32, truncate: i32, vertical: bool) -> String {
        let schema = parse_struct("id int, name string").unwrap();
        let columns = vec![
            array_from_values(&DataType::Integer, &[Value::Integer(1), Value::Null]).unwrap(),
            array_from_values(&DataType::String, &[Value::from("a long name that is cut"), Value::from("表")]).unwrap(),
        ];
        let batch = RecordBatch::try_new(schema.to_arrow(), columns).unwrap();
        show_string(&schema, &[batch], num_rows, truncate, vertical, &Zone::UTC)
    }

    #[test]
    fn tables() {
        assert_eq!(
            shown(20, 10, false),
            "+----+----------+\n|  id|      name|\n+----+----------+\n|   1|a long ...|\n|NULL|        表|\n+----+----------+\n"
        );
        assert_eq!(
            shown(1, 0, false),
            "+---+-----------------------+\n|id |name                   |\n+---+-----------------------+\n\
             |1  |a long name that is cut|\n+---+-----------------------+\nonly showing top 1 row"
        );
        assert_eq!(shown(1, 5, true), "-RECORD 0-----\n id   | 1     \n name | a ... \nonly showing top 1 row");
    }
}
