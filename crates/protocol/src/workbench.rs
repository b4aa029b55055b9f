//! A session that answers commands: script, queries, files, and the reports the page shows.

/// One workspace at work.
pub struct Workbench {}
