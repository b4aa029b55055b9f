//! Functions by name.
