//! `_tidemark_socket`: the session's TCP ports, for our `socket` and for `tidemark.socket`.

pub(crate) use _tidemark_socket::module_def;

#[rustpython_vm::pymodule]
mod _tidemark_socket {
    use rustpython_vm::function::ArgBytesLike;
    use rustpython_vm::{PyResult, VirtualMachine};

    use crate::state::current;

    /// The port to bind to: the one asked for, or a free one for 0; None: it is taken.
    #[pyfunction]
    fn reserve(port: u16, vm: &VirtualMachine) -> PyResult<Option<u16>> {
        Ok(current(vm)?.streaming.sockets().reserve(port))
    }

    #[pyfunction]
    fn listen(port: u16, vm: &VirtualMachine) -> PyResult<()> {
        current(vm)?.streaming.sockets().listen(port);
        Ok(())
    }

    #[pyfunction]
    fn is_listening(port: u16, vm: &VirtualMachine) -> PyResult<bool> {
        Ok(current(vm)?.streaming.sockets().is_listening(port))
    }

    #[pyfunction]
    fn close(port: u16, vm: &VirtualMachine) -> PyResult<()> {
        current(vm)?.streaming.sockets().close(port);
        Ok(())
    }

    #[pyfunction]
    fn send(port: u16, bytes: ArgBytesLike, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        let now_ms = state.now_us().div_euclid(1000);
        bytes.with_ref(|bytes| state.streaming.sockets().send(port, bytes, now_ms));
        Ok(())
    }

    /// The stream's end: a line without a line break counts.
    #[pyfunction]
    fn end(port: u16, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        state.streaming.sockets().end(port, state.now_us().div_euclid(1000));
        Ok(())
    }

    /// The lines that are there, as a client reads them.
    #[pyfunction]
    fn receive(port: u16, vm: &VirtualMachine) -> PyResult<String> {
        let lines = current(vm)?.streaming.sockets().receive(port);
        Ok(lines.into_iter().map(|line| format!("{}\n", line.text)).collect())
    }
}
