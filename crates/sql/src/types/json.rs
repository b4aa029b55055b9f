//! The JSON form of types (DataType.json, DataType.fromJson).

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::names::{DAY_TIME, YEAR_MONTH};
use super::{DataType, StructField, StructType};
use crate::error::{ErrorClass, Result, SparkError};

impl DataType {
    /// DataType.json, compact, keys in Spark's order.
    pub fn json(&self) -> String {
        self.json_value().to_string()
    }

    pub fn json_value(&self) -> Json {
        match self {
            DataType::Array { element, contains_null } => object([
                ("type", Json::from("array")),
                ("elementType", element.json_value()),
                ("containsNull", Json::from(*contains_null)),
            ]),
            DataType::Map { key, value, value_contains_null } => object([
                ("type", Json::from("map")),
                ("keyType", key.json_value()),
                ("valueType", value.json_value()),
                ("valueContainsNull", Json::from(*value_contains_null)),
            ]),
            DataType::Struct(s) => s.json_value(),
            other => Json::from(other.type_name()),
        }
    }

    /// DataType.fromJson.
    pub fn from_json(text: &str) -> Result<DataType> {
        let value: Json = serde_json::from_str(text).map_err(|e| {
            SparkError::plain(ErrorClass::IllegalArgument, format!("Failed to parse the JSON of a type: {e}"))
        })?;
        DataType::from_json_value(&value)
    }

    pub fn from_json_value(value: &Json) -> Result<DataType> {
        let refused = || {
            SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_JSON_DATA_TYPE",
                &[("invalidType", &value.to_string().replace('"', ""))],
            )
        };
        match value {
            Json::String(name) => match name_to_type(name).ok_or_else(refused)? {
                DataType::Decimal { precision, scale } => {
                    let scale = u32::try_from(scale).unwrap_or(0);
                    super::ddl::decimal(u32::from(precision), scale, ErrorClass::Analysis, |error| error)
                }
                other => Ok(other),
            },
            Json::Object(map) => match map.get("type").and_then(Json::as_str) {
                Some("array") => Ok(DataType::array(
                    DataType::from_json_value(map.get("elementType").ok_or_else(refused)?)?,
                    map.get("containsNull").and_then(Json::as_bool).ok_or_else(refused)?,
                )),
                Some("map") => Ok(DataType::map(
                    DataType::from_json_value(map.get("keyType").ok_or_else(refused)?)?,
                    DataType::from_json_value(map.get("valueType").ok_or_else(refused)?)?,
                    map.get("valueContainsNull").and_then(Json::as_bool).ok_or_else(refused)?,
                )),
                Some("struct") => {
                    let list = map.get("fields").and_then(Json::as_array).ok_or_else(refused)?;
                    let fields = list.iter().map(field).collect::<Result<Vec<_>>>()?;
                    Ok(DataType::Struct(Arc::new(StructType { fields })))
                }
                _ => Err(refused()),
            },
            _ => Err(refused()),
        }
    }
}

fn field(value: &Json) -> Result<StructField> {
    let refused = || {
        SparkError::new(ErrorClass::IllegalArgument, "INVALID_JSON_DATA_TYPE", &[("invalidType", &value.to_string())])
    };
    let map = value.as_object().ok_or_else(refused)?;
    let metadata = match map.get("metadata") {
        Some(m @ Json::Object(_)) => m.to_string(),
        _ => "{}".to_owned(),
    };
    Ok(StructField {
        name: map.get("name").and_then(Json::as_str).ok_or_else(refused)?.to_owned(),
        data_type: DataType::from_json_value(map.get("type").ok_or_else(refused)?)?,
        nullable: map.get("nullable").and_then(Json::as_bool).unwrap_or(true),
        metadata: metadata.into(),
    })
}

fn object<const N: usize>(pairs: [(&str, Json); N]) -> Json {
    Json::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>())
}

impl StructType {
    /// StructType.json.
    pub fn json(&self) -> String {
        self.json_value().to_string()
    }

    pub fn json_value(&self) -> Json {
        let fields = self
            .fields
            .iter()
            .map(|f| {
                object([
                    ("name", Json::from(f.name.clone())),
                    ("type", f.data_type.json_value()),
                    ("nullable", Json::from(f.nullable)),
                    ("metadata", serde_json::from_str(&f.metadata).unwrap_or_else(|_| Json::Object(Map::new()))),
                ])
            })
            .collect();
        object([("type", Json::from("struct")), ("fields", Json::Array(fields))])
    }

    /// StructType.fromString of the JSON form.
    pub fn from_json(text: &str) -> Result<StructType> {
        match DataType::from_json(text)? {
            DataType::Struct(s) => Ok((*s).clone()),
            other => Err(SparkError::plain(
                ErrorClass::IllegalArgument,
                format!("Failed parsing StructType: {}", other.simple_string()),
            )),
        }
    }
}

/// DataType.nameToType.
fn name_to_type(name: &str) -> Option<DataType> {
    let parameters = |prefix: &str| -> Option<Vec<i64>> {
        let inner = name.strip_prefix(prefix)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
        inner.split(',').map(|p| p.trim().parse().ok()).collect()
    };
    Some(match name {
        "void" | "null" => DataType::Null,
        "boolean" => DataType::Boolean,
        "byte" | "tinyint" => DataType::Byte,
        "short" | "smallint" => DataType::Short,
        "integer" | "int" => DataType::Integer,
        "long" | "bigint" => DataType::Long,
        "float" => DataType::Float,
        "double" => DataType::Double,
        "decimal" => DataType::decimal(10, 0),
        "string" => DataType::String,
        "binary" => DataType::Binary,
        "date" => DataType::Date,
        "time" => DataType::Time(6),
        "timestamp" | "timestamp_ltz" => DataType::Timestamp,
        "timestamp_ntz" => DataType::TimestampNtz,
        "interval" | "calendarinterval" => DataType::CalendarInterval,
        "variant" => DataType::Variant,
        _ => {
            if let Some(p) = parameters("decimal") {
                let [precision, scale] = p[..] else { return None };
                return Some(DataType::decimal(u8::try_from(precision).ok()?, i8::try_from(scale).ok()?));
            }
            if let Some(p) = parameters("time") {
                return Some(DataType::Time(u8::try_from(*p.first()?).ok().filter(|p| *p <= 9)?));
            }
            if let Some(p) = parameters("char") {
                return Some(DataType::Char(u32::try_from(*p.first()?).ok()?));
            }
            if let Some(p) = parameters("varchar") {
                return Some(DataType::Varchar(u32::try_from(*p.first()?).ok()?));
            }
            return interval_type(name.strip_prefix("interval ")?);
        }
    })
}

/// "year", "day to second" ... after the word interval.
pub(super) fn interval_type(text: &str) -> Option<DataType> {
    let (from, to) = text.split_once(" to ").unwrap_or((text, text));
    let position = |names: &[&str], n: &str| names.iter().position(|x| *x == n).and_then(|i| u8::try_from(i).ok());
    if let (Some(start), Some(end)) = (position(&YEAR_MONTH, from), position(&YEAR_MONTH, to)) {
        return Some(DataType::YearMonthInterval { start, end });
    }
    if let (Some(start), Some(end)) = (position(&DAY_TIME, from), position(&DAY_TIME, to)) {
        return Some(DataType::DayTimeInterval { start, end });
    }
    None
}
