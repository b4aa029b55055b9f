//! Gathers the Python modules that are frozen into the binary: our own ones under `python/`, and those modules of the
//! standard library that scripts use, taken from the `rustpython-pylib` package at build time (nothing of it is kept here).

#[path = "src/library/format.rs"]
mod format;
#[path = "build/short.rs"]
mod short;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use rustpython_compiler::core::bytecode::{CodeObject, ConstantData, PyCodeLocationInfoKind, build_no_location_mask};
use rustpython_compiler::core::frozen::FrozenCodeObject;
use rustpython_compiler::core::{marshal, varint};
use rustpython_compiler::{CompileOpts, Mode};

use format::{END, OURS, PACKAGE, SOURCE, optimization};

/// Modules of the standard library; a name that ends in `/` is a folder whose `.py` files are all taken.
/// Followed from what scripts import; a module with files or a clock behind it has a version of ours under `python/`.
const LIBRARY: &[&str] = &[
    "__future__.py",
    "_collections_abc.py",
    "_colorize.py",
    "_compat_pickle.py",
    "_opcode_metadata.py",
    "_py_abc.py",
    "_py_warnings.py",
    "_pydatetime.py",
    "_pydecimal.py",
    "_pylong.py",
    "_strptime.py",
    "_weakrefset.py",
    "abc.py",
    "annotationlib.py",
    "argparse.py",
    "ast.py",
    "base64.py",
    "bisect.py",
    "calendar.py",
    "codecs.py",
    "codeop.py",
    "collections/",
    "compression/__init__.py",
    "compression/_common/__init__.py",
    "compression/_common/_streams.py",
    "compression/zlib.py",
    "contextlib.py",
    "contextvars.py",
    "copy.py",
    "copyreg.py",
    "csv.py",
    "dataclasses.py",
    "datetime.py",
    "decimal.py",
    "difflib.py",
    "dis.py",
    "encodings/__init__.py",
    "encodings/aliases.py",
    "encodings/ascii.py",
    "encodings/latin_1.py",
    "encodings/utf_8.py",
    "enum.py",
    "fnmatch.py",
    "fractions.py",
    "functools.py",
    "genericpath.py",
    "gettext.py",
    "glob.py",
    "graphlib.py",
    "gzip.py",
    "hashlib.py",
    "heapq.py",
    "hmac.py",
    "importlib/__init__.py",
    "importlib/_abc.py",
    "importlib/abc.py",
    "importlib/machinery.py",
    "importlib/util.py",
    "inspect.py",
    "ipaddress.py",
    "json/",
    "keyword.py",
    "linecache.py",
    "locale.py",
    "logging/__init__.py",
    "ntpath.py",
    "numbers.py",
    "opcode.py",
    "operator.py",
    "pathlib/",
    "pickle.py",
    "posixpath.py",
    "pprint.py",
    "queue.py",
    "random.py",
    "re/",
    "reprlib.py",
    "secrets.py",
    "shlex.py",
    "stat.py",
    "statistics.py",
    "string/",
    "struct.py",
    "textwrap.py",
    "timeit.py",
    "token.py",
    "tokenize.py",
    "traceback.py",
    "types.py",
    "typing.py",
    "urllib/__init__.py",
    "urllib/parse.py",
    "uuid.py",
    "warnings.py",
    "weakref.py",
];

/// Modules that RustPython brings along as code, under the names it wants them by. Ours come before them, and the page does not
/// carry both: see www/unread.mjs.
const RENAMED: &[(&str, &str)] = &[
    ("_dummy_thread.py", "_thread.py"),
    ("importlib/_bootstrap.py", "_frozen_importlib.py"),
    ("importlib/_bootstrap_external.py", "_frozen_importlib_external.py"),
];

