//! The Python modules that the build script gathered. Natively they are compiled already. The page gets their sources, a third
//! smaller than code once compressed, and compiles each when it is first imported.

mod format;

use std::borrow::Cow;
use std::sync::OnceLock;

use rustpython_vm::VirtualMachine;
use rustpython_vm::builtins::PyCode;
use rustpython_vm::compiler::{CompileOpts, Mode, compile};
use rustpython_vm::frozen::{FrozenCodeObject, FrozenModule};
use rustpython_vm::{PyRef, PyResult};

use self::format::{END, OURS, PACKAGE, SOURCE, optimization};

static MODULES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));

/// What the interpreter imports before a module can import anything.
const FIRST: &[&str] = &["_frozen_importlib", "_frozen_importlib_external", "_thread"];

/// Stands for a module that is not compiled yet.
const LATER: &str = "exec(__import__('_tidemark_system').library(__name__))";

struct Module {
    flags: u8,
    name: &'static str,
    content: &'static [u8],
    frozen: OnceLock<Cow<'static, [u8]>>,
}

impl Module {
    fn frozen(&self) -> FrozenCodeObject<&[u8]> {
        let bytes = self.frozen.get_or_init(|| match self.flags & SOURCE {
            0 => Cow::Borrowed(self.content),
            // The build script has compiled the same text.
            _ => Cow::Owned(freeze(&String::from_utf8_lossy(self.content), self.name, self.flags)),
        });
        FrozenCodeObject { bytes }
    }
}

/// All modules by name, as the interpreter takes them.
pub(crate) fn modules() -> impl Iterator<Item = (&'static str, FrozenModule)> {
    static STUB: OnceLock<Vec<u8>> = OnceLock::new();
    all().iter().map(|module| {
        let later = module.flags & SOURCE != 0 && !FIRST.contains(&module.name);
        let code = match later {
            true => FrozenCodeObject { bytes: STUB.get_or_init(|| freeze(LATER, "<library>", OURS)).as_slice() },
            false => module.frozen(),
        };
        (module.name, FrozenModule { code, package: module.flags & PACKAGE != 0 })
    })
}

/// The code of a module, which is compiled where that has not been done.
///
/// # Errors
/// ImportError when there is no such module.
pub(crate) fn code(name: &str, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
    let module = all().iter().find(|module| module.name == name);
    let module =
        module.ok_or_else(|| vm.new_import_error(format!("No module named '{name}'"), vm.ctx.new_utf8_str(name)))?;
    Ok(PyCode::new_ref_from_frozen(vm, module.frozen()))
}

fn all() -> &'static [Module] {
    static ALL: OnceLock<Vec<Module>> = OnceLock::new();
    ALL.get_or_init(|| stored().collect())
}

/// Code of `source` as the interpreter takes it; nothing when it does not compile.
fn freeze(source: &str, name: &str, flags: u8) -> Vec<u8> {
    let options = CompileOpts { optimize: optimization(flags), ..CompileOpts::default() };
    compile(source, Mode::Exec, name, options).map(|code| FrozenCodeObject::encode(&code).bytes).unwrap_or_default()
}

fn stored() -> impl Iterator<Item = Module> {
    let mut rest = MODULES;
    std::iter::from_fn(move || {
        let (flags, after) = rest.split_first()?;
        let (name, after) = after.split_at_checked(after.iter().position(|byte| *byte == END)?)?;
        let (length, after) = after.get(1..)?.split_first_chunk()?;
        let (content, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        rest = after;
        Some(Module { flags: *flags, name: std::str::from_utf8(name).ok()?, content, frozen: OnceLock::new() })
    })
}
