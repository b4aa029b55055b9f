//! Calls of a function that its builder accepts, found by trying.

use super::draws::Draws;
use crate::conf::SqlConf;
use crate::error::SparkError;
use crate::expr::{Expr, ExprId, LambdaVariable};
use crate::functions::coercion::In;
use crate::functions::registry::{FunctionEntry, Kind, resolve_call};
use crate::types::{DataType, StructField};
use crate::value::Value;

/// One argument of a call.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    Column(DataType),
    /// A column that only the lambda reads.
    Captured(DataType),
    Constant(Value, DataType),
    /// A lambda over variables of these types; its body may read the columns.
    Lambda(Vec<DataType>, fn(Vec<Expr>, &[Expr]) -> Expr),
}

/// The arguments of a call.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) args: Vec<Arg>,
}

impl Shape {
    /// Types of the columns.
    pub(super) fn columns(&self) -> Vec<DataType> {
        let column = |arg: &Arg| match arg {
            Arg::Column(t) | Arg::Captured(t) => Some(t.clone()),
            _ => None,
        };
        self.args.iter().filter_map(column).collect()
    }

    /// The arguments over these columns.
    pub(super) fn over(&self, columns: &[Expr]) -> Vec<Expr> {
        let mut next = columns.iter();
        let mut args = Vec::with_capacity(self.args.len());
        for arg in &self.args {
            match arg {
                Arg::Column(_) => args.push(next.next().unwrap().clone()),
                Arg::Captured(_) => {
                    next.next();
                }
                Arg::Constant(value, t) => args.push(Expr::literal(value.clone(), t.clone())),
                Arg::Lambda(types, body) => {
                    let variable = |t: &DataType| LambdaVariable {
                        id: ExprId::fresh(),
                        name: "x".into(),
                        data_type: t.clone(),
                        nullable: true,
                    };
                    let params: Vec<LambdaVariable> = types.iter().map(variable).collect();
                    let body = body(params.iter().cloned().map(Expr::LambdaVariable).collect(), columns);
                    args.push(Expr::Lambda { params, body: Box::new(body) });
                }
            }
        }
        args
    }

    /// Its columns as columns of a batch.
    pub(super) fn bound(&self) -> Vec<Expr> {
        let bound = |(ordinal, data_type)| Expr::Bound { ordinal, data_type, nullable: true };
        self.columns().into_iter().enumerate().map(bound).collect()
    }
}

/// Types of the columns that are tried.
pub(super) fn pool() -> Vec<DataType> {
    use DataType as T;
    let row = T::structure(vec![StructField::new("a", T::Integer, true), StructField::new("b", T::String, true)]);
    vec![
        T::Boolean,
        T::Byte,
        T::Short,
        T::Integer,
        T::Integer,
        T::Integer,
        T::Long,
        T::Long,
        T::Float,
        T::Double,
        T::Double,
        T::decimal(12, 3),
        T::decimal(38, 10),
        T::String,
        T::String,
        T::String,
        T::String,
        T::Binary,
        T::Date,
        T::Timestamp,
        T::TimestampNtz,
        T::INTERVAL_DT,
        T::INTERVAL_YM,
        T::CalendarInterval,
        T::Time(6),
        T::Variant,
        T::array(T::Integer, true),
        T::array(T::Double, true),
        T::array(T::String, true),
        T::array(T::Float, false),
        T::array(T::array(T::Integer, true), true),
        T::array(row.clone(), true),
        T::map(T::String, T::Integer, true),
        T::map(T::Integer, T::String, true),
        row,
    ]
}