/// Lines added to a library module: the shared generator of `random` starts from the session's seed, so that a script is
/// a function of its inputs.
const APPENDED: &[(&str, &str)] = &[("random.py", "\nimport _tidemark_system\n_inst.seed(_tidemark_system.seed())\n")];

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let staged = out.join("frozen");
    if staged.exists() {
        fs::remove_dir_all(&staged)?;
    }
    let library = Path::new(rustpython_pylib::LIB_PATH);
    for name in LIBRARY {
        copy_library(library, name, &staged)?;
    }
    for (name, wanted) in RENAMED {
        write(&staged.join(wanted), &fs::read_to_string(library.join(name))?)?;
    }
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("python");
    copy_tree(&own, &staged)?;
    println!("cargo:rerun-if-changed={}", own.display());
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src/library/format.rs");

    let browser = env::var("CARGO_CFG_TARGET_ARCH")? == "wasm32";
    let mut library = Vec::new();
    for (name, (flags, path)) in modules(&staged, "", &own)? {
        let source = fs::read_to_string(&path)?;
        let code = compile(&source, &name, flags)?;
        let (kind, content) = if browser {
            let short = short::shorten(&source, flags & OURS != 0)?;
            if marshalled(&compile(&short, &name, flags)?) != marshalled(&code) {
                return Err(format!("{name} is another module once it is shortened").into());
            }
            (SOURCE, short.into_bytes())
        } else {
            (0, FrozenCodeObject::encode(&code).bytes)
        };
        library.push(flags | kind);
        library.extend(name.as_bytes());
        library.push(END);
        library.extend((content.len() as u32).to_le_bytes());
        library.extend(content);
    }
    fs::write(out.join("library.bin"), library)?;
    Ok(())
}

/// Flags and file of every module below `folder`, named as Python imports it.
fn modules(folder: &Path, parent: &str, own: &Path) -> Result<BTreeMap<String, (u8, PathBuf)>, Box<dyn Error>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = match (parent, stem.as_str()) {
            ("", stem) => stem.to_owned(),
            (parent, "__init__") => parent.to_owned(),
            (parent, stem) => format!("{parent}.{stem}"),
        };
        if path.is_dir() {
            found.extend(modules(&path, &name, &own.join(&stem))?);
            continue;
        }
        let package = if stem == "__init__" { PACKAGE } else { 0 };
        let ours = if own.join(path.file_name().unwrap_or_default()).exists() { OURS } else { 0 };
        found.insert(name, (package | ours, path));
    }
    Ok(found)
}

fn compile(source: &str, name: &str, flags: u8) -> Result<CodeObject, Box<dyn Error>> {
    let options = CompileOpts { optimize: optimization(flags), ..CompileOpts::default() };
    let mut code =
        rustpython_compiler::compile(source, Mode::Exec, name, options).map_err(|error| format!("{name}: {error}"))?;
    lines_only(&mut code);
    Ok(code)
}

fn marshalled(code: &CodeObject) -> Vec<u8> {
    let mut bytes = Vec::new();
    marshal::serialize_code(&mut bytes, code);
    bytes
}

/// Leaves the line of each instruction and drops its columns, in `code` and in what it defines: they are for marks under a
/// traceback's source, which frozen modules do not carry.
fn lines_only(code: &mut CodeObject) {
    /// Instructions that one entry of the table can stand for.
    const LONGEST: usize = 8;
    let first = code.first_line_number.map_or(0, |line| line.get() as i32);
    let places = marshal::linetable_to_locations(&code.linetable, first, code.instructions.len());
    let placeless = build_no_location_mask(&code.linetable, code.instructions.len());
    let lines: Vec<Option<i32>> = places
        .iter()
        .zip(placeless)
        .map(|((start, _), placeless)| (!placeless).then_some(start.line.get() as i32))
        .collect();
    let mut table = Vec::new();
    let mut before = first;
    for run in lines.chunk_by(|left, right| left == right).flat_map(|run| run.chunks(LONGEST)) {
        let kind = if run[0].is_some() { PyCodeLocationInfoKind::NoColumns } else { PyCodeLocationInfoKind::None };
        table.push(0x80 | (kind as u8) << 3 | (run.len() - 1) as u8);
        if let Some(line) = run[0] {
            varint::write_signed_varint(&mut table, line - before);
            before = line;
        }
    }
    code.linetable = table.into();
    for constant in code.constants.iter_mut() {
        if let ConstantData::Code { code } = constant {
            lines_only(code);
        }
    }
}

fn copy_library(library: &Path, name: &str, staged: &Path) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = name.strip_suffix('/') {
        for entry in fs::read_dir(library.join(folder))? {
            let entry = entry?.file_name();
            let file = entry.to_string_lossy();
            if file.ends_with(".py") && file != "__main__.py" && file != "tool.py" {
                copy_library(library, &format!("{folder}/{file}"), staged)?;
            }
        }
        return Ok(());
    }
    let mut text = fs::read_to_string(library.join(name)).map_err(|error| format!("{name}: {error}"))?;
    for (file, addition) in APPENDED {
        if *file == name {
            text.push_str(addition);
        }
    }
    write(&staged.join(name), &text)
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if entry.path().extension().is_some_and(|extension| extension == "py") {
            write(&target, &fs::read_to_string(entry.path())?)?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)?;
    Ok(())
}
