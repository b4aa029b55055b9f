//! How rows are shown: show(), the console sink.