/// Calls of a function: up to `wanted`, of different types. Err: why the last attempt was refused.
pub(super) fn find(
    entry: &FunctionEntry,
    wanted: usize,
    conf: &SqlConf,
    draws: &mut Draws,
) -> Result<Vec<Shape>, SparkError> {
    const ATTEMPTS: usize = 1500;
    if let Some(lambdas) = with_lambdas(entry.name) {
        return Ok(lambdas);
    }
    let pool = pool();
    let mut found: Vec<Shape> = Vec::new();
    let mut refusal = SparkError::internal("no attempt");
    let most = entry.max.min(entry.min.max(1) + 2).min(7);
    for _ in 0..ATTEMPTS {
        let count = entry.min + draws.below(most.saturating_sub(entry.min) + 1);
        // All arguments of one type fit more often than chance would have it.
        let alike = draws.below(3) == 0;
        let mut args: Vec<Arg> = Vec::with_capacity(count);
        for i in 0..count {
            let t = match (&entry.kind, args.first()) {
                (Kind::Row(spec), _) if !spec.inputs.is_empty() => {
                    let input = spec.inputs.get(i).or(spec.inputs.last()).unwrap_or(&In::Any);
                    let fitting: Vec<&DataType> = pool.iter().filter(|t| input.accepts(t)).collect();
                    if fitting.is_empty() { draws.pick(&pool).clone() } else { (*draws.pick(&fitting)).clone() }
                }
                (_, Some(Arg::Column(t) | Arg::Constant(_, t))) if alike => t.clone(),
                _ => draws.pick(&pool).clone(),
            };
            args.push(if draws.below(3) == 0 { Arg::Constant(draws.constant(&t), t) } else { Arg::Column(t) });
        }
        let shape = Shape { args };
        if found.iter().any(|known| alike_types(known, &shape)) {
            continue;
        }
        match resolve_call(entry.name, shape.over(&shape.bound()), conf) {
            Ok(_) => found.push(shape),
            Err(e) => refusal = e,
        }
        if found.len() == wanted || (count == 0 && most == 0) {
            break;
        }
    }
    if found.is_empty() { Err(refusal) } else { Ok(found) }
}

fn alike_types(a: &Shape, b: &Shape) -> bool {
    a.args.len() == b.args.len()
        && a.args.iter().zip(&b.args).all(|(a, b)| match (a, b) {
            (Arg::Column(t), Arg::Column(u)) => t == u,
            (Arg::Constant(v, t), Arg::Constant(w, u)) => t == u && v == w,
            _ => false,
        })
}

/// Calls of the functions that take lambdas.
fn with_lambdas(name: &str) -> Option<Vec<Shape>> {
    use Arg::{Captured, Column, Constant, Lambda};
    use DataType as T;
    let ints = || Column(T::array(T::Integer, true));
    let map = || Column(T::map(T::String, T::Integer, true));
    let test: fn(Vec<Expr>, &[Expr]) -> Expr = |v, c| over("<", vec![v[v.len() - 1].clone(), c[1].clone()]);
    let sum: fn(Vec<Expr>, &[Expr]) -> Expr = |v, c| over("+", vec![v[v.len() - 1].clone(), c[1].clone()]);
    let int = || Captured(T::Integer);
    let args = match name {
        "transform" => vec![ints(), Lambda(vec![T::Integer], sum), int()],
        "filter" | "exists" | "any" | "forall" => vec![ints(), Lambda(vec![T::Integer], test), int()],
        "aggregate" | "reduce" => vec![
            ints(),
            Constant(Value::Integer(0), T::Integer),
            Lambda(vec![T::Integer, T::Integer], |v, _| over("+", v)),
        ],
        "zip_with" => vec![ints(), ints(), Lambda(vec![T::Integer, T::Integer], |v, _| over("coalesce", v))],
        "transform_values" => vec![map(), Lambda(vec![T::String, T::Integer], sum), int()],
        "transform_keys" => vec![map(), Lambda(vec![T::String, T::Integer], |v, _| over("upper", vec![v[0].clone()]))],
        "map_filter" => vec![map(), Lambda(vec![T::String, T::Integer], test), int()],
        "map_zip_with" => vec![
            map(),
            map(),
            Lambda(vec![T::String, T::Integer, T::Integer], |v, _| over("+", vec![v[1].clone(), v[2].clone()])),
        ],
        _ => return None,
    };
    Some(vec![Shape { args }])
}

fn over(name: &str, args: Vec<Expr>) -> Expr {
    let mut conf = SqlConf::default();
    conf.set("spark.sql.ansi.enabled", "false").unwrap();
    resolve_call(name, args, &conf).unwrap()
}
