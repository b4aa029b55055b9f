//! Whether a stream-stream join's condition bounds its state (StreamingJoinHelper).

use super::subquery::conjuncts;
use crate::expr::{Attribute, Expr};
use crate::plan::{Join, JoinCondition};
use crate::types::DataType;

fn parts(join: &Join) -> Vec<Expr> {
    match &join.condition {
        JoinCondition::On(on) => conjuncts(on.clone()),
        _ => Vec::new(),
    }
}

fn is_event_time(attribute: &Attribute) -> bool {
    attribute.metadata.watermark_delay_ms.is_some()
}

/// An equality of the condition has an event-time column as one of its keys.
pub(super) fn watermark_in_keys(join: &Join) -> bool {
    let (left, right) = (join.left.output_ids(), join.right.output_ids());
    parts(join).iter().any(|part| match part {
        Expr::Call(call) if matches!(&*call.name, "=" | "==" | "<=>") && call.args.len() == 2 => {
            let side = |expr: &Expr| {
                let ids = expr.references();
                (ids.iter().all(|id| left.contains(id)), ids.iter().all(|id| right.contains(id)))
            };
            let crosses =
                matches!((side(&call.args[0]), side(&call.args[1])), ((true, _), (_, true)) | ((_, true), (true, _)));
            let keys =
                call.args.iter().any(|arg| matches!(arg, Expr::Attribute(attribute) if is_event_time(attribute)));
            crosses && keys
        }
        _ => false,
    })
}

/// A comparison gives rows of one side a lower bound that follows the other side's watermark: `a_ts >= b_ts - 1 minute`
/// bounds the left side. `left` tells whose state is meant.
pub(super) fn bounded_by_watermark(join: &Join, left: bool) -> bool {
    let (mine, theirs) = if left { (&join.left, &join.right) } else { (&join.right, &join.left) };
    let (mine, theirs) = (mine.output_ids(), theirs.output_ids());
    parts(join).iter().flat_map(comparisons).any(|(greater, smaller)| {
        let mut terms = Vec::new();
        if !collect(&greater, 1, &mut terms) || !collect(&smaller, -1, &mut terms) {
            return false;
        }
        match terms.as_slice() {
            [(a, a_sign), (b, b_sign)] => {
                let fits = |x: &Attribute, x_sign: i8, y: &Attribute, y_sign: i8| {
                    x_sign == 1 && y_sign == -1 && mine.contains(&x.id) && theirs.contains(&y.id) && is_event_time(y)
                };
                fits(a, *a_sign, b, *b_sign) || fits(b, *b_sign, a, *a_sign)
            }
            _ => false,
        }
    })
}

/// Greater and smaller side of each comparison in a predicate.
fn comparisons(part: &Expr) -> Vec<(Expr, Expr)> {
    let Expr::Call(call) = part else { return Vec::new() };
    match (&*call.name, call.args.as_slice()) {
        (">" | ">=", [a, b]) => vec![(a.clone(), b.clone())],
        ("<" | "<=", [a, b]) => vec![(b.clone(), a.clone())],
        ("between" | "and", parts) => parts.iter().flat_map(comparisons).collect(),
        _ => Vec::new(),
    }
}

/// The columns of a sum with their signs; constants are left out. False when it is no such sum.
fn collect(expr: &Expr, sign: i8, terms: &mut Vec<(Attribute, i8)>) -> bool {
    match expr {
        Expr::Attribute(attribute) => {
            terms.push(((**attribute).clone(), sign));
            true
        }
        Expr::Cast { child, to: DataType::Timestamp | DataType::Long | DataType::Double, .. } => {
            collect(child, sign, terms)
        }
        Expr::Call(call) => match (&*call.name, call.args.as_slice()) {
            ("+", [a, b]) => collect(a, sign, terms) && collect(b, sign, terms),
            ("-", [a, b]) => collect(a, sign, terms) && collect(b, -sign, terms),
            ("negative" | "-", [a]) => collect(a, -sign, terms),
            // Fields of a window struct move with its event time (TimeWindow columns compared after an aggregation).
            _ => expr.references().is_empty() && expr.deterministic(),
        },
        other => other.references().is_empty() && other.deterministic(),
    }
}
