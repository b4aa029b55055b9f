//! Planning of stream-stream joins (StreamingJoinStrategy).

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::ExecRef;
use tidemark_sql::exec::bind::bind_all;
use tidemark_sql::expr::{Attribute, Expr, ExprId};
use tidemark_sql::optimizer::{join_conjuncts, null_safe_keys};
use tidemark_sql::plan::{Join, JoinCondition, JoinKind, LogicalPlan};
use tidemark_sql::planner::{Planner, text};
use tidemark_sql::types::DataType;

use super::super::batch::{StatefulBatch, StreamingConf};
use super::super::columns::EventTime;
use super::super::stateful::Stateful;
use super::side::SideStores;
use super::state_watermark::{bounds, conjuncts};
use super::{SYMMETRIC_HASH_JOIN, Side, StreamingSymmetricHashJoinExec};
use crate::state::struct_of;

/// The condition of a join taken apart.
#[derive(Default)]
struct Parts {
    keys: [Vec<Expr>; 2],
    /// What is left, by the sides it needs.
    only: [Vec<Expr>; 2],
    both: Vec<Expr>,
    /// All but the keys.
    rest: Vec<Expr>,
}

fn split(condition: Option<&Expr>, outputs: &[Vec<Arc<Attribute>>; 2]) -> Parts {
    let ids: [BTreeSet<ExprId>; 2] = [0, 1].map(|side: usize| outputs[side].iter().map(|a| a.id).collect());
    let within = |expr: &Expr, side: usize| expr.references().is_subset(&ids[side]);
    let mut parts = Parts::default();
    let mut predicates = Vec::new();
    if let Some(condition) = condition {
        conjuncts(condition, &mut predicates);
    }
    for predicate in predicates {
        if let Expr::Call(call) = predicate
            && matches!(&*call.name, "=" | "==" | "<=>")
            && let [a, b] = &call.args[..]
            && !a.references().is_empty()
            && !b.references().is_empty()
        {
            let sides = if within(a, 0) && within(b, 1) {
                Some([a, b])
            } else if within(b, 0) && within(a, 1) {
                Some([b, a])
            } else {
                None
            };
            if let Some(sides) = sides {
                for (keys, key) in parts.keys.iter_mut().zip(sides) {
                    match &*call.name {
                        "<=>" => keys.extend(null_safe_keys(key)),
                        _ => keys.push(key.clone()),
                    }
                }
                continue;
            }
        }
        parts.rest.push(predicate.clone());
        match (0..2).find(|side| predicate.deterministic() && within(predicate, *side)) {
            Some(side) => parts.only[side].push(predicate.clone()),
            None => parts.both.push(predicate.clone()),
        }
    }
    parts
}

/// Whether the state keeps of a row that it has found a partner: versions 2 and 3 do, version 1 of old checkpoints does not,
/// and is good for inner joins only.
fn check_format(conf: &StreamingConf, kind: JoinKind) -> Result<bool> {
    match conf.join_state_format {
        2 => Ok(true),
        // Its stores are column families.
        3 if conf.is_rocks_db() => Ok(true),
        3 => Err(SparkError::new(
            ErrorClass::UnsupportedOperation,
            "UNSUPPORTED_FEATURE.STATE_STORE_MULTIPLE_COLUMN_FAMILIES",
            &[("stateStoreProvider", "HDFSStateStoreProvider")],
        )),
        1 if kind == JoinKind::Inner => Ok(false),
        1 => Err(SparkError::plain(
            ErrorClass::IllegalArgument,
            format!(
                "The query is using stream-stream {} join with state format version 1 - correctness issue is discovered. \
                 Please discard the checkpoint and rerun the query. See SPARK-26154 for more details.",
                tidemark_sql::explain::join_kind_name(kind)
            ),
        )),
        other => Err(SparkError::not_yet(&format!("Stream-stream join state format version {other}"))),
    }
}

