//! Logical to physical plans.

/// Plans one query.
pub struct Planner<'a> {
    pub ctx: &'a crate::exec::ExecContext<'a>,
}
