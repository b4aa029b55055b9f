//! Columns asked of a DataFrame (`df.id`) in plans where that DataFrame stands more than once: refused as ambiguous
//! (DetectAmbiguousSelfJoin), or told apart by side where they are compared with themselves (JoinWith.resolveSelfJoinCondition).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::parse_attribute_name;
use crate::analyzer::Analyzer;
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, FrameColumn};
use crate::plan::{JoinCondition, LogicalPlan, PlanRef};
use crate::session::SqlSession;

const FAIL_AMBIGUOUS: &str = "spark.sql.analyzer.failAmbiguousSelfJoin";

/// A column of the frame, which the plan it is used in may ask about (Dataset.addDataFrameIdToCol).
pub(super) fn of_frame(session: &SqlSession, plan: &PlanRef, column: Expr) -> Expr {
    if !session.conf.borrow().bool(FAIL_AMBIGUOUS) {
        return column;
    }
    let output = plan.output();
    column.transform_up(&mut |expr| match expr {
        Expr::Attribute(attribute) => {
            let Some(position) = output.iter().position(|column| column.id == attribute.id) else {
                return Expr::Attribute(attribute);
            };
            let mut marked = (*attribute).clone();
            marked.metadata.frame = Some(FrameColumn { frame: plan.clone(), position });
            Expr::Attribute(Arc::new(marked))
        }
        other => other,
    })
}

/// The node without what its columns were asked of, after the check.
pub(super) fn settled(session: &SqlSession, node: LogicalPlan) -> Result<LogicalPlan> {
    let mut asked = Vec::new();
    let mut marked = false;
    node.for_each_expression(&mut |expr| {
        marked |= expr.any(&|inner| matches!(inner, Expr::Attribute(column) if column.metadata.frame.is_some()));
        // Window functions go to nodes below, where nothing is checked (ExtractWindowExpressions).
        if !expr.any(&|inner| matches!(inner, Expr::UnresolvedFunction(call) if call.over.is_some())) {
            collect(expr, &mut asked);
        }
    });
    if !marked {
        return Ok(node);
    }
    let ambiguous = ambiguous_columns(session, &asked, &node);
    let named: Vec<&Arc<Attribute>> = match &node {
        LogicalPlan::Join(join) => {
            let mut found = Vec::new();
            if let JoinCondition::On(on) = &join.condition {
                let same_frame =
                    Arc::ptr_eq(&join.left, &join.right) || session.copies.is_copy(&join.right, &join.left);
                in_condition(on, &ambiguous, same_frame, &mut found);
            }
            found
        }
        _ => ambiguous.iter().collect(),
    };
    if !named.is_empty() {
        let names: Vec<String> = named.iter().map(|column| Expr::Attribute((*column).clone()).plan_string()).collect();
        return Err(SparkError::analysis(
            "_LEGACY_ERROR_TEMP_1182",
            &[("ambiguousAttrs", &names.join(", ")), ("config", FAIL_AMBIGUOUS)],
        ));
    }
    Ok(node.map_expressions(&mut plain))
}

/// A join's condition with the new ids of the right side, for the columns that the left side does not give; not with streams.
pub(super) fn renamed(on: Expr, left: &PlanRef, right: &PlanRef, renewed: &PlanRef) -> Expr {
    if left.is_streaming() || right.is_streaming() {
        return on;
    }
    let (old, new) = (right.output(), renewed.output());
    let ours = left.output_ids();
    on.transform_up(&mut |expr| match expr {
        Expr::Attribute(attribute) if !ours.contains(&attribute.id) => {
            let place = old.iter().position(|column| column.id == attribute.id);
            match place.and_then(|place| new.get(place)) {
                Some(column) if column.id != attribute.id => {
                    Expr::Attribute(Arc::new(Attribute { id: column.id, ..(*attribute).clone() }))
                }
                _ => Expr::Attribute(attribute),
            }
        }
        other => other,
    })
}

/// The expression without what its columns were asked of.
pub(super) fn plain(expr: Expr) -> Expr {
    expr.transform_up(&mut |expr| match expr {
        Expr::Attribute(attribute) if attribute.metadata.frame.is_some() => {
            let mut plain = (*attribute).clone();
            plain.metadata.frame = None;
            Expr::Attribute(Arc::new(plain))
        }
        other => other,
    })
}

/// Each asked column once, in order of appearance.
fn collect(expr: &Expr, asked: &mut Vec<Arc<Attribute>>) {
    expr.visit(&mut |expr| {
        if let Expr::Attribute(attribute) = expr
            && attribute.metadata.frame.is_some()
            && !asked.iter().any(|known| same_column(known, attribute))
        {
            asked.push(attribute.clone());
        }
    });
}

fn same_column(a: &Attribute, b: &Attribute) -> bool {
    a.id == b.id && a.metadata.frame == b.metadata.frame
}

