//! Records, and their text form in the broker's log files: one JSON object a line.

use serde_json::{Map, Value, json};

/// A message as a producer gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Milliseconds since the epoch.
    pub timestamp_ms: i64,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: Vec<(String, Option<Vec<u8>>)>,
}

/// Text where the bytes are text, `{"hex":"00ff"}` where they are not.
fn bytes_json(bytes: Option<&[u8]>) -> Value {
    match bytes.map(|bytes| (bytes, std::str::from_utf8(bytes))) {
        None => Value::Null,
        Some((_, Ok(text))) => Value::from(text),
        Some((bytes, Err(_))) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "hex": hex })
        }
    }
}

/// None: not what [`bytes_json`] writes.
fn json_bytes(value: Option<&Value>) -> Option<Option<Vec<u8>>> {
    match value {
        None | Some(Value::Null) => Some(None),
        Some(Value::String(text)) => Some(Some(text.clone().into_bytes())),
        Some(Value::Object(object)) => {
            let hex = object.get("hex")?.as_str()?;
            let digits: Option<Vec<u32>> = hex.chars().map(|c| c.to_digit(16)).collect();
            let bytes =
                digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + digit) as u8).collect();
            Some(Some(bytes))
        }
        Some(other) => Some(Some(other.to_string().into_bytes())),
    }
}

impl Record {
    /// The line of a log file, with its line break.
    pub(super) fn line(&self) -> String {
        let mut object = Map::new();
        object.insert("timestamp".to_owned(), self.timestamp_ms.into());
        object.insert("key".to_owned(), bytes_json(self.key.as_deref()));
        object.insert("value".to_owned(), bytes_json(self.value.as_deref()));
        if !self.headers.is_empty() {
            let headers = self.headers.iter().map(|(name, value)| json!([name, bytes_json(value.as_deref())]));
            object.insert("headers".to_owned(), headers.collect());
        }
        format!("{}\n", Value::Object(object))
    }

    /// Reads [`Record::line`].
    pub(super) fn parse(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let object = value.as_object()?;
        let mut headers = Vec::new();
        for header in object.get("headers").and_then(Value::as_array).into_iter().flatten() {
            headers.push((header.get(0)?.as_str()?.to_owned(), json_bytes(header.get(1))?));
        }
        Some(Self {
            timestamp_ms: object.get("timestamp").and_then(Value::as_i64).unwrap_or(0),
            key: json_bytes(object.get("key"))?,
            value: json_bytes(object.get("value"))?,
            headers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Record;

    #[test]
    fn any_bytes_survive_the_log() {
        let record = Record {
            timestamp_ms: 1_767_225_600_000,
            key: None,
            value: Some(vec![0, 0xff, b'x']),
            headers: vec![("a".into(), Some(b"\"b\"\n".to_vec())), ("a".into(), None)],
        };
        assert_eq!(Record::parse(record.line().trim_end()), Some(record));
        assert_eq!(Record::parse("{\"value\": 5}").and_then(|r| r.value), Some(b"5".to_vec()));
        assert_eq!(Record::parse("[]"), None);
    }
}
