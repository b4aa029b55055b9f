//! Type coercion of what is not a function call: CASE, set operations, IN subqueries, USING columns; and casts.

use std::sync::Arc;

use super::Analyzer;
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr, quoted_sql};
use crate::types::{DataType, StructField, StructType};
use crate::value::Value;

fn numeric_rank(data_type: &DataType) -> Option<u8> {
    Some(match data_type {
        DataType::Byte => 1,
        DataType::Short => 2,
        DataType::Integer => 3,
        DataType::Long => 4,
        DataType::Decimal { .. } => 5,
        DataType::Float => 6,
        DataType::Double => 7,
        _ => return None,
    })
}

/// Digits and scale of an integer type as a decimal (DecimalType.forType).
fn as_decimal(data_type: &DataType) -> Option<(i32, i32)> {
    Some(match data_type {
        DataType::Byte => (3, 0),
        DataType::Short => (5, 0),
        DataType::Integer => (10, 0),
        DataType::Long => (20, 0),
        DataType::Decimal { precision, scale } => (i32::from(*precision), i32::from(*scale)),
        _ => return None,
    })
}

/// DecimalPrecision.widerDecimalType: room for the integer digits and the scale of both.
fn wider_decimal(left: (i32, i32), right: (i32, i32)) -> DataType {
    let scale = left.1.max(right.1);
    let range = (left.0 - left.1).max(right.0 - right.1);
    let precision = range + scale;
    let (precision, scale) = if precision > 38 { (38, (scale - (precision - 38)).max(0)) } else { (precision, scale) };
    DataType::Decimal { precision: u8::try_from(precision).unwrap_or(38), scale: i8::try_from(scale).unwrap_or(0) }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::String | DataType::Char(_) | DataType::Varchar(_))
}

/// The type that both can become without loss (TypeCoercion.findWiderTypeForTwo; with `ansi` a string takes the other
/// side's type, AnsiTypeCoercion).
pub(crate) fn wider_type(left: &DataType, right: &DataType, ansi: bool) -> Option<DataType> {
    use DataType as T;
    if left == right {
        return Some(left.clone());
    }
    match (left, right) {
        (T::Null, other) | (other, T::Null) => Some(other.clone()),
        (l, r) if is_text(l) && is_text(r) => Some(T::String),
        (l, r) if is_text(l) || is_text(r) => {
            let other = if is_text(l) { r } else { l };
            if matches!(other, T::Array { .. } | T::Map { .. } | T::Struct(_) | T::Variant) {
                return None;
            }
            if !ansi {
                return (!matches!(other, T::Binary | T::Boolean)).then_some(T::String);
            }
            Some(match other {
                T::Byte | T::Short | T::Integer | T::Long => T::Long,
                T::Float | T::Double | T::Decimal { .. } => T::Double,
                other => other.clone(),
            })
        }
        (T::Decimal { .. }, T::Float | T::Double) | (T::Float | T::Double, T::Decimal { .. }) => Some(T::Double),
        (T::Float, T::Long | T::Integer) | (T::Long | T::Integer, T::Float) if ansi => Some(T::Double),
        (l, r) if numeric_rank(l).is_some() && numeric_rank(r).is_some() => {
            if matches!(l, T::Decimal { .. }) || matches!(r, T::Decimal { .. }) {
                return Some(wider_decimal(as_decimal(l)?, as_decimal(r)?));
            }
            Some(if numeric_rank(l) >= numeric_rank(r) { l.clone() } else { r.clone() })
        }
        (T::Date, T::Timestamp) | (T::Timestamp, T::Date) => Some(T::Timestamp),
        (T::Date, T::TimestampNtz) | (T::TimestampNtz, T::Date) => Some(T::TimestampNtz),
        (T::Timestamp, T::TimestampNtz) | (T::TimestampNtz, T::Timestamp) => Some(T::Timestamp),
        (T::DayTimeInterval { start: a, end: b }, T::DayTimeInterval { start: c, end: d }) => {
            Some(T::DayTimeInterval { start: *a.min(c), end: *b.max(d) })
        }
        (T::YearMonthInterval { start: a, end: b }, T::YearMonthInterval { start: c, end: d }) => {
            Some(T::YearMonthInterval { start: *a.min(c), end: *b.max(d) })
        }
        (T::Array { element: left, contains_null: a }, T::Array { element: right, contains_null: b }) => {
            Some(T::Array { element: Arc::new(wider_type(left, right, ansi)?), contains_null: *a || *b })
        }
        (
            T::Map { key: lk, value: lv, value_contains_null: a },
            T::Map { key: rk, value: rv, value_contains_null: b },
        ) => Some(T::Map {
            key: Arc::new(wider_type(lk, rk, ansi)?),
            value: Arc::new(wider_type(lv, rv, ansi)?),
            value_contains_null: *a || *b,
        }),
        (T::Struct(left), T::Struct(right)) if left.fields.len() == right.fields.len() => {
            let mut fields = Vec::new();
            for (l, r) in left.fields.iter().zip(&right.fields) {
                if !l.name.eq_ignore_ascii_case(&r.name) {
                    return None;
                }
                fields.push(StructField {
                    name: l.name.clone(),
                    data_type: wider_type(&l.data_type, &r.data_type, ansi)?,
                    nullable: l.nullable || r.nullable,
                    metadata: l.metadata.clone(),
                });
            }
            Some(T::Struct(Arc::new(StructType { fields })))
        }
        _ => None,
    }
}

