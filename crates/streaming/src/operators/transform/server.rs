//! What a processor's handle reaches: the phase of the processor, its key at hand, its variables and its timers
//! (StatefulProcessorHandleImpl and the state server of PySpark).

use std::cell::RefCell;
use std::collections::BTreeMap;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::plan::TimeMode;
use tidemark_sql::python::{StateAnswer, StateRequest, StateServer};
use tidemark_sql::types::{DataType, StructType};
use tidemark_sql::value::Value;

use super::keys;
use super::variables::{Kind, Variable};
use crate::state::{StateSchema, StateStore};

/// StatefulProcessorHandleState, in Spark's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Created,
    PreInit,
    Initialized,
    DataProcessed,
    TimerProcessed,
    Closed,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Created => "CREATED",
            Self::PreInit => "PRE_INIT",
            Self::Initialized => "INITIALIZED",
            Self::DataProcessed => "DATA_PROCESSED",
            Self::TimerProcessed => "TIMER_PROCESSED",
            Self::Closed => "CLOSED",
        }
    }

    fn parse(name: &str) -> Self {
        let all = [Self::Created, Self::PreInit, Self::Initialized, Self::DataProcessed, Self::TimerProcessed];
        all.into_iter().find(|phase| phase.name() == name).unwrap_or(Self::Closed)
    }
}

/// The state of one task while its processor is at work.
pub(super) struct Task {
    pub(super) store: StateStore,
    pub(super) key_type: StructType,
    pub(super) time_mode: TimeMode,
    pub(super) batch_ms: i64,
    watermark_ms: i64,
    phase: Phase,
    /// The driver's handle: it only learns what variables there are.
    driver: bool,
    /// Values and row of the grouping key at hand.
    key: Option<(Vec<Value>, Vec<u8>)>,
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) updated: i64,
    pub(super) removed: i64,
    counters: BTreeMap<&'static str, i64>,
    /// Whether calls are noted, and the calls.
    follows: bool,
    calls: Vec<KeyCall>,
}

/// What the processor did for one key: its input rows, or a timer that had come.
pub(super) struct KeyCall {
    pub(super) key: Vec<u8>,
    pub(super) timed_out: bool,
    /// Rows that it put out.
    pub(super) rows: usize,
}

/// What a task leaves.
pub(super) struct Finished {
    pub(super) store: StateStore,
    pub(super) updated: i64,
    pub(super) removed: i64,
    pub(super) counters: BTreeMap<&'static str, i64>,
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) calls: Vec<KeyCall>,
}

pub(super) struct ProcessorServer(RefCell<Task>);

impl ProcessorServer {
    pub(super) fn new(
        store: StateStore,
        key_type: StructType,
        time_mode: TimeMode,
        batch_ms: i64,
        watermark_ms: i64,
        phase: Phase,
    ) -> Self {
        Self(RefCell::new(Task {
            store,
            key_type,
            time_mode,
            batch_ms,
            watermark_ms,
            phase,
            driver: phase == Phase::PreInit,
            key: None,
            variables: BTreeMap::new(),
            updated: 0,
            removed: 0,
            counters: BTreeMap::new(),
            follows: false,
            calls: Vec::new(),
        }))
    }

    /// Notes for which keys rows are put out.
    pub(super) fn follow(self, on: bool) -> Self {
        self.0.borrow_mut().follows = on;
        self
    }

    /// Key and value schema of each declared variable.
    pub(super) fn schemas(&self) -> Vec<(String, StateSchema)> {
        let task = self.0.borrow();
        let schema = |(name, variable): (&String, &Variable)| (name.clone(), variable.schema(&task.key_type));
        task.variables.iter().map(schema).collect()
    }

    /// The variables that the processor has declared.
    pub(super) fn variables(&self) -> BTreeMap<String, Variable> {
        self.0.borrow().variables.clone()
    }

    /// Takes out what has outlived its time, and gives the store back to be committed.
    pub(super) fn finish(&self) -> Result<Finished> {
        let mut task = self.0.borrow_mut();
        task.expire()?;
        task.count_families();
        Ok(Finished {
            store: task.store.clone(),
            updated: task.updated,
            removed: task.removed,
            counters: std::mem::take(&mut task.counters),
            variables: std::mem::take(&mut task.variables),
            calls: std::mem::take(&mut task.calls),
        })
    }
}

