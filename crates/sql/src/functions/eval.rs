//! Evaluates bound expressions over batches.
