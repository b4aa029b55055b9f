//! The names of Unicode's characters, once: RustPython's parser asks for version 1.3 of `unicode_names2` and its
//! `unicodedata` for 3.1, and each would bring a table of its own to the page. This is 1.3 by 3.1.

/// The character of this name, as in `"\N{EM DASH}"`; None where there is none.
#[must_use]
pub fn character(name: &str) -> Option<char> {
    newer::character(name)
}
