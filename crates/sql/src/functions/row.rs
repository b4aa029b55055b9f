//! Calls of kernels.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::{EvalContext, Kernel};
use crate::error::Result;
use crate::expr::{Call, Expr};
use crate::types::DataType;

/// A call of a kernel.
pub fn call(name: &str, args: Vec<Expr>, data_type: DataType, nullable: bool, kernel: impl Kernel + 'static) -> Expr {
    Expr::Call(Box::new(Call {
        name: name.into(),
        args,
        data_type,
        nullable,
        deterministic: true,
        kernel: Arc::new(kernel),
        seed: None,
        site: crate::expr::Site::default(),
    }))
}

/// Stands in calls that the evaluator runs itself (and, or, if, coalesce, higher-order functions).
#[derive(Debug)]
pub struct Special;

impl Kernel for Special {
    fn evaluate(&self, _: &[ArrayRef], _: usize, _: &EvalContext<'_>) -> Result<ArrayRef> {
        Err(crate::error::SparkError::internal("a special form has no kernel"))
    }
}