fn plain(message: String) -> SparkError {
    SparkError::plain(ErrorClass::IllegalArgument, message)
}

impl Task {
    pub(super) fn count(&mut self, name: &'static str, value: i64) {
        *self.counters.entry(name).or_insert(0) += value;
    }

    /// How many column families Spark's store would have: the default one and the variables', and those beside them.
    fn count_families(&mut self) {
        let beside = |variable: &Variable| match (variable.kind, variable.ttl_ms.is_some()) {
            (Kind::List, true) => 3,
            (Kind::List, false) | (_, true) => 1,
            _ => 0,
        };
        let timers = if self.time_mode == TimeMode::None { 0 } else { 2 };
        let internal = timers + self.variables.values().map(beside).sum::<i64>();
        self.count("rocksdbNumExternalColumnFamilies", self.variables.len() as i64 + 1);
        self.count("rocksdbNumInternalColumnFamilies", internal);
    }

    pub(super) fn key_types(&self) -> Vec<DataType> {
        self.key_type.fields.iter().map(|field| field.data_type.clone()).collect()
    }

    /// The grouping key as one struct.
    pub(super) fn key_struct(&self) -> DataType {
        DataType::Struct(self.key_type.clone().into())
    }

    /// Values of the grouping key at hand.
    pub(super) fn key_values(&self, state: &str) -> Result<Value> {
        match &self.key {
            Some((values, _)) => Ok(Value::structure(values.clone())),
            None => Err(SparkError::internal(format!("Implicit key not found in state store for stateName={state}"))),
        }
    }

    /// Row of the grouping key at hand.
    pub(super) fn key_row(&self, state: &str) -> Result<Vec<u8>> {
        self.key_values(state)?;
        Ok(self.key.as_ref().map(|(_, row)| row.clone()).unwrap_or_default())
    }

    pub(super) fn check_timer_operation(&self, operation: &str) -> Result<()> {
        if self.time_mode == TimeMode::None {
            let parameters = [("operationType", operation), ("timeMode", self.time_mode.name())];
            return Err(SparkError::new(
                ErrorClass::UnsupportedOperation,
                "STATEFUL_PROCESSOR_CANNOT_PERFORM_OPERATION_WITH_INVALID_TIME_MODE",
                &parameters,
            ));
        }
        if self.phase < Phase::Initialized || self.phase >= Phase::TimerProcessed {
            return Err(self.wrong_phase(operation));
        }
        Ok(())
    }

    fn wrong_phase(&self, operation: &str) -> SparkError {
        SparkError::new(
            ErrorClass::UnsupportedOperation,
            "STATEFUL_PROCESSOR_CANNOT_PERFORM_OPERATION_WITH_INVALID_HANDLE_STATE",
            &[("operationType", operation), ("handleState", self.phase.name())],
        )
    }

    fn check_variable_operation(&self, operation: &str) -> Result<()> {
        let required = if self.driver { Phase::PreInit } else { Phase::Created };
        if self.phase == required { Ok(()) } else { Err(self.wrong_phase(operation)) }
    }

    /// getValueState, getListState, getMapState.
    fn declare(&mut self, kind: Kind, request: StateRequest) -> Result<StateAnswer> {
        let name = request.name;
        if let Some(known) = self.variables.get(&name) {
            if known.kind == kind {
                return Err(plain(format!("{} state {name} already exists", kind.name())));
            }
            let parameters = [("stateVarName", &*name)];
            return Err(SparkError::new(
                ErrorClass::Runtime,
                "STATEFUL_PROCESSOR_DUPLICATE_STATE_VARIABLE_DEFINED",
                &parameters,
            ));
        }
        self.check_variable_operation(kind.operation())?;
        let ttl_ms = request.number.filter(|ms| *ms != 0);
        if let Some(ms) = ttl_ms
            && !self.driver
        {
            if self.time_mode != TimeMode::ProcessingTime {
                return Err(SparkError::new(
                    ErrorClass::UnsupportedOperation,
                    "STATEFUL_PROCESSOR_INCORRECT_TIME_MODE_TO_ASSIGN_TTL",
                    &[("stateName", &name), ("timeMode", self.time_mode.name())],
                ));
            }
            if ms < 0 {
                return Err(SparkError::new(
                    ErrorClass::UnsupportedOperation,
                    "STATEFUL_PROCESSOR_TTL_DURATION_MUST_BE_POSITIVE",
                    &[("operationType", "update"), ("stateName", &name)],
                ));
            }
        }
        if name.starts_with('$') {
            return Err(SparkError::new(
                ErrorClass::UnsupportedOperation,
                "STATE_STORE_CANNOT_CREATE_COLUMN_FAMILY_WITH_RESERVED_CHARS",
                &[("colFamilyName", &name)],
            ));
        }
        self.count(kind.counter(ttl_ms.is_some()), 1);
        let schema = request.schema.unwrap_or_else(|| StructType::new(Vec::new()));
        self.variables.insert(name, Variable { kind, user_key: request.key_schema, value: schema, ttl_ms });
        Ok(StateAnswer::Done)
    }

