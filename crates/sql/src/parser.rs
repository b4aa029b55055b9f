//! SQL text to unresolved plans and expressions.
