//! The plan as a graph: where its nodes and edges stand, and how keys go from node to node. Drawing is in `panels::plan`.

mod layout;

pub use layout::{Edge, Graph, Place, Toward, WIDTH};
