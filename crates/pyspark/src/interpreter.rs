//! Builds the interpreter: native modules, frozen modules, and the bootstrap that puts ours in their places.

use rustpython_vm::{Interpreter, Settings};

/// Native library modules that scripts may import. Others of rustpython-stdlib stay unknown: what touches the host
/// (sockets, processes) or has a version of ours (`_datetime`: its clock is the host's; the pure one asks our `time`).
const NATIVE: &[&str] = &[
    "_bisect",
    "_blake2",
    "_contextvars",
    "_csv",
    "_hashlib",
    "_heapq",
    "_json",
    "_md5",
    "_opcode",
    "_pickle",
    "_queue",
    "_random",
    "_sha1",
    "_sha2",
    "_sha3",
    "_statistics",
    "_struct",
    "_suggestions",
    "_tokenize",
    "_zoneinfo",
    "array",
    "binascii",
    "cmath",
    "math",
    "unicodedata",
    "zlib",
];

/// A new interpreter with nothing of a session in it yet.
pub(crate) fn build() -> Interpreter {
    let mut settings = Settings::default();
    settings.install_signal_handlers = false;
    settings.hash_seed = Some(0);
    settings.import_site = false;
    settings.write_bytecode = false;
    let builder = Interpreter::builder(settings);
    let library: Vec<_> = rustpython_stdlib::stdlib_module_defs(&builder.ctx)
        .into_iter()
        .filter(|definition| NATIVE.contains(&definition.name.as_str()))
        .collect();
    let own = crate::native::module_defs(&builder.ctx);
    builder.add_native_modules(&library).add_native_modules(&own).add_frozen_modules(crate::library::modules()).build()
}
