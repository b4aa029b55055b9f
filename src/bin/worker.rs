//! The worker that hosts the engine.

fn main() {}