/// Equal but for "may be null".
pub(super) fn same_type(left: &DataType, right: &DataType) -> bool {
    let merged = |a: &DataType, b: &DataType| crate::expr::merge_nullability(a.clone(), b);
    left == right
        || (std::mem::discriminant(left) == std::mem::discriminant(right) && merged(left, right) == merged(right, left))
}

/// Value of a constant expression.
pub(super) fn constant(analyzer: &Analyzer<'_>, expr: &Expr) -> Result<Value> {
    match expr {
        Expr::Literal { value, .. } => Ok(value.clone()),
        Expr::Call(call) if matches!(&*call.name, "negative" | "-") && call.args.len() == 1 => {
            Ok(match constant(analyzer, &call.args[0])? {
                Value::Integer(v) => Value::Integer(v.wrapping_neg()),
                Value::Long(v) => Value::Long(v.wrapping_neg()),
                other => other,
            })
        }
        other => {
            let _ = other;
            Err(SparkError::not_yet("Constant expressions"))
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
        Expr::Cast { child: Box::new(expr), to: to.clone(), mode, implicit: true }
    }

    /// CASE WHEN with branches of one type.
    pub(super) fn case_when(&self, branches: Vec<(Expr, Expr)>, otherwise: Option<Expr>) -> Result<Expr> {
        let trim = super::names::trim_all_aliases;
        let branches: Vec<(Expr, Expr)> = branches.into_iter().map(|(c, v)| (trim(c), trim(v))).collect();
        let otherwise = otherwise.map(trim);
        let whole = || {
            let shown = Expr::CaseWhen { branches: branches.clone(), otherwise: otherwise.clone().map(Box::new) };
            quoted_sql(&shown)
        };
        let types: Vec<DataType> =
            branches.iter().map(|(_, value)| value.data_type()).chain(otherwise.iter().map(Expr::data_type)).collect();
        let mut common = Some(DataType::Null);
        for data_type in &types {
            common = common.and_then(|known| wider_type(&known, data_type, self.conf.ansi()));
        }
        let Some(common) = common else {
            let shown: Vec<String> = types.iter().map(DataType::quoted_sql).collect();
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                &[
                    ("sqlExpr", &whole()),
                    ("functionName", "`casewhen`"),
                    ("dataType", &format!("[{}]", shown.join(", "))),
                ],
            ));
        };
        for (i, (condition, _)) in branches.iter().enumerate() {
            let data_type = condition.data_type();
            if !matches!(data_type, DataType::Boolean | DataType::Null) {
                return Err(SparkError::analysis(
                    "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                    &[
                        ("sqlExpr", &whole()),
                        ("paramIndex", super::windows::ordinal_word(i + 1)),
                        ("requiredType", "\"BOOLEAN\""),
                        ("inputSql", &quoted_sql(condition)),
                        ("inputType", &data_type.quoted_sql()),
                    ],
                ));
            }
        }
        let branches = branches
            .into_iter()
            .map(|(condition, value)| {
                (self.implicit_cast(condition, &DataType::Boolean), self.implicit_cast(value, &common))
            })
            .collect();
        let otherwise = otherwise.map(|value| Box::new(self.implicit_cast(value, &common)));
        Ok(Expr::CaseWhen { branches, otherwise })
    }

    /// A cast that the user wrote must be possible at all.
    pub(super) fn check_cast(&self, cast: &Expr) -> Result<()> {
        let Expr::Cast { child, to, mode, .. } = cast else { return Ok(()) };
        let from = child.data_type();
        if can_cast(&from, to, *mode != EvalMode::Legacy) {
            return Ok(());
        }
        let sql = quoted_sql(cast);
        let (source, target) = (from.quoted_sql(), to.quoted_sql());
        let mut parameters = vec![("sqlExpr", sql.as_str()), ("srcType", &source), ("targetType", &target)];
        let condition = if *mode != EvalMode::Legacy && can_cast(&from, to, false) {
            parameters.push(("config", "\"spark.sql.ansi.enabled\""));
            parameters.push(("configVal", "'false'"));
            "DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION"
        } else {
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"
        };
        Err(SparkError::analysis(condition, &parameters))
    }
}

