//! The recorded cases of tests/conformance on this engine: what a script printed here against what it printed in Spark.
//!
//! A case passes when its normalised output equals the recording byte for byte. `passing/FOLDER.txt` lists the cases
//! that pass, so that they cannot break again; the tutorial folder is listed whole.

mod case;
mod diff;
#[cfg(not(target_arch = "wasm32"))]
pub mod fuzz;
mod normalise;
mod passing;
mod rehearsals;
#[cfg(not(target_arch = "wasm32"))]
mod replays;
mod run;
#[cfg(not(target_arch = "wasm32"))]
mod witness;

pub use case::{Case, Embedded, cases_root};
#[cfg(not(target_arch = "wasm32"))]
pub use case::{all, folder_names, select};
pub use diff::{first_difference, unified};
pub use normalise::normalise;
pub use passing::Passing;
pub use rehearsals::{REHEARSALS, rehearsal_named};
#[cfg(not(target_arch = "wasm32"))]
pub use rehearsals::{is_streaming, known_differences};
#[cfg(not(target_arch = "wasm32"))]
pub use replays::{go_back, go_back_guarded};
pub use run::{Printed, run};
#[cfg(not(target_arch = "wasm32"))]
pub use run::{run_guarded, run_witnessed};

/// The working directory of every case. As long as the recorder's own was, so that tables that hold paths have the same widths.
pub const CWD: &str = "/home/learners/conformance/cwd";

/// Master of the recordings, on which partition counts hang.
pub const MASTER: &str = "local[2]";
