//! from_json straight into columns: the usual values of an object's text go to their builders without a [`Value`] between.
//! What is unusual (other kinds than the column's, options, arrays that may be lost) is read by [`Reader::value`].

use super::parse::{Partial, Reader};
use super::{items, raw};
use crate::datasource::json_scan::{Kind, Scanner, Span, plain, unquote};
use crate::error::Result;
use crate::functions::cast::parse::{parse_date, parse_timestamp};
use crate::functions::datetime::zone::Zone;
use crate::types::{DataType, StructType};
use crate::value::ValueBuilder;

/// Buffers kept from text to text: the places of an object's members by field, one list for each level.
#[derive(Default)]
pub(super) struct Scratch {
    levels: Vec<Vec<Option<Span>>>,
}

impl Reader {
    /// Appends the value of a text; false when nothing was appended and [`Reader::read`] has to do it.
    pub(super) fn append(
        &self,
        text: &str,
        session: &Zone,
        out: &mut ValueBuilder,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        if self.fail_fast || self.corrupt.is_some() {
            return Ok(false);
        }
        let DataType::Struct(schema) = &self.schema else { return Ok(false) };
        let bytes = text.as_bytes();
        let mut scanner = Scanner::new(bytes, self.lenience);
        scanner.space();
        if scanner.peek() != Some(b'{') {
            return Ok(false);
        }
        let zone = self.zone.as_ref().unwrap_or(session);
        self.object_columns(bytes, scanner.at, schema, zone, out, scratch, 0)
    }

    /// False, with nothing appended: the text is malformed.
    #[allow(clippy::too_many_arguments, reason = "a recursive step hands on what the first call got")]
    fn object_columns(
        &self,
        bytes: &[u8],
        at: usize,
        schema: &StructType,
        zone: &Zone,
        out: &mut ValueBuilder,
        scratch: &mut Scratch,
        level: usize,
    ) -> Result<bool> {
        let ValueBuilder::Struct { fields, nulls, .. } = out else { return Ok(false) };
        if scratch.levels.len() <= level {
            scratch.levels.push(Vec::new());
        }
        let mut spans = std::mem::take(&mut scratch.levels[level]);
        spans.clear();
        spans.resize(schema.fields.len(), None);
        let mut scanner = Scanner::new(bytes, self.lenience);
        scanner.at = at;
        // Members mostly come in the order of the fields.
        let mut expected = 0;
        let scanned = scanner.members(&mut |name, value| {
            let unescaped;
            let shown = match plain(bytes, name) {
                Some(shown) => shown,
                None => {
                    unescaped = unquote(bytes, name)?;
                    unescaped.as_bytes()
                }
            };
            let found = match schema.fields.get(expected) {
                Some(field) if field.name.as_bytes() == shown => Some(expected),
                _ => schema.fields.iter().position(|field| field.name.as_bytes() == shown),
            };
            if let Some(i) = found {
                spans[i] = Some(value);
                expected = i + 1;
            }
            Ok(())
        });
        let fits = scanned.is_ok();
        if fits {
            for ((field, span), builder) in schema.fields.iter().zip(&spans).zip(fields.iter_mut()) {
                match span {
                    None => builder.append_null(),
                    Some(span) => self.member(bytes, *span, &field.data_type, zone, builder, scratch, level + 1)?,
                }
            }
            nulls.push(true);
        }
        scratch.levels[level] = spans;
        Ok(fits)
    }

