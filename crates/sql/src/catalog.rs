//! Temp views, tables and functions of a session.

mod databases;
mod deferred;
mod functions;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;

use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, PythonUdf};
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;
use crate::types::StructType;

use deferred::Deferred;
pub use deferred::{FirstRows, MakeRows, Reading, bind_memory_tables, partition_count};

pub use functions::{FunctionParameter, FunctionReturn, SqlFunction};

pub use databases::{Database, full_name, nested_namespace, no_database, split};

/// Name of the database of global temp views.
pub const GLOBAL_TEMP: &str = "global_temp";

/// What a session knows by name. Keys are in lower case: table names ignore case whatever the configuration.
#[derive(Debug, Default)]
pub struct Catalog {
    temp_views: BTreeMap<String, View>,
    global_views: BTreeMap<String, View>,
    memory: BTreeMap<String, MemoryTable>,
    functions: BTreeMap<String, PythonUdf>,
    /// Handles of the script's table functions.
    table_functions: BTreeMap<String, u64>,
    /// Temporary functions of CREATE FUNCTION.
    sql_functions: BTreeMap<String, Arc<SqlFunction>>,
    /// Functions of databases, by the name that a table would have.
    saved_functions: BTreeMap<String, Arc<SqlFunction>>,
    /// Handles of the script's data sources.
    python_sources: BTreeMap<String, u64>,
    tables: BTreeMap<String, SavedTable>,
    views: BTreeMap<String, SavedView>,
    databases: databases::Databases,
    /// SQL variables (DECLARE VARIABLE).
    variables: BTreeMap<String, Variable>,
    deferred: BTreeMap<String, Deferred>,
}

#[derive(Clone, Debug)]
struct View {
    /// As given when it was made.
    name: String,
    plan: PlanRef,
}

/// A session variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// A constant of the variable's type.
    pub value: Expr,
    /// What DEFAULT stands for, not yet analysed.
    pub default: Expr,
}

/// Rows that a memory sink has so far.
#[derive(Clone, Debug)]
struct MemoryTable {
    output: Vec<Arc<Attribute>>,
    batches: Vec<RecordBatch>,
}

/// A line of SHOW TABLES and spark.catalog.listTables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    pub name: String,
    /// Empty for temp views.
    pub namespace: Vec<String>,
    pub temporary: bool,
    pub table_type: &'static str,
}

/// The variable that a name may mean: its own, after `session` or `system.session`.
pub fn variable_name(parts: &[String]) -> Option<&str> {
    let is = |part: &String, word: &str| part.eq_ignore_ascii_case(word);
    match parts {
        [name] => Some(name),
        [session, name] if is(session, "session") => Some(name),
        [system, session, name] if is(system, "system") && is(session, "session") => Some(name),
        _ => None,
    }
}

impl Catalog {
    /// CREATE [OR REPLACE] [GLOBAL] TEMP VIEW.
    pub fn create_temp_view(&mut self, name: &str, plan: PlanRef, replace: bool, global: bool) -> Result<()> {
        let views = if global { &mut self.global_views } else { &mut self.temp_views };
        let key = name.to_lowercase();
        if !replace && views.contains_key(&key) {
            let shown = if global { format!("`{GLOBAL_TEMP}`.`{name}`") } else { format!("`{name}`") };
            return Err(SparkError::analysis("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", &[("relationName", &shown)]));
        }
        views.insert(key, View { name: name.to_owned(), plan });
        Ok(())
    }

