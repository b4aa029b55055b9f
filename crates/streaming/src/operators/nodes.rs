//! What the stateful nodes of a plan have in common, and how they are found in it.

use tidemark_sql::error::Result;
use tidemark_sql::exec::ExecRef;

use super::aggregate::StateStoreSaveExec;
use super::batch::OperatorInfo;
use super::deduplicate::StreamingDeduplicateExec;
use super::event_time::EventTimeWatermarkExec;
use super::group_state::GroupStateExec;
use super::join::StreamingSymmetricHashJoinExec;
use super::judge::Judge;
use super::lifetime::{self, Lifetime};
use super::limit::StreamingGlobalLimitExec;
use super::session::SessionWindowStateStoreSaveExec;
use super::stateful::Stateful;
use super::transform::TransformWithStateExec;
use super::watermark::EvictionWatermark;
use crate::state::{DEFAULT_STORE, StateSchema, StoreMetadata};

/// Names and types of the key columns and of the value columns of the state panel.
pub(crate) type PanelColumns = (Vec<(String, String)>, Vec<(String, String)>);

/// Cells of a key and of a value, and when the row leaves.
pub(crate) type PanelRow = (Vec<Option<String>>, Vec<Option<String>>, Option<String>);

/// Least and greatest difference of a right row's event time to the left row's that it can match, µs.
pub(crate) type MatchRange = (Option<i64>, Option<i64>);

/// A physical operator that writes state (Spark's StateStoreWriter).
pub(crate) trait StateWriter: Judge {
    fn stateful(&self) -> &Stateful;
    /// What the operator promises about its output for an input watermark, ms; None: no watermark goes on.
    fn output_watermark(&self, input_ms: i64) -> Option<i64> {
        Some(input_ms)
    }
    /// Whether a batch without data would change anything under the next batch's watermark.
    fn should_run_another_batch(&self, next: EvictionWatermark) -> bool;
    /// Time alone makes it work: a batch is always worth running.
    fn runs_on_time(&self) -> bool {
        false
    }
    /// How rows leave one of its stores.
    fn lifetime(&self, _store: &str) -> Lifetime {
        lifetime::by_event_time(self.stateful())
    }
    /// When a row leaves, as words; None: never.
    fn expiry(&self, _store: &str, key: &[u8], value: &[u8]) -> Option<String> {
        lifetime::expiry(self.stateful(), key, value)
    }
    /// Names for the key columns of a store, where those of its schema say nothing.
    fn key_names(&self, _store: &str) -> &[String] {
        &[]
    }
    /// For joins of two streams.
    fn match_range(&self) -> Option<MatchRange> {
        None
    }
    /// Names and schemas of its stores.
    fn stores(&self) -> Vec<(String, StateSchema)> {
        vec![(DEFAULT_STORE.to_owned(), (*self.stateful().schema).clone())]
    }
    /// Key and value columns of the state panel, for an operator whose store holds rows of several schemas.
    fn panel_columns(&self) -> Option<PanelColumns> {
        None
    }
    /// A row of such a store for the panel; None: not shown.
    fn panel_row(&self, _key: &[u8], _value: &[u8]) -> Result<Option<PanelRow>> {
        Ok(None)
    }
    /// operatorPropertiesJson, where the operator metadata has version 2.
    fn properties(&self) -> Option<String> {
        None
    }
    /// Whether it writes its operator metadata itself, once it knows more.
    fn writes_metadata(&self) -> bool {
        false
    }
    /// For the operator metadata.
    fn store_metadata(&self) -> Vec<StoreMetadata> {
        let partitions = self.stateful().batch.shuffle_partitions;
        self.stores()
            .into_iter()
            .map(|(name, schema)| StoreMetadata { name, prefix: schema.prefix, partitions })
            .collect()
    }
}

impl dyn StateWriter + '_ {
    pub(crate) fn operator_id(&self) -> usize {
        self.stateful().operator
    }
}

/// A node that means something to watermarks.
pub(crate) enum StatefulNode<'a> {
    Watermark,
    Writer(&'a dyn StateWriter),
}

impl<'a> StatefulNode<'a> {
    pub(crate) fn of(plan: &'a ExecRef) -> Option<Self> {
        let any = plan.as_any();
        if any.is::<EventTimeWatermarkExec>() {
            return Some(Self::Watermark);
        }
        let writer: &dyn StateWriter = if let Some(node) = any.downcast_ref::<StateStoreSaveExec>() {
            node
        } else if let Some(node) = any.downcast_ref::<StreamingDeduplicateExec>() {
            node
        } else if let Some(node) = any.downcast_ref::<SessionWindowStateStoreSaveExec>() {
            node
        } else if let Some(node) = any.downcast_ref::<StreamingSymmetricHashJoinExec>() {
            node
        } else if let Some(node) = any.downcast_ref::<GroupStateExec>() {
            node
        } else if let Some(node) = any.downcast_ref::<TransformWithStateExec>() {
            node
        } else {
            any.downcast_ref::<StreamingGlobalLimitExec>()?
        };
        Some(Self::Writer(writer))
    }
}

/// The state writers of a plan, parents before children.
pub(crate) fn writers(plan: &ExecRef) -> Vec<&dyn StateWriter> {
    let mut found = Vec::new();
    collect(plan, &mut found);
    found
}

fn collect<'a>(plan: &'a ExecRef, found: &mut Vec<&'a dyn StateWriter>) {
    if let Some(StatefulNode::Writer(writer)) = StatefulNode::of(plan) {
        found.push(writer);
    }
    for child in plan.children() {
        collect(child, found);
    }
}

/// The stateful operators of a plan by id.
pub fn operator_infos(plan: &ExecRef) -> Vec<OperatorInfo> {
    writers(plan)
        .into_iter()
        .map(|writer| {
            let stateful = writer.stateful();
            let columns = |schema: &tidemark_sql::types::StructType| {
                schema.fields.iter().map(|f| (f.name.clone(), f.data_type.simple_string())).collect()
            };
            OperatorInfo {
                id: stateful.operator,
                name: stateful.name.to_owned(),
                key: columns(&stateful.schema.key),
                value: columns(&stateful.schema.value),
                partitions: stateful.batch.shuffle_partitions,
            }
        })
        .collect()
}
