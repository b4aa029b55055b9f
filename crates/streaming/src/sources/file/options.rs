//! Options of the file source (Spark's FileStreamOptions). Bad values fail when the query starts.

use indexmap::IndexMap;
use tidemark_sql::error::{ErrorClass, Result, SparkError};

use crate::sources::{ReadLimit, option, time_string_ms};

/// What happens to files that are done with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CleanSource {
    Off,
    Delete,
    /// Folder as given.
    Archive(String),
}

#[derive(Clone, Debug)]
pub(super) struct FileOptions {
    pub(super) limit: ReadLimit,
    /// ms
    pub(super) max_age_ms: i64,
    pub(super) latest_first: bool,
    pub(super) name_only: bool,
    pub(super) clean: CleanSource,
    pub(super) max_cached: usize,
    pub(super) discard_ratio: f64,
    pub(super) recursive: bool,
    pub(super) glob_filter: Option<String>,
}

fn bad(message: String) -> SparkError {
    SparkError::plain(ErrorClass::IllegalArgument, message)
}

fn flag(options: &IndexMap<String, String>, key: &str) -> Result<bool> {
    match option(options, key) {
        None => Ok(false),
        Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Some(text) => Err(bad(format!("Invalid value '{text}' for option '{key}', must be 'true' or 'false'"))),
    }
}

fn positive<T: std::str::FromStr + PartialOrd + Default>(
    options: &IndexMap<String, String>,
    key: &str,
) -> Result<Option<T>> {
    let Some(text) = option(options, key) else { return Ok(None) };
    match text.parse::<T>() {
        Ok(value) if value > T::default() => Ok(Some(value)),
        _ => Err(bad(format!("Invalid value '{text}' for option '{key}', must be a positive integer"))),
    }
}

impl FileOptions {
    pub(super) fn read(options: &IndexMap<String, String>) -> Result<Self> {
        for key in ["modifiedbefore", "modifiedafter"] {
            if option(options, key).is_some() {
                return Err(bad(format!("option '{key}' is not allowed in file stream sources")));
            }
        }
        let files = positive::<i32>(options, "maxFilesPerTrigger")?;
        let bytes = positive::<i64>(options, "maxBytesPerTrigger")?;
        let limit = match (files, bytes) {
            (Some(_), Some(_)) => {
                return Err(bad(
                    "Options 'maxFilesPerTrigger' and 'maxBytesPerTrigger' can't be both set at the same time"
                        .to_owned(),
                ));
            }
            (Some(files), None) => ReadLimit::Files(usize::try_from(files).unwrap_or(usize::MAX)),
            (None, Some(bytes)) => ReadLimit::Bytes(u64::try_from(bytes).unwrap_or(u64::MAX)),
            (None, None) => ReadLimit::All,
        };
        let max_age_ms = time_string_ms(option(options, "maxFileAge").unwrap_or("7d"), 1)?;
        let latest_first = flag(options, "latestFirst")?;
        let name_only = flag(options, "fileNameOnly")?;
        let clean = match option(options, "cleanSource") {
            None => CleanSource::Off,
            Some(mode) if mode.eq_ignore_ascii_case("off") => CleanSource::Off,
            Some(mode) if mode.eq_ignore_ascii_case("delete") => CleanSource::Delete,
            Some(mode) if mode.eq_ignore_ascii_case("archive") => match option(options, "sourceArchiveDir") {
                Some(folder) => CleanSource::Archive(folder.to_owned()),
                None => return Err(bad("Archive mode must be used with 'sourceArchiveDir' option.".to_owned())),
            },
            Some(mode) => {
                return Err(bad(format!(
                    "Invalid mode for clean source option Some({mode}). Must be one of ARCHIVE,DELETE,OFF"
                )));
            }
        };
        let max_cached = match option(options, "maxCachedFiles") {
            None => 10_000,
            Some(text) => text.parse().map_err(|_| {
                bad(format!(
                    "Invalid value '{text}' for option 'maxCachedFiles', must be an integer greater than or equal to 0"
                ))
            })?,
        };
        let discard_ratio = match option(options, "discardCachedInputRatio") {
            None => 0.2,
            Some(text) => text.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio)).ok_or_else(|| {
                bad(format!(
                    "Invalid value '{text}' for option 'discardCachedInputRatio', must be a positive float between 0 and 1"
                ))
            })?,
        };
        // Newest first with a limit would never reach files that a limit on age leaves out.
        let max_age_ms = if latest_first && limit != ReadLimit::All { i64::MAX } else { max_age_ms };
        if max_age_ms < 0 {
            // SeenFilesMap's own check.
            return Err(bad("requirement failed".to_owned()));
        }
        let recursive = option(options, "recursiveFileLookup").is_some_and(|text| text.eq_ignore_ascii_case("true"));
        let glob_filter = option(options, "pathGlobFilter").map(str::to_owned);
        Ok(Self {
            limit,
            max_age_ms,
            latest_first,
            name_only,
            clean,
            max_cached,
            discard_ratio,
            recursive,
            glob_filter,
        })
    }
}
