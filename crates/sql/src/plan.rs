//! Logical plans, as in Catalyst. The analyzer takes them from unresolved to resolved; the optimizer keeps them resolved.

mod nearest;
mod python;
mod python_source;
mod schema;
mod tree;

pub use nearest::{NearestBy, NearestByJoin, NearestDirection};
pub(crate) use nearest::{count as nearest_count, unsupported_kind};
pub use python::{GroupTimeout, PythonOperation, PythonOperator, TimeMode};
pub use python_source::PythonScan;

use std::sync::Arc;

use arrow::record_batch::RecordBatch;

use crate::expr::{Attribute, Expr, ExprId, Origin, SortOrder};
use crate::python_source::Loaded;
use crate::types::StructType;

pub type PlanRef = Arc<LogicalPlan>;

#[derive(Clone, Debug, PartialEq)]
pub enum LogicalPlan {
    // ---- leaves -----------------------------------------------------------------------------------
    /// A name in SQL or spark.table, to be found in the catalog.
    UnresolvedRelation {
        parts: Vec<String>,
        streaming: bool,
        /// Its place in the SQL text.
        at: Option<Arc<Origin>>,
    },
    /// Rows in hand: createDataFrame, VALUES, spark.range, a memory table. Partitions as Spark would have them.
    LocalRelation(LocalRelation),
    Range {
        start: i64,
        end: i64,
        step: i64,
        partitions: Option<usize>,
        output: Vec<Arc<Attribute>>,
    },
    /// `SELECT 1` without FROM.
    OneRow,
    /// Files read as a batch (HadoopFsRelation); `sources::file` plans the splits.
    FileRelation(FileRelation),
    /// The table of a memory sink: its rows are those at execution time ([`crate::catalog::bind_memory_tables`]).
    MemoryTable {
        name: String,
        output: Vec<Arc<Attribute>>,
    },
    /// A streaming source; the streaming crate puts the batch's data in its place.
    StreamingRelation(StreamingRelation),
    /// Data of one micro-batch in the place of a [`StreamingRelation`]; still "streaming" for the checks.
    StreamingBatch {
        source: ExprId,
        data: Box<LogicalPlan>,
        output: Vec<Arc<Attribute>>,
    },

    // ---- one child --------------------------------------------------------------------------------
    Project {
        list: Vec<Expr>,
        child: PlanRef,
    },
    Filter {
        condition: Expr,
        child: PlanRef,
    },
    /// `list` holds grouping expressions and aggregates as named expressions (Catalyst's Aggregate).
    Aggregate {
        grouping: Vec<Expr>,
        list: Vec<Expr>,
        child: PlanRef,
    },
    /// rollup, cube, grouping sets before the analyzer expands them; `sets` are positions in `by`.
    GroupingSets {
        by: Vec<Expr>,
        sets: Vec<Vec<usize>>,
        list: Vec<Expr>,
        child: PlanRef,
    },
    Pivot {
        grouping: Vec<Expr>,
        column: Expr,
        values: Vec<Expr>,
        aggregates: Vec<Expr>,
        child: PlanRef,
    },
    Sort {
        order: Vec<SortOrder>,
        global: bool,
        child: PlanRef,
    },
    Limit {
        limit: Expr,
        child: PlanRef,
    },
    Offset {
        offset: Expr,
        child: PlanRef,
    },
    Tail {
        limit: Expr,
        child: PlanRef,
    },
    Distinct {
        child: PlanRef,
    },
    /// dropDuplicates; `columns` empty until resolved means all.
    Deduplicate {
        columns: Vec<Expr>,
        within_watermark: bool,
        child: PlanRef,
    },
    SubqueryAlias {
        name: String,
        child: PlanRef,
    },
    /// A temp view's plan in the place of its name.
    View {
        name: Vec<String>,
        child: PlanRef,
    },
    /// withWatermark.
    EventTimeWatermark {
        column: Expr,
        delay: Delay,
        child: PlanRef,
    },
    /// Each input row once per projection (sliding windows, grouping sets).
    Expand {
        projections: Vec<Vec<Expr>>,
        output: Vec<Arc<Attribute>>,
        child: PlanRef,
    },
    Generate {
        generator: Expr,
        outer: bool,
        qualifier: Option<String>,
        output: Vec<Arc<Attribute>>,
        child: PlanRef,
    },
    Window {
        list: Vec<Expr>,
        partition_by: Vec<Expr>,
        order_by: Vec<SortOrder>,
        child: PlanRef,
    },
    /// repartition / coalesce / repartitionByRange / repartitionById.
    Repartition {
        partitions: Option<usize>,
        shuffle: bool,
        by: Vec<Expr>,
        spread: Spread,
        child: PlanRef,
    },
    /// Rows whose random number lies from `lower` (0 for sample()) to `fraction`.
    Sample {
        lower: f64,
        fraction: f64,
        seed: i64,
        with_replacement: bool,
        child: PlanRef,
    },
    /// df.observe.
    CollectMetrics {
        name: String,
        metrics: Vec<Expr>,
        child: PlanRef,
    },
    /// df.hint / broadcast().
    Hint {
        name: String,
        parameters: Vec<Expr>,
        child: PlanRef,
    },
    /// A stateful or Python operator of the streaming crate (applyInPandasWithState, transformWithState, mapInPandas ...).
    Extension(Arc<dyn ExtensionNode>),

