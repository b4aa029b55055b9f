//! Expressions, unresolved and resolved, as in Catalyst: the analyzer turns the first into the second.

mod canonical;
mod column_text;
mod site;
mod text;
pub(crate) mod tree;
pub use canonical::merge_nullability;
pub use column_text::column_node_text;
pub use site::{Origin, QueryContext, Site};
pub use text::quoted_sql;
pub(crate) use text::{plan_spec, show_moments_in, string_predicate};
pub use tree::window_struct;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;

use crate::error::Result;
use crate::plan::LogicalPlan;
use crate::python::{GroupStateIn, GroupStateOut, ProcessorCall, StateServer, TableArgument, TableFunction};
use crate::types::DataType;
use crate::value::Value;

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// Identity of an attribute through a plan (Catalyst's ExprId); shown as `name#12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u64);

impl ExprId {
    /// A new id. Ids order nothing that a user sees.
    pub fn fresh() -> Self {
        NEXT.with(|next| Self(next.replace(next.get() + 1)))
    }

    /// Lets this thread's ids go on from `next`; what the next one would have been. A session counts from 0, as a new JVM
    /// does, so that a script run again writes the same ids into its plans and state schemas.
    pub fn go_on_from(next: u64) -> u64 {
        NEXT.with(|own| own.replace(next))
    }
}

/// A column of a plan's output (Catalyst's AttributeReference).
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    pub id: ExprId,
    pub name: Arc<str>,
    pub data_type: DataType,
    pub nullable: bool,
    /// "spark_catalog", "default", "table" or an alias; empty for none.
    pub qualifier: Vec<String>,
    pub metadata: Metadata,
}

/// Qualifier of a column that stands for an earlier item of its select list.
pub(crate) const LATERAL_REFERENCE: &str = "$lateral_reference";
/// Name of the hidden column of a file relation (FileFormat.METADATA_NAME).
pub const FILE_METADATA: &str = "_metadata";

impl Attribute {
    /// Whether it is the hidden column of a file relation.
    pub fn is_file_metadata(&self) -> bool {
        self.metadata.hidden && &*self.name == FILE_METADATA
    }
}

/// What travels with a column through the plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// EventTimeWatermark.delayKey: the column is event time with this watermark delay, ms.
    pub watermark_delay_ms: Option<i64>,
    /// TimeWindow.marker / SessionWindow.marker: the column is a window struct.
    pub window: Option<WindowKind>,
    /// Metadata given by the user (StructField.metadata), JSON object text; None when empty.
    pub user: Option<Arc<str>>,
    /// Hidden column such as `_metadata`.
    pub hidden: bool,
    /// The DataFrame that the column was asked of (`df.id`), until the expression is analysed.
    pub frame: Option<FrameColumn>,
}

/// A column of a DataFrame by its place there (Dataset.DATASET_ID_KEY and COL_POS_KEY).
#[derive(Clone)]
pub struct FrameColumn {
    pub frame: Arc<LogicalPlan>,
    pub position: usize,
}

impl PartialEq for FrameColumn {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.frame, &other.frame) && self.position == other.position
    }
}

impl std::fmt::Debug for FrameColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FrameColumn({})", self.position)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowKind {
    Time,
    Session,
}

