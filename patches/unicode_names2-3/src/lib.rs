//! What `rustpython-unicode` asks for.

pub use tidemark_unicode_names::{character, name};
