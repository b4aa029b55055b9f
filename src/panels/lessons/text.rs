//! Markdown as the page's own elements: nothing of a text is ever read as HTML.

use tidemark_lessons::{Block, Inline};
use yew::prelude::*;

pub fn blocks(blocks: &[Block]) -> Html {
    blocks.iter().map(block).collect()
}

pub fn block(block: &Block) -> Html {
    match block {
        Block::Heading(text) => html! { <h4>{ text }</h4> },
        Block::Paragraph(text) => html! { <p>{ inlines(text) }</p> },
        Block::List { ordered: true, items } => {
            html! { <ol class="steps">{ for items.iter().map(|item| html! { <li>{ inlines(item) }</li> }) }</ol> }
        }
        Block::List { ordered: false, items } => {
            html! { <ul class="points">{ for items.iter().map(|item| html! { <li>{ inlines(item) }</li> }) }</ul> }
        }
        Block::Table { head, rows } => html! {
            <table class="grid lesson-table">
                <thead><tr>{ for head.iter().map(|cell| html! { <th scope="col">{ inlines(cell) }</th> }) }</tr></thead>
                <tbody>
                    { for rows.iter().map(|row| html! {
                        <tr>{ for row.iter().map(|cell| html! { <td>{ inlines(cell) }</td> }) }</tr>
                    }) }
                </tbody>
            </table>
        },
        Block::Code { text, .. } => html! { <pre class="lesson-code" tabindex="0">{ text }</pre> },
    }
}

fn inlines(inlines: &[Inline]) -> Html {
    let one = |inline: &Inline| match inline {
        Inline::Text(text) => html! { { text } },
        Inline::Strong(text) => html! { <b>{ text }</b> },
        Inline::Emphasis(text) => html! { <em>{ text }</em> },
        Inline::Code(text) => html! { <code>{ text }</code> },
        // Only places in this page.
        Inline::Link { text, to } if to.starts_with('#') => html! { <a href={to.clone()}>{ text }</a> },
        Inline::Link { text, .. } => html! { { text } },
    };
    inlines.iter().map(one).collect()
}
