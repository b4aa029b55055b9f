//! Schema of JSON files (JsonInferSchema).

use std::sync::Arc;

use super::FileStatus;
use super::charset::Charset;
use super::json_scan::{Kind, Scanner, Span};
use super::options::{Options, flag, text};
use super::splits::FileSplit;
use super::times::Times;
use crate::conf::SqlConf;
use crate::error::Result;
use crate::functions::datetime::pattern::Pattern;
use crate::functions::json::{Kinds, TypeOfText, infer as infer_value};
use crate::session::SqlSession;
use crate::types::{DataType, StructField, StructType};

/// The schema of all records; None when there are no files.
pub fn infer(
    session: &SqlSession,
    conf: &SqlConf,
    options: &Options,
    files: &[FileStatus],
) -> Result<Option<StructType>> {
    if files.is_empty() {
        return Ok(None);
    }
    super::checks::check_options(super::Format::Json, options)?;
    if let Some(name) = text(options, "singlevariantcolumn") {
        return Ok(Some(StructType { fields: vec![field(name, DataType::Variant)] }));
    }
    let charset = Charset::of(options, "JSONOptionsInRead")?;
    let multi_line = flag(options, "multiline", false)?;
    let primitives_as_string = flag(options, "primitivesasstring", false)?;
    let prefers_decimal = flag(options, "prefersdecimal", false)?;
    let drop_all_null = flag(options, "dropfieldifallnull", false)?;
    let mode = text(options, "mode").unwrap_or("PERMISSIVE").to_uppercase();
    let corrupt = text(options, "columnnameofcorruptrecord").map_or_else(
        || conf.get("spark.sql.columnNameOfCorruptRecord").unwrap_or_else(|| "_corrupt_record".into()),
        str::to_owned,
    );
    let separator = text(options, "linesep").map(|s| charset.encode(s));
    let lenience = super::json_read::lenience(options)?;
    let columns = [DataType::Timestamp, DataType::TimestampNtz].map(|t| StructField::new("time", t, true));
    if let Some(pattern) = text(options, "timestampformat") {
        Pattern::new(pattern, true)?;
    }
    let times = Times::of(options, conf, &StructType::new(columns.into()))?;
    let is_time = |text: &str| times.timestamp(text).map(|_| DataType::Timestamp);
    let time: Option<TypeOfText<'_>> = if flag(options, "infertimestamp", false)? { Some(&is_time) } else { None };
    let kinds = Kinds { lenience, prefers_decimal, time };
    let kind_of = |bytes: &[u8], span: Span| {
        let found = infer_value(bytes, span, kinds);
        if primitives_as_string { as_strings(&found) } else { found }
    };
    let mut merged = DataType::Null;
    let mut any_corrupt = false;
    let mut broken: Option<Vec<u8>> = None;
    for file in files {
        let content = match session.fs.read(&file.path) {
            Ok(content) => content,
            Err(_) if super::read::ignores_missing(options, conf)? => continue,
            Err(_) => return Err(super::read::file_missing(&file.path)),
        };
        let content = super::inflate::unpacked(&file.path, &content).map_err(|e| super::read::failed(&file.path, e))?;
        let len = content.len() as u64;
        let split = FileSplit { file: FileStatus { len, ..file.clone() }, start: 0, len };
        let mut record = |bytes: &[u8]| {
            let decoded = charset.decode(bytes);
            let bytes = if charset == Charset::Utf8 { bytes } else { decoded.as_bytes() };
            // A record is the first value of its text; what follows is ignored.
            let mut scanner = Scanner::new(bytes, lenience);
            scanner.space();
            if scanner.peek().is_none() {
                return;
            }
            let found = scanner.value().map(|span| (span, span.kind));
            match found {
                Ok((span, Kind::Object)) => merge_into(&mut merged, kind_of(bytes, span)),
                Ok((span, Kind::Array)) => {
                    let DataType::Array { element, .. } = kind_of(bytes, span) else { return };
                    if matches!(&*element, DataType::Struct(_)) {
                        merge_into(&mut merged, (*element).clone());
                    }
                }
                Ok((_, Kind::Null)) => {}
                _ => {
                    any_corrupt = true;
                    broken.get_or_insert_with(|| bytes.to_vec());
                }
            }
        };
        if multi_line {
            record(&content);
        } else {
            super::text::lines(&content, &split, separator.as_deref()).for_each(&mut record);
        }
    }
    if let Some(record) = broken.filter(|_| mode == "FAILFAST") {
        return Err(super::json_read::fail_fast(&record, super::json_read::unrecognized(&record)));
    }
    let DataType::Struct(found) = canonical(&merged, drop_all_null).unwrap_or(DataType::Null) else {
        return Ok(Some(with_corrupt(StructType::default(), any_corrupt && mode == "PERMISSIVE", &corrupt)));
    };
    Ok(Some(with_corrupt((*found).clone(), any_corrupt && mode == "PERMISSIVE", &corrupt)))
}

