//! What the engine asks of the script's functions beyond row-at-a-time udfs: whole tables, groups with a state, stateful
//! processors. Tables cross as Arrow batches; the pyspark crate makes pandas frames or rows of them.

use arrow::record_batch::RecordBatch;

use crate::error::Result;
use crate::types::{DataType, StructType};
use crate::value::Value;

/// What a function over a group may know of the group's state (Spark's GroupStateImpl), times in ms, -1 for none.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupStateIn {
    /// A struct of the state's type; null: the state is not defined.
    pub state: Value,
    pub batch_ms: i64,
    pub watermark_ms: i64,
    /// "NoTimeout", "ProcessingTimeTimeout", "EventTimeTimeout".
    pub timeout: &'static str,
    pub timed_out: bool,
    pub watermark_present: bool,
    pub timeout_ms: i64,
}

/// What the function did to it.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupStateOut {
    pub state: Value,
    pub exists: bool,
    pub updated: bool,
    pub removed: bool,
    pub timeout_ms: i64,
}

/// An argument of a call of a table function (AnalyzeArgument).
#[derive(Clone, Debug, PartialEq)]
pub struct TableArgument {
    /// `name => value`.
    pub name: Option<String>,
    pub data_type: DataType,
    /// The value of a constant expression.
    pub constant: Option<Value>,
    pub is_table: bool,
}

/// What the analysis of a table function's call gives (AnalyzeResult).
#[derive(Clone, Debug, PartialEq)]
pub struct TableFunction {
    /// Of what is called with the arguments of each partition.
    pub handle: u64,
    pub schema: StructType,
    pub deterministic: bool,
    pub single_partition: bool,
    /// SQL texts over the table argument's columns.
    pub partition_by: Vec<String>,
    /// SQL text, ascending, nulls first.
    pub order_by: Vec<(String, bool, bool)>,
}

/// One key's rows for a stateful processor.
#[derive(Clone, Debug)]
pub struct ProcessorGroup {
    /// Input rows, if there are any.
    pub rows: Option<RecordBatch>,
    /// Rows of the initial state, in the first batch.
    pub initial: Option<RecordBatch>,
}

/// What a stateful processor is called for.
#[derive(Clone, Debug)]
pub enum ProcessorCall {
    /// `init` on the driver, which declares the state variables.
    PreInit,
    /// One partition: every group in turn, then the expired timers.
    Partition(Vec<ProcessorGroup>),
}

/// One call of a stateful processor's handle or of a state variable (the messages of Spark's state server).
#[derive(Clone, Debug, Default)]
pub struct StateRequest {
    /// "get_value_state", "value_update", "register_timer" ...
    pub operation: String,
    /// Name of the state variable, or of the handle's state.
    pub name: String,
    /// The user's key of a map.
    pub key: Value,
    pub values: Vec<Value>,
    /// Expiry of a timer or duration of a TTL, ms.
    pub number: Option<i64>,
    pub key_schema: Option<StructType>,
    pub schema: Option<StructType>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StateAnswer {
    Done,
    Flag(bool),
    Number(i64),
    /// A struct, or null for none.
    Row(Value),
    Rows(Vec<Value>),
    Pairs(Vec<(Value, Value)>),
    /// Grouping keys and expiry times, ms.
    Timers(Vec<(Value, i64)>),
    Numbers(Vec<i64>),
}

/// The state of the operator at work, as the processor's handle reaches it.
pub trait StateServer {
    /// Type of the grouping key.
    fn key_type(&self) -> DataType;
    /// Types of a variable's user key and value; None: no such variable.
    fn types(&self, name: &str) -> Option<(Option<DataType>, DataType)>;
    fn request(&self, request: StateRequest) -> Result<StateAnswer>;
}
