//! The logs of a checkpoint, in Spark's files and formats: `metadata`, `offsets/N`, `commits/N`, `sources/I/N`.
//!
//! A log refuses what it cannot read with Spark's text and never deletes or repairs anything.

mod commit_log;
mod compact;
mod json_error;
mod metadata;
mod metadata_log;
mod offset_log;

pub(crate) use commit_log::CommitLog;
pub(crate) use compact::{CompactSettings, CompactibleLog};
pub(crate) use json_error::parse_json;
pub(crate) use metadata::query_id;
pub(crate) use metadata_log::{MetadataLog, check_version, fs_error, illegal_state};
pub(crate) use offset_log::{LOGGED_CONF, OffsetEntry, OffsetLog};
