//! RewriteDistinctAggregates: DISTINCT over several different columns. Every row is multiplied, once for each set of columns
//! and once for the other functions, made distinct together, and each function then looks at its own copies.

use std::sync::Arc;

use super::calls::call;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::{AggregateCall, Attribute, Expr, ExprId, Metadata};
use crate::functions::registry::{Invocation, resolve};
use crate::plan::LogicalPlan;
use crate::planner::text;
use crate::types::DataType;
use crate::value::Value;

/// Set of columns of DISTINCT functions, with the filter that such functions share a copy under.
type Key = (Vec<Expr>, Option<Expr>);

fn key(f: &AggregateCall) -> Key {
    let mut columns: Vec<Expr> = f.args.iter().filter(|a| !a.foldable()).map(Expr::canonical).collect();
    columns.sort_by_cached_key(|c| format!("{c:?}"));
    (columns, f.filter.as_ref().map(Expr::canonical))
}

fn column(name: &str, data_type: DataType) -> Arc<Attribute> {
    Arc::new(Attribute {
        id: ExprId::fresh(),
        name: name.into(),
        data_type,
        nullable: true,
        qualifier: Vec::new(),
        metadata: Metadata::default(),
    })
}

fn null(data_type: &DataType) -> Expr {
    Expr::literal(Value::Null, data_type.clone())
}

pub(super) fn rewrite(ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.try_transform_up(&mut |node| match node {
        LogicalPlan::Aggregate { grouping, list, child } => {
            let mut functions: Vec<AggregateCall> = Vec::new();
            for e in &list {
                e.visit(&mut |x| {
                    if let Expr::Aggregate(f) = x
                        && !functions.iter().any(|known| known == &**f)
                    {
                        functions.push((**f).clone());
                    }
                });
            }
            let mut keys: Vec<Key> = Vec::new();
            for f in functions.iter().filter(|f| f.distinct) {
                if !keys.contains(&key(f)) {
                    keys.push(key(f));
                }
            }
            let plain = keys.len() == 1 && keys.iter().all(|(_, filter)| filter.is_none());
            if keys.is_empty() || plain || child.is_streaming() {
                return Ok(LogicalPlan::Aggregate { grouping, list, child });
            }
            expanded(ctx, &grouping, &list, child, &functions, &keys)
        }
        other => Ok(other),
    })
}

