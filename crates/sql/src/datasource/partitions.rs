//! Partition columns from folder names (PartitioningUtils).

use std::sync::Arc;

use tidemark_vfs::{FileSystem, parent};

use super::FileStatus;
use super::listing::folder_of;
use crate::conf::SqlConf;
use crate::error::{Result, SparkError};
use crate::functions::cast::parse::{fit_decimal, parse_decimal, parse_timestamp, parse_timestamp_ntz};
use crate::functions::datetime::zone::Zone;
use crate::types::{DataType, StructField, StructType};
use crate::value::Value;

/// Folder name part of a null value.
pub const DEFAULT_PARTITION: &str = "__HIVE_DEFAULT_PARTITION__";

/// Column names and raw values in a path below its base; None for the default partition's null.
type RawValues = Vec<(String, Option<String>)>;

/// `%41` to `A` (ExternalCatalogUtils.unescapePathName).
pub fn unescape(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let code = (bytes[i] == b'%' && i + 2 < bytes.len())
            .then(|| name.get(i + 1..i + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Characters that a folder name of a value may not hold (ExternalCatalogUtils.escapePathName).
pub fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        let special =
            matches!(c, '"' | '#' | '%' | '\'' | '*' | '/' | ':' | '=' | '?' | '\\' | '{' | '[' | ']' | '^' | '\u{7f}')
                || (c as u32) < 0x20;
        if special { out.push_str(&format!("%{:02X}", c as u32)) } else { out.push(c) }
    }
    out
}

/// The `column=value` folders between `base` and the file's folder; empty when there are none.
pub fn raw_values(folder: &str, bases: &[String]) -> RawValues {
    raw_below(folder, bases).0
}

/// [`raw_values`], and the folder above the first of them (PartitioningUtils.parsePartition).
fn raw_below<'a>(folder: &'a str, bases: &[String]) -> (RawValues, &'a str) {
    let mut values = Vec::new();
    let mut at = folder;
    loop {
        if bases.iter().any(|b| b == at) {
            break;
        }
        let name = tidemark_vfs::file_name(at);
        match name.split_once('=').filter(|(column, value)| !column.is_empty() && !value.is_empty()) {
            Some((column, value)) => {
                let value = unescape(value);
                values.push((unescape(column), (value != DEFAULT_PARTITION).then_some(value)));
            }
            // Folders of no column may lie below those of columns, not between them.
            None if values.is_empty() => {}
            None => break,
        }
        match parent(at) {
            Some(above) => at = above,
            None => break,
        }
    }
    values.reverse();
    (values, at)
}

/// Where partition discovery starts: the basePath option, or the roots (a root that is a file: its folder).
pub fn base_paths(fs: &dyn FileSystem, roots: &[String], base_path: Option<&str>) -> Vec<String> {
    match base_path {
        Some(base) => vec![base.to_owned()],
        None => roots.iter().map(|r| if fs.is_file(r) { folder_of(r).to_owned() } else { r.clone() }).collect(),
    }
}

/// Infers the partition columns of the files. `user` gives types where it names a column.
pub fn infer(files: &[FileStatus], bases: &[String], user: Option<&StructType>, conf: &SqlConf) -> Result<StructType> {
    let mut folders: Vec<&str> = Vec::new();
    for file in files {
        let folder = folder_of(&file.path);
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    let parsed: Vec<(&str, RawValues)> = folders.iter().map(|f| (*f, raw_values(f, bases))).collect();
    let partitioned: Vec<&(&str, RawValues)> = parsed.iter().filter(|(_, v)| !v.is_empty()).collect();
    let Some((_, first)) = partitioned.first() else { return Ok(StructType::default()) };
    let mut found: Vec<&str> = Vec::new();
    for (folder, _) in &partitioned {
        let (_, base) = raw_below(folder, bases);
        if !found.contains(&base) {
            found.push(base);
        }
    }
    if found.len() > 1 {
        let shown: Vec<String> = found.iter().map(|base| format!("\t{}", super::qualified(base))).collect();
        return Err(SparkError::new(
            crate::error::ErrorClass::Runtime,
            "CONFLICTING_DIRECTORY_STRUCTURES",
            &[("discoveredBasePaths", &shown.join("\n"))],
        ));
    }
    let names = |v: &RawValues| v.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    let wanted = names(first);
    if partitioned.iter().any(|(_, v)| names(v) != wanted) {
        return Err(conflicting(&parsed));
    }
    let infer_types = conf.get("spark.sql.sources.partitionColumnTypeInference.enabled").is_none_or(|v| v != "false");
    let fields = wanted
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let given = user.and_then(|u| u.fields.iter().find(|f| conf.same_name(&f.name, name)));
            if let Some(field) = given {
                return StructField { nullable: true, ..field.clone() };
            }
            let values = partitioned.iter().filter_map(|(_, v)| v[i].1.as_deref());
            let data_type = if infer_types { common_type(values) } else { DataType::String };
            StructField { name: name.clone(), data_type, nullable: true, metadata: "{}".into() }
        })
        .collect();
    Ok(StructType { fields })
}

