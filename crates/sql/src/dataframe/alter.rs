//! ALTER TABLE, ALTER VIEW and COMMENT ON, as Spark's catalog of file tables has them.

use super::listing;
use crate::analyzer::{analyze, quote_parts, quoted};
use crate::catalog::{GLOBAL_TEMP, SavedTable, SavedView, full_name, no_database, split};
use crate::error::{Result, SparkError};
use crate::parser::Change;
use crate::session::SqlSession;
use crate::types::StructField;

pub(super) fn alter(session: &SqlSession, parts: &[String], view: bool, change: Change) -> Result<()> {
    let Some(entry) = listing::table(session, parts) else { return Err(listing::no_table(session, parts)) };
    let is_view = entry.temporary || entry.table_type == "VIEW";
    if view && !is_view {
        let key = session.catalog.borrow().table_name(parts)?;
        let (condition, operation) = match change {
            Change::Query(..) => ("EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", "ALTER VIEW ... AS"),
            Change::Rename(_) => ("EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE", "ALTER VIEW"),
            _ => ("EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE", "ALTER VIEW ... TBLPROPERTIES"),
        };
        return Err(SparkError::analysis(condition, &[("tableName", &full_name(&key)), ("operation", operation)]));
    }
    if !view && is_view && !matches!(change, Change::Comment(_)) {
        let (condition, operation) = match change {
            Change::Rename(_) => ("EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", "ALTER TABLE"),
            Change::SetProperties(_) => ("EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", "ALTER TABLE ... SET TBLPROPERTIES"),
            Change::AddColumns(_) => ("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "ALTER TABLE ... ADD COLUMNS"),
            _ => ("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "ALTER TABLE"),
        };
        return Err(SparkError::analysis(condition, &[("viewName", &quote_parts(parts)), ("operation", operation)]));
    }
    if entry.temporary {
        return temporary_view(session, parts, change);
    }
    let key = session.catalog.borrow().table_name(parts)?;
    if let Change::Rename(to) = change {
        return rename(session, &key, &to);
    }
    let (table, saved) = {
        let catalog = session.catalog.borrow();
        (catalog.saved(&key).cloned(), catalog.saved_view(&key).cloned())
    };
    match (table, saved) {
        (Some(table), _) => {
            let table = changed_table(session, table, change)?;
            session.catalog.borrow_mut().save_table(table);
            Ok(())
        }
        (None, Some(view)) => changed_view(session, view, change),
        (None, None) => Err(listing::no_table(session, parts)),
    }
}

/// COMMENT ON DATABASE.
pub(super) fn comment_on_database(session: &SqlSession, name: &[String], comment: &str) -> Result<()> {
    if session.catalog.borrow_mut().set_database_comment(name, comment) { Ok(()) } else { Err(no_database(name)) }
}

fn temporary_view(session: &SqlSession, parts: &[String], change: Change) -> Result<()> {
    let (name, global) = match parts {
        [database, name] => (name, database.eq_ignore_ascii_case(GLOBAL_TEMP)),
        _ => (&parts[parts.len() - 1], false),
    };
    let mut catalog = session.catalog.borrow_mut();
    match change {
        Change::Query(query, _) => {
            drop(catalog);
            let plan = analyze(session, &query)?;
            session.catalog.borrow_mut().create_temp_view(name, plan, true, global)
        }
        Change::Rename(to) => {
            let found = if global { catalog.global_temp_view(name) } else { catalog.temp_view(name) }.cloned();
            let Some(plan) = found else { return Ok(()) };
            catalog.create_temp_view(to.last().unwrap_or(name), plan, false, global)?;
            if global {
                catalog.drop_global_temp_view(name)
            } else {
                catalog.drop_temp_view(name)
            };
            Ok(())
        }
        _ => Err(SparkError::analysis(
            "EXPECT_PERMANENT_VIEW_NOT_TEMP",
            &[("operation", "ALTER VIEW ... SET TBLPROPERTIES"), ("viewName", &quote_parts(parts))],
        )),
    }
}

fn rename(session: &SqlSession, key: &str, to: &[String]) -> Result<()> {
    // A name without a database stays in that of the table.
    let to = match to {
        [name] if split(key).0 != "default" => format!("{}.{name}", split(key).0),
        [name] => name.clone(),
        parts => session.catalog.borrow().table_name(parts)?,
    };
    if split(&to).0 != split(key).0 {
        return Err(SparkError::analysis(
            "RENAME_TABLE_SOURCE_DESTINATION_DATABASE_MISMATCH",
            &[("db", split(key).0), ("newDb", split(&to).0)],
        ));
    }
    let mut catalog = session.catalog.borrow_mut();
    if catalog.saved(&to).is_some() || catalog.saved_view(&to).is_some() {
        let (database, name) = split(&to);
        let shown = format!("{}.{}", quoted(database), quoted(name));
        return Err(SparkError::analysis("TABLE_OR_VIEW_ALREADY_EXISTS", &[("relationName", &shown)]));
    }
    if let Some(view) = catalog.saved_view(key).cloned() {
        catalog.drop_saved_view(key);
        catalog.save_view(SavedView { name: to, ..view });
        return Ok(());
    }
    let Some(table) = catalog.drop_saved(key) else { return Ok(()) };
    drop(catalog);
    let folder = if table.managed {
        let folder = super::writing::table_folder(session, &to, None);
        let failed = |error: tidemark_vfs::FsError| SparkError::internal(error.to_string());
        if session.fs.exists(&table.folder) {
            session.fs.rename(&table.folder, &folder).map_err(failed)?;
        }
        folder
    } else {
        table.folder.clone()
    };
    session.catalog.borrow_mut().save_table(SavedTable { name: to, folder, ..table });
    Ok(())
}

fn changed_table(session: &SqlSession, mut table: SavedTable, change: Change) -> Result<SavedTable> {
    let full = full_name(&table.name);
    let conf = session.conf.borrow();
    match change {
        Change::SetProperties(given) => table.remarks.properties.extend(given),
        Change::UnsetProperties(keys) => keys.iter().for_each(|key| {
            table.remarks.properties.remove(key);
        }),
        Change::Comment(comment) => table.remarks.comment = comment,
        Change::Location(folder) => {
            table.folder = super::writing::table_folder(session, &table.name, Some(&folder));
            let now_ms = session.clock.now_us().div_euclid(1000);
            let made = session.fs.create_dir_all(&table.folder, now_ms);
            made.map_err(|error| SparkError::internal(error.to_string()))?;
        }
        Change::AddColumns(fields) => {
            let at = table.schema.fields.len() - table.partition_by.len();
            for (i, field) in fields.into_iter().enumerate() {
                if table.schema.fields.iter().any(|known| conf.same_name(&known.name, &field.name)) {
                    let name = quoted(&field.name);
                    return Err(SparkError::analysis("COLUMN_ALREADY_EXISTS", &[("columnName", &name)]));
                }
                table.schema.fields.insert(at + i, StructField { nullable: true, ..field });
            }
        }
        Change::ColumnComment { column, comment } => {
            let field = own_column(&mut table, &column, &conf)?;
            field.metadata = match comment {
                Some(text) => serde_json::json!({ "comment": text }).to_string().into(),
                None => "{}".into(),
            };
        }
        Change::Column { column, to } => {
            let field = own_column(&mut table, &column, &conf)?;
            if field.data_type != to.data_type || !conf.same_name(&field.name, &to.name) {
                let error = SparkError::analysis(
                    "NOT_SUPPORTED_CHANGE_COLUMN",
                    &[
                        ("table", &full),
                        ("originName", &quoted(&field.name)),
                        ("originType", &field.data_type.quoted_sql()),
                        ("newName", &quoted(&to.name)),
                        ("newType", &to.data_type.quoted_sql()),
                    ],
                );
                return Err(error.with_context("; line 1 pos 0"));
            }
            if &*to.metadata != "{}" {
                field.metadata = to.metadata;
            }
        }
        Change::AddPartition => {
            let name = split(&table.name).1;
            let parameters = [("action", "ALTER TABLE ADD PARTITION"), ("tableName", name)];
            return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1251", &parameters));
        }
        Change::Unsupported(operation) => {
            let parameters = [("tableName", &*full), ("operation", operation)];
            return Err(SparkError::analysis("UNSUPPORTED_FEATURE.TABLE_OPERATION", &parameters));
        }
        Change::Rename(_) | Change::Query(..) => {}
    }
    Ok(table)
}

fn own_column<'a>(
    table: &'a mut SavedTable,
    column: &[String],
    conf: &crate::conf::SqlConf,
) -> Result<&'a mut StructField> {
    let names: Vec<String> = table.schema.fields.iter().map(|field| quoted(&field.name)).collect();
    let found = match column {
        [name] => table.schema.fields.iter_mut().find(|field| conf.same_name(&field.name, name)),
        _ => None,
    };
    found.ok_or_else(|| {
        SparkError::analysis(
            "UNRESOLVED_COLUMN.WITH_SUGGESTION",
            &[("objectName", &quote_parts(column)), ("proposal", &names.join(", "))],
        )
    })
}

fn changed_view(session: &SqlSession, mut view: SavedView, change: Change) -> Result<()> {
    match change {
        Change::Query(query, text) => {
            let columns = Vec::new();
            let changed = SavedView { query, text, columns, comments: Vec::new(), ..view };
            return super::tables::save_view(session, changed, true, false);
        }
        Change::SetProperties(given) => view.remarks.properties.extend(given),
        Change::UnsetProperties(keys) => keys.iter().for_each(|key| {
            view.remarks.properties.remove(key);
        }),
        Change::Comment(comment) => view.remarks.comment = comment,
        _ => return Err(SparkError::not_yet("This form of ALTER VIEW")),
    }
    session.catalog.borrow_mut().save_view(view);
    Ok(())
}
