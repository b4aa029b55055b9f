//! cleanSource: what happens to files whose batch is done (FileStreamSourceCleaner).

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_vfs::{SharedFs, join, parent};

use super::options::CleanSource;
use crate::clock::VirtualClock;
use crate::sources::SourceEnv;
use std::rc::Rc;

pub(super) struct Cleaner {
    fs: SharedFs,
    clock: Rc<VirtualClock>,
    mode: CleanSource,
}

impl Cleaner {
    pub(super) fn new(mode: &CleanSource, source: &str, env: &SourceEnv) -> Result<Self> {
        let mode = match mode {
            CleanSource::Archive(folder) => {
                let folder = join(&env.cwd, &super::uri_to_path(folder));
                if overlaps(source, &folder) {
                    return Err(SparkError::plain(
                        ErrorClass::IllegalArgument,
                        "requirement failed: Base archive path cannot be set to the path where archived path can possibly \
                         match with source pattern. Ensure the base archive path doesn't match with source pattern in \
                         depth, where the depth is minimum of depth on both paths.",
                    ));
                }
                CleanSource::Archive(folder)
            }
            other => other.clone(),
        };
        Ok(Self { fs: env.fs.clone(), clock: env.clock.clone(), mode })
    }

    pub(super) fn is_off(&self) -> bool {
        self.mode == CleanSource::Off
    }

    /// The output of a file sink is not cleaned: its log would name files that are gone.
    pub(super) fn refuse_sink_output(&self) -> Result<()> {
        if self.is_off() {
            return Ok(());
        }
        Err(SparkError::new(ErrorClass::UnsupportedOperation, "_LEGACY_ERROR_TEMP_2231", &[]))
    }

    /// Best effort, as in Spark: a file that cannot be moved or removed stays.
    pub(super) fn clean(&self, path: &str) {
        match &self.mode {
            CleanSource::Off => {}
            CleanSource::Delete => {
                let _ = self.fs.remove_file(path);
            }
            CleanSource::Archive(folder) => {
                let target = format!("{}{path}", folder.trim_end_matches('/'));
                if let Some(parent) = parent(&target) {
                    let _ = self.fs.create_dir_all(parent, self.clock.now_ms());
                }
                let _ = self.fs.rename(path, &target);
            }
        }
    }
}

/// Whether the paths agree as far as the shorter one goes.
fn overlaps(source: &str, archive: &str) -> bool {
    let parts = |path: &str| path.split('/').filter(|p| !p.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    parts(source).iter().zip(parts(archive).iter()).all(|(a, b)| a == b)
}
