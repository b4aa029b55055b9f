//! VARIANT values: Spark's binary encoding, JSON texts, casts.

mod changes;
mod encoding;
mod schema;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, StructArray};
use arrow::datatypes::DataType as ArrowType;

pub(crate) use self::encoding::Encoded;
use self::encoding::Node;
use super::Operand;
use super::cast::{CastContext, cast_value, to_text};
use super::datetime::zone::Zone;
use super::json::{base64, quote};
use crate::datasource::json_scan::{Kind, Lenience, Scanner, Span, unquote};
use crate::error::{Result, SparkError};
use crate::expr::EvalMode;
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{date_to_string, decimal_to_string, double_to_string, float_to_string};

pub(super) use self::changes::{Change, Refusal};
pub(super) use self::encoding::is_valid;
pub(super) use self::schema::{merged as merged_schemas, text as schema_text};

/// The schema of a variant; null when its bytes cannot be read.
pub(super) fn schema_of(value: &[u8], metadata: &[u8]) -> Option<DataType> {
    Node::decode(value, metadata).map(|node| schema::of(&node))
}

/// The JSON text of a variant.
pub fn to_json(value: &[u8], metadata: &[u8], zone: &Zone) -> Result<String> {
    let node = Node::decode(value, metadata).ok_or_else(malformed_variant)?;
    let mut out = String::new();
    write(&node, zone, &mut out);
    Ok(out)
}

/// A variant as another type (VariantGet.cast).
pub fn cast(value: &[u8], metadata: &[u8], to: &DataType, ctx: CastContext<'_>) -> Result<Value> {
    let node = Node::decode(value, metadata).ok_or_else(malformed_variant)?;
    converted(&node, to, ctx)
}

/// A cell of a column as a variant (CAST AS VARIANT, to_variant_object); None for null.
pub(super) fn of_cell(array: &dyn Array, row: usize, from: &DataType) -> Option<Encoded> {
    Node::of(array, row, from).map(|node| node.encode())
}

/// A column of variants, each made by `f` of its row's number.
pub(super) fn column(rows: usize, f: &dyn Fn(usize) -> Result<Option<Encoded>>) -> Result<ArrayRef> {
    let (mut values, mut metadata) = (BinaryBuilder::new(), BinaryBuilder::new());
    let mut there = Vec::with_capacity(rows);
    for row in 0..rows {
        let made = f(row)?;
        there.push(made.is_some());
        values.append_option(made.as_ref().map(|made| &made.value));
        metadata.append_option(made.as_ref().map(|made| &made.metadata));
    }
    let ArrowType::Struct(fields) = DataType::Variant.to_arrow() else {
        return Err(SparkError::internal("a variant is a struct"));
    };
    let parts: Vec<ArrayRef> = vec![Arc::new(values.finish()), Arc::new(metadata.finish())];
    Ok(Arc::new(StructArray::try_new(fields, parts, Some(there.into()))?))
}

/// The variants of a column or constant.
pub(super) struct Variants<'a> {
    array: &'a StructArray,
    scalar: bool,
}

impl<'a> Variants<'a> {
    pub(super) fn of(operand: &'a Operand) -> Result<Self> {
        let array = operand.array().as_struct_opt().ok_or_else(|| SparkError::internal("a column of variants"))?;
        Ok(Self { array, scalar: operand.is_scalar() })
    }

    /// Value and metadata; None for null.
    pub(super) fn row(&self, row: usize) -> Option<(&'a [u8], &'a [u8])> {
        let row = if self.scalar { 0 } else { row };
        let part = |i: usize| Some(self.array.column(i).as_binary_opt::<i32>()?.value(row));
        if self.array.is_valid(row) { Some((part(0)?, part(1)?)) } else { None }
    }
}

pub(super) fn is_null(value: &[u8], metadata: &[u8]) -> bool {
    Node::decode(value, metadata) == Some(Node::Null)
}

fn malformed_variant() -> SparkError {
    SparkError::runtime("MALFORMED_VARIANT", &[])
}

/// A JSON text as a variant; None when it is malformed.
pub(crate) fn parse(text: &str) -> Option<Encoded> {
    const STRICT: Lenience = Lenience {
        single_quotes: false,
        non_numeric: false,
        unquoted_names: false,
        control_chars: false,
        leading_zeros: false,
        backslash_any: false,
        comments: false,
    };
    let mut scanner = Scanner::new(text.as_bytes(), STRICT);
    scanner.space();
    let root = scanner.value().ok()?;
    Some(node_of_json(text.as_bytes(), root, STRICT)?.encode())
}

