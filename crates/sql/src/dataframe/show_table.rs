//! What the catalog keeps of a table, as statements show it: SHOW CREATE TABLE and SHOW TBLPROPERTIES.

use super::listing;
use crate::catalog::{SavedTable, full_name, split};
use crate::error::{Result, SparkError};
use crate::session::SqlSession;
use crate::types::DataType;

/// A table or view of the catalog; a temp view is none.
pub(super) fn known(session: &SqlSession, parts: &[String], operation: &str) -> Result<()> {
    match listing::table(session, parts) {
        None => Err(listing::no_table(session, parts)),
        Some(entry) if entry.temporary => Err(SparkError::analysis(
            "EXPECT_PERMANENT_VIEW_NOT_TEMP",
            &[("operation", operation), ("viewName", &crate::analyzer::quote_parts(parts))],
        )),
        Some(_) => Ok(()),
    }
}

/// SHOW CREATE TABLE.
pub(super) fn create_statement(session: &SqlSession, parts: &[String]) -> Result<String> {
    known(session, parts, "SHOW CREATE TABLE")?;
    let Some(table) = listing::saved(session, parts) else { return create_view(session, parts) };
    let (database, name) = split(&table.name);
    let quote = crate::types::quote_if_needed;
    // Strings are shown with their collation.
    let ddl = |field: &crate::types::StructField| match field.data_type {
        DataType::String => field.to_ddl().replacen(" STRING", " STRING COLLATE UTF8_BINARY", 1),
        _ => field.to_ddl(),
    };
    let columns: Vec<String> = table.schema.fields.iter().map(ddl).collect();
    let mut out = format!("CREATE TABLE spark_catalog.{}.{} (\n  ", quote(database), quote(name));
    out += &columns.join(",\n  ");
    out += &format!(")\nUSING {}\n", table.format);
    if !table.options.is_empty() {
        out += &format!("OPTIONS {}\n", pairs(table.options.iter()));
    }
    if !table.partition_by.is_empty() {
        let by: Vec<String> = table.partition_by.iter().map(|column| quote(column)).collect();
        out += &format!("PARTITIONED BY ({})\n", by.join(", "));
    }
    if let Some(comment) = &table.remarks.comment {
        out += &format!("COMMENT {}\n", literal(comment));
    }
    if !table.managed {
        out += &format!("LOCATION {}\n", literal(&format!("file:{}", table.folder)));
    }
    if !table.remarks.properties.is_empty() {
        out += &format!("TBLPROPERTIES {}\n", pairs(table.remarks.properties.iter()));
    }
    Ok(out)
}

/// SHOW CREATE TABLE of a view: its columns by name, and the query as it was written.
fn create_view(session: &SqlSession, parts: &[String]) -> Result<String> {
    let found = {
        let catalog = session.catalog.borrow();
        catalog.saved_view(&catalog.table_name(parts)?).cloned()
    };
    let Some(view) = found else { return Err(listing::no_table(session, parts)) };
    let schema = super::sql::relation(session, parts, false)?.schema();
    let (database, name) = split(&view.name);
    let quote = crate::types::quote_if_needed;
    let columns: Vec<String> = schema
        .fields
        .iter()
        .map(|field| match field.comment() {
            Some(comment) => format!("{} COMMENT {}", quote(&field.name), literal(&comment)),
            None => quote(&field.name),
        })
        .collect();
    let mut out = format!("CREATE VIEW {}.{} (\n  {})\n", quote(database), quote(name), columns.join(",\n  "));
    if let Some(comment) = &view.remarks.comment {
        out += &format!("COMMENT {}\n", literal(comment));
    }
    if !view.remarks.properties.is_empty() {
        out += &format!("TBLPROPERTIES {}\n", pairs(view.remarks.properties.iter()));
    }
    out += &format!("WITH SCHEMA COMPENSATION\nAS {}\n", view.text);
    Ok(out)
}

/// SHOW TBLPROPERTIES: all, or one by its key.
pub(super) fn properties(session: &SqlSession, parts: &[String], key: Option<&str>) -> Result<Vec<(String, String)>> {
    match listing::table(session, parts) {
        None => return Err(listing::no_table(session, parts)),
        Some(entry) if entry.temporary => return Ok(Vec::new()),
        Some(_) => {}
    }
    let table = listing::saved(session, parts);
    let of_view = || {
        let catalog = session.catalog.borrow();
        catalog.saved_view(&catalog.table_name(parts).ok()?).map(|view| view.remarks.properties.clone())
    };
    let of_table = table.as_ref().map(|table| table.remarks.properties.clone());
    let found = of_table.or_else(of_view).unwrap_or_default();
    let Some(key) = key else { return Ok(found.into_iter().collect()) };
    let value = found.get(key).cloned().unwrap_or_else(|| {
        let shown =
            table.map_or_else(|| crate::analyzer::quote_parts(parts), |table: SavedTable| full_name(&table.name));
        format!("Table {} does not have property: {key}", shown.replace('`', ""))
    });
    Ok(vec![(key.to_owned(), value)])
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// `(\n  'key' = 'value',\n ...)`
fn pairs<'a>(list: impl Iterator<Item = (&'a String, &'a String)>) -> String {
    let mut lines: Vec<String> = list.map(|(key, value)| format!("{} = {}", literal(key), literal(value))).collect();
    lines.sort();
    format!("(\n  {})", lines.join(",\n  "))
}
