//! The file source (Spark's FileStreamSource): files of a folder, each read once.

mod cleaner;
mod listing;
mod log;
mod options;
mod seen;

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;
use tidemark_sql::datasource::{FileStatus, relation_of_files};
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::{LogicalPlan, StreamingRelation};
use tidemark_sql::types::{StructField, StructType};
use tidemark_vfs::join;

use self::cleaner::Cleaner;
use self::listing::{Found, is_glob};
use self::log::SourceLog;
use self::options::FileOptions;
use self::seen::SeenFiles;
use super::{NextChange, ReadLimit, Source, SourceEnv};
use crate::batch::rows::local_relation;
use crate::checkpoint::parse_json;

pub(crate) use tidemark_sql::datasource::uri::{path_to_uri, uri_to_path};

pub(crate) struct FileSource {
    env: SourceEnv,
    format: String,
    /// Path as the user wrote it, and absolute; may hold a pattern.
    given: String,
    base: String,
    /// What the reader gets: keys in lower case, no path.
    reader_options: IndexMap<String, String>,
    options: FileOptions,
    cleaner: Cleaner,
    log: SourceLog,
    /// Number of the log's newest entry; -1: none.
    offset: i64,
    seen: SeenFiles,
    /// Listed but not yet read.
    unread: Vec<Found>,
    available_now: Option<Vec<Found>>,
}

impl FileSource {
    pub(crate) fn open(relation: &StreamingRelation, env: SourceEnv) -> Result<Self> {
        let options = FileOptions::read(&relation.options)?;
        let given = relation.path.clone().unwrap_or_default();
        let base = join(&env.cwd, &uri_to_path(&given));
        let cleaner = Cleaner::new(&options.clean, &base, &env)?;
        let log = SourceLog::open(&env)?;
        let mut seen = SeenFiles::new(options.max_age_ms, options.name_only);
        for entry in log.all()? {
            seen.add(&entry.path, entry.modified_ms);
        }
        seen.purge();
        let reader_options = relation
            .options
            .iter()
            .map(|(key, value)| (key.to_lowercase(), value.clone()))
            .filter(|(key, _)| key != "path")
            .collect();
        Ok(Self {
            format: relation.format.to_ascii_lowercase(),
            offset: log.latest_id().unwrap_or(-1),
            given,
            base,
            reader_options,
            options,
            cleaner,
            log,
            seen,
            unread: Vec::new(),
            available_now: None,
            env,
        })
    }

    /// Everything there is, by modification time; files of one time keep the order of their names.
    fn list(&self) -> Result<Vec<Found>> {
        let mut files = if !is_glob(&self.base) && self.env.fs.is_dir(&join(&self.base, "_spark_metadata")) {
            self.cleaner.refuse_sink_output()?;
            crate::sinks::file::sink_files(&self.env.fs, &self.base, &self.env.settings)?
                .into_iter()
                .map(|file| Found { path: file.path, len: file.len, modified_ms: file.modified_ms })
                .collect()
        } else {
            listing::list(&self.env.fs, &self.base, self.options.recursive, self.options.glob_filter.as_deref())?
        };
        files.sort_by_key(|file| file.modified_ms);
        if self.options.latest_first {
            // A stable descending sort: ties stay in listing order, as Scala's sortBy with a reversed ordering leaves them.
            files.sort_by_key(|file| std::cmp::Reverse(file.modified_ms));
        }
        Ok(files)
    }

    /// Splits off what one batch takes; the rest is kept for the next when it is worth it.
    fn take(&self, files: Vec<Found>, limit: ReadLimit) -> (Vec<Found>, Vec<Found>) {
        let cache = !self.options.latest_first && self.available_now.is_none();
        let taken = match limit {
            ReadLimit::All | ReadLimit::Rows => files.len(),
            ReadLimit::Files(limit) => files.len().min(limit),
            ReadLimit::Bytes(limit) => {
                let mut size = 0_u64;
                files
                    .iter()
                    .enumerate()
                    .take_while(|(i, file)| {
                        size = size.saturating_add(file.len);
                        *i == 0 || size <= limit
                    })
                    .count()
            }
        };
        let mut taken_files = files;
        let rest = taken_files.split_off(taken);
        let worth = match limit {
            ReadLimit::All | ReadLimit::Rows => false,
            ReadLimit::Files(limit) => rest.len() as f64 >= limit as f64 * self.options.discard_ratio,
            ReadLimit::Bytes(limit) => {
                let size: u64 = rest.iter().map(|file| file.len).sum();
                size as f64 >= limit as f64 * self.options.discard_ratio
            }
        };
        let mut rest = if cache && worth { rest } else { Vec::new() };
        rest.truncate(self.options.max_cached);
        (taken_files, rest)
    }

    fn log_offset(text: &str) -> Result<i64> {
        parse_json(text)?.get("logOffset").and_then(Value::as_i64).or_else(|| text.trim().parse().ok()).ok_or_else(
            || {
                let class = ErrorClass::Java("org.json4s.MappingException");
                let why = "Did not find value which can be converted into long";
                SparkError::plain(class, format!("No usable value for logOffset\n{why}"))
                    .with_cause(SparkError::plain(class, why))
            },
        )
    }

