//! A modal dialog on the browser's own element: focus stays in it, Escape closes it.

use super::{Glyph, Tool};
use web_sys::HtmlDialogElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DialogProps {
    pub title: AttrValue,
    pub onclose: Callback<()>,
    #[prop_or_default]
    pub class: Classes,
    pub children: Html,
}

/// Open as long as it is drawn.
#[component]
pub fn Dialog(props: &DialogProps) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            if let Some(dialog) = node.cast::<HtmlDialogElement>() {
                let _ = dialog.show_modal();
            }
        });
    }
    let onclose = props.onclose.reform(|_: Event| ());
    html! {
        <dialog ref={node} class={classes!("dialog", props.class.clone())} aria-label={props.title.clone()} {onclose}>
            <header class="dialog-head">
                <h2>{ props.title.clone() }</h2>
                <Tool glyph={Glyph::Close} name="Close" onclick={props.onclose.clone()} />
            </header>
            <div class="dialog-body">{ props.children.clone() }</div>
        </dialog>
    }
}
