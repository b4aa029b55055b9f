//! What leaves a workspace and what comes to it, as text and bytes: links, zips, scripts for real Spark. No browser.

pub mod archive;
pub mod checkpoint;
pub mod diff;
pub mod link;
pub mod markdown;
pub mod paths;
pub mod pytest;
pub mod python;
pub mod submit;
pub mod workspace;
