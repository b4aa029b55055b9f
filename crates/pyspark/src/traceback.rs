//! Tracebacks as CPython prints them, without the frames of our own modules.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

/// A frame of the script (or of a module beside it).
pub(crate) struct Frame {
    pub(crate) file: String,
    pub(crate) line: usize,
    function: String,
}

fn attribute(object: &PyObject, name: &'static str, vm: &VirtualMachine) -> Option<PyObjectRef> {
    object.get_attr(name, vm).ok().filter(|value| !vm.is_none(value))
}

fn text(object: &PyObject) -> String {
    object.downcast_ref::<PyStr>().map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Whether a file is the user's: the script, or a file that it imports.
fn is_users(file: &str, script: Option<&str>) -> bool {
    script == Some(file) || file.ends_with(".py") || file == "<string>"
}

/// `file:line` of the user's code that is running; empty when there is none.
pub(crate) fn call_site(vm: &VirtualMachine) -> String {
    let script = crate::state::current(vm).ok().map(|state| state.script_name());
    let mut next: Option<PyObjectRef> = vm.current_frame().map(Into::into);
    while let Some(frame) = next {
        let file = attribute(&frame, "f_code", vm).and_then(|code| attribute(&code, "co_filename", vm));
        let file = file.map(|name| text(&name)).unwrap_or_default();
        if is_users(&file, script.as_deref()) {
            let line =
                attribute(&frame, "f_lineno", vm).and_then(|line| line.try_int(vm).ok()?.try_to_primitive(vm).ok());
            return format!("{file}:{}", line.unwrap_or(0_usize));
        }
        next = attribute(&frame, "f_back", vm);
    }
    String::new()
}

/// The user's frames of an exception, outermost first. Frozen modules have no `.py` in their file name.
pub(crate) fn frames(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> Vec<Frame> {
    let script = crate::state::current(vm).ok().map(|state| state.script_name());
    let mut frames = Vec::new();
    let mut next = attribute(exception.as_object(), "__traceback__", vm);
    while let Some(trace) = next {
        let line = attribute(&trace, "tb_lineno", vm)
            .and_then(|line| line.try_int(vm).ok()?.try_to_primitive::<usize>(vm).ok())
            .unwrap_or(0);
        if let Some(code) = attribute(&trace, "tb_frame", vm).and_then(|frame| attribute(&frame, "f_code", vm)) {
            let file = attribute(&code, "co_filename", vm).map(|name| text(&name)).unwrap_or_default();
            let function = attribute(&code, "co_name", vm).map(|name| text(&name)).unwrap_or_default();
            if is_users(&file, script.as_deref()) {
                frames.push(Frame { file, line, function });
            }
        }
        next = attribute(&trace, "tb_next", vm);
    }
    frames
}

/// `Type: text` as the last line of a traceback has it; the module is named unless it is the script or builtins.
fn headline(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> String {
    let class = exception.class();
    let name =
        class.as_object().get_attr("__qualname__", vm).map_or_else(|_| class.name().to_string(), |name| text(&name));
    let module = class.as_object().get_attr("__module__", vm).map(|module| text(&module)).unwrap_or_default();
    let name = if matches!(module.as_str(), "" | "builtins" | "__main__") { name } else { format!("{module}.{name}") };
    let message = zero_division(exception, vm).unwrap_or_else(|| message(exception, vm));
    if message.is_empty() { name } else { format!("{name}: {message}") }
}

/// What Python 3.11 says of an integer division by zero, told by the line that it stands in: newer versions say the same for
/// all of `/`, `//` and `%`.
fn zero_division(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> Option<String> {
    if !exception.fast_isinstance(vm.ctx.exceptions.zero_division_error) || message(exception, vm) != "division by zero"
    {
        return None;
    }
    let line = source_line(frames(exception, vm).last()?, vm)?;
    let rest = line.replace("//", "");
    let text = match (rest.len() < line.len() || line.contains("divmod("), rest.contains('/'), rest.contains('%')) {
        (true, false, _) => "integer division or modulo by zero",
        (false, false, true) => "integer modulo by zero",
        _ => return None,
    };
    Some(text.to_owned())
}

/// str() of an exception.
pub(crate) fn message(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> String {
    match exception.as_object().str(vm) {
        Ok(text) => text.to_string_lossy().into_owned(),
        Err(_) => "<exception str() failed>".to_owned(),
    }
}

/// The line of source that a frame stands at, from the session's files or the script in hand.
fn source_line(frame: &Frame, vm: &VirtualMachine) -> Option<String> {
    let state = crate::state::current(vm).ok()?;
    let line = |source: &str| source.lines().nth(frame.line.checked_sub(1)?).map(|line| line.trim().to_owned());
    if let Some(source) = state.script_source(&frame.file) {
        return line(&source);
    }
    let path = tidemark_vfs::join(&state.sql.cwd, &frame.file);
    let content = state.sql.fs.read(&path).ok()?;
    line(std::str::from_utf8(&content).ok()?)
}

/// Where a SyntaxError points: file, line and its text, with the caret below.
fn syntax_error(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> Option<String> {
    if !exception.fast_isinstance(vm.ctx.exceptions.syntax_error) {
        return None;
    }
    let object = exception.as_object();
    let line: usize = attribute(object, "lineno", vm)?.try_int(vm).ok()?.try_to_primitive(vm).ok()?;
    let file = attribute(object, "filename", vm).map(|name| text(&name)).unwrap_or_default();
    let mut out = format!("  File \"{file}\", line {line}\n");
    if let Some(source) = attribute(object, "text", vm).map(|source| text(&source)) {
        let shown = source.trim_end_matches('\n');
        let trimmed = shown.trim_start();
        out.push_str(&format!("    {trimmed}\n"));
        let offset: usize = attribute(object, "offset", vm)
            .and_then(|offset| offset.try_int(vm).ok()?.try_to_primitive(vm).ok())
            .unwrap_or(0);
        let indent = shown.chars().count() - trimmed.chars().count();
        if offset > indent {
            out.push_str(&format!("    {}^\n", " ".repeat(offset - indent - 1)));
        }
    }
    let name = exception.class().name().to_string();
    let message = attribute(object, "msg", vm).map(|message| text(&message)).unwrap_or_default();
    out.push_str(&format!("{name}: {message}\n"));
    Some(out)
}

/// The line at which a SyntaxError, or the innermost frame of the script, stands.
pub(crate) fn line_of(exception: &PyBaseExceptionRef, file: &str, vm: &VirtualMachine) -> Option<usize> {
    if exception.fast_isinstance(vm.ctx.exceptions.syntax_error)
        && attribute(exception.as_object(), "filename", vm).is_some_and(|name| text(&name) == file)
    {
        return attribute(exception.as_object(), "lineno", vm)?.try_int(vm).ok()?.try_to_primitive(vm).ok();
    }
    frames(exception, vm).iter().rev().find(|frame| frame.file == file).map(|frame| frame.line)
}

/// The whole text, causes and contexts first, ending in a line break.
pub(crate) fn format(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> String {
    let mut out = String::new();
    chain(exception, 0, &mut out, vm);
    out
}

fn chain(exception: &PyBaseExceptionRef, depth: usize, out: &mut String, vm: &VirtualMachine) {
    let object = exception.as_object();
    let cause = attribute(object, "__cause__", vm);
    let hidden =
        attribute(object, "__suppress_context__", vm).is_some_and(|flag| flag.try_to_bool(vm).unwrap_or(false));
    let (before, link) = match cause {
        Some(cause) => (Some(cause), "The above exception was the direct cause of the following exception:"),
        None if hidden => (None, ""),
        None => {
            let link = "During handling of the above exception, another exception occurred:";
            (attribute(object, "__context__", vm), link)
        }
    };
    if depth < 16
        && let Some(before) = before.and_then(|before| before.downcast().ok())
    {
        chain(&before, depth + 1, out, vm);
        out.push_str(&format!("\n{link}\n\n"));
    }
    let frames = frames(exception, vm);
    // Also when all frames are ours and stay hidden: what reads tracebacks looks for this line.
    if attribute(object, "__traceback__", vm).is_some() || !frames.is_empty() {
        out.push_str("Traceback (most recent call last):\n");
    }
    if let Some(text) = syntax_error(exception, vm) {
        push_frames(&frames, out, vm);
        out.push_str(&text);
        return;
    }
    push_frames(&frames, out, vm);
    out.push_str(&headline(exception, vm));
    out.push('\n');
}

fn push_frames(frames: &[Frame], out: &mut String, vm: &VirtualMachine) {
    let mut repeated = 0;
    for (index, frame) in frames.iter().enumerate() {
        let same = index > 0 && {
            let last = &frames[index - 1];
            last.line == frame.line && last.file == frame.file && last.function == frame.function
        };
        repeated = if same { repeated + 1 } else { 0 };
        if repeated >= 3 {
            let ends =
                frames.get(index + 1).is_none_or(|next| next.line != frame.line || next.function != frame.function);
            if ends {
                let times = repeated - 2;
                let plural = if times == 1 { "" } else { "s" };
                out.push_str(&format!("  [Previous line repeated {times} more time{plural}]\n"));
            }
            continue;
        }
        out.push_str(&format!("  File \"{}\", line {}, in {}\n", frame.file, frame.line, frame.function));
        if let Some(line) = source_line(frame, vm).filter(|line| !line.is_empty()) {
            out.push_str(&format!("    {line}\n"));
        }
    }
}
