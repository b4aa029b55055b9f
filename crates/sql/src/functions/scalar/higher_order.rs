//! Types of the functions that take lambdas; the evaluator runs them.

use crate::error::{Result, SparkError};
use crate::expr::{Expr, ExprId, LambdaVariable};
use crate::functions::coercion::{cast_to, unexpected_input};
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::{Special, call};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("transform", 2, 2, higher_order),
    FunctionEntry::custom("filter", 2, 2, higher_order),
    FunctionEntry::custom("exists", 2, 2, higher_order),
    FunctionEntry::custom("forall", 2, 2, higher_order),
    FunctionEntry::custom("aggregate", 3, 4, higher_order),
    FunctionEntry::custom("reduce", 3, 4, higher_order),
    FunctionEntry::custom("zip_with", 3, 3, higher_order),
    FunctionEntry::custom("transform_keys", 2, 2, higher_order),
    FunctionEntry::custom("transform_values", 2, 2, higher_order),
    FunctionEntry::custom("map_filter", 2, 2, higher_order),
    FunctionEntry::custom("map_zip_with", 3, 3, higher_order),
];

/// Gives the value, or what the lambda makes, this type, which differs from its own in names and nullability alone.
fn named_as(expr: &mut Expr, to: &DataType, ansi: bool) {
    match expr {
        Expr::Lambda { body, .. } => named_as(body, to, ansi),
        other if other.data_type() != *to => *other = cast_to(other.clone(), to, ansi),
        _ => {}
    }
}

pub(super) fn higher_order(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let mut args = args;
    let nullable = args[0].nullable();
    let lambda_type = |e: &Expr| (e.data_type(), e.nullable());
    let condition = matches!(b.name, "filter" | "exists" | "forall" | "map_filter");
    if condition && !matches!(args[1].data_type(), DataType::Boolean | DataType::Null) {
        let sql = describe::call_text(b.name, &args);
        return Err(unexpected_input(&sql, 1, "\"BOOLEAN\"", &args[1]));
    }
    if b.name == "array_sort" && args[1].data_type() != DataType::Integer {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, &args))),
                ("functionName", "`lambdafunction`"),
                ("expectedType", "\"INT\""),
                ("actualType", &args[1].data_type().quoted_sql()),
            ],
        ));
    }
    let (t, nullable) = match b.name {
        "transform" => {
            let (t, null) = lambda_type(&args[1]);
            (DataType::array(t, null), nullable)
        }
        "filter" | "array_sort" | "map_filter" => (args[0].data_type(), nullable),
        "exists" | "forall" => (DataType::Boolean, nullable || args[1].nullable()),
        "aggregate" | "reduce" => {
            let wanted = args[1].data_type().as_nullable();
            if args.len() == 3 {
                // LambdaFunction.identity: what finishes when nothing is said.
                let data_type = wanted.clone();
                let id = LambdaVariable { id: ExprId::fresh(), name: "id".into(), data_type, nullable: true };
                args.push(Expr::Lambda { params: vec![id.clone()], body: Box::new(Expr::LambdaVariable(id)) });
            }
            // No cast comes to help: the merged value must have the type of the start.
            if !args[2].data_type().same_structure(&wanted) {
                let sql = describe::call_text(b.name, &args);
                return Err(unexpected_input(&sql, 2, &wanted.quoted_sql(), &args[2]));
            }
            // Fields keep the names of the start.
            for gathered in &mut args[1..3] {
                named_as(gathered, &wanted, b.ansi());
            }
            (args[3].data_type(), true)
        }
        "zip_with" => {
            let (t, null) = lambda_type(&args[2]);
            (DataType::array(t, null), nullable || args[1].nullable())
        }
        "transform_keys" => match args[0].data_type() {
            DataType::Map { value, value_contains_null, .. } => {
                (DataType::map(args[1].data_type(), (*value).clone(), value_contains_null), nullable)
            }
            other => (other, nullable),
        },
        "transform_values" => match args[0].data_type() {
            DataType::Map { key, .. } => {
                (DataType::map((*key).clone(), args[1].data_type(), args[1].nullable()), nullable)
            }
            other => (other, nullable),
        },
        _ => match args[0].data_type() {
            DataType::Map { key, .. } => {
                (DataType::map((*key).clone(), args[2].data_type(), args[2].nullable()), nullable || args[1].nullable())
            }
            other => (other, nullable),
        },
    };
    Ok(call(b.name, args, t, nullable, Special))
}
