//! `tidemark run SCRIPT.py`: the engine headless, on real files.

fn main() {}
