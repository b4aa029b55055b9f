//! One file per batch in a folder (Spark's HDFSMetadataLog).

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_vfs::{FsError, FsErrorKind, SharedFs};

/// java.lang.IllegalStateException.
pub(crate) fn illegal_state(message: impl Into<String>) -> SparkError {
    SparkError::plain(ErrorClass::Java("java.lang.IllegalStateException"), message)
}

/// A failed file operation, as the JVM's exceptions name it.
pub(crate) fn fs_error(error: &FsError) -> SparkError {
    let class = match error.kind {
        FsErrorKind::NotFound => "java.io.FileNotFoundException",
        FsErrorKind::AlreadyExists => "org.apache.hadoop.fs.FileAlreadyExistsException",
        FsErrorKind::NotADirectory => "org.apache.hadoop.fs.ParentNotDirectoryException",
        _ => "java.io.IOException",
    };
    SparkError::plain(ErrorClass::Java(class), error.to_string())
}

/// A folder of numbered files.
#[derive(Clone)]
pub(crate) struct MetadataLog {
    fs: SharedFs,
    /// Absolute folder.
    folder: String,
}

impl MetadataLog {
    /// Makes the folder if it is missing.
    pub(crate) fn open(fs: SharedFs, folder: String, now_ms: i64) -> Result<Self> {
        fs.create_dir_all(&folder, now_ms).map_err(|e| fs_error(&e))?;
        Ok(Self { fs, folder })
    }

    /// A log that is only read; its folder may be missing.
    pub(crate) fn existing(fs: SharedFs, folder: String) -> Self {
        Self { fs, folder }
    }

    pub(crate) fn path(&self, file: &str) -> String {
        format!("{}/{file}", self.folder)
    }

    /// Names in the folder, in no order that matters.
    pub(crate) fn names(&self) -> Vec<String> {
        self.fs.list(&self.folder).map_or_else(
            |_| Vec::new(),
            |entries| entries.into_iter().filter(|e| !e.metadata.is_dir).map(|e| e.name).collect(),
        )
    }

    /// Batch ids of plainly numbered files, ascending.
    pub(crate) fn batch_ids(&self) -> Vec<i64> {
        let mut ids: Vec<i64> = self.names().iter().filter_map(|name| name.parse().ok()).collect();
        ids.sort_unstable();
        ids
    }

    /// The text of a file; None where there is none.
    pub(crate) fn read(&self, file: &str) -> Result<Option<String>> {
        match self.fs.read(&self.path(file)) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(e) if e.kind == FsErrorKind::NotFound => Ok(None),
            Err(e) => Err(fs_error(&e)),
        }
    }

    /// Reads a file with `parse`; an IllegalStateException from it gets the file's name in front.
    pub(crate) fn get<T>(&self, file: &str, parse: impl FnOnce(&str) -> Result<T>) -> Result<Option<T>> {
        let Some(text) = self.read(file)? else { return Ok(None) };
        parse(&text).map(Some).map_err(|error| {
            if error.java_class.as_deref() == Some(ILLEGAL_STATE) || error.class == ErrorClass::Java(ILLEGAL_STATE) {
                illegal_state(format!("Failed to read log file file:{}. {error}", self.path(file)))
            } else {
                error
            }
        })
    }

    /// Writes a file unless it is there already; false: it was.
    pub(crate) fn add(&self, file: &str, text: &str, now_ms: i64) -> Result<bool> {
        let path = self.path(file);
        if self.fs.exists(&path) {
            return Ok(false);
        }
        // As CheckpointFileManager: the file appears whole or not at all.
        let temporary = self.path(&format!(".{file}.tmp"));
        self.fs.write(&temporary, text.as_bytes(), now_ms).map_err(|e| fs_error(&e))?;
        self.fs.rename(&temporary, &path).map_err(|e| fs_error(&e))?;
        Ok(true)
    }

    pub(crate) fn remove(&self, file: &str) {
        // Purging is best effort in Spark, too: a file that stays does no harm.
        let _ = self.fs.remove_file(&self.path(file));
    }

    pub(crate) fn modified_ms(&self, file: &str) -> Option<i64> {
        self.fs.metadata(&self.path(file)).ok().map(|m| m.modified_ms)
    }

    /// Removes the entries before batch `threshold`.
    pub(crate) fn purge(&self, threshold: i64) {
        for id in self.batch_ids() {
            if id < threshold {
                self.remove(&id.to_string());
            }
        }
    }
}

const ILLEGAL_STATE: &str = "java.lang.IllegalStateException";

/// Checks a version line ("v1") against the newest version that is read (MetadataVersionUtil.validateVersion).
pub(crate) fn check_version(line: &str, newest: u32) -> Result<u32> {
    let version = line.strip_prefix('v').and_then(|digits| digits.parse::<u32>().ok()).filter(|version| *version > 0);
    let error = match version {
        Some(version) if version <= newest => return Ok(version),
        Some(version) => SparkError::new(
            ErrorClass::Spark,
            "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
            &[("maxSupportedVersion", &newest.to_string()), ("version", &version.to_string())],
        ),
        None => SparkError::new(ErrorClass::Spark, "MALFORMED_LOG_FILE", &[("text", line)]),
    };
    // SparkIllegalStateException: the log puts the file's name in front of it.
    Err(SparkError { java_class: Some(ILLEGAL_STATE.to_owned()), ..error })
}

/// Lines as Java's readers cut them.
pub(crate) fn lines(text: &str) -> std::str::Lines<'_> {
    text.lines()
}
