//! Operators whose rows a function of the script makes: mapInPandas, applyInPandas, cogroups, state functions.

use std::sync::Arc;

use super::{ExtensionNode, GroupStateNode, PlanRef};
use crate::expr::{Attribute, Expr};
use crate::types::{StructField, StructType};

/// A function over whole tables, groups or groups with state.
#[derive(Clone, Debug)]
pub struct PythonOperator {
    pub operation: PythonOperation,
    /// Handle that the Python side gave out.
    pub handle: u64,
    /// As explain shows the function: `f(a#1, b#2)#3`.
    pub call: String,
    pub output: Vec<Arc<Attribute>>,
    pub children: Vec<PlanRef>,
    /// Grouping attributes, for each child.
    pub keys: Vec<Vec<Expr>>,
    /// The columns that the function gets, for each child.
    pub values: Vec<Vec<Expr>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PythonOperation {
    /// mapInPandas, mapInArrow.
    Map,
    /// applyInPandas, applyInArrow.
    Groups,
    /// cogroup(...).applyInPandas.
    CoGroups,
    /// applyInPandasWithState.
    GroupState { state: Arc<StructType>, update: bool, timeout: GroupTimeout },
    /// transformWithState, transformWithStateInPandas; with two children: initial state.
    Processor { pandas: bool, time_mode: TimeMode, mode: String },
}

/// GroupStateTimeout
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupTimeout {
    None,
    ProcessingTime,
    EventTime,
}

impl GroupTimeout {
    /// As PySpark names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NoTimeout",
            Self::ProcessingTime => "ProcessingTimeTimeout",
            Self::EventTime => "EventTimeTimeout",
        }
    }
}

/// TimeMode of transformWithState.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeMode {
    None,
    ProcessingTime,
    EventTime,
}

impl TimeMode {
    /// Spark's names of the modes, as errors show them.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NoTime",
            Self::ProcessingTime => "ProcessingTime",
            Self::EventTime => "EventTime",
        }
    }
}

impl PythonOperator {
    fn list(list: &[Expr]) -> String {
        let shown: Vec<String> = list.iter().map(Expr::plan_string).collect();
        format!("[{}]", shown.join(", "))
    }
}

impl ExtensionNode for PythonOperator {
    fn name(&self) -> String {
        let keys: Vec<String> = self.keys.iter().map(|keys| Self::list(keys)).collect();
        let output: Vec<Expr> = self.output.iter().cloned().map(Expr::Attribute).collect();
        let output = Self::list(&output);
        let call = &self.call;
        match &self.operation {
            PythonOperation::Map => format!("MapInPandas {call}, {output}, false"),
            PythonOperation::Groups => format!("FlatMapGroupsInPandas {}, {call}, {output}", keys.join(", ")),
            PythonOperation::CoGroups => format!("FlatMapCoGroupsInPandas {}, {call}, {output}", keys.join(", ")),
            PythonOperation::GroupState { state, update, timeout } => {
                let fields: Vec<String> = state.fields.iter().map(StructField::scala_name).collect();
                let mode = if *update { "Update" } else { "Append" };
                format!(
                    "FlatMapGroupsInPandasWithState {call}, {}, {output}, [{}], {mode}, {}",
                    keys.join(", "),
                    fields.join(", "),
                    timeout.name()
                )
            }
            PythonOperation::Processor { time_mode, mode, .. } => {
                format!("TransformWithStateInPySpark {call}, {output}, {mode}, {}", time_mode.name())
            }
        }
    }

    fn children(&self) -> Vec<PlanRef> {
        self.children.clone()
    }

    fn output(&self) -> Vec<Arc<Attribute>> {
        self.output.clone()
    }

    fn expressions(&self) -> Vec<Expr> {
        self.keys.iter().chain(&self.values).flatten().cloned().collect()
    }

    fn rebuild(&self, children: Vec<PlanRef>, expressions: Vec<Expr>) -> Arc<dyn ExtensionNode> {
        let mut rest = expressions.into_iter();
        let mut cut = |lists: &[Vec<Expr>]| -> Vec<Vec<Expr>> {
            lists.iter().map(|list| rest.by_ref().take(list.len()).collect()).collect()
        };
        let (keys, values) = (cut(&self.keys), cut(&self.values));
        Arc::new(Self { children, keys, values, ..self.clone() })
    }

    fn with_output(&self, output: Vec<Arc<Attribute>>) -> Arc<dyn ExtensionNode> {
        Arc::new(Self { output, ..self.clone() })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn group_state(&self) -> Option<GroupStateNode> {
        match &self.operation {
            PythonOperation::GroupState { update, timeout, .. } => Some(GroupStateNode::ApplyInPandasWithState {
                update: *update,
                event_time_timeout: *timeout == GroupTimeout::EventTime,
            }),
            PythonOperation::Processor { .. } => Some(GroupStateNode::TransformWithState),
            _ => None,
        }
    }
}
