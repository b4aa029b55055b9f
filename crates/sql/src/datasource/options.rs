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
