//! The analyzer: unresolved plans to resolved ones, and Spark's analysis errors.
