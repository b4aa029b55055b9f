//! The Aggregation strategy (AggUtils): partial stage, exchange by the grouping columns, final stage; with DISTINCT two
//! more stages that first make the values distinct.

use std::sync::Arc;

use super::{Planner, text};
use crate::error::{Result, SparkError};
use crate::exec::ExecRef;
use crate::exec::aggregate::{AggregatePieces, AggregateStage, plan_aggregate_pieces};
use crate::expr::{AggregateCall, Attribute, Expr};
use crate::plan::PlanRef;

impl Planner<'_> {
    pub(super) fn plan_aggregate(&self, grouping: &[Expr], list: &[Expr], child: &PlanRef) -> Result<ExecRef> {
        let child = self.plan_child(child)?;
        if super::has_pandas_aggregate(list) {
            return self.plan_pandas_aggregate(grouping, list, child);
        }
        // Calls of the script's functions in keys and arguments are computed below; those over results above.
        let Extracted { grouping, inner, outer, child } = self.extract_aggregate(grouping, list, child)?;
        let pieces = plan_aggregate_pieces(&grouping, &inner)?;
        let planned = if pieces.functions.iter().any(|f| f.distinct) {
            self.plan_distinct(&pieces, child)?
        } else {
            self.plan_stages(&pieces, child)?
        };
        match outer {
            Some(list) => self.project(list, planned),
            None => Ok(planned),
        }
    }

    /// Partial stage, exchange, final stage; one stage where the rows lie by their keys already (CombineAdjacentAggregation).
    fn plan_stages(&self, pieces: &AggregatePieces, child: ExecRef) -> Result<ExecRef> {
        let partial = pieces.partial(Arc::clone(&child))?;
        let clustered = self.clustered(&attributes(&pieces.grouping_attributes), Arc::clone(&partial))?;
        if Arc::ptr_eq(&clustered, &partial) {
            return pieces.stage(AggregateStage::Complete, child);
        }
        pieces.finish(clustered)
    }

    /// Takes the script's functions out of an aggregation.
    pub fn extract_aggregate(&self, grouping: &[Expr], list: &[Expr], child: ExecRef) -> Result<Extracted> {
        let (grouping, child) = self.extract_python(grouping.to_vec(), child)?;
        let (inner, outer) = self.split_python(&grouping, list);
        let (inner, child) = self.extract_python(inner, child)?;
        Ok(Extracted { grouping, inner, outer, child })
    }

    /// Where results go into the script's functions: the aggregation's own results, and the list over them.
    fn split_python(&self, grouping: &[Expr], list: &[Expr]) -> (Vec<Expr>, Option<Vec<Expr>>) {
        let over_results = |e: &Expr| {
            e.any(&|x| matches!(x, Expr::PythonUdf(u) if u.args.iter().any(Expr::is_aggregate) || !u.args.is_empty()))
                && !matches!(e, Expr::Aggregate(_))
        };
        if !list.iter().any(over_results) {
            return (list.to_vec(), None);
        }
        let mut inner: Vec<Expr> = Vec::new();
        let outer = list.iter().map(|e| pull_results(e.clone(), grouping, &mut inner)).collect();
        (inner, Some(outer))
    }

    /// planAggregateWithOneDistinct: all DISTINCT functions look at the same columns.
    fn plan_distinct(&self, pieces: &AggregatePieces, child: ExecRef) -> Result<ExecRef> {
        let pieces = &pieces.distinct_last();
        let distinct: Vec<&AggregateCall> = pieces.functions.iter().filter(|f| f.distinct).collect();
        let sets: Vec<Vec<Expr>> =
            distinct.iter().map(|f| f.args.iter().filter(|a| !a.foldable()).map(Expr::canonical).collect()).collect();
        let same_set = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().all(|x| b.contains(x));
        if sets.windows(2).any(|w| !same_set(&w[0], &w[1])) || distinct.iter().any(|f| f.filter.is_some()) {
            return Err(SparkError::not_yet("Aggregation over several different DISTINCT columns"));
        }
        // The distinct columns, named, become grouping columns of the first two stages.
        let named: Vec<Expr> = distinct
            .first()
            .map(|f| f.args.clone())
            .unwrap_or_default()
            .into_iter()
            .filter(|e| !e.foldable())
            .map(|e| match &e {
                Expr::Attribute(_) | Expr::Alias(_) => e,
                other => other.clone().alias(&text::expression(other)),
            })
            .collect();
        let columns: Vec<(Expr, Arc<Attribute>)> =
            named.iter().map(|e| (e.unaliased().canonical(), e.to_attribute())).collect();
        let plain: Vec<bool> = pieces.functions.iter().map(|f| !f.distinct).collect();
        let keep = |wanted: bool| -> (Vec<AggregateCall>, Vec<Vec<Arc<Attribute>>>) {
            pieces
                .functions
                .iter()
                .zip(&pieces.buffers)
                .zip(&plain)
                .filter(|(_, p)| **p == wanted)
                .map(|((f, b), _)| (f.clone(), b.clone()))
                .unzip()
        };
        let (functions, buffers) = keep(true);
        let mut first = pieces.clone();
        first.grouping.extend(named);
        first.grouping_attributes.extend(columns.iter().map(|(_, a)| Arc::clone(a)));
        first.functions = functions;
        first.buffers = buffers;
        first.results = Vec::new();
        let partial = first.partial(child)?;
        let clustered = self.clustered(&attributes(&first.grouping_attributes), Arc::clone(&partial))?;
        // Without functions the second stage is the first one again.
        let columns_only = first.grouping.iter().all(|key| matches!(key, Expr::Attribute(_)));
        let merged = if columns_only && first.functions.is_empty() && Arc::ptr_eq(&clustered, &partial) {
            partial
        } else {
            first.merge(clustered)?
        };
        // Then the functions themselves, each value once.
        let mut second = pieces.clone();
        second.grouping = attributes(&pieces.grouping_attributes);
        for call in second.functions.iter_mut().filter(|f| f.distinct) {
            call.args = call
                .args
                .iter()
                .map(|e| {
                    let canonical = e.canonical();
                    columns
                        .iter()
                        .find(|(c, _)| *c == canonical)
                        .map_or_else(|| e.clone(), |(_, a)| Expr::Attribute(Arc::clone(a)))
                })
                .collect();
        }
        if second.functions.iter().all(|f| f.distinct) {
            return self.plan_stages(&second, merged);
        }
        let modes: Vec<AggregateStage> =
            plain.iter().map(|p| if *p { AggregateStage::PartialMerge } else { AggregateStage::Partial }).collect();
        let partial = second.mixed_stage(AggregateStage::Partial, &modes, merged)?;
        second.finish(self.clustered(&attributes(&second.grouping_attributes), partial)?)
    }
}

