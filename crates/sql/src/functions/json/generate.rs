//! to_json (JacksonGenerator).

use super::quote;
use crate::functions::cast::to_text;
use crate::functions::datetime::pattern::Pattern;
use crate::functions::datetime::zone::Zone;
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, decimal_to_scientific, double_to_string, float_to_string};

/// How values are written.
#[derive(Debug)]
pub(crate) struct Writer {
    pub ignore_nulls: bool,
    pub pretty: bool,
    /// None: the session's.
    pub zone: Option<Zone>,
    pub timestamp: Pattern,
    pub timestamp_ntz: Pattern,
    pub date: Option<Pattern>,
}

impl Writer {
    pub(crate) fn write(&self, value: &Value, t: &DataType, session: &Zone) -> String {
        let mut out = String::new();
        self.value(value, t, self.zone.as_ref().unwrap_or(session), 0, &mut out);
        out
    }

    fn line(&self, depth: usize, out: &mut String) {
        if self.pretty {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
    }

    fn member(&self, first: &mut bool, name: &str, depth: usize, out: &mut String) {
        if !std::mem::take(first) {
            out.push(',');
        }
        self.line(depth + 1, out);
        quote(name, out);
        out.push_str(if self.pretty { " : " } else { ":" });
    }

    fn value(&self, value: &Value, t: &DataType, zone: &Zone, depth: usize, out: &mut String) {
        match (value, t) {
            (Value::Null, _) => out.push_str("null"),
            (Value::Boolean(b), _) => out.push_str(if *b { "true" } else { "false" }),
            (Value::Float(x), _) => number(&float_to_string(*x), x.is_finite(), out),
            (Value::Double(x), _) => number(&double_to_string(*x), x.is_finite(), out),
            (Value::Decimal(n, _, s), _) => out.push_str(&decimal_to_scientific(*n, *s)),
            (Value::Byte(_) | Value::Short(_) | Value::Integer(_) | Value::Long(_), _) => {
                out.push_str(&value.as_i64().unwrap_or(0).to_string());
            }
            (Value::String(s), _) => quote(s, out),
            (Value::Binary(b), _) => quote(&super::resolve::base64(b), out),
            (Value::Date(d), _) => match &self.date {
                Some(p) => quote(&p.format(i64::from(*d) * MICROS_PER_DAY, &Zone::UTC), out),
                None => quote(&crate::value::text::date_to_string(*d), out),
            },
            (Value::Timestamp(us), _) => quote(&self.timestamp.format(*us, zone), out),
            (Value::TimestampNtz(us), _) => quote(&self.timestamp_ntz.format(*us, &Zone::UTC), out),
            (Value::Time(nanos), _) => quote(&crate::value::text::time_to_string(*nanos), out),
            (Value::Array(list), DataType::Array { element, .. }) => {
                out.push('[');
                for (i, v) in list.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    if self.pretty {
                        out.push(' ');
                    }
                    self.value(v, element, zone, depth, out);
                }
                out.push_str(if self.pretty { " ]" } else { "]" });
            }
            (Value::Map(entries), DataType::Map { key, value: of, .. }) => {
                out.push('{');
                let mut first = true;
                for (k, v) in entries.iter() {
                    self.member(&mut first, &key_text(k, key), depth, out);
                    self.value(v, of, zone, depth + 1, out);
                }
                if !first {
                    self.line(depth, out);
                } else if self.pretty {
                    out.push(' ');
                }
                out.push('}');
            }
            (Value::Struct(fields), DataType::Struct(s)) => {
                out.push('{');
                let mut first = true;
                for (f, v) in s.fields.iter().zip(fields.iter()) {
                    if v.is_null() && self.ignore_nulls {
                        continue;
                    }
                    self.member(&mut first, &f.name, depth, out);
                    self.value(v, &f.data_type, zone, depth + 1, out);
                }
                if !first {
                    self.line(depth, out);
                } else if self.pretty {
                    out.push(' ');
                }
                out.push('}');
            }
            (Value::Variant { value, metadata }, _) => {
                out.push_str(&crate::functions::variant::to_json(value, metadata, zone).unwrap_or_default());
            }
            (v, t) => quote(&to_text(v, t, zone), out),
        }
    }
}

fn number(text: &str, finite: bool, out: &mut String) {
    if finite { out.push_str(text) } else { quote(text, out) }
}

/// Keys as the internal values print: days and microseconds as numbers, structs in brackets.
fn key_text(key: &Value, t: &DataType) -> String {
    match key {
        Value::String(s) => s.to_string(),
        Value::Date(_) | Value::Timestamp(_) | Value::TimestampNtz(_) | Value::Time(_) => {
            key.as_i64().unwrap_or(0).to_string()
        }
        Value::Struct(fields) => {
            let parts: Vec<String> = fields.iter().map(|f| key_text(f, &DataType::Null)).collect();
            format!("[{}]", parts.join(","))
        }
        other => to_text(other, t, &Zone::UTC),
    }
}
