//! What is refused of a scan before it runs: options of the format, and the column for malformed records.

use super::charset::Charset;
use super::json_read::corrupt_column;
use super::options::{Options, flag, text};
use super::relation::Format;
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::types::{DataType, StructType};

fn requirement(message: &str) -> SparkError {
    SparkError::plain(ErrorClass::IllegalArgument, format!("requirement failed: {message}"))
}

/// Options that CSVOptions, JSONOptionsInRead and TextOptions refuse when they are made.
pub fn check_options(format: Format, options: &Options) -> Result<()> {
    let separator = text(options, "linesep");
    if let Some(ratio) = text(options, "samplingratio")
        && matches!(format, Format::Csv | Format::Json)
        && ratio.trim().parse::<f64>().is_err()
    {
        return Err(SparkError::plain(ErrorClass::NumberFormat, format!("For input string: \"{ratio}\"")));
    }
    match format {
        Format::Csv => {
            Charset::of(options, "CSVOptions")?;
            match separator.map(|s| s.chars().count()) {
                Some(0) => Err(SparkError::new(ErrorClass::IllegalArgument, "INVALID_LINE_SEPARATOR.EMPTY", &[])),
                Some(length @ 3..) => {
                    let length = length.to_string();
                    let parameters = [("length", length.as_str())];
                    Err(SparkError::new(ErrorClass::IllegalArgument, "INVALID_LINE_SEPARATOR.TOO_LONG", &parameters))
                }
                _ => Ok(()),
            }
        }
        Format::Json => {
            if separator.is_some_and(str::is_empty) {
                return Err(requirement("'lineSep' cannot be an empty string."));
            }
            let charset = Charset::of(options, "JSONOptionsInRead")?;
            if flag(options, "multiline", false)? || charset == Charset::Utf8 {
                return Ok(());
            }
            let given = text(options, "encoding").or_else(|| text(options, "charset")).unwrap_or_default();
            if matches!(charset, Charset::Utf16 | Charset::Utf32) {
                return Err(requirement(&format!(
                    "The {given} encoding must not be included in the denyList when multiLine is disabled:\n\
                     UTF-16, UTF-32"
                )));
            }
            match separator {
                None => Err(requirement(&format!("The lineSep option must be specified for the {given} encoding"))),
                Some(_) => Ok(()),
            }
        }
        Format::Text if separator.is_some_and(str::is_empty) => {
            Err(requirement("'lineSep' cannot be an empty string."))
        }
        _ => Ok(()),
    }
}

/// Whether the schema names the column for malformed records of a format that has one.
pub fn has_corrupt_column(format: Format, options: &Options, schema: &StructType, conf: &SqlConf) -> bool {
    let name = corrupt_column(options, conf);
    matches!(format, Format::Csv | Format::Json) && schema.fields.iter().any(|f| f.name == name)
}

/// The column for malformed records: its type, and that it is not all that is asked for (ExprUtils, FileFormat.buildReader).
pub fn check_corrupt_column(
    format: Format,
    options: &Options,
    schema: &StructType,
    required: &StructType,
    conf: &SqlConf,
) -> Result<()> {
    let name = corrupt_column(options, conf);
    if !matches!(format, Format::Csv | Format::Json) {
        return Ok(());
    }
    if let Some(field) = schema.fields.iter().find(|f| f.name == name && f.data_type != DataType::String) {
        return Err(SparkError::analysis(
            "INVALID_CORRUPT_RECORD_TYPE",
            &[("columnName", &format!("`{name}`")), ("actualType", &field.data_type.quoted_sql())],
        ));
    }
    match required.fields.as_slice() {
        [only] if only.name == name => {
            Err(SparkError::analysis("UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN", &[]))
        }
        _ => Ok(()),
    }
}