/// The operator of a join whose inputs are both streams.
pub(crate) fn plan_join(batch: &Rc<StatefulBatch>, join: &Join, planner: &Planner<'_>) -> Result<ExecRef> {
    let operator = batch.next_operator_id();
    let condition = match &join.condition {
        JoinCondition::On(condition) => Some(condition),
        _ => None,
    };
    let outputs = [join.left.output(), join.right.output()];
    let parts = split(condition, &outputs);
    if parts.keys[0].is_empty() {
        let plan = tidemark_sql::explain::tree_string(&LogicalPlan::Join(join.clone()));
        let error = SparkError::new(ErrorClass::Analysis, "_LEGACY_ERROR_TEMP_1181", &[]);
        return Err(error.with_context(format!(";\n{plan}")));
    }
    let kind = join.kind;
    // An anti join is only met with the checks of unsupported operations off.
    if matches!(kind, JoinKind::LeftAnti | JoinKind::Cross) {
        let name = tidemark_sql::explain::join_kind_name(kind);
        let message =
            format!("requirement failed: StreamingSymmetricHashJoinExec should not take {name} as the JoinType");
        return Err(SparkError::plain(ErrorClass::IllegalArgument, message));
    }
    let with_matched = check_format(&batch.query.conf, kind)?;
    let key_types: Vec<DataType> = parts.keys[0].iter().map(Expr::data_type).collect();
    let allow_multiple = batch.query.conf.allow_multiple;
    let event_times = [EventTime::find(&outputs[0], allow_multiple)?, EventTime::find(&outputs[1], allow_multiple)?];
    let bounds = bounds([&outputs[0], &outputs[1]], [&parts.keys[0], &parts.keys[1]], &parts.rest, event_times);
    let mut sides = Vec::new();
    for (side, plan) in [&join.left, &join.right].into_iter().enumerate() {
        let child = planner.stateful_clustered(&parts.keys[side], planner.plan_child(plan)?)?;
        let input = child.output().to_vec();
        let keys: Vec<(DataType, bool)> = parts.keys[side].iter().map(|k| (k.data_type(), k.nullable())).collect();
        let stores = SideStores::new(["left", "right"][side], &keys, struct_of(&input), with_matched);
        sides.push(Side {
            keys: bind_all(&parts.keys[side], &input)?,
            shown_keys: text::expressions(&parts.keys[side]),
            key_names: parts.keys[side].iter().map(Expr::pretty_sql).collect(),
            filter: bind_all(&parts.only[side], &input)?,
            event_time: event_times[side],
            bound: bounds[side].clone(),
            value_types: stores.rows.1.value_types(),
            stores,
            child,
        });
    }
    let both: Vec<Arc<Attribute>> = sides.iter().flat_map(|side| side.child.output().iter().cloned()).collect();
    let condition = bind_all(&parts.both, &both)?;
    let schema = (*sides[0].stores.rows.1).clone();
    let stateful = Stateful::new(batch, operator, SYMMETRIC_HASH_JOIN, schema, &[], &[])?;
    let Ok(sides) = <[Side; 2]>::try_from(sides) else { return Err(SparkError::internal("a join has two sides")) };
    let shown =
        |terms: &[Expr]| join_conjuncts(terms.to_vec()).map_or_else(|| "null".to_owned(), |e| text::expression(&e));
    let shown_condition = format!(
        "leftOnly = {}, rightOnly = {}, both = {}, full = {}",
        shown(&parts.only[0]),
        shown(&parts.only[1]),
        shown(&parts.both),
        shown(&parts.rest)
    );
    let output = LogicalPlan::Join(join.clone()).output();
    let one_store = batch.query.conf.join_state_format == 3;
    Ok(Arc::new(StreamingSymmetricHashJoinExec {
        stateful,
        kind,
        key_types,
        sides,
        condition,
        shown_condition,
        output,
        one_store,
    }))
}
