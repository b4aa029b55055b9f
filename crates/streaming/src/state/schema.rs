//! Schemas of state: the file `_metadata/schema` of a store, and whether a query still fits it.

use std::sync::Arc;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::{Attribute, WindowKind};
use tidemark_sql::types::{DataType, StructField, StructType};

/// Key and value of one store (Spark's StateStoreColFamilySchema, one column family).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSchema {
    pub key: StructType,
    pub value: StructType,
    /// Leading key columns that a prefix scan takes; 0 for none.
    pub prefix: usize,
    /// Dedup and limit do not care what the value of an old checkpoint looks like.
    pub check_value: bool,
}

impl StateSchema {
    /// Spark 4.3 stores schemas with every field nullable.
    pub fn new(key: StructType, value: StructType) -> Self {
        Self { key: key.as_nullable(), value: value.as_nullable(), prefix: 0, check_value: true }
    }

    pub fn key_types(&self) -> Vec<DataType> {
        types(&self.key)
    }

    pub fn value_types(&self) -> Vec<DataType> {
        types(&self.value)
    }
}

fn types(schema: &StructType) -> Vec<DataType> {
    schema.fields.iter().map(|field| field.data_type.clone()).collect()
}

/// A field as StructType shows an attribute, with the metadata that Catalyst keeps on it.
pub fn field_of(attribute: &Attribute) -> StructField {
    let mut metadata = match attribute.metadata.user.as_deref().map(serde_json::from_str) {
        Some(Ok(serde_json::Value::Object(user))) => user,
        _ => serde_json::Map::new(),
    };
    match attribute.metadata.window {
        Some(WindowKind::Time) => drop(metadata.insert("spark.timeWindow".into(), true.into())),
        Some(WindowKind::Session) => drop(metadata.insert("spark.sessionWindow".into(), true.into())),
        None => {}
    }
    if let Some(delay) = attribute.metadata.watermark_delay_ms {
        metadata.insert("spark.watermarkDelayMs".into(), delay.into());
    }
    StructField {
        name: attribute.name.to_string(),
        data_type: attribute.data_type.clone(),
        nullable: attribute.nullable,
        metadata: serde_json::Value::Object(metadata).to_string().into(),
    }
}

pub fn struct_of(attributes: &[Arc<Attribute>]) -> StructType {
    StructType { fields: attributes.iter().map(|attribute| field_of(attribute)).collect() }
}

/// DataOutputStream.writeUTF holds at most this many bytes; longer schemas go in chunks.
const CHUNK: usize = 65_535;

/// Version 2 of the schema file: "v2", then key and value schema as JSON, each a count of chunks and the chunks.
pub(super) fn write(schema: &StateSchema) -> Vec<u8> {
    let mut out = Vec::new();
    put_utf(&mut out, "v2");
    for json in [schema.key.json(), schema.value.json()] {
        // Chunks are counted in chars, which are bytes here: Spark's JSON of names beyond ASCII is longer in bytes.
        let chars: Vec<char> = json.chars().collect();
        let chunks: Vec<String> = chars.chunks(CHUNK).map(|chunk| chunk.iter().collect()).collect();
        out.extend_from_slice(&(chunks.len() as i32).to_be_bytes());
        for chunk in chunks {
            put_utf(&mut out, &chunk);
        }
    }
    out
}

fn put_utf(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u16).to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn ended() -> SparkError {
    let mut error = SparkError::plain(ErrorClass::Java("java.io.EOFException"), "");
    error.java_class = Some("java.io.EOFException".to_owned());
    error
}

fn take_utf<'a>(bytes: &mut &'a [u8]) -> Result<&'a str> {
    let (len, rest) = bytes.split_first_chunk::<2>().ok_or_else(ended)?;
    let (text, rest) = rest.split_at_checked(u16::from_be_bytes(*len) as usize).ok_or_else(ended)?;
    *bytes = rest;
    std::str::from_utf8(text).map_err(|_| ended())
}

