//! What a DataFrame method does: builds the logical plan and analyses it at once, as Dataset.scala does.
//!
//! The Python side holds analysed plans ([`PlanRef`]) and calls these. Every function takes analysed plans and returns an
//! analysed plan or Spark's error.

use crate::error::Result;
use crate::expr::Expr;
use crate::plan::{JoinKind, PlanRef};
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

/// Declares the surface for front ends; the bodies stand in the submodules of this module.
macro_rules! surface {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
        $($(#[$doc])* pub fn $name(session: &SqlSession, $($arg: $ty),*) -> Result<$ret> {
            let _ = (session, $(&$arg),*);
            Err(crate::error::SparkError::not_yet(stringify!($name)))
        })*
    };
}

surface! {
    /// Dataset.select; single strings are [`Expr::UnresolvedAttribute`] or stars.
    fn select(plan: &PlanRef, exprs: Vec<Expr>) -> PlanRef;
    fn filter(plan: &PlanRef, condition: Expr) -> PlanRef;
    fn with_columns(plan: &PlanRef, names: Vec<String>, exprs: Vec<Expr>) -> PlanRef;
    fn with_columns_renamed(plan: &PlanRef, pairs: Vec<(String, String)>) -> PlanRef;
    fn with_metadata(plan: &PlanRef, column: &str, metadata_json: &str) -> PlanRef;
    /// Names that do not exist are ignored; expressions must resolve.
    fn drop(plan: &PlanRef, columns: Vec<Expr>) -> PlanRef;
    fn to_df(plan: &PlanRef, names: Vec<String>) -> PlanRef;
    /// groupBy(...).agg(...): the grouping columns come first (spark.sql.retainGroupColumns).
    fn aggregate(plan: &PlanRef, grouping: Grouping, aggregates: Vec<Expr>) -> PlanRef;
    /// groupBy(...).pivot(column, values).agg(...); without values they are collected (refused on streams).
    fn pivot(plan: &PlanRef, grouping: Vec<Expr>, column: Expr, values: Option<Vec<Expr>>, aggregates: Vec<Expr>) -> PlanRef;
    fn join(left: &PlanRef, right: &PlanRef, kind: JoinKind, condition: crate::plan::JoinCondition) -> PlanRef;
    fn union(left: &PlanRef, right: &PlanRef, by_name: bool, allow_missing: bool) -> PlanRef;
    fn set_operation(left: &PlanRef, right: &PlanRef, kind: crate::plan::SetOperation, all: bool) -> PlanRef;
    fn distinct(plan: &PlanRef) -> PlanRef;
    /// None: all columns.
    fn drop_duplicates(plan: &PlanRef, columns: Option<Vec<String>>, within_watermark: bool) -> PlanRef;
    fn sort(plan: &PlanRef, order: Vec<Expr>, global: bool) -> PlanRef;
    fn limit(plan: &PlanRef, n: i32) -> PlanRef;
    fn offset(plan: &PlanRef, n: i32) -> PlanRef;
    /// `delay` as the user wrote it ("2 minutes").
    fn with_watermark(plan: &PlanRef, column: &str, delay: &str) -> PlanRef;
    fn alias(plan: &PlanRef, name: &str) -> PlanRef;
    fn hint(plan: &PlanRef, name: &str, parameters: Vec<Expr>) -> PlanRef;
    fn repartition(plan: &PlanRef, partitions: Option<usize>, shuffle: bool, range: bool, by: Vec<Expr>) -> PlanRef;
    fn sample(plan: &PlanRef, with_replacement: bool, fraction: f64, seed: i64) -> PlanRef;
    fn observe(plan: &PlanRef, name: &str, metrics: Vec<Expr>) -> PlanRef;
    /// df.x, df["x"], F.col on a frame: a resolved attribute (or nested field), or a star.
    fn column(plan: &PlanRef, name: &str) -> Expr;
    /// The string that a Column shows in Python: Column<'...'>.
    fn column_text(expr: &Expr) -> String;
    /// Column.__init__ from SQL text (F.expr).
    fn parse_expression(text: &str) -> Expr;
    /// spark.sql(text, args): named or positional parameters are literals. Commands (CREATE VIEW, SET, SHOW ...) run at once.
    fn sql(text: &str, named: Vec<(String, Expr)>, positional: Vec<Expr>) -> PlanRef;
    fn table(name: &str, streaming: bool) -> PlanRef;
    /// createDataFrame: rows with values already checked against the schema.
    fn local(schema: &StructType, rows: Vec<Vec<crate::value::Value>>, partitions: Option<usize>) -> PlanRef;
    fn range(start: i64, end: i64, step: i64, partitions: Option<usize>) -> PlanRef;
    fn read(spec: ReadSpec) -> PlanRef;
    fn read_stream(spec: ReadSpec) -> PlanRef;
    fn write(plan: &PlanRef, spec: WriteSpec) -> ();
    fn create_temp_view(plan: &PlanRef, name: &str, replace: bool, global: bool) -> ();
    /// All rows, partition by partition. Refused on streams (STREAMING: "Queries with streaming sources must be executed with writeStream.start()").
    fn collect(plan: &PlanRef) -> Vec<arrow::record_batch::RecordBatch>;
    /// df.take / head / first: limit and collect.
    fn take(plan: &PlanRef, n: i32) -> Vec<arrow::record_batch::RecordBatch>;
    fn count(plan: &PlanRef) -> i64;
    /// df.show: `truncate` 0 means no truncation.
    fn show_string(plan: &PlanRef, n: i32, truncate: i32, vertical: bool) -> String;
    /// df.explain: "simple", "extended", "codegen", "cost", "formatted".
    fn explain(plan: &PlanRef, mode: &str) -> String;
    fn schema(plan: &PlanRef) -> StructType;
    fn is_streaming(plan: &PlanRef) -> bool;
}
