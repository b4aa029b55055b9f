//! schema_of_json (JsonInferSchema).

use super::{items, members, raw};
use crate::datasource::json_scan::{Kind, Lenience, Span, unquote};
use crate::functions::cast::parse::parse_decimal;
use crate::types::{DataType, StructField};
use crate::value::text::digits;

/// The type of a text, where it is one of its own.
pub(crate) type TypeOfText<'a> = &'a dyn Fn(&str) -> Option<DataType>;

/// How types are found.
#[derive(Clone, Copy)]
pub(crate) struct Kinds<'a> {
    pub lenience: Lenience,
    pub prefers_decimal: bool,
    /// The type of a text that is a time; None: of no text.
    pub time: Option<TypeOfText<'a>>,
}

/// The type of the value at `span`; nulls stay NullType inside.
pub(crate) fn infer(bytes: &[u8], span: Span, how: Kinds<'_>) -> DataType {
    match span.kind {
        Kind::Null => DataType::Null,
        Kind::True | Kind::False => DataType::Boolean,
        Kind::NonNumeric => DataType::Double,
        Kind::Integer => {
            let text = raw(bytes, span);
            if text.parse::<i64>().is_ok() {
                return DataType::Long;
            }
            match parse_decimal(text) {
                Some((n, 0)) if digits(n) <= 38 => DataType::decimal(digits(n) as u8, 0),
                _ => DataType::Double,
            }
        }
        Kind::Float if how.prefers_decimal => match parse_decimal(raw(bytes, span)) {
            Some((n, scale)) if (0..=38).contains(&scale) => {
                DataType::decimal(digits(n).max(scale as u32) as u8, scale as i8)
            }
            _ => DataType::Double,
        },
        Kind::Float => DataType::Double,
        Kind::Text { .. } => {
            let text = unquote(bytes, span).unwrap_or_default();
            let time = || how.time.and_then(|time| time(&text)).unwrap_or(DataType::String);
            if text.is_empty() { DataType::Null } else { time() }
        }
        Kind::Array => {
            let element =
                items(bytes, span, how.lenience).into_iter().map(|i| infer(bytes, i, how)).fold(DataType::Null, merge);
            DataType::array(element, true)
        }
        Kind::Object => {
            let mut fields: Vec<StructField> = Vec::new();
            for (name, value) in members(bytes, span, how.lenience) {
                let t = infer(bytes, value, how);
                match fields.iter_mut().find(|f| f.name == *name) {
                    Some(f) => f.data_type = merge(f.data_type.clone(), t),
                    None => fields.push(StructField::new(name.into_owned(), t, true)),
                }
            }
            fields.sort_by(|a, b| a.name.cmp(&b.name));
            DataType::structure(fields)
        }
    }
}

/// compatibleType.
fn merge(a: DataType, b: DataType) -> DataType {
    match (a, b) {
        (DataType::Null, t) | (t, DataType::Null) => t,
        (DataType::Struct(x), DataType::Struct(y)) => {
            let mut fields = x.fields.clone();
            for f in &y.fields {
                match fields.iter_mut().find(|g| g.name == f.name) {
                    Some(g) => g.data_type = merge(g.data_type.clone(), f.data_type.clone()),
                    None => fields.push(f.clone()),
                }
            }
            fields.sort_by(|a, b| a.name.cmp(&b.name));
            DataType::structure(fields)
        }
        (DataType::Array { element: x, .. }, DataType::Array { element: y, .. }) => {
            DataType::array(merge((*x).clone(), (*y).clone()), true)
        }
        (x, y) if x == y => x,
        (x, y) => crate::functions::coercion::tightest_common(&x, &y, false).unwrap_or(DataType::String),
    }
}

/// canonicalizeType: what stayed without a type is text.
pub(super) fn canonical(t: DataType) -> DataType {
    match t {
        DataType::Null => DataType::String,
        DataType::Array { element, contains_null } => DataType::array(canonical((*element).clone()), contains_null),
        DataType::Struct(s) => DataType::structure(
            s.fields
                .iter()
                .map(|f| StructField::new(f.name.clone(), canonical(f.data_type.clone()), f.nullable))
                .collect(),
        ),
        other => other,
    }
}
