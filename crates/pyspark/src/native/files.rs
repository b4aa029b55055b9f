//! `_tidemark_files`: the session's file system for our `os`, `open`, `shutil` and `tempfile`.

pub(crate) use _tidemark_files::module_def;

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{AsObject, PyResult, VirtualMachine};
use tidemark_vfs::{FsError, FsErrorKind};

/// The OSError (of the right subclass) for a failure of the file system.
fn os_error(error: &FsError, shown: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let (errno, text) = match error.kind {
        FsErrorKind::NotFound => (2, "No such file or directory"),
        FsErrorKind::AlreadyExists => (17, "File exists"),
        FsErrorKind::NotADirectory => (20, "Not a directory"),
        FsErrorKind::IsADirectory => (21, "Is a directory"),
        FsErrorKind::NotEmpty => (39, "Directory not empty"),
        FsErrorKind::PermissionDenied => (13, "Permission denied"),
        FsErrorKind::Full => (28, "No space left on device"),
        FsErrorKind::Other => (5, "Input/output error"),
    };
    let arguments = vec![vm.ctx.new_int(errno).into(), text.to_pyobject(vm), shown.to_pyobject(vm)];
    let class = vm.ctx.exceptions.os_error.to_owned();
    match class.as_object().call(arguments, vm).map(|object| object.downcast()) {
        Ok(Ok(exception)) => exception,
        Ok(Err(_)) => vm.new_os_error(text),
        Err(exception) => exception,
    }
}

fn checked<T>(result: tidemark_vfs::FsResult<T>, shown: &str, vm: &VirtualMachine) -> PyResult<T> {
    result.map_err(|error| os_error(&error, shown, vm))
}

#[rustpython_vm::pymodule]
mod _tidemark_files {
    use rustpython_vm::function::ArgBytesLike;
    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
    use tidemark_vfs::join;

    use super::checked;
    use crate::state::{State, current};

    fn absolute(state: &State, path: &str) -> String {
        join(&state.sql.cwd, path)
    }

    fn now_ms(state: &State) -> i64 {
        state.now_us().div_euclid(1000)
    }

    #[pyfunction]
    fn cwd(vm: &VirtualMachine) -> PyResult<String> {
        Ok(current(vm)?.sql.cwd.clone())
    }

    #[pyfunction]
    fn read(path: String, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let state = current(vm)?;
        let content = checked(state.sql.fs.read(&absolute(&state, &path)), &path, vm)?;
        Ok(vm.ctx.new_bytes(content.as_ref().clone()).into())
    }

    #[pyfunction]
    fn write(path: String, content: ArgBytesLike, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        let at = absolute(&state, &path);
        let result = content.with_ref(|bytes| state.sql.fs.write(&at, bytes, now_ms(&state)));
        checked(result, &path, vm)
    }

    #[pyfunction]
    fn append(path: String, content: ArgBytesLike, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        let at = absolute(&state, &path);
        let result = content.with_ref(|bytes| state.sql.fs.append(&at, bytes, now_ms(&state)));
        checked(result, &path, vm)
    }

    #[pyfunction]
    fn mkdir(path: String, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        checked(state.sql.fs.create_dir(&absolute(&state, &path), now_ms(&state)), &path, vm)
    }

    /// Names and whether each is a folder, sorted by name.
    #[pyfunction]
    fn list(path: String, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let state = current(vm)?;
        let entries = checked(state.sql.fs.list(&absolute(&state, &path)), &path, vm)?;
        let rows = entries
            .into_iter()
            .map(|entry| {
                let name = vm.ctx.new_str(entry.name).into();
                vm.ctx.new_tuple(vec![name, vm.ctx.new_bool(entry.metadata.is_dir).into()]).into()
            })
            .collect();
        Ok(vm.ctx.new_list(rows).into())
    }

    /// (is folder, bytes, modification time in ms).
    #[pyfunction]
    fn stat(path: String, vm: &VirtualMachine) -> PyResult<(bool, u64, i64)> {
        let state = current(vm)?;
        let found = checked(state.sql.fs.metadata(&absolute(&state, &path)), &path, vm)?;
        Ok((found.is_dir, found.len, found.modified_ms))
    }

    #[pyfunction]
    fn rename(from: String, to: String, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        checked(state.sql.fs.rename(&absolute(&state, &from), &absolute(&state, &to)), &from, vm)
    }

    #[pyfunction]
    fn remove(path: String, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        checked(state.sql.fs.remove_file(&absolute(&state, &path)), &path, vm)
    }

    #[pyfunction]
    fn rmdir(path: String, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        checked(state.sql.fs.remove_dir(&absolute(&state, &path)), &path, vm)
    }

    #[pyfunction]
    fn rmtree(path: String, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        checked(state.sql.fs.remove_dir_all(&absolute(&state, &path)), &path, vm)
    }

    #[pyfunction]
    fn set_modified(path: String, modified_ms: i64, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        checked(state.sql.fs.set_modified(&absolute(&state, &path), modified_ms), &path, vm)
    }
}
