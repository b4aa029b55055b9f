//! The native modules under the `pyspark` package and under our `os`, `time` and `open`: thin calls into the engine.

pub(crate) mod catalog;
pub(crate) mod conf;
pub(crate) mod expr;
pub(crate) mod files;
pub(crate) mod frame;
pub(crate) mod kafka;
pub(crate) mod processor;
pub(crate) mod socket;
pub(crate) mod stream;
pub(crate) mod system;

use rustpython_vm::Context;
use rustpython_vm::builtins::PyModuleDef;

pub(crate) fn module_defs(ctx: &Context) -> Vec<&'static PyModuleDef> {
    vec![
        catalog::module_def(ctx),
        conf::module_def(ctx),
        expr::module_def(ctx),
        files::module_def(ctx),
        frame::module_def(ctx),
        kafka::module_def(ctx),
        socket::module_def(ctx),
        processor::module_def(ctx),
        stream::module_def(ctx),
        system::module_def(ctx),
    ]
}
