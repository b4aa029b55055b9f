//! The worker that hosts the engine.

fn main() {
    tidemark::host::start();
}
