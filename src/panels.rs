//! The page's panels.

pub mod batches;
pub mod chart;
pub mod checkpoint;
pub mod code;
pub mod compare;
pub mod console;
pub mod detail;
pub mod event;
pub mod fates;
pub mod file;
pub mod files;
pub mod kafka;
pub mod lessons;
pub mod made_up;
pub mod notices;
pub mod output;
pub mod overlays;
pub mod plan;
pub mod progress;
pub mod script;
pub mod scrubber;
pub mod session;
pub mod share;
pub mod socket;
pub mod state_store;
pub mod timeline;
pub mod times;
pub mod toolbar;

pub use files::target as files_target;
