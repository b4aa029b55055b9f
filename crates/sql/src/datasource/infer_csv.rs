//! Schema of CSV files (CSVInferSchema).

use std::borrow::Cow;

use super::FileStatus;
use super::charset::Charset;
use super::csv_read::{Conversion, safe_header};
use super::csv_tokens::CsvFormat;
use super::options::{Options, flag, text};
use super::splits::FileSplit;
use crate::conf::SqlConf;
use crate::error::Result;
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
    let format = CsvFormat::of(options)?;
    let typed = flag(options, "inferschema", false)?;
    let dates = flag(options, "preferdate", true)?;
    super::checks::check_options(super::Format::Csv, options)?;
    let charset = Charset::of(options, "CSVOptions")?;
    let separator = text(options, "linesep").map(|s| charset.encode(s));
    let conversion = Conversion::of(options, conf, &tried())?;
    let mut names: Option<Vec<std::sync::Arc<str>>> = None;
    let mut types: Vec<DataType> = Vec::new();
    'files: for file in files {
        let content = match session.fs.read(&file.path) {
            Ok(content) => content,
            Err(_) if super::read::ignores_missing(options, conf)? => continue,
            Err(_) => return Err(super::read::file_missing(&file.path)),
        };
        let content = super::inflate::unpacked(&file.path, &content).map_err(|e| super::read::failed(&file.path, e))?;
        let split = FileSplit {
            file: FileStatus { len: content.len() as u64, ..file.clone() },
            start: 0,
            len: content.len() as u64,
        };
        let whole = if format.multi_line { charset.decode(&content) } else { Cow::default() };
        let records: Box<dyn Iterator<Item = Vec<Option<String>>>> = if format.multi_line {
            Box::new(format.records(whole.strip_prefix('\u{feff}').unwrap_or(&whole)).map(|record| record.fields))
        } else {
            let lines = super::text::lines(&content, &split, separator.as_deref()).map(|l| charset.decode(l));
            Box::new(lines.filter(|line| !format.skips(line)).map(|line| format.fields(&line)))
        };
        let mut skip_header = format.header;
        for fields in records {
            if names.is_none() {
                let made = safe_header(&fields, format.header, &|a, b| conf.same_name(a, b));
                types = vec![DataType::Null; made.len()];
                names = Some(made);
            }
            if std::mem::take(&mut skip_header) {
                continue;
            }
            if !typed {
                break 'files;
            }
            for (known, field) in types.iter_mut().zip(&fields) {
                if let Some(shown) = field.as_deref().filter(|s| !s.is_empty()) {
                    let next = infer_field(known, shown, &conversion, dates);
                    *known = next;
                }
            }
        }
    }
    let fields = names
        .unwrap_or_default()
        .iter()
        .zip(types)
        .map(|(name, t)| StructField {
            name: name.to_string(),
            data_type: if t == DataType::Null { DataType::String } else { t },
            nullable: true,
            metadata: "{}".into(),
        })
        .collect();
    Ok(Some(StructType { fields }))
}

/// Columns of the types that are tried for every column and may have a pattern.
fn tried() -> StructType {
    StructType::new(
        [DataType::Date, DataType::Timestamp, DataType::TimestampNtz]
            .map(|t| StructField::new(t.simple_string(), t, true))
            .into(),
    )
}

/// The schema of one record (schema_of_csv).
pub(crate) fn infer_record(record: &str, options: &Options, conf: &SqlConf) -> Result<StructType> {
    let format = CsvFormat::of(options)?;
    let conversion = Conversion::of(options, conf, &tried())?;
    let dates = flag(options, "preferdate", true)?;
    let fields = format.fields(record).into_iter().enumerate().map(|(i, field)| {
        let shown = field.filter(|text| !text.is_empty());
        let data_type = shown.map_or(DataType::String, |text| infer_field(&DataType::Null, &text, &conversion, dates));
        StructField::new(format!("_c{i}"), data_type, true)
    });
    Ok(StructType { fields: fields.collect() })
}

/// CSVInferSchema.inferField: the narrowest type, from the one known on, that holds the field too.
fn infer_field(known: &DataType, field: &str, conversion: &Conversion, dates: bool) -> DataType {
    let fits = |t: &DataType| conversion.value(field, t).is_some();
    let of = || {
        if fits(&DataType::Integer) {
            DataType::Integer
        } else if fits(&DataType::Long) {
            DataType::Long
        } else if let Some(decimal) = whole_decimal(field) {
            decimal
        } else if fits(&DataType::Double) {
            DataType::Double
        } else if dates && conversion.is_date(field) {
            DataType::Date
        } else if starts_as_time(field) && conversion.prefers_ntz && fits(&DataType::TimestampNtz) {
            DataType::TimestampNtz
        } else if starts_as_time(field) && fits(&DataType::Timestamp) {
            DataType::Timestamp
        } else if fits(&DataType::Boolean) {
            DataType::Boolean
        } else {
            DataType::String
        }
    };
    let found = of();
    use DataType as T;
    match (known.clone(), found) {
        (T::Null, found) => found,
        (known, found) if known == found => known,
        (T::Integer, T::Long) | (T::Long, T::Integer) => T::Long,
        (T::Integer | T::Long, d @ T::Decimal { .. }) | (d @ T::Decimal { .. }, T::Integer | T::Long) => d,
        (T::Integer | T::Long | T::Decimal { .. }, T::Double)
        | (T::Double, T::Integer | T::Long | T::Decimal { .. }) => T::Double,
        (T::Decimal { precision: a, .. }, T::Decimal { precision: b, .. }) => {
            T::Decimal { precision: a.max(b), scale: 0 }
        }
        (T::Date | T::TimestampNtz, T::Timestamp) | (T::Timestamp, T::Date | T::TimestampNtz) => T::Timestamp,
        (T::Date, T::TimestampNtz) | (T::TimestampNtz, T::Date) => T::TimestampNtz,
        _ => T::String,
    }
}

/// A whole number too large for 64 bits.
fn whole_decimal(field: &str) -> Option<DataType> {
    let digits = field.trim_start_matches(['-', '+']);
    let whole = !digits.is_empty() && digits.len() <= 38 && digits.bytes().all(|b| b.is_ascii_digit());
    whole.then(|| DataType::Decimal { precision: u8::try_from(digits.len()).unwrap_or(38), scale: 0 })
}

fn starts_as_time(field: &str) -> bool {
    field.starts_with(|c: char| c.is_ascii_digit())
}

/// `yyyy-MM-dd`, the default date pattern.
pub(super) fn is_date(field: &str) -> bool {
    let b = field.as_bytes();
    b.len() == 10 && b[4] == b'-' && b[7] == b'-' && crate::functions::cast::parse_date(field).is_some()
}