/// How a cast or an arithmetic expression treats what does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalMode {
    Legacy,
    Ansi,
    Try,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    // ---- unresolved, as the front ends make them -------------------------------------------------
    /// A name to look up, in parts: `a.b` is ["a", "b"].
    UnresolvedAttribute(Vec<String>),
    /// `*` or `a.*`.
    UnresolvedStar(Vec<String>),
    /// df.colRegex.
    UnresolvedRegex(String),
    UnresolvedFunction(Box<UnresolvedFunction>),
    /// `child[extraction]` or `child.name` not yet known to be struct, array or map.
    UnresolvedExtract {
        child: Box<Expr>,
        extraction: Box<Expr>,
    },
    /// An expression of SQL text with its place there, for error texts; the analyzer takes it away.
    At {
        child: Box<Expr>,
        origin: Arc<Origin>,
    },
    /// Needs a name of its own: the analyzer wraps it in an alias with the pretty text.
    UnresolvedAlias(Box<Expr>),
    /// `x -> body` before its types are known.
    UnresolvedLambda {
        params: Vec<String>,
        body: Box<Expr>,
    },

    // ---- resolved --------------------------------------------------------------------------------
    Literal {
        value: Value,
        data_type: DataType,
    },
    Attribute(Arc<Attribute>),
    /// Column `ordinal` of the input batch: only in physical plans.
    Bound {
        ordinal: usize,
        data_type: DataType,
        nullable: bool,
    },
    Alias(Box<Alias>),
    Cast {
        child: Box<Expr>,
        to: DataType,
        mode: EvalMode,
        /// Put in by type coercion, not by the user (hidden in pretty names).
        implicit: bool,
        site: Site,
    },
    /// A scalar function or operator, arguments already coerced.
    Call(Box<Call>),
    CaseWhen {
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    /// Field `ordinal` of a struct.
    GetField {
        child: Box<Expr>,
        ordinal: usize,
        name: String,
    },
    /// Field of every element of an array of structs.
    GetArrayStructFields {
        child: Box<Expr>,
        ordinal: usize,
        name: String,
    },
    Lambda {
        params: Vec<LambdaVariable>,
        body: Box<Expr>,
    },
    LambdaVariable(LambdaVariable),
    Aggregate(Box<AggregateCall>),
    Generator(Box<GeneratorCall>),
    Window(Box<WindowCall>),
    /// window(): expanded by the analyzer into Project/Expand + Filter.
    TimeWindow(Box<TimeWindow>),
    SessionWindow(Box<SessionWindow>),
    SortOrder(Box<SortOrder>),
    PythonUdf(Box<PythonUdf>),
    ScalarSubquery(Arc<LogicalPlan>),
    Exists {
        plan: Arc<LogicalPlan>,
        negated: bool,
    },
    InSubquery {
        child: Box<Expr>,
        plan: Arc<LogicalPlan>,
        negated: bool,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct UnresolvedFunction {
    /// Lower or upper case as written; looked up without regard to case. Operators have their symbols: "+", "=", "and" ...
    pub name: String,
    pub args: Vec<Expr>,
    pub distinct: bool,
    pub filter: Option<Expr>,
    pub ignore_nulls: bool,
    /// OVER (...) of SQL and `Column.over`.
    pub over: Option<WindowSpec>,
    /// ORDER BY inside listagg and friends.
    pub within_group: Vec<SortOrder>,
    /// Named arguments, by position in `args` (None: positional).
    pub arg_names: Vec<Option<String>>,
    /// Written as an operator of SQL, which Spark's parser makes its expression of at once.
    pub operator: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    pub child: Expr,
    pub id: ExprId,
    /// Several names for a generator (`posexplode(x).alias("p", "v")`).
    pub names: Vec<String>,
    pub qualifier: Vec<String>,
    /// Metadata given explicitly; None: that of the child passes through.
    pub metadata: Option<Metadata>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LambdaVariable {
    pub id: ExprId,
    pub name: String,
    pub data_type: DataType,
    pub nullable: bool,
}

/// A resolved scalar function.
#[derive(Clone, Debug)]
pub struct Call {
    /// Key in the function registry ("upper", "+", "and"); also what plans print.
    pub name: Arc<str>,
    pub args: Vec<Expr>,
    pub data_type: DataType,
    pub nullable: bool,
    pub deterministic: bool,
    /// Evaluates the function; see [`crate::functions::Kernel`].
    pub kernel: Arc<dyn crate::functions::Kernel>,
    /// Seed of rand/uuid/shuffle, and other numbers that the kernel must find again.
    pub seed: Option<i64>,
    pub site: Site,
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.args == other.args
            && self.data_type == other.data_type
            && self.seed == other.seed
    }
}

/// An aggregate function in a plan (Catalyst's AggregateExpression).
#[derive(Clone, Debug)]
pub struct AggregateCall {
    pub name: Arc<str>,
    pub args: Vec<Expr>,
    pub distinct: bool,
    pub filter: Option<Expr>,
    pub data_type: DataType,
    pub nullable: bool,
    pub function: Arc<dyn crate::functions::aggregate::AggregateFunction>,
    /// resultId of Catalyst: identifies its result column.
    pub id: ExprId,
}

impl PartialEq for AggregateCall {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.args == other.args
            && self.distinct == other.distinct
            && self.filter == other.filter
            && self.data_type == other.data_type
            // What an argument has become part of: IGNORE NULLS, the percentages, whether ties are broken.
            && format!("{:?}", self.function) == format!("{:?}", other.function)
    }
}

/// explode and kin: one row to many.
#[derive(Clone, Debug)]
pub struct GeneratorCall {
    pub name: Arc<str>,
    pub args: Vec<Expr>,
    pub outer: bool,
    /// Output columns: name, type, nullable.
    pub output: Vec<(String, DataType, bool)>,
    pub function: Arc<dyn crate::functions::generator::GeneratorFunction>,
}

impl PartialEq for GeneratorCall {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.args == other.args && self.outer == other.outer
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct WindowCall {
    /// An [`Expr::Aggregate`] or an [`Expr::Call`] of a window-only function (row_number, rank, lag ...).
    pub function: Expr,
    pub spec: WindowSpec,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowSpec {
    pub partition_by: Vec<Expr>,
    pub order_by: Vec<SortOrder>,
    pub frame: Option<WindowFrame>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WindowFrame {
    /// rowsBetween; otherwise rangeBetween.
    pub rows: bool,
    pub start: FrameBound,
    pub end: FrameBound,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FrameBound {
    UnboundedPreceding,
    UnboundedFollowing,
    CurrentRow,
    /// Negative: preceding.
    Offset(Box<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TimeWindow {
    pub time: Expr,
    /// µs.
    pub window: i64,
    pub slide: i64,
    pub start: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SessionWindow {
    pub time: Expr,
    /// A CalendarInterval-typed expression.
    pub gap: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SortOrder {
    pub child: Expr,
    pub ascending: bool,
    pub nulls_first: bool,
}

/// A function of the script, called through [`UdfHost`].
#[derive(Clone, Debug, PartialEq)]
pub struct PythonUdf {
    /// Handle that the Python side gave out.
    pub handle: u64,
    pub name: String,
    pub args: Vec<Expr>,
    /// Names of keyword arguments, by position in `args`.
    pub arg_names: Vec<Option<String>>,
    pub data_type: DataType,
    pub deterministic: bool,
    pub kind: UdfKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UdfKind {
    /// Row at a time.
    Scalar,
    /// Row at a time, with values that go through Arrow on their way.
    Arrow,
    /// Series to Series.
    Pandas,
    /// Series to one value, in an aggregation.
    PandasAggregate,
}

/// Calls back into the script. Implemented by the pyspark crate.
pub trait UdfHost: crate::python_source::ScriptObjects {
    /// Evaluates a scalar function over rows; `args` are columns of equal length, the result has that length and `data_type`.
    /// An exception of the script comes back as an error of class [`crate::error::ErrorClass::Python`].
    fn call_scalar(&self, udf: &PythonUdf, args: &[ArrayRef], rows: usize) -> Result<ArrayRef>;

    /// Calls a function of whole tables (pandas udfs, mapInPandas, applyInPandas): it gives tables of `output`.
    fn call_tables(&self, handle: u64, tables: &[RecordBatch], output: &[Arc<Attribute>]) -> Result<Vec<RecordBatch>>;

    /// Calls a function of one group's rows and state (applyInPandasWithState).
    fn call_group(
        &self,
        handle: u64,
        rows: &RecordBatch,
        state: &GroupStateIn,
        state_type: &DataType,
        output: &[Arc<Attribute>],
    ) -> Result<(Vec<RecordBatch>, GroupStateOut)>;

    /// Calls a stateful processor (transformWithState), which reaches its state through `server`.
    fn call_processor(
        &self,
        handle: u64,
        server: Rc<dyn StateServer>,
        call: &ProcessorCall,
        output: &[Arc<Attribute>],
    ) -> Result<Vec<RecordBatch>>;

    /// Analyses a call of a table function: what it gives for these arguments, and what to call with the rows.
    fn table_function(&self, handle: u64, arguments: &[TableArgument]) -> Result<TableFunction>;
}
