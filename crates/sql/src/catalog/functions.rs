//! SQL functions: those of a session, and those of databases.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Catalog, variable_name};
use crate::types::{DataType, StructType};

/// A parameter of CREATE FUNCTION.
#[derive(Clone, Debug)]
pub struct FunctionParameter {
    pub name: String,
    pub data_type: DataType,
    /// The text after DEFAULT.
    pub default: Option<String>,
    pub comment: Option<String>,
    /// The whole text where it says NOT NULL.
    pub not_null: Option<String>,
}

/// What RETURNS says.
#[derive(Clone, Debug)]
pub enum FunctionReturn {
    Value(DataType),
    /// None: the columns that the query has.
    Table(Option<StructType>),
}

/// A function of CREATE FUNCTION ... RETURN.
#[derive(Clone, Debug)]
pub struct SqlFunction {
    /// As calls show it: `f`, or `spark_catalog.default.f`.
    pub name: String,
    pub parameters: Vec<FunctionParameter>,
    pub returns: FunctionReturn,
    /// The text after RETURN, read and analysed at every call.
    pub body: String,
    pub is_query: bool,
    pub comment: Option<String>,
    pub deterministic: bool,
    /// Whether it reads tables or views.
    pub reads: bool,
    /// Settings that the body is analysed with, by key.
    pub settings: BTreeMap<String, String>,
    /// Microseconds since the epoch.
    pub created: i64,
}

impl SqlFunction {
    /// The last part of its name.
    pub fn own_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    pub fn is_table(&self) -> bool {
        matches!(self.returns, FunctionReturn::Table(_))
    }
}

impl Catalog {
    /// The session's function, or that of a database; names of one part are of the session first.
    pub fn sql_function(&self, parts: &[String]) -> Option<Arc<SqlFunction>> {
        let own = variable_name(parts).and_then(|name| self.sql_functions.get(&name.to_lowercase()));
        let saved = || self.saved_functions.get(&self.table_name(parts).ok()?.to_lowercase());
        own.or_else(saved).cloned()
    }

    /// CREATE TEMPORARY FUNCTION.
    pub fn set_sql_function(&mut self, name: &str, function: SqlFunction) {
        self.sql_functions.insert(name.to_lowercase(), Arc::new(function));
    }

    pub fn has_sql_function(&self, name: &str) -> bool {
        self.sql_functions.contains_key(&name.to_lowercase())
    }

    /// Whether there was one; functions of the script go, too.
    pub fn drop_session_function(&mut self, name: &str) -> bool {
        let key = name.to_lowercase();
        let table = self.table_functions.remove(&key).is_some();
        let python = self.functions.remove(&key).is_some();
        self.sql_functions.remove(&key).is_some() || table || python
    }

    /// CREATE FUNCTION; the name is as [`Catalog::table_name`] gives it.
    pub fn save_function(&mut self, name: &str, function: SqlFunction) {
        self.saved_functions.insert(name.to_lowercase(), Arc::new(function));
    }

    pub fn has_saved_function(&self, name: &str) -> bool {
        self.saved_functions.contains_key(&name.to_lowercase())
    }

    /// Whether there was one.
    pub fn drop_saved_function(&mut self, name: &str) -> bool {
        self.saved_functions.remove(&name.to_lowercase()).is_some()
    }

    /// Names of SQL functions as SHOW USER FUNCTIONS has them.
    pub(super) fn sql_function_names(&self) -> impl Iterator<Item = String> {
        let own: Vec<String> = self.sql_functions.keys().cloned().collect();
        own.into_iter().chain(self.saved_functions.values().map(|function| function.name.clone()).collect::<Vec<_>>())
    }
}
