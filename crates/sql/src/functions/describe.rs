//! The text of expressions in error messages (toPrettySQL, QueryErrorsBase.toSQLExpr).

use crate::expr::{Expr, UnresolvedFunction};
use crate::types::DataType;

/// In double quotes.
pub fn quoted(expr: &Expr) -> String {
    format!("\"{}\"", pretty(expr))
}

/// `name(a, b)`, or the operator between its operands.
pub fn call_text(name: &str, args: &[Expr]) -> String {
    unresolved(name, args).pretty_sql()
}

/// The call as an expression that is only shown.
pub fn unresolved(name: &str, args: &[Expr]) -> Expr {
    Expr::UnresolvedFunction(Box::new(UnresolvedFunction {
        name: name.to_owned(),
        args: args.to_vec(),
        distinct: false,
        filter: None,
        ignore_nulls: false,
        over: None,
        within_group: Vec::new(),
        arg_names: Vec::new(),
        operator: false,
    }))
}

/// toPrettySQL: names without ids, literals bare, implicit casts left out.
pub fn pretty(expr: &Expr) -> String {
    expr.pretty_sql()
}

/// Types in a list as messages have them: `("INT" or "DATE")`, or in brackets.
pub fn type_list(types: &[DataType], open: &str, separator: &str, close: &str) -> String {
    let parts: Vec<String> = types.iter().map(DataType::quoted_sql).collect();
    format!("{open}{}{close}", parts.join(separator))
}
