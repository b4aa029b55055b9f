//! The optimizer: those of Catalyst's rules whose effect can be noticed in rows, their order, metrics or plans.
//!
//! Batches of rules run in order, each once or until nothing changes. A rule takes a whole plan and gives one that means
//! the same. Resolved plans in, resolved plans out; attributes keep their ids.

mod build;
mod calls;
mod constraints;
mod distinct;
mod expressions;
mod filters;
mod grouping;
mod joins;
mod limits;
mod nearest;
mod operators;
mod projects;
mod pruning;
mod recursion;

use std::sync::Arc;

pub use build::{and, equal_null_safe, is_not_null, join_conjuncts, not, null_safe_keys, split_conjuncts};
pub use expressions::fold;
pub(crate) use operators::without_idle_sorts;

use crate::error::Result;
use crate::exec::ExecContext;
use crate::plan::{LogicalPlan, PlanRef};

/// A rewriting of a whole plan.
type Rule = fn(&ExecContext<'_>, LogicalPlan) -> Result<LogicalPlan>;

struct Batch {
    /// Iterations at most.
    times: usize,
    rules: &'static [Rule],
}

/// Catalyst's batches, in order.
const BATCHES: &[Batch] = &[
    Batch {
        times: 1,
        rules: &[
            operators::finish_analysis,
            nearest::rewrite,
            grouping::pull_out,
            recursion::within_limits,
            expressions::special_datetimes,
            operators::replace_distinct,
        ],
    },
    Batch { times: 1, rules: &[grouping::remove_idle_keys] },
    Batch { times: 10, rules: OPERATORS },
    Batch { times: 1, rules: &[constraints::infer_filters] },
    Batch { times: 10, rules: OPERATORS },
    Batch { times: 1, rules: &[distinct::rewrite] },
    Batch { times: 1, rules: &[grouping::script_functions, pruning::prune_columns] },
    Batch { times: 3, rules: &[projects::collapse, projects::remove_no_ops] },
];

/// The operator optimisations, which run to a fixed point.
const OPERATORS: &[Rule] = &[
    filters::push_down,
    limits::combine,
    projects::collapse,
    operators::eliminate_sorts,
    operators::combine_unions,
    expressions::constant_folding,
    expressions::boolean_simplification,
    expressions::simplify_casts,
    filters::prune,
];

/// Optimizes an analysed plan.
pub fn optimize(ctx: &ExecContext<'_>, plan: &PlanRef) -> Result<PlanRef> {
    let mut current = (**plan).clone();
    for batch in BATCHES {
        for _ in 0..batch.times {
            let before = current.clone();
            for rule in batch.rules {
                current = rule(ctx, current)?;
            }
            if current == before {
                break;
            }
        }
    }
    Ok(Arc::new(current))
}
