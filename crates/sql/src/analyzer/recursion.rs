//! WITH RECURSIVE: the anchor's rows, then the step over the rows of the round before, until a round gives none.
//!
//! Spark runs the rounds when the query runs; here they run when it is analysed, which a script cannot tell apart.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, new_null_array};
use arrow::record_batch::RecordBatch;

use super::coercion::same_type;
use super::{Analyzer, COLUMN_ALIASES};
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::batch::make_batch;
use crate::expr::{Attribute, Expr, ExprId, Metadata};
use crate::functions::{EvalContext, Kernel};
use crate::plan::{LocalRelation, LogicalPlan, PlanRef};
use crate::types::DataType;

/// spark.sql.cteRecursionLevelLimit.
const LEVELS: usize = 100;

fn relation(columns: &[Arc<Attribute>], batches: &[RecordBatch]) -> PlanRef {
    let output =
        columns.iter().map(|column| Arc::new(Attribute { id: ExprId::fresh(), ..(**column).clone() })).collect();
    Arc::new(LogicalPlan::LocalRelation(LocalRelation {
        output,
        partitions: Arc::new(vec![batches.to_vec()]),
        from_rdd: false,
    }))
}

/// The name of a common table expression of WITH RECURSIVE, and its level limit where it gives one.
pub(crate) fn recursive_name(marked: &str) -> Option<(&str, Option<usize>)> {
    let (level, name) = marked.strip_prefix(super::RECURSIVE)?.split_once(':')?;
    Some((name, level.parse().ok()))
}

/// Name of the call that lets rows of unfinished rounds pass.
pub(crate) const UNFINISHED: &str = "$recursion";

/// Name of the column that marks the row after the last one.
const END: &str = "$end";

/// Rounds that could go on: their rows, and an error for who reads beyond them.
fn unfinished(columns: &[Arc<Attribute>], mut batches: Vec<RecordBatch>, limit: usize) -> Result<PlanRef> {
    let end = Attribute {
        id: ExprId::fresh(),
        name: END.into(),
        data_type: DataType::Boolean,
        nullable: false,
        qualifier: Vec::new(),
        metadata: Metadata::default(),
    };
    let mut all = columns.to_vec();
    all.push(Arc::new(end));
    let nulls = columns.iter().map(|column| new_null_array(&column.data_type.to_arrow(), 1)).collect();
    batches.push(make_batch(columns, nulls, 1)?);
    let last = batches.len() - 1;
    let batches: Vec<RecordBatch> = batches
        .into_iter()
        .enumerate()
        .map(|(at, batch)| {
            let mut arrays = batch.columns().to_vec();
            arrays.push(Arc::new(BooleanArray::from(vec![at == last; batch.num_rows()])));
            make_batch(&all, arrays, batch.num_rows())
        })
        .collect::<Result<_>>()?;
    let relation = relation(&all, &batches);
    let output = relation.output();
    let mut marks: Vec<Expr> = output.into_iter().map(Expr::Attribute).collect();
    let end = marks.pop().into_iter().collect();
    let mut condition = crate::functions::row::call(UNFINISHED, end, DataType::Boolean, false, Exhausted { limit });
    if let Expr::Call(call) = &mut condition {
        // It stays where it is.
        call.deterministic = false;
    }
    let child = Arc::new(LogicalPlan::Filter { condition, child: relation });
    Ok(Arc::new(LogicalPlan::Project { list: marks, child }))
}

/// Lets rows pass, except the one after the last.
#[derive(Debug)]
struct Exhausted {
    limit: usize,
}

impl Kernel for Exhausted {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, _: &EvalContext<'_>) -> Result<ArrayRef> {
        if args[0].as_boolean().true_count() > 0 {
            return Err(SparkError::new(
                ErrorClass::Spark,
                "RECURSION_LEVEL_LIMIT_EXCEEDED",
                &[("levelLimit", &self.limit.to_string())],
            ));
        }
        Ok(Arc::new(BooleanArray::from(vec![true; rows])))
    }
}

impl Analyzer<'_> {
    pub(super) fn recursive_cte(&mut self, name: &str, level: Option<usize>, query: &PlanRef) -> Result<PlanRef> {
        let limit = level.or_else(|| self.conf.get("spark.sql.cteRecursionLevelLimit")?.parse().ok()).unwrap_or(LEVELS);
        let (names, body) = match &**query {
            LogicalPlan::Project { list, child } => match list.as_slice() {
                [Expr::UnresolvedFunction(call)] if call.name == COLUMN_ALIASES => (list.clone(), child.clone()),
                _ => (Vec::new(), query.clone()),
            },
            _ => (Vec::new(), query.clone()),
        };
        let body = match &*body {
            LogicalPlan::Hint { name, child, .. } if name == super::PLACED => child.clone(),
            _ => body,
        };
        let (anchor, step) = match &*body {
            LogicalPlan::Union { children, .. } => match children.as_slice() {
                [anchor, step] => (anchor.clone(), step.clone()),
                _ => return self.plan(query),
            },
            // Without UNION ALL there is nothing to repeat.
            _ => return self.plan(query),
        };
        let mut start = self.plan(&anchor)?;
        if !names.is_empty() {
            start = self.node(LogicalPlan::Project { list: names, child: start })?;
        }
        // Later rounds may bring nulls: the columns allow them from the start.
        let columns: Vec<Arc<Attribute>> =
            start.output().iter().map(|column| Arc::new(Attribute { nullable: true, ..(**column).clone() })).collect();
        let mut current = crate::dataframe::collect(self.session, &start)?;
        let mut all = current.clone();
        let mut level = 0;
        while current.iter().any(|batch| batch.num_rows() > 0) {
            level += 1;
            if level > limit {
                return unfinished(&columns, all, limit);
            }
            self.ctes.push((name.to_owned(), relation(&columns, &current)));
            let next = self.plan(&step);
            self.ctes.pop();
            let next = self.as_columns(next?, &columns)?;
            current = crate::dataframe::collect(self.session, &next)?
                .iter()
                .map(|batch| make_batch(&columns, batch.columns().to_vec(), batch.num_rows()))
                .collect::<Result<_>>()?;
            all.extend(current.iter().cloned());
        }
        Ok(relation(&columns, &all))
    }

    /// The step's rows in the anchor's types.
    fn as_columns(&mut self, plan: PlanRef, columns: &[Arc<Attribute>]) -> Result<PlanRef> {
        let output = plan.output();
        if output.len() != columns.len() {
            return Err(SparkError::analysis(
                "NUM_COLUMNS_MISMATCH",
                &[
                    ("operator", "UNION"),
                    ("firstNumColumns", &columns.len().to_string()),
                    ("invalidOrdinalNum", "second"),
                    ("invalidNumColumns", &output.len().to_string()),
                ],
            ));
        }
        let list = output
            .into_iter()
            .zip(columns)
            .map(|(column, wanted)| {
                let column = Expr::Attribute(column);
                if same_type(&column.data_type(), &wanted.data_type) {
                    column
                } else {
                    self.implicit_cast(column, &wanted.data_type).alias(&wanted.name)
                }
            })
            .collect();
        self.finish_project(list, &plan)
    }
}
