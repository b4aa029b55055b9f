//! Spark SQL as the playground needs it: types, expressions, functions, SQL text, logical plans, the analyzer,
//! and vectorised execution on Arrow, with Apache Spark 4.3.0's semantics and row order.
//!
//! Must not: read a clock, do I/O other than through `tidemark_vfs::FileSystem`, know of streaming queries
//! (the streaming crate adds its own operators through [`exec::PlannerExtension`]) or of Python (user functions come
//! in through [`expr::UdfHost`]).

pub mod analyzer;
pub mod catalog;
pub mod certain;
pub mod conf;
pub mod connector;
pub mod dataframe;
pub mod datasource;
pub mod display;
pub mod error;
pub mod exec;
pub mod explain;
pub mod expr;
pub mod functions;
pub mod optimizer;
pub mod parser;
pub mod plan;
pub mod planner;
pub mod python;
pub mod python_source;
pub mod session;
pub mod state_reader;
pub mod types;
pub mod unsafe_row;
pub mod value;

pub use error::{Result, SparkError};