fn node_of_json(bytes: &[u8], span: Span, lenience: Lenience) -> Option<Node> {
    let raw = std::str::from_utf8(&bytes[span.start..span.end]).ok()?;
    Some(match span.kind {
        Kind::Null => Node::Null,
        Kind::True => Node::Boolean(true),
        Kind::False => Node::Boolean(false),
        Kind::Integer | Kind::Float => number(raw)?,
        Kind::NonNumeric => return None,
        Kind::Text { .. } => Node::Text(unquote(bytes, span).ok()?.into_owned()),
        Kind::Array => {
            let mut items = Vec::new();
            let mut scanner = Scanner::new(bytes, lenience);
            scanner.at = span.start;
            let done = scanner.items(&mut |item| {
                items.push(item);
                Ok(())
            });
            done.ok()?;
            Node::Array(items.into_iter().map(|item| node_of_json(bytes, item, lenience)).collect::<Option<_>>()?)
        }
        Kind::Object => {
            let mut members = Vec::new();
            let mut scanner = Scanner::new(bytes, lenience);
            scanner.at = span.start;
            let done = scanner.members(&mut |name, value| {
                members.push((unquote(bytes, name)?.into_owned(), value));
                Ok(())
            });
            done.ok()?;
            let mut fields: Vec<(String, Node)> = Vec::new();
            for (name, value) in members {
                // A doubled key is refused.
                if fields.iter().any(|(known, _)| *known == name) {
                    return None;
                }
                fields.push((name, node_of_json(bytes, value, lenience)?));
            }
            Node::Object(fields)
        }
    })
}

/// Whole numbers as such, plain fractions as decimals, the rest as doubles.
fn number(text: &str) -> Option<Node> {
    if let Ok(n) = text.parse::<i64>() {
        return Some(Node::Long(n));
    }
    let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.'));
    if plain && let Some((n, scale)) = super::cast::parse::parse_decimal(text) {
        let precision = crate::value::text::digits(n);
        if (0..=38).contains(&scale) && precision <= 38 {
            return Some(Node::Decimal(n, scale as i8));
        }
    }
    text.parse().ok().map(Node::Double)
}

/// A step of a path: a field or an element.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Field(String),
    Item(usize),
}

/// `$.a['b'][0]`; None when it is no path.
pub(super) fn path(text: &str) -> Option<Vec<Step>> {
    let mut rest = text.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            if end == 0 {
                return None;
            }
            steps.push(Step::Field(after[..end].to_owned()));
            rest = &after[end..];
            continue;
        }
        let after = rest.strip_prefix('[')?;
        if let Some(quote) = after.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let body = &after[1..];
            let end = body.find(quote)?;
            steps.push(Step::Field(body[..end].to_owned()));
            rest = body[end + 1..].strip_prefix(']')?;
        } else {
            let end = after.find(']')?;
            steps.push(Step::Item(after[..end].parse().ok()?));
            rest = &after[end + 1..];
        }
    }
    Some(steps)
}

/// The part at a path; None when there is none.
pub(super) fn get(value: &[u8], metadata: &[u8], steps: &[Step], to: &DataType, ctx: CastContext<'_>) -> Result<Value> {
    let mut node = Node::decode(value, metadata).ok_or_else(malformed_variant)?;
    for step in steps {
        let next = match (step, node) {
            (Step::Field(name), Node::Object(fields)) => fields.into_iter().find(|(n, _)| n == name).map(|(_, v)| v),
            (Step::Item(i), Node::Array(items)) => items.into_iter().nth(*i),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => return Ok(Value::Null),
        }
    }
    converted(&node, to, ctx)
}

/// A variant with a value put in at a path.
pub(super) fn changed(
    value: &[u8],
    metadata: &[u8],
    steps: &[Step],
    change: &Change,
    (new, row, from): (&dyn Array, usize, &DataType),
) -> Result<std::result::Result<Encoded, Refusal>> {
    let mut node = Node::decode(value, metadata).ok_or_else(malformed_variant)?;
    let new = Node::of(new, row, from).unwrap_or(Node::Null);
    Ok(changes::change(&mut node, steps, change, &new).map(|()| node.encode()))
}

/// A variant without what the paths lead to, one after the other.
pub(super) fn without(value: &[u8], metadata: &[u8], paths: &[Vec<Step>]) -> Result<Encoded> {
    let mut node = Node::decode(value, metadata).ok_or_else(malformed_variant)?;
    paths.iter().for_each(|path| changes::delete(&mut node, path));
    Ok(node.encode())
}

/// A variant without nulls.
pub(super) fn stripped(value: &[u8], metadata: &[u8], arrays: bool) -> Result<Encoded> {
    let node = Node::decode(value, metadata).ok_or_else(malformed_variant)?;
    Ok(changes::strip_nulls(node, arrays).encode())
}

/// What variant_explode gives: position, key (of objects) and value.
pub(super) fn parts(value: &[u8], metadata: &[u8]) -> Vec<(Option<String>, Encoded)> {
    match Node::decode(value, metadata) {
        Some(Node::Object(mut fields)) => {
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            fields.into_iter().map(|(name, node)| (Some(name), node.encode())).collect()
        }
        Some(Node::Array(items)) => items.into_iter().map(|node| (None, node.encode())).collect(),
        _ => Vec::new(),
    }
}

