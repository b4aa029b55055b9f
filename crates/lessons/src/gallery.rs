//! The example queries: each a script whose front comment says what it shows and what it reads.
//!
//! ```text
//! # Title
//! # One sentence.
//! # theme: Windows
//! # data/stream_in/1.json
//! #   {"user": "ana"}
//! # kafka events key=ana
//! #   {"user": "ana"}
//! ```
//! Title and sentence stay on top of the script that the editor shows.

use std::sync::OnceLock;

use tidemark_protocol::messages::Layout;

use crate::moves::{self, Move};
use crate::sources;

#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// As links name it.
    pub name: String,
    pub title: String,
    /// One sentence.
    pub about: String,
    pub theme: String,
    pub layout: Layout,
}

/// All examples; those of one theme are neighbours.
pub fn gallery() -> &'static [Example] {
    static GALLERY: OnceLock<Vec<Example>> = OnceLock::new();
    GALLERY.get_or_init(|| sources::GALLERY.iter().filter_map(|(file, text)| Example::parse(file, text).ok()).collect())
}

pub fn example(name: &str) -> Option<&'static Example> {
    gallery().iter().find(|example| example.name == name)
}

impl Example {
    pub(crate) fn parse(file: &str, text: &str) -> Result<Example, String> {
        let name = file.strip_suffix(".py").unwrap_or(file).to_owned();
        let end = text.find("\n\n").ok_or("the front comment ends with an empty line")?;
        let (front, script) = text.split_at(end);
        let mut lines = front.lines().map(|line| line.strip_prefix('#').unwrap_or_default());
        let mut line = || lines.next().map(str::trim).filter(|line| !line.is_empty()).ok_or("title, sentence, theme");
        let (title, about, theme) = (line()?.to_owned(), line()?.to_owned(), line()?);
        let theme = theme.strip_prefix("theme:").ok_or("the third line names the theme")?.trim().to_owned();
        let mut layout =
            Layout { script: format!("# {title}\n# {about}\n{}", script.trim_start()), ..Layout::default() };
        let mut block: Option<(String, Vec<&str>)> = None;
        for line in lines {
            match (line.strip_prefix("   "), &mut block) {
                (Some(content), Some((_, content_of_block))) => content_of_block.push(content),
                (Some(content), None) => return Err(format!("a line of no file: {content}")),
                (None, _) => {
                    lay(block.take(), &mut layout)?;
                    block = Some((line.trim().to_owned(), Vec::new()));
                }
            }
        }
        lay(block, &mut layout)?;
        Ok(Example { name, title, about, theme, layout })
    }
}

fn lay(block: Option<(String, Vec<&str>)>, layout: &mut Layout) -> Result<(), String> {
    let Some((head, lines)) = block else { return Ok(()) };
    let info = if head.starts_with("kafka ") { head } else { format!("file {head}") };
    for one in moves::of_block(&info, &lines.join("\n"))?.ok_or_else(|| format!("neither file nor topic: {info}"))? {
        match one {
            Move::File(file) => layout.files.push(file),
            Move::Message(message) => layout.messages.push(message),
            other => return Err(format!("no input: {other:?}")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_can_be_read_and_themes_stand_together() {
        let mut themes: Vec<String> = Vec::new();
        for (file, text) in sources::GALLERY {
            let example = Example::parse(file, text).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(
                !example.layout.files.is_empty() || !example.layout.messages.is_empty() || text.contains("\"rate"),
                "{file}"
            );
            assert!(example.about.ends_with('.'), "{file}");
            if themes.last() != Some(&example.theme) {
                assert!(!themes.contains(&example.theme), "{file}");
                themes.push(example.theme);
            }
        }
        assert!(gallery().len() >= 20);
    }

    #[test]
    fn a_front_comment_carries_the_inputs() {
        let text = "# T\n# S.\n# theme: Files\n# data/in/1.json\n#   {\"a\": 1}\n#   {}\n# kafka events key=k\n#   v\n\nprint(1)\n";
        let example = Example::parse("t.py", text).unwrap();
        assert_eq!(example.layout.script, "# T\n# S.\nprint(1)\n");
        assert_eq!(example.layout.files[0].content, b"{\"a\": 1}\n{}\n");
        assert_eq!(example.layout.messages[0].message.key.as_deref(), Some("k"));
        assert!(Example::parse("t.py", "# T\n# S.\n\n").is_err());
    }
}