fn conflicting(parsed: &[(&str, RawValues)]) -> SparkError {
    let mut lists: Vec<String> = Vec::new();
    for (_, values) in parsed.iter().filter(|(_, v)| !v.is_empty()) {
        let list = values.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>().join(", ");
        if !lists.contains(&list) {
            lists.push(list);
        }
    }
    let lists: Vec<String> =
        lists.iter().enumerate().map(|(i, l)| format!("\n\tPartition column name list #{i}: {l}")).collect();
    let paths: Vec<String> = parsed.iter().map(|(p, _)| format!("\n\t{}", super::qualified(p))).collect();
    SparkError::new(
        crate::error::ErrorClass::Runtime,
        "CONFLICTING_PARTITION_COLUMN_NAMES",
        &[("distinctPartColLists", &lists.concat()), ("suspiciousPaths", &paths.concat())],
    )
}

/// PartitioningUtils.inferPartitionColumnValue, widened over all values (resolveTypeConflicts).
fn common_type<'a>(values: impl Iterator<Item = &'a str>) -> DataType {
    let mut found: Option<DataType> = None;
    for value in values {
        let next = type_of(value);
        found = Some(match found {
            None => next,
            Some(known) if known == next => known,
            Some(known) => {
                let rank = |t: &DataType| match t {
                    DataType::Integer => Some(0),
                    DataType::Long => Some(1),
                    DataType::Decimal { .. } => Some(2),
                    DataType::Double => Some(3),
                    _ => None,
                };
                match (rank(&known), rank(&next)) {
                    (Some(a), Some(b)) => {
                        if a >= b {
                            known
                        } else {
                            next
                        }
                    }
                    _ => match (&known, &next) {
                        (DataType::Date, DataType::Timestamp) | (DataType::Timestamp, DataType::Date) => {
                            DataType::Timestamp
                        }
                        _ => DataType::String,
                    },
                }
            }
        });
    }
    found.unwrap_or(DataType::String)
}

fn type_of(raw: &str) -> DataType {
    if raw.parse::<i32>().is_ok() {
        return DataType::Integer;
    }
    if raw.parse::<i64>().is_ok() {
        return DataType::Long;
    }
    let numeric = raw.trim_start_matches(['-', '+']);
    if !numeric.is_empty() && numeric.len() <= 38 && numeric.bytes().all(|b| b.is_ascii_digit()) {
        return DataType::Decimal { precision: u8::try_from(numeric.len()).unwrap_or(38), scale: 0 };
    }
    if numeric.bytes().next().is_some_and(|b| b.is_ascii_digit() || b == b'.') && raw.parse::<f64>().is_ok() {
        return DataType::Double;
    }
    if date_of(raw).is_some() {
        return DataType::Date;
    }
    if is_timestamp(raw) {
        return DataType::Timestamp;
    }
    DataType::String
}

/// `yyyy-MM-dd HH:mm:ss[.S]` (PartitioningUtils.timestampPartitionPattern).
fn is_timestamp(raw: &str) -> bool {
    let shape = |b: u8| if b.is_ascii_digit() { b'0' } else { b };
    let shape: Vec<u8> = raw.bytes().map(shape).collect();
    matches!(shape.as_slice(), b"0000-00-00 00:00:00" | b"0000-00-00 00:00:00.0")
        && parse_timestamp(raw, &Zone::UTC).is_some()
}