    /// Appends exactly one value.
    #[allow(clippy::too_many_arguments, reason = "a recursive step hands on what the first call got")]
    fn member(
        &self,
        bytes: &[u8],
        span: Span,
        data_type: &DataType,
        zone: &Zone,
        out: &mut ValueBuilder,
        scratch: &mut Scratch,
        level: usize,
    ) -> Result<()> {
        let is_text = matches!(span.kind, Kind::Text { .. });
        let done = match (&mut *out, data_type) {
            _ if span.kind == Kind::Null => {
                out.append_null();
                return Ok(());
            }
            (ValueBuilder::Boolean(b), _) if matches!(span.kind, Kind::True | Kind::False) => {
                b.append_value(span.kind == Kind::True);
                true
            }
            (ValueBuilder::Integer(b), _) if span.kind == Kind::Integer => {
                raw(bytes, span).parse().map(|n| b.append_value(n)).is_ok()
            }
            (ValueBuilder::Long(b), _) if span.kind == Kind::Integer => {
                raw(bytes, span).parse().map(|n| b.append_value(n)).is_ok()
            }
            (ValueBuilder::Double(b), _) if matches!(span.kind, Kind::Integer | Kind::Float) => {
                raw(bytes, span).parse().map(|x| b.append_value(x)).is_ok()
            }
            (ValueBuilder::String(b), _) if is_text => unquote(bytes, span).map(|text| b.append_value(text)).is_ok(),
            (ValueBuilder::Timestamp(b), _) if is_text && self.timestamp.is_none() => unquote(bytes, span)
                .ok()
                .and_then(|text| parse_timestamp(&text, zone))
                .map(|us| b.append_value(us))
                .is_some(),
            (ValueBuilder::Date(b), _) if is_text && self.date.is_none() => {
                unquote(bytes, span).ok().and_then(|text| parse_date(&text)).map(|days| b.append_value(days)).is_some()
            }
            (ValueBuilder::Struct { .. }, DataType::Struct(schema)) if span.kind == Kind::Object => {
                self.object_columns(bytes, span.start, schema, zone, out, scratch, level)?
            }
            (ValueBuilder::List { element, offsets, nulls, .. }, DataType::Array { element: of, .. })
                if span.kind == Kind::Array =>
            {
                let list = items(bytes, span, self.lenience);
                // One element that does not fit loses the array: only what surely fits is taken here.
                let certain = list.iter().all(|item| match (&**of, item.kind) {
                    (_, Kind::Null) => true,
                    (DataType::String, Kind::Text { .. }) | (DataType::Struct(_), Kind::Object) => true,
                    (DataType::Double, Kind::Integer | Kind::Float) => true,
                    (DataType::Boolean, Kind::True | Kind::False) => true,
                    (DataType::Long, Kind::Integer) => item.end - item.start < 19,
                    (DataType::Integer, Kind::Integer) => item.end - item.start < 10,
                    _ => false,
                });
                if certain {
                    for item in &list {
                        self.member(bytes, *item, of, zone, element, scratch, level)?;
                    }
                    offsets.push(offsets.last().copied().unwrap_or(0) + list.len() as i32);
                    nulls.push(true);
                }
                certain
            }
            _ => false,
        };
        if done {
            return Ok(());
        }
        match self.value(bytes, span, data_type, zone) {
            Ok(value) | Err(Partial(value)) => out.append(&value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::json::DEFAULT;
    use crate::types::parse_struct;
    use crate::value::{Value, value_at};

    /// Both ways of reading give the same, for whole texts and for texts cut, doubled or with a byte changed.
    #[test]
    fn columns_give_what_values_give() {
        let schema = "a int, b bigint, c double, d string, e timestamp, f date, g boolean, h array<int>, i array<string>, \
                      j struct<x: int, y: struct<z: string>>, k map<string, int>, l decimal(5,2), m array<struct<n: int>>";
        let schema = DataType::Struct(parse_struct(schema).unwrap().into());
        let reader = Reader {
            schema: schema.clone(),
            lenience: DEFAULT,
            zone: None,
            timestamp: None,
            timestamp_ntz: None,
            date: None,
            fail_fast: false,
            corrupt: None,
        };
        let whole = [
            r#"{"a": 1, "b": -9223372036854775808, "c": 1.5e3, "d": "x\ty", "e": "2026-02-14 10:00:05.123", "f": "2026-02-14"}"#,
            r#"{"g": true, "h": [1, null, 3], "i": ["a", "b\n"], "j": {"x": 5, "y": {"z": "q"}}, "k": {"p": 1}, "l": 1.25}"#,
            r#"{"a": 99999999999, "b": "x", "c": "NaN", "d": [1, {"q": 2.50}], "e": 1700000000, "f": 5, "g": "true", "h": [1, "x"]}"#,
            r#"{"m": [{"n": 1}, {"n": "x"}, null], "i": [1, "x"], "j": {"x": "no", "y": 3}, "l": "1,000.5", "k": {"p": "x"}}"#,
            r#"{"d": null, "d": "last", "z": 1, "j": null, "h": [], "k": {}, 'a': 7, "e": "2026-02-30", "f": "x", "c": 5}"#,
            r#"[{"a": 1}]"#,
            "null",
            "  ",
            "5",
            r#"{"a": 1"#,
        ];
        let mut texts: Vec<String> = whole.iter().map(|t| (*t).to_owned()).collect();
        for text in whole {
            for at in (0..text.len()).step_by(3).filter(|at| text.is_char_boundary(*at)) {
                texts.push(text[..at].to_owned());
                texts.push(format!("{}0{}", &text[..at], &text[at..]));
                texts.push(format!("{}\"{}", &text[..at], &text[at..]));
            }
        }
        for text in texts {
            let expected = reader.read(&text, &Zone::UTC).unwrap();
            let mut out = ValueBuilder::new(&schema, 1);
            if reader.append(&text, &Zone::UTC, &mut out, &mut Scratch::default()).unwrap() {
                let got = value_at(&out.finish().unwrap(), 0, &schema);
                assert_eq!(format!("{got:?}"), format!("{expected:?}"), "{text}");
            } else {
                assert!(!matches!(expected, Value::Struct(ref f) if f.iter().any(|v| !v.is_null())), "{text}");
            }
        }
    }
}
