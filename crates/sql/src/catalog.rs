//! Temp views, tables and functions of a session.

/// What a session knows by name.
#[derive(Debug, Default)]
pub struct Catalog {}
