//! bit_and, bit_or, bit_xor; bool_and, bool_or and their names.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array};
use arrow::datatypes as at;

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::Result;
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("bit_and", 1, 1, bits),
    FunctionEntry::custom("bit_or", 1, 1, bits),
    FunctionEntry::custom("bit_xor", 1, 1, bits),
    FunctionEntry::custom("bool_and", 1, 1, bools),
    FunctionEntry::custom("every", 1, 1, bools),
    FunctionEntry::custom("bool_or", 1, 1, bools),
    FunctionEntry::custom("some", 1, 1, bools),
    FunctionEntry::custom("any", 1, 1, bools),
];

#[derive(Clone, Copy, Debug)]
enum Op {
    And,
    Or,
    Xor,
}

fn bits(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Integral])?;
    let op = match b.name {
        "bit_and" => Op::And,
        "bit_or" => Op::Or,
        _ => Op::Xor,
    };
    let (name, t) = (b.name, args[0].data_type());
    Ok(aggregate(b, name, args, t.clone(), true, Fold { column: name, op, data_type: t }))
}

fn bools(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Bool])?;
    let name = b.name;
    // BoolAnd is Min and BoolOr is Max, also in the names of their buffers.
    let (column, op) = if matches!(name, "bool_and" | "every") { ("min", Op::And) } else { ("max", Op::Or) };
    Ok(aggregate(b, name, args, DataType::Boolean, true, Fold { column, op, data_type: DataType::Boolean }))
}

#[derive(Clone, Debug)]
struct Fold {
    column: &'static str,
    op: Op,
    data_type: DataType,
}

impl AggregateFunction for Fold {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![(self.column.into(), self.data_type.clone(), true)]
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(Folds { function: self.clone(), values: Vec::new() })
    }
}

struct Folds {
    function: Fold,
    values: Vec<Option<i64>>,
}

impl Accumulator for Folds {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups, None);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let wide = arrow::compute::cast(arg, &at::DataType::Int64)?;
        let Some(column) = wide.as_primitive_opt::<at::Int64Type>() else { return Ok(()) };
        for (row, g) in groups.iter().enumerate() {
            if column.is_null(row) || !passes(filter, row) {
                continue;
            }
            let n = column.value(row);
            let slot = &mut self.values[*g as usize];
            *slot = Some(match (*slot, self.function.op) {
                (None, _) => n,
                (Some(old), Op::And) => old & n,
                (Some(old), Op::Or) => old | n,
                (Some(old), Op::Xor) => old ^ n,
            });
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        self.update(groups, buffer, None)
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate()?])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let wide = Int64Array::from(self.values.clone());
        Ok(arrow::compute::cast(&wide, &self.function.data_type.to_arrow())?)
    }
}
