//! The part of Markdown that lessons use, as plain data: the page makes its own elements of it, never HTML.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Heading(String),
    Paragraph(Vec<Inline>),
    List {
        ordered: bool,
        items: Vec<Vec<Inline>>,
    },
    Table {
        head: Vec<Vec<Inline>>,
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A fenced block: the words after the fence, and the text without the last line's end.
    Code {
        info: String,
        text: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    Text(String),
    Strong(String),
    Emphasis(String),
    Code(String),
    Link { text: String, to: String },
}

/// What the parser is inside of.
#[derive(Default)]
struct Builder {
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    items: Vec<Vec<Inline>>,
    rows: Vec<Vec<Vec<Inline>>>,
    head: Vec<Vec<Inline>>,
    style: Vec<Style>,
    code: Option<(String, String)>,
}

enum Style {
    Strong,
    Emphasis,
    Link(String),
}

/// The blocks of a text. Raw HTML and pictures are no part of a lesson: what they would show is left out.
pub(crate) fn parse(text: &str) -> Vec<Block> {
    let mut builder = Builder::default();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        builder.take(event);
    }
    builder.blocks
}

impl Builder {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(text) => self.inlines.push(Inline::Code(text.into_string())),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let new = match self.style.last() {
            None => match self.inlines.last_mut() {
                Some(Inline::Text(before)) => return before.push_str(text),
                _ => Inline::Text(text.to_owned()),
            },
            Some(Style::Strong) => Inline::Strong(text.to_owned()),
            Some(Style::Emphasis) => Inline::Emphasis(text.to_owned()),
            Some(Style::Link(to)) => Inline::Link { text: text.to_owned(), to: to.clone() },
        };
        self.inlines.push(new);
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((info, String::new()));
            }
            Tag::Strong => self.style.push(Style::Strong),
            Tag::Emphasis => self.style.push(Style::Emphasis),
            Tag::Link { dest_url, .. } => self.style.push(Style::Link(dest_url.into_string())),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                let text = plain(&std::mem::take(&mut self.inlines));
                self.blocks.push(Block::Heading(text));
            }
            TagEnd::Paragraph => {
                // A paragraph inside a list item belongs to the item.
                if !self.inlines.is_empty() && self.items.is_empty() {
                    self.blocks.push(Block::Paragraph(std::mem::take(&mut self.inlines)));
                }
            }
            TagEnd::Item => self.items.push(std::mem::take(&mut self.inlines)),
            TagEnd::List(ordered) => {
                self.blocks.push(Block::List { ordered, items: std::mem::take(&mut self.items) });
            }
            TagEnd::TableCell => self.head.push(std::mem::take(&mut self.inlines)),
            TagEnd::TableHead | TagEnd::TableRow => self.rows.push(std::mem::take(&mut self.head)),
            TagEnd::Table => {
                let mut rows = std::mem::take(&mut self.rows).into_iter();
                let head = rows.next().unwrap_or_default();
                self.blocks.push(Block::Table { head, rows: rows.collect() });
            }
            TagEnd::CodeBlock => {
                if let Some((info, text)) = self.code.take() {
                    self.blocks.push(Block::Code { info, text: text.trim_end_matches('\n').to_owned() });
                }
            }
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link => drop(self.style.pop()),
            _ => {}
        }
    }
}

/// The text alone.
pub(crate) fn plain(inlines: &[Inline]) -> String {
    inlines
        .iter()
        .map(|inline| match inline {
            Inline::Text(text) | Inline::Strong(text) | Inline::Emphasis(text) | Inline::Code(text) => text.as_str(),
            Inline::Link { text, .. } => text.as_str(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_blocks_and_html_in_it_becomes_nothing() {
        let blocks = parse(
            "One `two` **three**\nfour. <b onclick='x'>\n\n- a\n- [b](#lesson=c)\n\n```json x.json\n{}\n```\n\n| A | B |\n|--|--|\n| 1 | `2` |\n\n## Why\n",
        );
        let text = |text: &str| Inline::Text(text.to_owned());
        let link = Inline::Link { text: "b".to_owned(), to: "#lesson=c".to_owned() };
        assert_eq!(
            blocks,
            [
                Block::Paragraph(vec![
                    text("One "),
                    Inline::Code("two".to_owned()),
                    text(" "),
                    Inline::Strong("three".to_owned()),
                    text(" four. "),
                ]),
                Block::List { ordered: false, items: vec![vec![text("a")], vec![link]] },
                Block::Code { info: "json x.json".to_owned(), text: "{}".to_owned() },
                Block::Table {
                    head: vec![vec![text("A")], vec![text("B")]],
                    rows: vec![vec![vec![text("1")], vec![Inline::Code("2".to_owned())]]],
                },
                Block::Heading("Why".to_owned()),
            ]
        );
    }
}
