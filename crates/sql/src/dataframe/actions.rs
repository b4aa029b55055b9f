//! Methods that run a plan or tell about it.

use arrow::record_batch::RecordBatch;

use super::{Grouping, aggregate};
use crate::analyzer::streaming_checks::check_batch;
use crate::error::{Result, SparkError};
use crate::expr::{Expr, UnresolvedFunction};
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;
use crate::types::{DataType, StructType};
use crate::value::{Value, value_at};

/// All rows, partition by partition. Refused on streams ("Queries with streaming sources must be executed with
/// writeStream.start()").
pub fn collect(session: &SqlSession, plan: &PlanRef) -> Result<Vec<RecordBatch>> {
    check_batch(plan)?;
    let partitions = crate::planner::execute(session, plan)?;
    Ok(partitions.into_iter().flatten().filter(|batch| batch.num_rows() > 0).collect())
}

/// df.take / head / first: limit and collect.
pub fn take(session: &SqlSession, plan: &PlanRef, n: i32) -> Result<Vec<RecordBatch>> {
    collect(session, &super::limit(session, plan, n)?)
}

pub fn count(session: &SqlSession, plan: &PlanRef) -> Result<i64> {
    check_batch(plan)?;
    let one = Expr::literal(Value::Integer(1), DataType::Integer);
    let call = Expr::UnresolvedFunction(Box::new(UnresolvedFunction {
        name: "count".to_owned(),
        args: vec![one],
        distinct: false,
        filter: None,
        ignore_nulls: false,
        over: None,
        within_group: Vec::new(),
        arg_names: Vec::new(),
        operator: false,
    }));
    let counted = aggregate(session, plan, Grouping::By(Vec::new()), vec![call])?;
    for batch in collect(session, &counted)? {
        if batch.num_rows() > 0
            && let Value::Long(n) = value_at(&**batch.column(0), 0, &DataType::Long)
        {
            return Ok(n);
        }
    }
    Err(SparkError::internal("count gave no row"))
}

/// df.show: `truncate` 0 means no truncation.
pub fn show_string(session: &SqlSession, plan: &PlanRef, n: i32, truncate: i32, vertical: bool) -> Result<String> {
    // Dataset.getRows: one row more tells whether there are others.
    let rows = n.clamp(0, i32::MAX - 15);
    let batches = take(session, plan, rows + 1)?;
    let conf = session.conf.borrow();
    Ok(crate::display::show_string(&plan.schema(), &batches, rows, truncate, vertical, conf.time_zone()))
}

/// df.explain: "simple", "extended", "codegen", "cost", "formatted".
pub fn explain(session: &SqlSession, plan: &PlanRef, mode: &str) -> Result<String> {
    if mode == "codegen" {
        return Err(SparkError::not_yet("explain(\"codegen\"), which prints the Java that Spark generates,"));
    }
    crate::explain::text(&crate::exec::ExecContext::new(session), None, plan, mode)
}

pub fn schema(session: &SqlSession, plan: &PlanRef) -> Result<StructType> {
    let _ = session;
    Ok(plan.schema())
}

pub fn is_streaming(session: &SqlSession, plan: &PlanRef) -> Result<bool> {
    let _ = session;
    Ok(plan.is_streaming())
}

/// Dataset.isLocal: the rows are at hand without a job (commands, literals).
pub fn is_local(plan: &PlanRef) -> bool {
    matches!(&**plan, LogicalPlan::LocalRelation(relation) if !relation.from_rdd)
}

/// Dataset.inputFiles: the files that the plan reads, as URIs, sorted.
pub fn input_files(plan: &PlanRef) -> Vec<String> {
    let mut files = Vec::new();
    fn walk(plan: &PlanRef, files: &mut Vec<String>) {
        if let LogicalPlan::FileRelation(relation) = &**plan {
            files.extend(relation.files.iter().map(|file| format!("file://{}", file.path)));
        }
        plan.child_plans().iter().for_each(|child| walk(child, files));
    }
    walk(plan, &mut files);
    files.sort();
    files.dedup();
    files
}
