//! The examples that a workspace can be laid from: a script and its event files, built in as they stand in `examples/`.

use tidemark_vfs::{FsResult, MemoryFs};

use super::files;

/// One example.
pub(super) struct Example {
    pub(super) name: &'static str,
    pub(super) script: &'static str,
    /// Path below the working directory, and content, in the order of their arrival.
    files: &'static [(&'static str, &'static str)],
}

macro_rules! event_files {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$((
            concat!("data/stream_in/", $name),
            include_str!(concat!("../../examples/", $folder, "/stream_in/", $name)),
        )),*]
    };
}

/// The first one is what a new workspace opens on.
const EXAMPLES: [Example; 1] = [Example {
    name: "windowed_totals",
    script: include_str!("../../examples/windowed_totals/script.py"),
    files: event_files!(
        "windowed_totals": "1-morning.json", "2-next-minute.json", "3-moving-on.json", "4-closing.json"
    ),
}];

/// By name; None: the first one.
pub(super) fn find(name: Option<&str>) -> Option<&'static Example> {
    EXAMPLES.iter().find(|example| name.is_none_or(|name| name == example.name))
}

impl Example {
    /// Writes the files; each is a millisecond younger than the one before it, the last is there since `now_ms`.
    pub(super) fn lay(&self, fs: &MemoryFs, cwd: &str, now_ms: i64) -> FsResult<()> {
        let count = i64::try_from(self.files.len()).unwrap_or(0);
        for ((path, content), age) in self.files.iter().zip((0..count).rev()) {
            files::write(fs, &format!("{cwd}/{path}"), content.as_bytes(), now_ms - age)?;
        }
        Ok(())
    }
}
