//! Scalar functions, by area.

mod arithmetic;
mod buckets;
mod ciphers;
mod collections;
mod conditional;
mod date_texts;
mod dates;
mod decimal;
mod digests;
mod epochs;
mod formats;
mod higher_order;
mod intervals;
mod java_pattern;
mod like;
mod make;
mod maps;
mod math;
mod misc;
mod numbers;
mod patterns;
mod predicates;
mod printf;
mod random;
mod refused;
mod sequence;
mod session;
mod signs;
mod strings;
mod structs;
mod text_edits;
mod text_search;
mod times;
mod timestamps;
mod truncation;
mod updates;
mod variant_changes;
mod variants;
mod vectors;
mod windows;

pub(super) use self::arithmetic::overflow;
pub(super) use self::collections::{concat as concat_arrays, reverse as reverse_arrays};
pub use self::conditional::coerce_case;
pub(in crate::functions) use self::decimal::divide as divide_decimal;
pub(crate) use self::intervals::{add_interval, overflow as interval_overflow};
pub use self::java_pattern::JavaPattern;
pub(in crate::functions) use self::predicates::equal_values;
pub(in crate::functions) use self::session::only_bytes;
pub(crate) use self::session::{VARIABLE_REFERENCE, current_schema, variable_of, variable_reference};
pub(crate) use self::times::{check_schema as check_time_type, enabled as time_type_enabled};

use arrow::array::ArrayRef;

use super::registry::FunctionEntry;
use super::{EvalContext, Kernel};
use crate::error::Result;
use crate::expr::Expr;
use crate::types::DataType;
use crate::value::Value;

/// The tables of this module.
pub(super) fn tables() -> &'static [&'static [FunctionEntry]] {
    &[
        arithmetic::FUNCTIONS,
        buckets::FUNCTIONS,
        ciphers::FUNCTIONS,
        collections::FUNCTIONS,
        conditional::FUNCTIONS,
        date_texts::FUNCTIONS,
        dates::FUNCTIONS,
        epochs::FUNCTIONS,
        digests::FUNCTIONS,
        super::generator::FUNCTIONS,
        super::csv::FUNCTIONS,
        super::json::FUNCTIONS,
        formats::FUNCTIONS,
        higher_order::FUNCTIONS,
        like::FUNCTIONS,
        make::FUNCTIONS,
        maps::FUNCTIONS,
        math::FUNCTIONS,
        misc::FUNCTIONS,
        patterns::FUNCTIONS,
        predicates::FUNCTIONS,
        printf::FUNCTIONS,
        numbers::FUNCTIONS,
        random::FUNCTIONS,
        refused::FUNCTIONS,
        session::FUNCTIONS,
        signs::FUNCTIONS,
        strings::FUNCTIONS,
        structs::FUNCTIONS,
        text_edits::FUNCTIONS,
        text_search::FUNCTIONS,
        times::FUNCTIONS,
        timestamps::FUNCTIONS,
        truncation::FUNCTIONS,
        updates::FUNCTIONS,
        variant_changes::FUNCTIONS,
        variants::FUNCTIONS,
        vectors::FUNCTIONS,
        windows::FUNCTIONS,
    ]
}

/// A value's text without knowing its type (keys in messages).
pub(super) fn text_of(v: &Value) -> String {
    use crate::types::DataType as T;
    let t = match v {
        Value::Array(_) | Value::Map(_) | Value::Struct(_) => return format!("{v:?}"),
        Value::DayTimeInterval(_) => T::INTERVAL_DT,
        Value::YearMonthInterval(_) => T::INTERVAL_YM,
        _ => T::Null,
    };
    super::cast::to_text(v, &t, &super::datetime::zone::Zone::UTC)
}

/// A call that shows its arguments but runs as another expression over them (RuntimeReplaceable).
pub(super) fn replaced(name: &str, args: Vec<Expr>, value: Expr, data_type: DataType, nullable: bool) -> Expr {
    replaced_as(name, args, value, data_type, nullable, "")
}

/// [`replaced`] by a function that plans show with `more` after its arguments.
fn replaced_as(
    name: &str,
    args: Vec<Expr>,
    value: Expr,
    data_type: DataType,
    nullable: bool,
    more: &'static str,
) -> Expr {
    let template = value.transform_down(&mut |e| {
        let at = args.iter().position(|a| *a == e && !matches!(a, Expr::Literal { .. }));
        match at {
            Some(ordinal) => Expr::Bound { ordinal, data_type: e.data_type(), nullable: e.nullable() },
            None => e,
        }
    });
    let shown = (!more.is_empty()).then(|| (name.to_owned(), more));
    super::row::call(name, args, data_type, nullable, Template { value: template, shown })
}

/// An expression over the arguments of a call: column `i` is argument `i`.
#[derive(Debug)]
struct Template {
    value: Expr,
    /// Name, and what plans show after the arguments.
    shown: Option<(String, &'static str)>,
}

impl Kernel for Template {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        super::eval::evaluate_columns(&self.value, args.to_vec(), rows, ctx)
    }

    fn plan_text(&self, args: &[String]) -> Option<String> {
        let (name, more) = self.shown.as_ref()?;
        Some(format!("{name}({}, {more})", args.join(", ")))
    }

    fn replacement(&self, args: &[Expr]) -> Option<Expr> {
        let argument = |e: Expr| match e {
            Expr::Bound { ordinal, .. } if ordinal < args.len() => args[ordinal].clone(),
            other => other,
        };
        Some(self.value.clone().transform_up(&mut { argument }))
    }
}
