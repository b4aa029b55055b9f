//! The example that a new workspace opens on, built in as it stands in `examples/`.

use crate::messages::{LaidFile, Layout};

const SCRIPT: &str = include_str!("../../examples/windowed_totals/script.py");

macro_rules! event_files {
    ($($name:literal),* $(,)?) => {
        [$((
            concat!("data/stream_in/", $name),
            include_str!(concat!("../../examples/windowed_totals/stream_in/", $name)),
        )),*]
    };
}

/// Path below the working directory, and content, in the order of their arrival.
const FILES: [(&str, &str); 4] =
    event_files!("1-morning.json", "2-next-minute.json", "3-moving-on.json", "4-closing.json");

/// What a new workspace opens on.
pub fn opening_example() -> Layout {
    let file = |(path, content): (&str, &str)| LaidFile { path: path.to_owned(), content: content.into() };
    Layout { script: SCRIPT.to_owned(), files: FILES.into_iter().map(file).collect(), messages: Vec::new() }
}
