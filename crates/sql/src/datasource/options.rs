//! Reading options: keys in lower case, values as text, Spark's errors for values that do not fit.

use indexmap::IndexMap;

use crate::error::{ErrorClass, Result, SparkError};

/// Options with keys in lower case.
pub type Options = IndexMap<String, String>;

/// `options` with its keys in lower case; a later key wins.
pub fn lower_keys(options: &Options) -> Options {
    options.iter().map(|(k, v)| (k.to_lowercase(), v.clone())).collect()
}

/// A boolean option, as `String.toBoolean` reads it.
pub fn flag(options: &Options, key: &str, default: bool) -> Result<bool> {
    match options.get(key) {
        None => Ok(default),
        Some(v) if v.eq_ignore_ascii_case("true") => Ok(true),
        Some(v) if v.eq_ignore_ascii_case("false") => Ok(false),
        Some(v) => Err(SparkError::plain(ErrorClass::IllegalArgument, format!("For input string: \"{v}\""))),
    }
}

/// Name of the codec that a text format reads or writes with (CompressionCodecs.getCodecClassName); None: no compression.
pub fn codec(options: &Options) -> Result<Option<String>> {
    let Some(given) = options.get("compression").or_else(|| options.get("codec")) else { return Ok(None) };
    match given.to_lowercase().as_str() {
        "none" | "uncompressed" => Ok(None),
        known @ ("gzip" | "bzip2" | "deflate" | "snappy" | "lz4") => Ok(Some(known.to_owned())),
        _ => Err(SparkError::new(
            ErrorClass::IllegalArgument,
            "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
            &[("codecName", given), ("availableCodecs", "bzip2, deflate, uncompressed, snappy, none, lz4, gzip")],
        )),
    }
}

pub fn text<'a>(options: &'a Options, key: &str) -> Option<&'a str> {
    options.get(key).map(String::as_str)
}

/// Milliseconds of a "time string" ("7d", "10m"), Spark's JavaUtils.timeStringAs; a bare number counts `unit_ms`.
pub fn time_string_ms(text: &str, unit_ms: i64) -> Result<i64> {
    let lower = text.trim().to_lowercase();
    let digits_end = lower
        .char_indices()
        .find(|(i, c)| !(c.is_ascii_digit() || (*i == 0 && *c == '-')))
        .map_or(lower.len(), |(i, _)| i);
    let (number, suffix) = lower.split_at(digits_end);
    let factor_us = match suffix {
        "" => Some(unit_ms * 1000),
        "us" => Some(1),
        "ms" => Some(1000),
        "s" => Some(1_000_000),
        "m" | "min" => Some(60_000_000),
        "h" => Some(3_600_000_000),
        "d" => Some(86_400_000_000),
        _ => None,
    };
    match (number.parse::<i64>(), factor_us) {
        (Ok(number), Some(factor)) => Ok(number.saturating_mul(factor) / 1000),
        (number, factor) => {
            let detail = if number.is_ok() && factor.is_none() {
                format!("Invalid suffix: \"{suffix}\"")
            } else {
                format!("Failed to parse time string: {lower}")
            };
            Err(SparkError::plain(
                ErrorClass::NumberFormat,
                format!(
                    "Time must be specified as seconds (s), milliseconds (ms), microseconds (us), minutes (m or min), \
                     hour (h), or day (d). E.g. 50s, 100ms, or 250us.\n{detail}"
                ),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_strings() {
        assert_eq!(time_string_ms("7d", 1).ok(), Some(604_800_000));
        assert_eq!(time_string_ms("10min", 1).ok(), Some(600_000));
        assert_eq!(time_string_ms("250", 1).ok(), Some(250));
        assert_eq!(time_string_ms("5", 1000).ok(), Some(5000));
        assert!(time_string_ms("old", 1).is_err());
    }
}
