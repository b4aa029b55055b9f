//! Functions by name.

use crate::conf::SqlConf;
use crate::error::{Result, SparkError};
use crate::expr::{Expr, SortOrder};

/// A call as the analyzer hands it over: arguments resolved (lambdas too), not yet coerced.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// As written; looked up without regard to case. Operators have their symbols: "+", "=", "and", "not", "isnull", "negative".
    pub name: String,
    pub args: Vec<Expr>,
    /// Named arguments, by position in `args`; empty when all are positional.
    pub arg_names: Vec<Option<String>>,
    pub distinct: bool,
    pub filter: Option<Expr>,
    pub ignore_nulls: bool,
    pub within_group: Vec<SortOrder>,
}

/// Looks a function up, coerces its arguments, checks them and gives the resolved expression (call, aggregate, generator,
/// cast, CASE ...). Errors are Spark's: UNRESOLVED_ROUTINE, WRONG_NUM_ARGS, DATATYPE_MISMATCH.
pub fn resolve(call: Invocation, conf: &SqlConf) -> Result<Expr> {
    let _ = conf;
    Err(SparkError::not_yet(&format!("The function {}", call.name)))
}