    // ---- several children ---------------------------------------------------------------------------
    Join(Join),
    Union {
        children: Vec<PlanRef>,
        by_name: bool,
        allow_missing: bool,
    },
    SetOperation {
        kind: SetOperation,
        all: bool,
        left: PlanRef,
        right: PlanRef,
    },
    /// WITH name AS (...): resolved away by the analyzer.
    With {
        ctes: Vec<(String, PlanRef)>,
        child: PlanRef,
    },
}

/// How the expressions of a repartitioning send rows to partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    Hash,
    Range,
    /// One integer, the partition's number itself (DirectShufflePartitionID).
    Id,
}

/// A node that another crate defines.
pub trait ExtensionNode: std::fmt::Debug + Send + Sync {
    /// As explain prints it.
    fn name(&self) -> String;
    fn children(&self) -> Vec<PlanRef>;
    fn output(&self) -> Vec<Arc<Attribute>>;
    fn expressions(&self) -> Vec<Expr>;
    /// The same node over other children and expressions (same counts).
    fn rebuild(&self, children: Vec<PlanRef>, expressions: Vec<Expr>) -> Arc<dyn ExtensionNode>;
    /// The same node with other columns (a self-join makes new ids).
    fn with_output(&self, output: Vec<Arc<Attribute>>) -> Arc<dyn ExtensionNode>;
    fn as_any(&self) -> &dyn std::any::Any;
    /// For operators with state of the user's: what the checks of streaming queries need to know.
    fn group_state(&self) -> Option<GroupStateNode> {
        None
    }
}

/// A stateful operator with a function of the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupStateNode {
    ApplyInPandasWithState {
        /// Its own output mode is update, not append.
        update: bool,
        /// Its timeout is EventTimeTimeout.
        event_time_timeout: bool,
    },
    TransformWithState,
}

impl PartialEq for dyn ExtensionNode {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(self, other)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct LocalRelation {
    pub output: Vec<Arc<Attribute>>,
    /// Batches per partition; columns in the order of `output`.
    pub partitions: Arc<Vec<Vec<RecordBatch>>>,
    /// A createDataFrame RDD (LogicalRDD: unknown size for join planning), not a LocalRelation of literals.
    pub from_rdd: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FileRelation {
    /// "json", "csv", "text", "parquet", "orc".
    pub format: String,
    /// Options in lower case.
    pub options: indexmap::IndexMap<String, String>,
    pub root_paths: Vec<String>,
    /// Files as listed when the plan was made (sizes and times frozen, as in Spark).
    pub files: Arc<Vec<crate::datasource::FileStatus>>,
    /// Columns read from the files, without partition columns.
    pub data_schema: Arc<StructType>,
    pub partition_schema: Arc<StructType>,
    pub output: Vec<Arc<Attribute>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamingRelation {
    /// Identity of this source in the query.
    pub id: ExprId,
    /// "json", "rate", "kafka" ...
    pub format: String,
    pub options: indexmap::IndexMap<String, String>,
    pub path: Option<String>,
    /// A source of the script's.
    pub python: Option<Loaded>,
    /// Schema given by the user, if any.
    pub user_schema: Option<Arc<StructType>>,
    pub output: Vec<Arc<Attribute>>,
}

/// The interval of withWatermark: months count 31 days (EventTimeWatermark.getDelayMs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    pub months: i32,
    pub days: i32,
    pub micros: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    pub left: PlanRef,
    pub right: PlanRef,
    pub kind: JoinKind,
    pub condition: JoinCondition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    Cross,
    LeftOuter,
    /// LeftOuter whose left rows may have one partner at most: a correlated scalar subquery.
    LeftSingle,
    RightOuter,
    FullOuter,
    LeftSemi,
    LeftAnti,
}

#[derive(Clone, Debug, PartialEq)]
pub enum JoinCondition {
    None,
    On(Expr),
    Using(Vec<String>),
    Natural,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperation {
    Intersect,
    Except,
}
