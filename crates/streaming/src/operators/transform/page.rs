//! The rows of state variables for the state panel.

use tidemark_sql::error::Result;
use tidemark_sql::types::{DataType, StructField, StructType};

use super::super::lifetime::time_text;
use super::super::nodes::{PanelColumns, PanelRow};
use super::TransformWithStateExec;
use super::keys;
use super::variables::Kind;
use crate::state::{format_rows, unsafe_row};

/// Cells as one text.
fn joined(cells: Vec<Option<String>>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| cell.unwrap_or_else(|| "null".into())).collect();
    cells.join(", ")
}

impl TransformWithStateExec {
    /// Columns of the panel: the variable and the grouping key, and what the variable holds.
    pub(super) fn panel_columns(&self) -> PanelColumns {
        let keys = &self.stateful.schema.key.fields;
        let key = keys.iter().map(|field| (field.name.clone(), field.data_type.simple_string()));
        let value = vec![("value".to_owned(), "string".to_owned())];
        (std::iter::once(("state".to_owned(), "string".to_owned())).chain(key).collect(), value)
    }

    /// A timer as the panel shows it.
    fn timer_row(&self, key: &[u8]) -> Result<Option<PanelRow>> {
        let zone = &self.stateful.batch.zone;
        let kinds = [("$eventTimers_keyToTimestamp", "watermark"), ("$procTimers_keyToTimestamp", "clock")];
        let found = kinds.into_iter().find_map(|(family, by)| Some((by, key.strip_prefix(&*keys::family(family))?)));
        let Some((by, (prefix, time))) = found.and_then(|(by, rest)| Some((by, keys::split_prefix(rest)?))) else {
            return Ok(None);
        };
        let Some(ms) = unsafe_row::long_at(time, 1, 0) else { return Ok(None) };
        let at = time_text(ms.saturating_mul(1000), zone);
        let mut cells = vec![Some("timer".to_owned())];
        cells.extend(format_rows(&self.nested_key(), &[prefix], zone)?.into_iter().flatten());
        Ok(Some((cells, vec![Some(at.clone())], Some(format!("fires when the {by} reaches {at}")))))
    }

    /// The grouping key as a struct, as keys of maps and timers hold it.
    fn nested_key(&self) -> StructType {
        let grouping = DataType::Struct(self.stateful.schema.key.clone().into());
        StructType::new(vec![StructField::new("key", grouping, true)])
    }

    /// A stored row as the panel shows it: a state variable or a timer; None for Spark's own indexes.
    pub(super) fn panel_row(&self, key: &[u8], value: &[u8]) -> Result<Option<PanelRow>> {
        let (variables, zone) = (self.variables.borrow(), &self.stateful.batch.zone);
        let found = variables
            .iter()
            .find_map(|(name, variable)| Some((name, variable, key.strip_prefix(&*keys::family(name))?)));
        let Some((name, variable, rest)) = found else { return self.timer_row(key) };
        let grouping = &self.stateful.schema.key;
        let (mut cells, mut user_key) = (vec![Some(name.clone())], None);
        if variable.kind == Kind::Map {
            let Some((prefix, user)) = keys::split_prefix(rest) else { return Ok(None) };
            cells.extend(format_rows(&self.nested_key(), &[prefix], zone)?.into_iter().flatten());
            let schema = variable.user_key.clone().unwrap_or_else(|| StructType::new(Vec::new()));
            let schema = StructType::new(vec![StructField::new("userKey", DataType::Struct(schema.into()), true)]);
            user_key = format_rows(&schema, &[user], zone)?.into_iter().next().map(joined);
        } else {
            cells.extend(format_rows(grouping, &[rest], zone)?.into_iter().flatten());
        }
        let rows = if variable.kind == Kind::List { keys::items(value) } else { vec![value] };
        let texts = format_rows(&variable.stored(), &rows, zone)?.into_iter().map(|cells| {
            let text = joined(if variable.ttl_ms.is_some() { cells.into_iter().take(1).collect() } else { cells });
            if variable.kind == Kind::List { format!("({text})") } else { text }
        });
        let text = texts.collect::<Vec<_>>().join(", ");
        let value = user_key.map_or(text.clone(), |key| format!("{key} -> {text}"));
        let expires = rows.iter().filter_map(|row| variable.expires(row)).min();
        let expiry =
            expires.map(|ms| format!("removed when the clock passes {}", time_text(ms.saturating_mul(1000), zone)));
        Ok(Some((cells, vec![Some(value)], expiry)))
    }
}
