//! Resolved calls that rules need.

use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::Expr;
use crate::functions::registry::{Invocation, resolve};

/// `name(args)`, resolved.
pub(super) fn call(ctx: &ExecContext<'_>, name: &str, args: Vec<Expr>) -> Result<Expr> {
    resolve(
        Invocation {
            name: name.to_owned(),
            args,
            arg_names: Vec::new(),
            distinct: false,
            filter: None,
            ignore_nulls: false,
            within_group: Vec::new(),
        },
        &ctx.conf,
    )
}

/// first(arg).
pub(super) fn first(ctx: &ExecContext<'_>, arg: Expr) -> Result<Expr> {
    call(ctx, "first", vec![arg])
}
