//! The Python modules that the build script gathered. Natively they are compiled already. The page gets their sources, a third
//! smaller than code once compressed, and compiles them when its first interpreter is made.

mod format;

use rustpython_vm::frozen::{FrozenCodeObject, FrozenModule};

use self::format::{END, PACKAGE};

static MODULES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));

/// All modules by name, as the interpreter takes them.
pub(crate) fn modules() -> impl Iterator<Item = (&'static str, FrozenModule)> {
    contents::frozen().map(|(flags, name, bytes)| {
        (name, FrozenModule { code: FrozenCodeObject { bytes }, package: flags & PACKAGE != 0 })
    })
}

/// Flags, name and content of each module.
fn stored() -> impl Iterator<Item = (u8, &'static str, &'static [u8])> {
    let mut rest = MODULES;
    std::iter::from_fn(move || {
        let (flags, after) = rest.split_first()?;
        let (name, after) = after.split_at_checked(after.iter().position(|byte| *byte == END)?)?;
        let (length, after) = after.get(1..)?.split_first_chunk()?;
        let (content, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        rest = after;
        Some((*flags, std::str::from_utf8(name).ok()?, content))
    })
}

#[cfg(not(target_arch = "wasm32"))]
mod contents {
    pub(super) use super::stored as frozen;
}

#[cfg(target_arch = "wasm32")]
mod contents {
    use std::sync::OnceLock;

    use rustpython_vm::compiler::{CompileOpts, Mode, compile};
    use rustpython_vm::frozen::FrozenCodeObject;

    use super::format::optimization;

    /// The modules with their code in place of their sources.
    pub(super) fn frozen() -> impl Iterator<Item = (u8, &'static str, &'static [u8])> {
        static FROZEN: OnceLock<Vec<(u8, &str, Vec<u8>)>> = OnceLock::new();
        let frozen = FROZEN.get_or_init(|| {
            let compiled = super::stored().filter_map(|(flags, name, source)| {
                let options = CompileOpts { optimize: optimization(flags), ..CompileOpts::default() };
                // The build script has compiled the same text.
                let code = compile(std::str::from_utf8(source).ok()?, Mode::Exec, name, options).ok()?;
                Some((flags, name, FrozenCodeObject::encode(&code).bytes))
            });
            compiled.collect()
        });
        frozen.iter().map(|(flags, name, bytes)| (*flags, *name, bytes.as_slice()))
    }
}