    /// The files as a relation with the columns of `output`; folders `key=value` below the base give columns, too.
    fn relation(&self, files: Vec<FileStatus>, output: &[Arc<Attribute>]) -> Result<LogicalPlan> {
        let mut options = self.reader_options.clone();
        if is_glob(&self.base) && !options.contains_key("basepath") {
            // Files of a pattern have no base folder but the option's: their folders give no columns.
            options.insert("recursivefilelookup".to_owned(), "true".to_owned());
        }
        let field = |a: &Arc<Attribute>| StructField::new(&*a.name, a.data_type.clone(), true);
        let schema = StructType::new(output.iter().filter(|a| !a.is_file_metadata()).map(field).collect());
        let mut made = relation_of_files(&self.env.session, &self.format, &options, &schema, &self.base, files)?;
        // The scan finds its columns by name, so their order does not matter; their ids do where rows are looked at alone.
        let conf = self.env.session.conf.borrow();
        let mut left: Vec<&Arc<Attribute>> = output.iter().collect();
        for column in &mut made.output {
            if let Some(at) = left.iter().position(|a| conf.same_name(&a.name, &column.name)) {
                *column = left.remove(at).clone();
            }
        }
        made.output.extend(output.iter().filter(|a| a.is_file_metadata()).cloned());
        Ok(LogicalPlan::FileRelation(made))
    }
}

impl Source for FileSource {
    fn description(&self) -> String {
        format!("FileStreamSource[file:{}]", self.base)
    }

    fn limit(&self) -> ReadLimit {
        self.options.limit
    }

    fn prepare_available_now(&mut self) -> Result<()> {
        self.available_now = Some(self.list()?);
        Ok(())
    }

    fn latest_offset(&mut self, _start: Option<&str>, limit: ReadLimit) -> Result<Option<String>> {
        let new = if self.unread.is_empty() {
            let all = match &self.available_now {
                Some(files) => files.clone(),
                None => self.list()?,
            };
            all.into_iter().filter(|file| self.seen.is_new(&path_to_uri(&file.path), file.modified_ms)).collect()
        } else {
            std::mem::take(&mut self.unread)
        };
        let (batch, rest) = self.take(new, limit);
        self.unread = rest;
        for file in &batch {
            self.seen.add(&path_to_uri(&file.path), file.modified_ms);
        }
        self.seen.purge();
        if !batch.is_empty() {
            self.offset += 1;
            let entries = batch.iter().map(|file| (path_to_uri(&file.path), file.modified_ms));
            if !self.log.add(self.offset, entries, self.env.clock.now_ms())? {
                return Err(crate::checkpoint::illegal_state(format!(
                    "Concurrent update to the log. Multiple streaming jobs detected for {}",
                    self.offset
                )));
            }
        }
        Ok((self.offset >= 0).then(|| format!("{{\"logOffset\":{}}}", self.offset)))
    }

    fn batch(&mut self, start: Option<&str>, end: &str, output: &[Arc<Attribute>]) -> Result<LogicalPlan> {
        let first = start.map_or(Ok(-1), Self::log_offset)? + 1;
        let last = Self::log_offset(end)?;
        let mut files = Vec::new();
        let inside = format!("{}/", self.base);
        for entry in self.log.range(first, last)? {
            let path = uri_to_path(&entry.path);
            if !is_glob(&self.base) && path != self.base && !path.starts_with(&inside) {
                return Err(SparkError::plain(
                    ErrorClass::IllegalArgument,
                    format!("Wrong basePath {} for the root path: file:{path}", self.given),
                ));
            }
            // A file that is gone by now is left out, as by Spark's file index.
            if let Ok(metadata) = self.env.fs.metadata(&path) {
                files.push(FileStatus { path, len: metadata.len, modified_ms: metadata.modified_ms });
            }
        }
        if output.is_empty() {
            // Only asked whether the files are known (a restart).
            return Ok(local_relation(&[], Vec::new()));
        }
        if !is_glob(&self.base) && self.env.fs.is_file(&self.base) {
            // The path is the batch's base path, which has to be a folder.
            return Err(SparkError::plain(ErrorClass::IllegalArgument, "Option 'basePath' must be a directory"));
        }
        self.relation(files, output)
    }

    fn is_v1(&self) -> bool {
        true
    }

    fn commit(&mut self, end: &str) -> Result<()> {
        if self.cleaner.is_off() {
            return Ok(());
        }
        let offset = Self::log_offset(end)?;
        for entry in self.log.range(offset, offset)? {
            self.cleaner.clean(&uri_to_path(&entry.path));
        }
        Ok(())
    }

    fn next_change(&self, now_ms: i64) -> NextChange {
        if self.unread.is_empty() { NextChange::WhenFilesChange } else { NextChange::At(now_ms) }
    }

    fn folder(&self) -> Option<String> {
        (!is_glob(&self.base)).then(|| self.base.clone())
    }
}
