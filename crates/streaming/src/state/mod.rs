//! The state store: rows of bytes by key, version after version, in Spark's files and Spark's order.

mod block_stream;
mod contents;
mod explain;
mod inspect;
mod map;
mod metadata;
mod provider;
mod records;
mod schema;
mod sorted;
mod store;
mod stores;
#[cfg(test)]
mod tests;

pub use explain::explain_file;
pub(crate) use explain::format_rows;
pub(crate) use inspect::{Step, StoreVersion};
pub use map::ConcurrentHashMap;
pub use metadata::{OperatorMetadata, StoreMetadata};
pub use provider::StoreMetrics;
pub use records::Record;
pub use schema::{StateSchema, field_of, struct_of};
pub use store::{DEFAULT_STORE, StateStore, StoreId};
pub use stores::StateStores;
pub(crate) use stores::read_metadata;
pub use tidemark_sql::unsafe_row;
