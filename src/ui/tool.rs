//! A button with an icon, a name, a shortcut and a gate that says why it is closed.

use super::{Glyph, Icon};
use crate::keys::{self, Key};
use crate::page::use_page;
use crate::state::{Action, Gate};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ToolProps {
    pub glyph: Glyph,
    /// The accessible name, and the text beside the icon when `text` is set.
    pub name: AttrValue,
    #[prop_or_default]
    pub text: bool,
    /// Text beside the icon where the name is too long; the name has to begin with it.
    #[prop_or_default]
    pub short: Option<AttrValue>,
    #[prop_or_default]
    pub hint: Option<AttrValue>,
    #[prop_or_default]
    pub key_of: Option<Key>,
    #[prop_or(Gate::Open)]
    pub gate: Gate,
    #[prop_or_default]
    pub pressed: Option<bool>,
    #[prop_or_default]
    pub class: Classes,
    pub onclick: Callback<()>,
}

/// A closed gate leaves the button focusable: its reason can be read, and a press says it.
#[component]
pub fn Tool(props: &ToolProps) -> Html {
    let page = use_page();
    let closed = props.gate.reason();
    let onclick = {
        let press = props.onclick.clone();
        Callback::from(move |_: MouseEvent| match closed {
            None => press.emit(()),
            Some(reason) => page.act(Action::Say(reason.to_owned())),
        })
    };
    let hint = props.hint.clone().unwrap_or_else(|| props.name.clone());
    let keys = props.key_of.map(keys::shown).filter(|_| closed.is_none());
    let tip = match (closed, keys) {
        (Some(reason), _) => Some(format!("{}: {reason}", props.name)),
        (None, Some(keys)) => Some(format!("{hint}  ·  {keys}")),
        // The text beside the icon says it already.
        (None, None) => (!props.text || props.hint.is_some()).then(|| hint.to_string()),
    };
    html! {
        <button
            type="button"
            class={classes!("tool", props.class.clone())}
            aria-label={props.name.clone()}
            aria-disabled={closed.map(|_| "true")}
            aria-pressed={props.pressed.map(|pressed| if pressed { "true" } else { "false" })}
            aria-keyshortcuts={props.key_of.map(|key| keys::shown(key).replace("Ctrl", "Control").replace(' ', "+"))}
            data-tip={tip}
            {onclick}
        >
            <Icon glyph={props.glyph} />
            if let Some(short) = &props.short {
                <span class="tool-text">{ short.clone() }</span>
            } else if props.text {
                <span class="tool-text">{ props.name.clone() }</span>
            }
        </button>
    }
}
