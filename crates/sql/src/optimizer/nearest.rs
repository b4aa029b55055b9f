//! RewriteNearestByJoin: every left row gets a number, is joined to all right rows, and its group keeps the best of them.

use std::sync::Arc;

use super::calls::{call, first};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::Expr;
use crate::plan::{Join, JoinCondition, LogicalPlan, NearestByJoin, NearestDirection};
use crate::types::DataType;
use crate::value::Value;

pub(super) fn rewrite(ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.try_transform_up(&mut |node| match &node {
        LogicalPlan::Extension(extension) => match extension.as_any().downcast_ref::<NearestByJoin>() {
            Some(join) => rewritten(ctx, join),
            None => Ok(node),
        },
        _ => Ok(node),
    })
}

fn rewritten(ctx: &ExecContext<'_>, join: &NearestByJoin) -> Result<LogicalPlan> {
    let number = call(ctx, "uuid", Vec::new())?.alias("__qid");
    let ours = join.left.output();
    let mut list: Vec<Expr> = ours.iter().cloned().map(Expr::Attribute).collect();
    list.push(number.clone());
    let left = Arc::new(LogicalPlan::Project { list, child: join.left.clone() });
    let right = join.right.clone();
    let theirs: Vec<Expr> = right.output().into_iter().map(Expr::Attribute).collect();
    let pairs = LogicalPlan::Join(Join { left, right, kind: join.kind(), condition: JoinCondition::None });
    let (child, ranking) = if join.ranking.deterministic() {
        (pairs, join.ranking.clone())
    } else {
        let ranking = join.ranking.clone().alias("__ranking__");
        let column = Expr::Attribute(ranking.to_attribute());
        let list = pairs.output().into_iter().map(Expr::Attribute).chain([ranking]).collect();
        (LogicalPlan::Project { list, child: Arc::new(pairs) }, column)
    };
    let best = match join.how.direction {
        NearestDirection::Distance => "min_by",
        NearestDirection::Similarity => "max_by",
    };
    let results = Expr::literal(Value::Integer(join.how.results), DataType::Integer);
    let matches = call(ctx, best, vec![call(ctx, "struct", theirs)?, ranking, results])?.alias("__nearest_matches__");
    let matched = Expr::Attribute(matches.to_attribute());
    let mut list = Vec::with_capacity(ours.len() + 1);
    for column in &ours {
        list.push(first(ctx, Expr::Attribute(column.clone()))?.alias_with(&column.name, column.id));
    }
    list.push(matches);
    let grouping = vec![Expr::Attribute(number.to_attribute())];
    let child = Arc::new(LogicalPlan::Aggregate { grouping, list, child: Arc::new(child) });
    let output = join.right_output();
    let generator = call(ctx, "inline", vec![matched])?;
    let child = Arc::new(LogicalPlan::Generate { generator, outer: join.how.outer, qualifier: None, output, child });
    let list = ours.into_iter().chain(join.right_output()).map(Expr::Attribute).collect();
    Ok(LogicalPlan::Project { list, child })
}
