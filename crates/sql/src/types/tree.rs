//! StructType.treeString: the text of printSchema.

use super::{DataType, StructType};

impl DataType {
    /// Whether it is a map or holds one.
    pub fn contains_map(&self) -> bool {
        match self {
            DataType::Map { .. } => true,
            DataType::Array { element, .. } => element.contains_map(),
            DataType::Struct(s) => s.fields.iter().any(|f| f.data_type.contains_map()),
            _ => false,
        }
    }
}

impl StructType {
    /// The tree with its "root" line; `level` 0 means all levels.
    pub fn tree_string(&self, level: usize) -> String {
        let depth = if level == 0 { usize::MAX } else { level };
        let mut out = String::from("root\n");
        fields(self, " |", depth, &mut out);
        out
    }
}

fn fields(s: &StructType, prefix: &str, depth: usize, out: &mut String) {
    if depth == 0 {
        return;
    }
    for f in &s.fields {
        let name = escape(&f.name);
        out.push_str(&format!("{prefix}-- {name}: {} (nullable = {})\n", f.data_type.type_name(), f.nullable));
        nested(&f.data_type, &format!("{prefix}    |"), depth, out);
    }
}

fn nested(data_type: &DataType, prefix: &str, depth: usize, out: &mut String) {
    // Each level of nesting costs one: buildFormattedString passes maxDepth - 1 down.
    match data_type {
        DataType::Array { element, contains_null } if depth > 1 => {
            out.push_str(&format!("{prefix}-- element: {} (containsNull = {contains_null})\n", element.type_name()));
            nested(element, &format!("{prefix}    |"), depth - 1, out);
        }
        DataType::Map { key, value, value_contains_null } if depth > 1 => {
            out.push_str(&format!("{prefix}-- key: {}\n", key.type_name()));
            nested(key, &format!("{prefix}    |"), depth - 1, out);
            out.push_str(&format!(
                "{prefix}-- value: {} (valueContainsNull = {value_contains_null})\n",
                value.type_name()
            ));
            nested(value, &format!("{prefix}    |"), depth - 1, out);
        }
        DataType::Struct(s) if depth > 1 => fields(s, prefix, depth - 1, out),
        _ => {}
    }
}

/// SparkSchemaUtils.escapeMetaCharacters.
fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
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