fn with_corrupt(mut schema: StructType, wanted: bool, name: &str) -> StructType {
    if wanted && !schema.fields.iter().any(|f| f.name == name) {
        schema.fields.push(field(name, DataType::String));
        schema.fields.sort_by(|a, b| a.name.cmp(&b.name));
    }
    schema
}

fn field(name: &str, data_type: DataType) -> StructField {
    StructField { name: name.to_owned(), data_type, nullable: true, metadata: "{}".into() }
}

/// The type with text in the place of what is no text (primitivesAsString).
fn as_strings(t: &DataType) -> DataType {
    match t {
        DataType::Array { element, contains_null } => {
            DataType::Array { element: Arc::new(as_strings(element)), contains_null: *contains_null }
        }
        DataType::Struct(inner) => {
            let fields = inner.fields.iter().map(|f| field(&f.name, as_strings(&f.data_type))).collect();
            DataType::Struct(Arc::new(StructType { fields }))
        }
        DataType::Null => DataType::Null,
        _ => DataType::String,
    }
}

fn merge_into(known: &mut DataType, next: DataType) {
    let before = std::mem::replace(known, DataType::Null);
    *known = compatible(before, next);
}

/// JsonInferSchema.compatibleType.
fn compatible(a: DataType, b: DataType) -> DataType {
    use DataType as T;
    match (a, b) {
        (a, b) if a == b => a,
        (T::Null, other) | (other, T::Null) => other,
        (T::Long, T::Double) | (T::Double, T::Long) => T::Double,
        (T::Decimal { .. }, T::Double) | (T::Double, T::Decimal { .. }) => T::Double,
        (T::Long, T::Decimal { precision, scale }) | (T::Decimal { precision, scale }, T::Long) => {
            widest((20, 0), (precision, scale))
        }
        (T::Decimal { precision: p, scale: s }, T::Decimal { precision, scale }) => widest((p, s), (precision, scale)),
        (T::Array { element: x, .. }, T::Array { element: y, .. }) => {
            T::Array { element: Arc::new(compatible((*x).clone(), (*y).clone())), contains_null: true }
        }
        (T::Struct(x), T::Struct(y)) => {
            let mut fields = x.fields.clone();
            for next in &y.fields {
                match fields.iter_mut().find(|f| f.name == next.name) {
                    Some(known) => merge_into(&mut known.data_type, next.data_type.clone()),
                    None => fields.push(next.clone()),
                }
            }
            fields.sort_by(|a, b| a.name.cmp(&b.name));
            T::Struct(Arc::new(StructType { fields }))
        }
        _ => T::String,
    }
}

fn widest((p1, s1): (u8, i8), (p2, s2): (u8, i8)) -> DataType {
    let scale = s1.max(s2);
    let range = (i16::from(p1) - i16::from(s1)).max(i16::from(p2) - i16::from(s2));
    match u8::try_from(range + i16::from(scale)) {
        Ok(precision) if precision <= 38 => DataType::Decimal { precision, scale },
        _ => DataType::Double,
    }
}

/// JsonInferSchema.canonicalizeType: nulls become strings, empty structs go.
fn canonical(t: &DataType, drop_all_null: bool) -> Option<DataType> {
    match t {
        DataType::Array { element, .. } => {
            let element = canonical(element, drop_all_null)?;
            Some(DataType::Array { element: Arc::new(element), contains_null: true })
        }
        DataType::Struct(s) => {
            let fields: Vec<StructField> = s
                .fields
                .iter()
                .filter(|f| !f.name.is_empty())
                .filter_map(|f| Some(field(&f.name, canonical(&f.data_type, drop_all_null)?)))
                .collect();
            (!fields.is_empty()).then(|| DataType::Struct(Arc::new(StructType { fields })))
        }
        DataType::Null => (!drop_all_null).then_some(DataType::String),
        other => Some(other.clone()),
    }
}