/// Columns whose frame also stands in the plan as a copy with other ids, which the node can see.
fn ambiguous_columns(session: &SqlSession, asked: &[Arc<Attribute>], node: &LogicalPlan) -> Vec<Arc<Attribute>> {
    let children = node.child_plans();
    if !matches!(node, LogicalPlan::Join(_))
        && !children.iter().any(|child| child.any(&|plan| matches!(plan, LogicalPlan::Join(_))))
    {
        return Vec::new();
    }
    let inputs: BTreeSet<ExprId> = children.iter().flat_map(|child| child.output_ids()).collect();
    let copied = |column: &Attribute| {
        column.metadata.frame.as_ref().is_some_and(|asked| {
            children.iter().any(|child| {
                find(child, &|plan| {
                    (Arc::ptr_eq(plan, &asked.frame) || session.copies.is_copy(plan, &asked.frame))
                        && plan
                            .output()
                            .get(asked.position)
                            .is_some_and(|actual| actual.id != column.id && inputs.contains(&actual.id))
                })
            })
        })
    };
    asked.iter().filter(|column| copied(column)).cloned().collect()
}

fn find(plan: &PlanRef, test: &dyn Fn(&PlanRef) -> bool) -> bool {
    test(plan) || plan.child_plans().iter().any(|child| find(child, test))
}

/// The ambiguous columns of a join's condition. A column equal to itself means one of each side; in a join of one frame with
/// itself it does not matter which side is compared with a constant.
fn in_condition<'a>(
    expr: &'a Expr,
    ambiguous: &[Arc<Attribute>],
    same_frame: bool,
    found: &mut Vec<&'a Arc<Attribute>>,
) {
    if let Some((a, b)) = equality(expr) {
        let harmless = match (column(a), column(b)) {
            (Some(a), Some(b)) => a.id == b.id,
            (Some(_), None) => same_frame && constant(b),
            (None, Some(_)) => same_frame && constant(a),
            (None, None) => false,
        };
        if harmless {
            return;
        }
    }
    if let Expr::Attribute(attribute) = expr
        && ambiguous.iter().any(|column| same_column(column, attribute))
    {
        found.push(attribute);
    }
    expr.children().into_iter().for_each(|child| in_condition(child, ambiguous, same_frame, found));
}

fn equality(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match expr {
        Expr::UnresolvedFunction(call) if matches!(call.name.as_str(), "=" | "==" | "<=>") => {
            match call.args.as_slice() {
                [a, b] => Some((a, b)),
                _ => None,
            }
        }
        Expr::At { child, .. } => equality(child),
        _ => None,
    }
}

/// A column, cast or not.
fn column(expr: &Expr) -> Option<&Arc<Attribute>> {
    match expr {
        Expr::Attribute(attribute) => Some(attribute),
        Expr::Cast { child, .. } | Expr::At { child, .. } => column(child),
        _ => None,
    }
}

/// Whether an expression that is not analysed yet reads no column.
fn constant(expr: &Expr) -> bool {
    !expr.any(&|inner| match inner {
        Expr::UnresolvedFunction(call) => matches!(call.name.as_str(), "rand" | "randn" | "uuid" | "random"),
        Expr::Literal { .. } | Expr::Cast { .. } | Expr::Call(_) | Expr::CaseWhen { .. } | Expr::At { .. } => false,
        _ => true,
    })
}

/// In a join of plans that share columns, `df.x == df.x` becomes left x = right x, both found by name.
pub(super) fn sides_told_apart(
    session: &SqlSession,
    on: Expr,
    (left, right): (&PlanRef, &PlanRef),
    renewed: &PlanRef,
) -> Result<Expr> {
    let ids = left.output_ids();
    let shares = right.output_ids().iter().any(|id| ids.contains(id));
    if !shares || !session.conf.borrow().bool("spark.sql.selfJoinAutoResolveAmbiguity") {
        return Ok(on);
    }
    on.try_transform_up(&mut |expr| {
        let same = equality(&expr)
            .is_some_and(|pair| matches!(pair, (Expr::Attribute(a), Expr::Attribute(b)) if a.id == b.id));
        match expr {
            Expr::UnresolvedFunction(mut call) if same => {
                for (argument, side) in call.args.iter_mut().zip([left, renewed]) {
                    if let Expr::Attribute(attribute) = argument {
                        *argument = by_name(session, side, &attribute.name)?;
                    }
                }
                Ok(Expr::UnresolvedFunction(call))
            }
            other => Ok(other),
        }
    })
}

/// LogicalPlan.resolveQuoted.
fn by_name(session: &SqlSession, plan: &PlanRef, name: &str) -> Result<Expr> {
    let parts = parse_attribute_name(name)?;
    let output = plan.output();
    match Analyzer::new(session).try_column(&output, &parts)? {
        Some(found) => Ok(found),
        None => Err(super::columns::missing(&parts, &output)),
    }
}