/// Cast.canCast and canAnsiCast, by groups of types.
fn can_cast(from: &DataType, to: &DataType, ansi: bool) -> bool {
    use DataType as T;
    let numeric = |t: &T| numeric_rank(t).is_some();
    let interval = |t: &T| matches!(t, T::DayTimeInterval { .. } | T::YearMonthInterval { .. });
    match (from, to) {
        (l, r) if l == r => true,
        (T::Null, _) | (T::Variant, _) => true,
        (l, r) if is_text(r) => !matches!(l, T::Variant) || is_text(l),
        (l, r) if is_text(l) => !matches!(r, T::Array { .. } | T::Map { .. } | T::Struct(_) | T::Variant | T::Null),
        (l, T::Boolean) => numeric(l) || (!ansi && matches!(l, T::Date | T::Timestamp)),
        (T::Boolean, r) => numeric(r) || (!ansi && matches!(r, T::Timestamp)),
        (l, r) if numeric(l) && numeric(r) => true,
        (T::Byte | T::Short | T::Integer | T::Long, T::Binary) => !ansi,
        (l, T::Timestamp) if numeric(l) => true,
        (T::Timestamp, r) if numeric(r) => true,
        (T::Date, r) if numeric(r) => !ansi,
        (T::Date | T::Timestamp | T::TimestampNtz, T::Date | T::Timestamp | T::TimestampNtz) => true,
        (l, r) if interval(l) && interval(r) => std::mem::discriminant(l) == std::mem::discriminant(r),
        (l, r) if interval(l) && numeric(r) => true,
        (l, r) if numeric(l) && interval(r) => !matches!(l, T::Float | T::Double),
        (T::Array { element: l, .. }, T::Array { element: r, .. }) => can_cast(l, r, ansi),
        (T::Map { key: lk, value: lv, .. }, T::Map { key: rk, value: rv, .. }) => {
            can_cast(lk, rk, ansi) && can_cast(lv, rv, ansi)
        }
        (T::Struct(l), T::Struct(r)) => {
            l.fields.len() == r.fields.len()
                && l.fields.iter().zip(&r.fields).all(|(a, b)| can_cast(&a.data_type, &b.data_type, ansi))
        }
        _ => false,
    }
}
