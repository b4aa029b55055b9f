//! How the build script stores a module: a byte of flags, its name, [`END`], the length of its content in four bytes
//! (little endian), its content.

/// The module is a package.
pub(crate) const PACKAGE: u8 = 1;

/// The module is ours: its docstrings and asserts stay.
pub(crate) const OURS: u8 = 2;

/// The content is the module's source; otherwise it is frozen code.
pub(crate) const SOURCE: u8 = 4;

/// Ends a name.
pub(crate) const END: u8 = 0xFF;

/// Python's level of optimisation: 2 leaves docstrings and asserts out.
pub(crate) fn optimization(flags: u8) -> u8 {
    if flags & OURS != 0 { 0 } else { 2 }
}
