//! Small parts that panels share.

pub mod dialog;
pub mod icon;
pub mod pointer;
pub mod table;
pub mod tabs;
pub mod tool;

pub use dialog::Dialog;
pub use icon::{Glyph, Icon};
pub use pointer::{ByPointer, by_pointers};
pub use table::VirtualTable;
pub use tool::Tool;
