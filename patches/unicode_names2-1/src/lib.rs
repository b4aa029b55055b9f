//! What RustPython's parser asks for: the character of `"\N{EM DASH}"`, by its name or another that it had.

pub use rustpython_unicode::lookup_character as character;
