//! Databases of the session catalog, and the names under which it keeps tables.

use std::collections::BTreeMap;

use super::{Catalog, TableEntry};
use crate::analyzer::{quote_parts, quoted};
use crate::error::{Result, SparkError};

/// The database that is always there.
const DEFAULT: &str = "default";
const SESSION_CATALOG: &str = "spark_catalog";

/// A database as DESCRIBE DATABASE and spark.catalog tell of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Database {
    pub name: String,
    pub comment: String,
    /// Where its tables have their folders, below the warehouse's folder; empty for the warehouse itself.
    pub folder: String,
}

#[derive(Debug, Default)]
pub(super) struct Databases {
    made: BTreeMap<String, Database>,
    /// None: default.
    pub(super) current: Option<String>,
    /// What COMMENT ON said of the default database.
    default_comment: Option<String>,
}

/// SCHEMA_NOT_FOUND with the name in full.
pub fn no_database(parts: &[String]) -> SparkError {
    let catalog = if parts.len() == 1 { "`spark_catalog`." } else { "" };
    SparkError::analysis("SCHEMA_NOT_FOUND", &[("schemaName", &format!("{catalog}{}", quote_parts(parts)))])
}

/// REQUIRES_SINGLE_PART_NAMESPACE, of a table's name with more than a database before it.
pub fn nested_namespace(parts: &[String]) -> Option<SparkError> {
    let own = match parts {
        [catalog, rest @ ..] if catalog.eq_ignore_ascii_case(SESSION_CATALOG) => rest,
        all => all,
    };
    (own.len() > 2).then(|| {
        let parameters = [("sessionCatalog", SESSION_CATALOG), ("identifier", &*quote_parts(own))];
        SparkError::analysis("REQUIRES_SINGLE_PART_NAMESPACE", &parameters)
    })
}

/// Database and own name of a table by the name that the catalog keeps it under.
pub fn split(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or((DEFAULT, name))
}

/// `` `spark_catalog`.`default`.`name` `` of a table by the name that the catalog keeps it under.
pub fn full_name(name: &str) -> String {
    let (database, name) = split(name);
    format!("`{SESSION_CATALOG}`.{}.{}", quoted(database), quoted(name))
}

impl Catalog {
    /// A database by its name, with or without the catalog's.
    pub fn database(&self, parts: &[String]) -> Option<Database> {
        let name = match parts {
            [name] => name,
            [catalog, name] if catalog.eq_ignore_ascii_case(SESSION_CATALOG) => name,
            _ => return None,
        };
        if name.eq_ignore_ascii_case(DEFAULT) {
            let comment = self.databases.default_comment.clone().unwrap_or_else(|| "default database".to_owned());
            return Some(Database { name: DEFAULT.to_owned(), comment, folder: String::new() });
        }
        self.databases.made.get(&name.to_lowercase()).cloned()
    }

    /// All databases, by name.
    pub fn databases(&self) -> Vec<Database> {
        let mut all: Vec<Database> = self.database(&[DEFAULT.to_owned()]).into_iter().collect();
        all.extend(self.databases.made.values().cloned());
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    pub fn current_database(&self) -> &str {
        self.databases.current.as_deref().unwrap_or(DEFAULT)
    }

    /// USE; the catalog's own name leads to its default database.
    pub fn use_database(&mut self, parts: &[String]) -> Result<()> {
        let catalog = matches!(parts, [catalog] if catalog.eq_ignore_ascii_case(SESSION_CATALOG));
        let name = match self.database(parts) {
            Some(database) => database.name,
            None if catalog => DEFAULT.to_owned(),
            None => return Err(no_database(parts)),
        };
        self.databases.current = (name != DEFAULT).then_some(name);
        Ok(())
    }

    /// CREATE DATABASE.
    pub fn create_database(&mut self, parts: &[String], comment: &str, if_not_exists: bool) -> Result<()> {
        let name = parts.last().cloned().unwrap_or_default().to_lowercase();
        if self.database(parts).is_some() {
            let error = || SparkError::analysis("SCHEMA_ALREADY_EXISTS", &[("schemaName", &quoted(&name))]);
            return if if_not_exists { Ok(()) } else { Err(error()) };
        }
        let database = Database { name: name.clone(), comment: comment.to_owned(), folder: format!("{name}.db") };
        self.databases.made.insert(name, database);
        Ok(())
    }

    /// COMMENT ON DATABASE; whether there is one.
    pub fn set_database_comment(&mut self, parts: &[String], comment: &str) -> bool {
        let Some(mut database) = self.database(parts) else { return false };
        comment.clone_into(&mut database.comment);
        if database.name == DEFAULT {
            self.databases.default_comment = Some(database.comment);
        } else {
            self.databases.made.insert(database.name.clone(), database);
        }
        true
    }

    /// DROP DATABASE: the names of its tables, whose files the caller deletes.
    pub fn drop_database(&mut self, parts: &[String], if_exists: bool, cascade: bool) -> Result<Vec<String>> {
        let Some(database) = self.database(parts) else {
            return if if_exists { Ok(Vec::new()) } else { Err(no_database(parts)) };
        };
        let name = database.name;
        if name == DEFAULT {
            return Err(SparkError::analysis(
                "UNSUPPORTED_FEATURE.DROP_DATABASE",
                &[("database", &format!("`{SESSION_CATALOG}`.{}", quoted(&name)))],
            ));
        }
        let prefix = format!("{name}.");
        let tables: Vec<String> = self.tables.keys().filter(|key| key.starts_with(&prefix)).cloned().collect();
        let views: Vec<String> = self.views.keys().filter(|key| key.starts_with(&prefix)).cloned().collect();
        if !cascade && (!tables.is_empty() || !views.is_empty()) {
            return Err(SparkError::analysis("SCHEMA_NOT_EMPTY", &[("schemaName", &quoted(&name))]));
        }
        for view in &views {
            self.views.remove(view);
        }
        self.databases.made.remove(&name);
        if self.databases.current.as_ref() == Some(&name) {
            self.databases.current = None;
        }
        Ok(tables)
    }

    /// The name that the catalog keeps a table under: its own in default, `database.name` elsewhere.
    pub fn table_name(&self, parts: &[String]) -> Result<String> {
        let Some((name, database)) = parts.split_last() else { return Err(SparkError::internal("a table has a name")) };
        if let Some(error) = nested_namespace(parts) {
            return Err(error);
        }
        let found = match database {
            [] => self.database(&[self.current_database().to_owned()]),
            [catalog] if catalog.eq_ignore_ascii_case(SESSION_CATALOG) => None,
            parts => self.database(parts),
        };
        match found {
            None => Err(no_database(database)),
            Some(database) if database.name == DEFAULT => Ok(name.clone()),
            Some(database) => Ok(format!("{}.{name}", database.name)),
        }
    }

    /// Where names without a database are looked for, as error texts print it.
    pub fn search_path(&self) -> String {
        let current = quoted(self.current_database());
        format!("[`system`.`builtin`, `system`.`session`, `{SESSION_CATALOG}`.{current}]")
    }

    /// The same for commands about tables and views, which no built-in function gets in the way of.
    pub fn table_path(&self) -> String {
        self.search_path().replace("`system`.`builtin`, ", "")
    }

    /// A line of SHOW TABLES for a table or view of the catalog.
    pub(super) fn entry(name: &str, table_type: &'static str) -> TableEntry {
        let (database, name) = split(name);
        TableEntry { name: name.to_owned(), namespace: vec![database.to_owned()], temporary: false, table_type }
    }
}