fn expanded(
    ctx: &ExecContext<'_>,
    grouping: &[Expr],
    list: &[Expr],
    child: Arc<LogicalPlan>,
    functions: &[AggregateCall],
    keys: &[Key],
) -> Result<LogicalPlan> {
    let regular: Vec<&AggregateCall> = functions.iter().filter(|f| !f.distinct).collect();
    // Columns of the multiplied rows: keys, every distinct column, the number of the copy, arguments and filters of the rest.
    let key_columns: Vec<(Expr, Arc<Attribute>)> = grouping
        .iter()
        .map(|g| (g.unaliased().clone(), column(&text::expression(g.unaliased()), g.data_type())))
        .collect();
    let mut distinct_columns: Vec<(Expr, Arc<Attribute>)> = Vec::new();
    for f in functions.iter().filter(|f| f.distinct) {
        for a in f.args.iter().filter(|a| !a.foldable()) {
            if !distinct_columns.iter().any(|(known, _)| known.canonical() == a.canonical()) {
                distinct_columns.push((a.clone(), column(&text::expression(a), a.data_type())));
            }
        }
    }
    let gid = column("gid", DataType::Integer);
    let mut inputs: Vec<(Expr, Arc<Attribute>)> = Vec::new();
    for e in regular.iter().flat_map(|f| f.args.iter().chain(&f.filter)).filter(|e| !e.foldable()) {
        if !inputs.iter().any(|(known, _)| known.canonical() == e.canonical()) {
            inputs.push((e.clone(), column(&text::expression(e), e.data_type())));
        }
    }
    let mut filters: Vec<Option<Arc<Attribute>>> = Vec::new();
    for (i, (_, filter)) in keys.iter().enumerate() {
        filters.push(filter.as_ref().map(|_| column(&format!("filter{i}"), DataType::Boolean)));
    }
    let originals: Vec<Option<Expr>> = keys
        .iter()
        .map(|k| functions.iter().filter(|f| f.distinct).find(|f| key(f) == *k).and_then(|f| f.filter.clone()))
        .collect();
    let copy = |number: i32, own: Option<usize>| -> Vec<Expr> {
        let mut row: Vec<Expr> = key_columns.iter().map(|(e, _)| e.clone()).collect();
        for (e, c) in &distinct_columns {
            let mine = own.is_some_and(|i| keys[i].0.contains(&e.canonical()));
            row.push(if mine { e.clone() } else { null(&c.data_type) });
        }
        row.push(Expr::literal(Value::Integer(number), DataType::Integer));
        for (i, filter) in filters.iter().enumerate() {
            if filter.is_some() {
                let mine = (own == Some(i)).then(|| originals[i].clone()).flatten();
                row.push(mine.unwrap_or_else(|| null(&DataType::Boolean)));
            }
        }
        for (e, c) in &inputs {
            row.push(if own.is_none() { e.clone() } else { null(&c.data_type) });
        }
        row
    };
    let mut projections: Vec<Vec<Expr>> = Vec::new();
    if !regular.is_empty() {
        projections.push(copy(0, None));
    }
    for i in 0..keys.len() {
        projections.push(copy(i as i32 + 1, Some(i)));
    }
    let output: Vec<Arc<Attribute>> = key_columns
        .iter()
        .map(|(_, c)| Arc::clone(c))
        .chain(distinct_columns.iter().map(|(_, c)| Arc::clone(c)))
        .chain([Arc::clone(&gid)])
        .chain(filters.iter().flatten().cloned())
        .chain(inputs.iter().map(|(_, c)| Arc::clone(c)))
        .collect();
    let expand = Arc::new(LogicalPlan::Expand { projections, output, child });
    let moved = |e: &Expr, to: &[(Expr, Arc<Attribute>)]| {
        to.iter()
            .find(|(known, _)| known.canonical() == e.canonical())
            .map_or_else(|| e.clone(), |(_, c)| Expr::Attribute(Arc::clone(c)))
    };
    // First aggregation: one row for each combination of values, the other functions done on their own copy.
    let mut first_keys: Vec<Expr> = key_columns.iter().map(|(_, c)| Expr::Attribute(Arc::clone(c))).collect();
    first_keys.extend(distinct_columns.iter().map(|(_, c)| Expr::Attribute(Arc::clone(c))));
    first_keys.push(Expr::Attribute(Arc::clone(&gid)));
    first_keys.extend(filters.iter().flatten().map(|c| Expr::Attribute(Arc::clone(c))));
    let mut first_list = first_keys.clone();
    let mut done: Vec<(&AggregateCall, Arc<Attribute>)> = Vec::new();
    for f in &regular {
        let mut own = (*f).clone();
        own.id = ExprId::fresh();
        own.args = f.args.iter().map(|a| moved(a, &inputs)).collect();
        own.filter = f.filter.as_ref().map(|a| moved(a, &inputs));
        let named = Expr::Aggregate(Box::new(own)).alias(&text::aggregate(f));
        done.push((f, named.to_attribute()));
        first_list.push(named);
    }
    let first = Arc::new(LogicalPlan::Aggregate { grouping: first_keys, list: first_list, child: expand });
    // Second aggregation: every function over the rows of its copy.
    let is_copy = |n: i32| {
        call(ctx, "=", vec![Expr::Attribute(Arc::clone(&gid)), Expr::literal(Value::Integer(n), DataType::Integer)])
    };
    let mut replaced: Vec<(AggregateCall, Expr)> = Vec::new();
    for f in functions {
        if f.distinct {
            let i = keys.iter().position(|k| *k == key(f)).unwrap_or(0);
            let mut own = f.clone();
            own.distinct = false;
            own.args = f.args.iter().map(|a| moved(a, &distinct_columns)).collect();
            let mut filter = is_copy(i as i32 + 1)?;
            if let Some(c) = &filters[i] {
                filter = super::and(filter, Expr::Attribute(Arc::clone(c)));
            }
            own.filter = Some(filter);
            replaced.push((f.clone(), Expr::Aggregate(Box::new(own))));
        } else if let Some((_, result)) = done.iter().find(|(known, _)| *known == f) {
            let mut own = resolve(
                Invocation {
                    name: "first".into(),
                    args: vec![Expr::Attribute(Arc::clone(result))],
                    arg_names: Vec::new(),
                    distinct: false,
                    filter: None,
                    ignore_nulls: true,
                    within_group: Vec::new(),
                },
                &ctx.conf,
            )?;
            if let Expr::Aggregate(own) = &mut own {
                own.filter = Some(is_copy(0)?);
            }
            // No row of a function's own copy: what the function gives for no input (count: 0).
            let value = if f.nullable {
                own
            } else {
                call(ctx, "coalesce", vec![own, Expr::literal(Value::Long(0), f.data_type.clone())])?
            };
            replaced.push((f.clone(), value));
        }
    }
    let list = list
        .iter()
        .map(|named| {
            let swapped = swap(named.clone(), &replaced, &key_columns);
            match (named, swapped) {
                (_, done @ Expr::Alias(_)) => done,
                (Expr::Attribute(a), Expr::Attribute(k)) => Expr::Attribute(k).alias_with(&a.name, a.id),
                (_, other) => other,
            }
        })
        .collect();
    let grouping = key_columns.iter().map(|(_, c)| Expr::Attribute(Arc::clone(c))).collect();
    Ok(LogicalPlan::Aggregate { grouping, list, child: first })
}

fn swap(e: Expr, replaced: &[(AggregateCall, Expr)], keys: &[(Expr, Arc<Attribute>)]) -> Expr {
    match &e {
        Expr::Aggregate(f) => replaced.iter().find(|(known, _)| *known == **f).map_or(e.clone(), |(_, to)| to.clone()),
        Expr::Alias(_) | Expr::Literal { .. } => e.map_children(&mut |c| swap(c, replaced, keys)),
        other => {
            let canonical = other.canonical();
            match keys.iter().find(|(known, _)| known.canonical() == canonical) {
                Some((_, c)) => Expr::Attribute(Arc::clone(c)),
                None => e.map_children(&mut |c| swap(c, replaced, keys)),
            }
        }
    }
}
