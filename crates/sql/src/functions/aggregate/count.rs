//! count, count_if.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array};
use arrow::datatypes::Int64Type;

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::{Build, FunctionEntry, MANY};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] =
    &[FunctionEntry::custom("count", 1, MANY, count), FunctionEntry::custom("count_if", 1, 1, count_if)];

fn count(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    // COUNT(*) arrives as count(1).
    Ok(aggregate(b, "count", args, DataType::Long, false, Count { condition: false }))
}

/// count over arguments that are what they are.
pub(super) fn plain(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    count(b, args)
}

fn count_if(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Bool])?;
    Ok(aggregate(b, "count_if", args, DataType::Long, false, Count { condition: true }))
}

#[derive(Debug)]
struct Count {
    /// Only true values count.
    condition: bool,
}

impl AggregateFunction for Count {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![("count".into(), DataType::Long, false)]
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(Counts { condition: self.condition, counts: Vec::new() })
    }
}

struct Counts {
    condition: bool,
    counts: Vec<i64>,
}

impl Accumulator for Counts {
    fn resize(&mut self, groups: usize) {
        self.counts.resize(groups, 0);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let flags = if self.condition { args.first().and_then(|a| a.as_boolean_opt()) } else { None };
        let nulls: Vec<_> = args.iter().filter_map(|a| a.logical_nulls()).filter(|n| n.null_count() > 0).collect();
        if nulls.is_empty() && filter.is_none() && flags.is_none() {
            for g in groups {
                self.counts[*g as usize] += 1;
            }
            return Ok(());
        }
        for (row, g) in groups.iter().enumerate() {
            let counted =
                passes(filter, row) && nulls.iter().all(|n| n.is_valid(row)) && flags.is_none_or(|f| f.value(row));
            self.counts[*g as usize] += i64::from(counted);
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let counts = buffer
            .first()
            .and_then(|b| b.as_primitive_opt::<Int64Type>())
            .ok_or_else(|| SparkError::internal("the buffer of count is one bigint"))?;
        for (row, g) in groups.iter().enumerate() {
            if counts.is_valid(row) {
                self.counts[*g as usize] += counts.value(row);
            }
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate()?])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        Ok(Arc::new(Int64Array::from(self.counts.clone())))
    }
}