fn converted(node: &Node, to: &DataType, ctx: CastContext<'_>) -> Result<Value> {
    let refused = || {
        if ctx.mode == EvalMode::Try {
            return Ok(Value::Null);
        }
        let mut text = String::new();
        write(node, ctx.zone, &mut text);
        Err(SparkError::runtime("INVALID_VARIANT_CAST", &[("value", &text), ("dataType", &to.quoted_sql())]))
    };
    match (node, to) {
        (_, DataType::Variant) => return Ok(node.encode().into()),
        (Node::Null, _) => return Ok(Value::Null),
        (Node::Array(items), DataType::Array { element, .. }) => {
            return Ok(Value::array(items.iter().map(|n| converted(n, element, ctx)).collect::<Result<_>>()?));
        }
        (Node::Object(fields), DataType::Map { key, value, .. }) if key.is_string() => {
            let entries = fields
                .iter()
                .map(|(name, n)| Ok((Value::from(name.as_str()), converted(n, value, ctx)?)))
                .collect::<Result<_>>()?;
            return Ok(Value::map(entries));
        }
        (Node::Object(fields), DataType::Struct(schema)) => {
            let values = schema
                .fields
                .iter()
                .map(|f| match fields.iter().find(|(name, _)| *name == f.name) {
                    Some((_, n)) => converted(n, &f.data_type, ctx),
                    None => Ok(Value::Null),
                })
                .collect::<Result<_>>()?;
            return Ok(Value::structure(values));
        }
        (Node::Array(_) | Node::Object(_), t) if t.is_string() => {
            let mut text = String::new();
            write(node, ctx.zone, &mut text);
            return Ok(Value::from(text));
        }
        (Node::Array(_) | Node::Object(_), _) => return refused(),
        _ => {}
    }
    let Some((value, from)) = node.value() else { return refused() };
    if !super::cast::can_cast(&from, to, EvalMode::Ansi) {
        return refused();
    }
    let done = cast_value(&value, &from, to, CastContext { mode: EvalMode::Try, ..ctx })?;
    if done.is_null() { refused() } else { Ok(done) }
}

fn write(node: &Node, zone: &Zone, out: &mut String) {
    let quoted = |text: &str, out: &mut String| quote(text, out);
    match node {
        Node::Null => out.push_str("null"),
        Node::Boolean(b) => out.push_str(if *b { "true" } else { "false" }),
        Node::Long(n) => out.push_str(&n.to_string()),
        Node::Double(x) if !x.is_finite() => quoted(&double_to_string(*x), out),
        Node::Double(x) => out.push_str(&double_to_string(*x)),
        Node::Float(x) if !x.is_finite() => quoted(&float_to_string(*x), out),
        Node::Float(x) => out.push_str(&float_to_string(*x)),
        Node::Decimal(n, scale) => {
            let (mut n, mut scale) = (*n, *scale);
            while scale > 0 && n % 10 == 0 {
                (n, scale) = (n / 10, scale - 1);
            }
            out.push_str(&decimal_to_string(n, scale));
        }
        Node::Date(days) => quoted(&date_to_string(*days), out),
        Node::Timestamp(us) => quoted(&to_text(&Value::Timestamp(*us), &DataType::Timestamp, zone), out),
        Node::TimestampNtz(us) => quoted(&to_text(&Value::TimestampNtz(*us), &DataType::TimestampNtz, zone), out),
        Node::Binary(bytes) => quoted(&base64(bytes), out),
        Node::Text(text) => quoted(text, out),
        Node::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, zone, out);
            }
            out.push(']');
        }
        Node::Object(fields) => {
            let mut sorted: Vec<&(String, Node)> = fields.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            out.push('{');
            for (i, (name, item)) in sorted.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                quoted(name, out);
                out.push(':');
                write(item, zone, out);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_goes_there_and_back() {
        let text = r#"{"a":1,"b":{"c":[10,"x",null]},"d":1.5,"f":true,"n":-70000}"#;
        let Some(Encoded { value, metadata }) = parse(text) else { panic!("no variant") };
        assert_eq!(to_json(&value, &metadata, &Zone::UTC).unwrap(), text);
        assert!(parse("{bad").is_none());
        assert_eq!(path("$.a['b c'][1]").map(|p| p.len()), Some(3));
        assert_eq!(path("a.b"), None);
    }

    #[test]
    fn bytes_are_those_of_spark() {
        let Some(Encoded { value, metadata }) = parse(r#"{"a":1}"#) else { panic!("no variant") };
        assert_eq!(&value[..], &[0x02, 1, 0, 0, 2, 0x0c, 1]);
        assert_eq!(&metadata[..], &[1, 1, 0, 1, b'a']);
        let Some(Encoded { value, metadata }) = parse("[1,2]") else { panic!("no variant") };
        assert_eq!(&value[..], &[3, 2, 0, 2, 4, 0x0c, 1, 0x0c, 2]);
        assert_eq!(&metadata[..], &[1, 0, 0]);
    }
}