fn take_chunks(bytes: &mut &[u8]) -> Result<String> {
    let (count, rest) = bytes.split_first_chunk::<4>().ok_or_else(ended)?;
    *bytes = rest;
    (0..i32::from_be_bytes(*count)).map(|_| take_utf(bytes)).collect()
}

/// Key and value schema of a schema file, version 1 or 2.
pub(super) fn read(mut bytes: &[u8]) -> Result<(StructType, StructType)> {
    let (key, value) = match take_utf(&mut bytes)? {
        "v1" => (take_utf(&mut bytes)?.to_owned(), take_utf(&mut bytes)?.to_owned()),
        "v2" => (take_chunks(&mut bytes)?, take_chunks(&mut bytes)?),
        version => return Err(unknown_version(version)),
    };
    Ok((StructType::from_json(&key)?, StructType::from_json(&value)?))
}

/// MetadataVersionUtil.validateVersion
fn unknown_version(text: &str) -> SparkError {
    match text.strip_prefix('v').and_then(|number| number.parse::<u32>().ok()) {
        Some(3) => SparkError::not_yet("State schema format v3"),
        Some(version) if version > 3 => SparkError::new(
            ErrorClass::Spark,
            "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
            &[("maxSupportedVersion", "3"), ("version", &version.to_string())],
        ),
        _ => SparkError::new(ErrorClass::Spark, "MALFORMED_LOG_FILE", &[("text", text)]),
    }
}

/// StateSchemaCompatibilityChecker.check: number and types of the fields must fit, names may differ.
pub(super) fn check(stored: &(StructType, StructType), new: &StateSchema) -> Result<()> {
    let fits = |stored: &StructType, new: &StructType| {
        DataType::Struct(Arc::new(stored.clone())).same_structure(&DataType::Struct(Arc::new(new.clone())))
    };
    let refuse = |condition: &str, which: [&str; 2], stored: &StructType, new: &StructType| {
        let (stored, new) = (stored.scala_name(), new.scala_name());
        Err(SparkError::new(ErrorClass::Spark, condition, &[(which[0], &stored), (which[1], &new)]))
    };
    if !fits(&stored.0, &new.key) {
        let parameters = ["storedKeySchema", "newKeySchema"];
        return refuse("STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE", parameters, &stored.0, &new.key);
    }
    if new.check_value && !fits(&stored.1, &new.value) {
        let parameters = ["storedValueSchema", "newValueSchema"];
        return refuse("STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE", parameters, &stored.1, &new.value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_by_shop() -> StateSchema {
        StateSchema::new(
            StructType::new(vec![StructField::new("shop", DataType::String, true)]),
            StructType::new(vec![StructField::new("count", DataType::Long, false)]),
        )
    }

    #[test]
    fn the_file_is_sparks() {
        let file = write(&count_by_shop());
        let expected = b"\0\x02v2\0\0\0\x01\0\x5a{\"type\":\"struct\",\"fields\":[{\"name\":\"shop\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}\
            \0\0\0\x01\0\x59{\"type\":\"struct\",\"fields\":[{\"name\":\"count\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}";
        assert_eq!(String::from_utf8_lossy(&file), String::from_utf8_lossy(expected));
        let stored = read(&file).unwrap();
        assert!(check(&stored, &count_by_shop()).is_ok());
    }

    #[test]
    fn another_type_is_refused_and_another_name_is_not() {
        let stored = read(&write(&count_by_shop())).unwrap();
        let mut other = count_by_shop();
        other.key.fields[0].name = "town".into();
        assert!(check(&stored, &other).is_ok());
        other.value.fields[0].data_type = DataType::Double;
        let error = check(&stored, &other).unwrap_err();
        assert!(error.message.contains(
            "Existing value_schema=StructType(StructField(count,LongType,true)) and new value_schema=StructType(StructField(count,DoubleType,true))."
        ));
        other.check_value = false;
        assert!(check(&stored, &other).is_ok());
    }

    #[test]
    fn a_version_from_the_future_is_refused() {
        let mut file = write(&count_by_shop());
        file[3] = b'9';
        assert_eq!(read(&file).unwrap_err().condition.as_deref(), Some("INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION"));
        assert!(read(b"xx").is_err());
    }
}