/// `yyyy-MM-dd` as days since the epoch.
fn date_of(raw: &str) -> Option<i32> {
    let mut parts = raw.split('-');
    let (y, m, d) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || y.len() != 4 || m.len() != 2 || d.len() != 2 {
        return None;
    }
    let date = chrono::NaiveDate::from_ymd_opt(y.parse().ok()?, m.parse().ok()?, d.parse().ok()?)?;
    let epoch = chrono::NaiveDate::from_ymd_opt(1970, 1, 1)?;
    i32::try_from(date.signed_duration_since(epoch).num_days()).ok()
}

/// Values of the partition columns for a file, in the order of `schema`.
pub fn values_of(file: &FileStatus, bases: &[String], schema: &StructType, conf: &SqlConf) -> Result<Vec<Value>> {
    let raw = raw_values(folder_of(&file.path), bases);
    schema
        .fields
        .iter()
        .map(|field| {
            let value = raw.iter().find(|(n, _)| conf.same_name(n, &field.name)).and_then(|(_, v)| v.clone());
            let Some(text) = value else { return Ok(Value::Null) };
            cast(&text, field, conf)
        })
        .collect()
}

fn cast(text: &str, field: &StructField, conf: &SqlConf) -> Result<Value> {
    let bad = || {
        SparkError::new(
            crate::error::ErrorClass::Runtime,
            "INVALID_PARTITION_VALUE",
            &[
                ("value", &format!("'{text}'")),
                ("dataType", &field.data_type.quoted_sql()),
                ("columnName", &format!("`{}`", field.name)),
            ],
        )
    };
    let digits = text.trim();
    Ok(match &field.data_type {
        DataType::Boolean => Value::Boolean(digits.parse().map_err(|_| bad())?),
        DataType::Byte => Value::Byte(digits.parse().map_err(|_| bad())?),
        DataType::Short => Value::Short(digits.parse().map_err(|_| bad())?),
        DataType::Integer => Value::Integer(digits.parse().map_err(|_| bad())?),
        DataType::Long => Value::Long(digits.parse().map_err(|_| bad())?),
        DataType::Float => Value::Float(digits.parse().map_err(|_| bad())?),
        DataType::Double => Value::Double(digits.parse().map_err(|_| bad())?),
        DataType::Decimal { precision, scale } => {
            let (unscaled, from) = parse_decimal(digits).ok_or_else(bad)?;
            Value::Decimal(fit_decimal(unscaled, from, *precision, *scale).ok_or_else(bad)?, *precision, *scale)
        }
        DataType::Timestamp => Value::Timestamp(parse_timestamp(text, conf.time_zone()).ok_or_else(bad)?),
        DataType::TimestampNtz => Value::TimestampNtz(parse_timestamp_ntz(text, true).ok_or_else(bad)?),
        DataType::Date => Value::Date(date_of(digits).ok_or_else(bad)?),
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => Value::String(Arc::from(text)),
        _ => {
            return Err(SparkError::not_yet(&format!(
                "A partition column of type {}",
                field.data_type.simple_string()
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_types_from_folders() {
        let file = |path: &str| FileStatus { path: path.into(), len: 1, modified_ms: 0 };
        let files = [file("/in/country=NL/day=2026-01-01/a"), file("/in/country=New%20York/day=2026-01-02/b")];
        let bases = ["/in".to_owned()];
        let schema = infer(&files, &bases, None, &SqlConf::default()).unwrap();
        let shown: Vec<String> =
            schema.fields.iter().map(|f| format!("{}:{}", f.name, f.data_type.simple_string())).collect();
        assert_eq!(shown, ["country:string", "day:date"]);
        let values = values_of(&files[1], &bases, &schema, &SqlConf::default()).unwrap();
        assert_eq!(values, [Value::from("New York"), Value::Date(20455)]);
        assert_eq!(escape("a/b:c"), "a%2Fb%3Ac");
    }
}