    fn handle(&mut self, request: StateRequest) -> Result<StateAnswer> {
        let StateRequest { name, number, .. } = &request;
        match &*request.operation {
            "get_value_state" => self.declare(Kind::Value, request),
            "get_list_state" => self.declare(Kind::List, request),
            "get_map_state" => self.declare(Kind::Map, request),
            "set_phase" => {
                self.phase = Phase::parse(name);
                Ok(StateAnswer::Done)
            }
            "set_key" => {
                let Value::Struct(values) = &request.key else {
                    return Err(plain("the grouping key is not a row".to_owned()));
                };
                let row = keys::row(&self.key_types(), values)?;
                if self.follows {
                    let timed_out = self.phase == Phase::DataProcessed;
                    self.calls.push(KeyCall { key: row.clone(), timed_out, rows: 0 });
                }
                self.key = Some((values.to_vec(), row));
                Ok(StateAnswer::Done)
            }
            "put_out" => {
                if let Some(call) = self.calls.last_mut() {
                    call.rows += usize::try_from(number.unwrap_or(0)).unwrap_or(0);
                }
                Ok(StateAnswer::Done)
            }
            "remove_key" => {
                self.key = None;
                Ok(StateAnswer::Done)
            }
            "processing_time" => Ok(StateAnswer::Number(self.batch_ms)),
            "watermark" => Ok(StateAnswer::Number(self.watermark_ms)),
            "register_timer" => self.register_timer(number.unwrap_or(0)),
            "delete_timer" => self.delete_timer(number.unwrap_or(0)),
            "list_timers" => self.list_timers(),
            "expired_timers" => self.expired_timers(number.unwrap_or(0)),
            "delete_if_exists" => {
                self.check_variable_operation("delete_if_exists")?;
                self.delete_variable(name)
            }
            _ => self.variable(request),
        }
    }

    fn variable(&mut self, request: StateRequest) -> Result<StateAnswer> {
        let Some(variable) = self.variables.get(&request.name).cloned() else {
            let kind = request.operation.split('_').next().unwrap_or("");
            let kind = if kind == "list" {
                "List"
            } else if kind == "map" {
                "Map"
            } else {
                "Value"
            };
            return Err(plain(format!("{kind} state {} is not initialized.", request.name)));
        };
        let operation = request.operation.split_once('_').map_or("", |(_, operation)| operation);
        if self.driver {
            return Err(self.wrong_phase(&format!("{}.{operation}", request.name)));
        }
        match variable.kind {
            Kind::Value => self.value_state(&variable, operation, &request),
            Kind::List => self.list_state(&variable, operation, &request),
            Kind::Map => self.map_state(&variable, operation, &request),
        }
    }
}

impl StateServer for ProcessorServer {
    fn key_type(&self) -> DataType {
        self.0.borrow().key_struct()
    }

    fn types(&self, name: &str) -> Option<(Option<DataType>, DataType)> {
        let task = self.0.borrow();
        let variable = task.variables.get(name)?;
        let structure = |schema: &StructType| DataType::Struct(schema.clone().into());
        Some((variable.user_key.as_ref().map(structure), structure(&variable.value)))
    }

    fn request(&self, request: StateRequest) -> Result<StateAnswer> {
        self.0.borrow_mut().handle(request)
    }
}
