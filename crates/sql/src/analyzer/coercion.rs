//! Type coercion of what is not a function call: CASE, set operations, IN subqueries, USING columns; and casts.

use super::Analyzer;
use crate::error::Result;
use crate::expr::{EvalMode, Expr, Site};
use crate::functions::EvalContext;
pub(super) use crate::functions::coercion::wider_type;
use crate::types::DataType;
use crate::value::Value;

/// Equal but for "may be null".
pub(super) fn same_type(left: &DataType, right: &DataType) -> bool {
    let merged = |a: &DataType, b: &DataType| crate::expr::merge_nullability(a.clone(), b);
    left == right
        || (std::mem::discriminant(left) == std::mem::discriminant(right) && merged(left, right) == merged(right, left))
}

/// Value of a constant expression.
pub(crate) fn constant(analyzer: &Analyzer<'_>, expr: &Expr) -> Result<Value> {
    match expr {
        Expr::Literal { value, .. } => Ok(value.clone()),
        other => {
            let context = EvalContext {
                conf: &analyzer.conf,
                now_us: analyzer.session.clock.now_us(),
                partition: 0,
                row_base: 0,
                udfs: None,
            };
            crate::functions::eval::evaluate_constant(other, &context)
        }
    }
}

impl Analyzer<'_> {
    /// A cast that coercion puts in; nothing when the type is right.
    pub(super) fn implicit_cast(&self, expr: Expr, to: &DataType) -> Expr {
        if same_type(&expr.data_type(), to) {
            return expr;
        }
        if let Expr::Literal { value: Value::Null, .. } = expr {
            return Expr::literal(Value::Null, to.clone());
        }
        let mode = if self.conf.ansi() { EvalMode::Ansi } else { EvalMode::Legacy };
        Expr::Cast { child: Box::new(expr), to: to.clone(), mode, implicit: true, site: Site::default() }
    }

    /// CASE WHEN with branches of one type.
    pub(super) fn case_when(&self, branches: Vec<(Expr, Expr)>, otherwise: Option<Expr>) -> Result<Expr> {
        let trim = super::names::trim_all_aliases;
        let branches: Vec<(Expr, Expr)> = branches.into_iter().map(|(c, v)| (trim(c), trim(v))).collect();
        let (branches, otherwise) = crate::functions::coerce_case(branches, otherwise.map(trim), self.conf.ansi())?;
        Ok(Expr::CaseWhen { branches, otherwise: otherwise.map(Box::new) })
    }

    /// A cast that the user wrote must be possible at all.
    pub(super) fn check_cast(&self, cast: &Expr) -> Result<()> {
        let Expr::Cast { child, to, mode, .. } = cast else { return Ok(()) };
        if matches!(to, DataType::Time(_)) {
            crate::functions::time_type_enabled(&self.conf)?;
        }
        crate::functions::cast::check_cast(child, to, *mode, &cast.pretty_sql())
    }
}