    /// Exchanges what belongs to one session; saved tables and global temp views are everyone's.
    pub(crate) fn swap_session(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.temp_views, &mut other.temp_views);
        std::mem::swap(&mut self.functions, &mut other.functions);
        std::mem::swap(&mut self.table_functions, &mut other.table_functions);
        std::mem::swap(&mut self.sql_functions, &mut other.sql_functions);
        std::mem::swap(&mut self.python_sources, &mut other.python_sources);
        std::mem::swap(&mut self.variables, &mut other.variables);
        std::mem::swap(&mut self.databases.current, &mut other.databases.current);
    }

    /// Whether there was one.
    pub fn drop_temp_view(&mut self, name: &str) -> bool {
        let key = name.to_lowercase();
        let memory = self.memory.remove(&key).is_some();
        self.temp_views.remove(&key).is_some() || memory
    }

    /// Whether there was one.
    pub fn drop_global_temp_view(&mut self, name: &str) -> bool {
        self.global_views.remove(&name.to_lowercase()).is_some()
    }

    pub fn temp_view(&self, name: &str) -> Option<&PlanRef> {
        self.temp_views.get(&name.to_lowercase()).map(|view| &view.plan)
    }

    pub fn global_temp_view(&self, name: &str) -> Option<&PlanRef> {
        self.global_views.get(&name.to_lowercase()).map(|view| &view.plan)
    }

    /// Makes or refreshes the table of a memory sink (`queryName`), which is a temp view of that name.
    pub fn set_memory_table(&mut self, name: &str, schema: &StructType, batches: Vec<RecordBatch>) {
        let key = name.to_lowercase();
        if let Some(table) = self.memory.get_mut(&key)
            && self.temp_views.contains_key(&key)
            && same_schema(&table.output, schema)
        {
            table.batches = batches;
            return;
        }
        let output = attributes(schema);
        let plan = Arc::new(LogicalPlan::MemoryTable { name: name.to_owned(), output: output.clone() });
        self.memory.insert(key.clone(), MemoryTable { output, batches });
        self.temp_views.insert(key, View { name: name.to_owned(), plan });
    }

    /// Temp views, by name.
    pub fn temp_views(&self) -> Vec<TableEntry> {
        self.temp_views
            .values()
            .map(|view| TableEntry {
                name: view.name.clone(),
                namespace: Vec::new(),
                temporary: true,
                table_type: "TEMPORARY",
            })
            .collect()
    }

    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(&name.to_lowercase())
    }

    pub fn set_variable(&mut self, name: &str, variable: Variable) {
        self.variables.insert(name.to_lowercase(), variable);
    }

    /// Whether there was one.
    pub fn drop_variable(&mut self, name: &str) -> bool {
        self.variables.remove(&name.to_lowercase()).is_some()
    }

    pub fn saved(&self, name: &str) -> Option<&SavedTable> {
        self.tables.get(&name.to_lowercase())
    }

    pub fn save_table(&mut self, table: SavedTable) {
        self.tables.insert(table.name.to_lowercase(), table);
    }

    /// The table, which the caller deletes the files of.
    pub fn drop_saved(&mut self, name: &str) -> Option<SavedTable> {
        self.tables.remove(&name.to_lowercase())
    }

    /// Saved tables, by name.
    pub fn saved_tables(&self) -> Vec<TableEntry> {
        self.tables.values().map(|table| Self::entry(&table.name, table.table_type())).collect()
    }

    pub fn saved_view(&self, name: &str) -> Option<&SavedView> {
        self.views.get(&name.to_lowercase())
    }

    pub fn save_view(&mut self, view: SavedView) {
        self.views.insert(view.name.to_lowercase(), view);
    }

    /// Whether there was one.
    pub fn drop_saved_view(&mut self, name: &str) -> bool {
        self.views.remove(&name.to_lowercase()).is_some()
    }

    /// Views of CREATE VIEW, by name.
    pub fn saved_views(&self) -> Vec<TableEntry> {
        self.views.values().map(|view| Self::entry(&view.name, "VIEW")).collect()
    }

    /// Global temp views, by name.
    pub fn global_views(&self) -> Vec<TableEntry> {
        self.global_views
            .values()
            .map(|view| TableEntry {
                name: view.name.clone(),
                namespace: vec![GLOBAL_TEMP.to_owned()],
                temporary: true,
                table_type: "TEMPORARY",
            })
            .collect()
    }

    /// spark.udf.register.
    pub fn register_function(&mut self, name: &str, udf: PythonUdf) {
        self.functions.insert(name.to_lowercase(), udf);
    }

    /// spark.udtf.register.
    pub fn register_table_function(&mut self, name: &str, handle: u64) {
        self.table_functions.insert(name.to_lowercase(), handle);
    }

    pub fn table_function(&self, name: &str) -> Option<u64> {
        self.table_functions.get(&name.to_lowercase()).copied()
    }

    pub fn register_python_source(&mut self, name: &str, handle: u64) {
        self.python_sources.insert(name.to_lowercase(), handle);
    }

    pub fn python_source(&self, name: &str) -> Option<u64> {
        self.python_sources.get(&name.to_lowercase()).copied()
    }

    /// Names of the functions that are not Spark's: those of the session in lower case.
    pub fn function_names(&self) -> Vec<String> {
        self.functions.keys().chain(self.table_functions.keys()).cloned().chain(self.sql_function_names()).collect()
    }

    pub fn function(&self, name: &str) -> Option<&PythonUdf> {
        self.functions.get(&name.to_lowercase())
    }
}

