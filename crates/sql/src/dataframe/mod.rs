//! What a DataFrame method does: builds the logical plan and analyses it at once, as Dataset.scala does.
//!
//! The Python side holds analysed plans ([`PlanRef`]) and calls these. Every function takes analysed plans and returns an
//! analysed plan or Spark's error.

mod actions;
mod alter;
mod caching;
mod columns;
mod functions;
mod grouping;
mod lineage;
mod listing;
mod names;
mod parsed;
mod python;
mod reading;
mod relations;
mod rows;
mod semantics;
mod show_table;
mod sql;
mod subqueries;
mod table_functions;
mod tables;
mod variables;
mod writing;
mod zip;

pub use actions::{collect, count, explain, input_files, is_local, is_streaming, schema, show_string, take};
pub use caching::{Cached, cache, clear_cache, is_cached, storage_level, uncache};
pub use columns::{
    alias, ascending, column, column_text, distinct, drop, drop_duplicates, drop_names, filter, hint, limit, observe,
    offset, random_split, repartition, sample, select, sort, to_df, with_columns, with_columns_renamed, with_metadata,
    with_watermark,
};
pub(crate) use grouping::cube_sets;
pub use grouping::{aggregate, pivot};
pub use listing::{
    ColumnEntry, FunctionScope, columns as table_columns, function as find_function, functions as list_functions,
    no_table, table as find_table, tables as list_tables,
};
pub use names::parse_attribute_name;
pub(crate) use parsed::Parsed;
pub use python::{
    ProcessorSpec, PythonFunction, apply_in_groups, apply_in_pandas_with_state, co_groups, map_tables,
    transform_with_state,
};
pub(crate) use reading::{STREAM_FORMATS, is_provider};
pub use reading::{read, read_stream};
pub use relations::{create_temp_view, join, nearest_by_join, set_operation, union, unpivot};
pub(crate) use rows::batch;
pub use rows::{local, range};
pub use semantics::{same_semantics, semantic_hash};
pub use sql::{parse_expression, sql, table};
pub use subqueries::{Subquery, lateral_join, one_row, subquery};
pub(crate) use table_functions::{TABLE_ARGUMENT, TABLE_FUNCTION, at_most_one, in_from, table_argument, table_column};
pub use table_functions::{TableInput, TableOptions, table_function};
pub use tables::{create_table, create_table_as, insert_into};
pub use writing::{table_folder, write};
pub use zip::zip;

use std::sync::Arc;

use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::expr::Expr;
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;
use crate::types::StructType;

/// How groupBy, rollup, cube or groupingSets group.
#[derive(Clone, Debug, PartialEq)]
pub enum Grouping {
    By(Vec<Expr>),
    Rollup(Vec<Expr>),
    Cube(Vec<Expr>),
    /// All expressions, and the sets as positions in them.
    Sets(Vec<Expr>, Vec<Vec<usize>>),
}

/// A DataFrameReader or DataStreamReader at load().
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadSpec {
    pub format: Option<String>,
    pub schema: Option<StructType>,
    /// Keys as the user wrote them.
    pub options: indexmap::IndexMap<String, String>,
    pub paths: Vec<String>,
}

/// A DataFrameWriter at save(), saveAsTable() or insertInto().
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteSpec {
    pub format: Option<String>,
    /// "append", "overwrite", "ignore", "error"; None: error.
    pub mode: Option<String>,
    pub options: indexmap::IndexMap<String, String>,
    pub partition_by: Vec<String>,
    pub path: Option<String>,
    pub table: Option<String>,
}

/// Analyses one node over analysed children; one that reads an enclosing query waits for that.
fn node(session: &SqlSession, plan: LogicalPlan) -> Result<PlanRef> {
    let plan = lineage::settled(session, plan)?;
    if subqueries::waits(&plan) {
        return Ok(subqueries::unanalysed(plan));
    }
    let parsed = Arc::new(plan.clone());
    let analysed = Analyzer::new(session).node(plan)?;
    session.parsed.note_node(&analysed, parsed);
    Ok(analysed)
}
