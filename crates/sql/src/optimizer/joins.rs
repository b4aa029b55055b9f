//! PushPredicateThroughJoin: filters over joins and join conditions go to the sides that they look at.

use std::sync::Arc;

use super::filters::{covered, filtered};
use super::{join_conjuncts, split_conjuncts};
use crate::expr::Expr;
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan};

/// Terms by what they look at: left side, right side, the rest.
struct Sides {
    left: Vec<Expr>,
    right: Vec<Expr>,
    rest: Vec<Expr>,
}

fn split(terms: Vec<Expr>, join: &Join) -> Sides {
    let (left, right) = (join.left.output(), join.right.output());
    let mut sides = Sides { left: Vec::new(), right: Vec::new(), rest: Vec::new() };
    for term in terms {
        if !term.deterministic() || term.has_subquery() {
            sides.rest.push(term);
        } else if covered(&term, &left) && !term.references().is_empty() {
            sides.left.push(term);
        } else if covered(&term, &right) && !term.references().is_empty() {
            sides.right.push(term);
        } else {
            sides.rest.push(term);
        }
    }
    sides
}

fn terms_of(condition: &JoinCondition) -> Vec<Expr> {
    match condition {
        JoinCondition::On(e) => split_conjuncts(e),
        _ => Vec::new(),
    }
}

fn condition_of(terms: Vec<Expr>) -> JoinCondition {
    join_conjuncts(terms).map_or(JoinCondition::None, JoinCondition::On)
}

/// Filter over a join.
pub(super) fn push_filter(condition: Expr, join: Join) -> LogicalPlan {
    let Sides { left, right, rest } = split(split_conjuncts(&condition), &join);
    let unchanged =
        |join: Join| LogicalPlan::Filter { condition: condition.clone(), child: Arc::new(LogicalPlan::Join(join)) };
    let above = |terms: Vec<Expr>, join: Join| {
        let plan = LogicalPlan::Join(join);
        match join_conjuncts(terms) {
            Some(condition) => LogicalPlan::Filter { condition, child: Arc::new(plan) },
            None => plan,
        }
    };
    match join.kind {
        JoinKind::Inner | JoinKind::Cross => {
            let (into, stay): (Vec<Expr>, Vec<Expr>) =
                rest.into_iter().partition(|t| t.deterministic() && !t.has_subquery());
            let mut terms = terms_of(&join.condition);
            terms.extend(into);
            let made = Join {
                left: filtered(left, join.left),
                right: filtered(right, join.right),
                kind: join.kind,
                condition: condition_of(terms),
            };
            above(stay, made)
        }
        JoinKind::LeftOuter | JoinKind::LeftSingle | JoinKind::LeftSemi | JoinKind::LeftAnti => {
            if left.is_empty() {
                return unchanged(join);
            }
            let stay = right.into_iter().chain(rest).collect();
            above(stay, Join { left: filtered(left, join.left), ..join })
        }
        JoinKind::RightOuter => {
            if right.is_empty() {
                return unchanged(join);
            }
            let stay = left.into_iter().chain(rest).collect();
            above(stay, Join { right: filtered(right, join.right), ..join })
        }
        JoinKind::FullOuter => unchanged(join),
    }
}

/// Terms of a join condition that look at one side only.
pub(super) fn push_condition(join: Join) -> LogicalPlan {
    let Sides { left, right, rest } = split(terms_of(&join.condition), &join);
    LogicalPlan::Join(match join.kind {
        JoinKind::Inner | JoinKind::Cross if !(left.is_empty() && right.is_empty()) => Join {
            left: filtered(left, join.left),
            right: filtered(right, join.right),
            kind: join.kind,
            condition: condition_of(rest),
        },
        JoinKind::LeftOuter | JoinKind::LeftSingle | JoinKind::LeftSemi | JoinKind::LeftAnti if !right.is_empty() => {
            Join {
                left: join.left,
                right: filtered(right, join.right),
                kind: join.kind,
                condition: condition_of(left.into_iter().chain(rest).collect()),
            }
        }
        JoinKind::RightOuter if !left.is_empty() => Join {
            left: filtered(left, join.left),
            right: join.right,
            kind: join.kind,
            condition: condition_of(right.into_iter().chain(rest).collect()),
        },
        _ => join,
    })
}