/// An aggregation without the script's functions.
pub struct Extracted {
    pub grouping: Vec<Expr>,
    /// What the aggregation itself gives.
    pub inner: Vec<Expr>,
    /// The list over its results, where functions take them.
    pub outer: Option<Vec<Expr>>,
    pub child: ExecRef,
}

fn attributes(list: &[Arc<Attribute>]) -> Vec<Expr> {
    list.iter().cloned().map(Expr::Attribute).collect()
}

/// A result with its aggregates and grouping expressions replaced by columns of `inner`.
fn pull_results(e: Expr, grouping: &[Expr], inner: &mut Vec<Expr>) -> Expr {
    let canonical = e.canonical();
    let is_key = !matches!(e, Expr::Alias(_)) && grouping.iter().any(|g| g.unaliased().canonical() == canonical);
    if is_key || matches!(e, Expr::Aggregate(_)) {
        if let Some(known) = inner.iter().find(|i| i.unaliased().canonical() == canonical) {
            return Expr::Attribute(known.to_attribute());
        }
        let named = match &e {
            Expr::Attribute(_) => e.clone(),
            other => other.clone().alias(&text::expression(other)),
        };
        let column = named.to_attribute();
        inner.push(named);
        return Expr::Attribute(column);
    }
    e.map_children(&mut |c| pull_results(c, grouping, inner))
}
