//! What the script and the console sink print, byte for byte.

use crate::browser::before_next_frame;
use crate::page::use_page;
use crate::state::Piece;
use std::rc::Rc;
use tidemark_protocol::messages::Stream;
use web_sys::HtmlElement;
use yew::prelude::*;

#[component]
pub fn ConsolePanel() -> Html {
    let page = use_page();
    let console = page.app.console.clone();
    let node = use_node_ref();
    let follows = use_mut_ref(|| true);
    {
        let (node, follows) = (node.clone(), follows.clone());
        let length: usize = console.iter().map(|piece| piece.text.len()).sum();
        use_effect_with(length, move |_| {
            if let Some(element) = node.cast::<HtmlElement>().filter(|_| *follows.borrow()) {
                before_next_frame(move || element.set_scroll_top(element.scroll_height()));
            }
        });
    }
    let onscroll = {
        let node = node.clone();
        Callback::from(move |_: Event| {
            if let Some(element) = node.cast::<HtmlElement>() {
                let below = element.scroll_height() - element.client_height() - element.scroll_top();
                *follows.borrow_mut() = below < 24;
            }
        })
    };
    if console.is_empty() {
        return html! {
            <p class="empty">{ "What the script and the console sink print stands here, as Spark prints it." }</p>
        };
    }
    let copy = {
        let console = console.clone();
        Callback::from(move |_: MouseEvent| crate::browser::copy(console.iter().map(|piece| &*piece.text).collect()))
    };
    html! {
        <div class="stack">
            if page.app.console_cut { <p class="hint">{ "Cut: a script has printed very much; the newest part is shown." }</p> }
            <button type="button" class="link corner" onclick={copy}>{ "Copy" }</button>
            <pre class="console" ref={node} {onscroll} tabindex="0" role="log" aria-label="Console" aria-live="off">
                { for console.iter().enumerate().map(|(at, piece)| html! { <PieceText key={at} piece={Rc::new(piece.clone())} /> }) }
            </pre>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct PieceProps {
    piece: Rc<Piece>,
}

/// One piece on its own, so that a new one does not draw the old ones again.
#[component]
fn PieceText(props: &PieceProps) -> Html {
    let class = match props.piece.stream {
        Stream::Stdout => "out",
        Stream::Stderr => "err",
    };
    html! { <span {class}>{ &*props.piece.text }</span> }
}
