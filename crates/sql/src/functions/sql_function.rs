//! Calls of SQL functions in resolved expressions: with their arguments first, then with their bodies.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::row::call;
use super::typed::column_call;
use super::{EvalContext, Kernel};
use crate::catalog::SqlFunction;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::types::DataType;
use crate::value::Value;

/// Name of the calls that hold a body: the name to show, the body, and the parameters' columns to show.
pub(crate) const SQL_FUNCTION: &str = "$sql_function";

/// Stands in a call (SQLFunctionExpression) until the analyzer has put its body there.
#[derive(Debug)]
struct Pending {
    function: Arc<SqlFunction>,
}

impl Kernel for Pending {
    fn evaluate(&self, _: &[ArrayRef], _: usize, _: &EvalContext<'_>) -> Result<ArrayRef> {
        Err(SparkError::internal("a SQL function was left in an analysed plan"))
    }

    fn sql_function(&self) -> Option<&Arc<SqlFunction>> {
        Some(&self.function)
    }
}

/// A call whose body is not there yet.
pub(crate) fn sql_function_call(function: Arc<SqlFunction>, args: Vec<Expr>, data_type: DataType) -> Expr {
    let name = function.name.clone();
    call(&name, args, data_type, true, Pending { function })
}

/// The function that an expression calls.
pub(crate) fn sql_function_of(expr: &Expr) -> Option<&Arc<SqlFunction>> {
    match expr {
        Expr::Call(call) => call.kernel.sql_function(),
        _ => None,
    }
}

/// A body under its function's name (SQLScalarFunction).
pub(crate) fn sql_function_body(name: &str, body: Expr, parameters: Vec<Expr>) -> Expr {
    let data_type = body.data_type();
    let nullable = body.nullable();
    let mut args = vec![Expr::literal(Value::from(name), DataType::String), body];
    args.extend(parameters);
    column_call(SQL_FUNCTION, args, data_type, nullable, false, false, |c| c.args[1].to_array(c.rows))
}