fn same_schema(output: &[Arc<Attribute>], schema: &StructType) -> bool {
    output.len() == schema.fields.len()
        && output
            .iter()
            .zip(&schema.fields)
            .all(|(attribute, field)| *attribute.name == *field.name && attribute.data_type == field.data_type)
}

/// New attributes for the fields of a schema.
pub fn attributes(schema: &StructType) -> Vec<Arc<Attribute>> {
    schema
        .fields
        .iter()
        .map(|field| {
            let mut metadata = crate::expr::Metadata::default();
            if &*field.metadata != "{}" && !field.metadata.is_empty() {
                metadata.user = Some(field.metadata.clone());
            }
            Arc::new(Attribute {
                id: ExprId::fresh(),
                name: field.name.as_str().into(),
                data_type: field.data_type.clone(),
                nullable: field.nullable,
                qualifier: Vec::new(),
                metadata,
            })
        })
        .collect()
}

/// A table of saveAsTable: files of one format in a folder.
#[derive(Clone, Debug)]
pub struct SavedTable {
    /// As [`Catalog::table_name`] gives it.
    pub name: String,
    pub format: String,
    pub options: indexmap::IndexMap<String, String>,
    /// Absolute.
    pub folder: String,
    pub schema: StructType,
    pub partition_by: Vec<String>,
    /// The folder is the catalog's own choice: its files go with the table. False where a place was given.
    pub managed: bool,
    pub remarks: Remarks,
}

/// What CREATE TABLE says of a table and nothing reads but SHOW: COMMENT and TBLPROPERTIES.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    pub comment: Option<String>,
    pub properties: BTreeMap<String, String>,
}

impl SavedTable {
    /// CatalogTableType, as SHOW and spark.catalog name it.
    pub fn table_type(&self) -> &'static str {
        if self.managed { "MANAGED" } else { "EXTERNAL" }
    }
}

/// A view of CREATE VIEW: its query as it was written, analysed whenever it is read.
#[derive(Clone, Debug)]
pub struct SavedView {
    /// As [`Catalog::table_name`] gives it.
    pub name: String,
    pub query: PlanRef,
    /// Names that the view gives its columns; empty for those of the query.
    pub columns: Vec<String>,
    /// Comments of the columns, by place.
    pub comments: Vec<Option<String>>,
    pub remarks: Remarks,
    /// The query's text.
    pub text: String,
}

/// The plan that reads a saved table; None when there is none of that name.
pub fn saved_table(session: &SqlSession, parts: &[String], streaming: bool) -> Result<Option<PlanRef>> {
    let catalog = session.catalog.borrow();
    let found = catalog.table_name(parts).ok().and_then(|name| catalog.saved(&name).cloned());
    drop(catalog);
    let Some(table) = found else { return Ok(None) };
    if streaming {
        return Ok(Some(Arc::new(LogicalPlan::StreamingRelation(crate::plan::StreamingRelation {
            id: ExprId::fresh(),
            format: table.format,
            options: table.options,
            path: Some(table.folder),
            python: None,
            user_schema: Some(Arc::new(table.schema.clone())),
            output: attributes(&table.schema),
        }))));
    }
    let relation =
        crate::datasource::relation(session, &table.format, &table.options, Some(&table.schema), &[table.folder])?;
    Ok(Some(Arc::new(LogicalPlan::FileRelation(relation))))
}
