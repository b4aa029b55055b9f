//! The dialogs: shortcuts, and the question before a reset.

use crate::keys::SHORTCUTS;
use crate::page::use_page;
use crate::state::{Action, Overlay};
use crate::ui::Dialog;
use yew::prelude::*;

#[component]
pub fn Overlays() -> Html {
    let page = use_page();
    match page.app.overlay {
        Some(Overlay::Shortcuts) => html! { <Shortcuts /> },
        Some(Overlay::ConfirmReset) => html! { <ConfirmReset /> },
        Some(Overlay::CrashMenu) | None => html! {},
    }
}

#[component]
fn Shortcuts() -> Html {
    let page = use_page();
    html! {
        <Dialog title="Help" onclose={page.on(Action::Show(None))}>
            <p>
                { "Everything runs in this tab: script, data and results never leave your machine. The page loads its own files, and asks no other server for anything. Files and checkpoints are kept by this browser (IndexedDB), under this address; Reset deletes them." }
            </p>
            <h3>{ "Keyboard" }</h3>
            <dl class="shortcuts">
                { for SHORTCUTS.iter().map(|entry| html! {
                    <div>
                        <dt>{ for entry.shown.split(' ').map(|part| html! { <kbd>{ part }</kbd> }) }</dt>
                        <dd>{ entry.does }</dd>
                    </div>
                }) }
                <div><dt><kbd>{ "←" }</kbd><kbd>{ "→" }</kbd></dt><dd>{ "On the strip: event by event; ↑ ↓ by batch, D to the next dropped one, Enter tells its fate" }</dd></div>
                <div><dt><kbd>{ "Esc" }</kbd><kbd>{ "Tab" }</kbd></dt><dd>{ "Leave the editor (Tab alone indents)" }</dd></div>
                <div><dt><kbd>{ "Ctrl" }</kbd><kbd>{ "Space" }</kbd></dt><dd>{ "In the script: complete a name, an option, a column" }</dd></div>
                <div><dt><kbd>{ "Alt" }</kbd><kbd>{ "H" }</kbd></dt><dd>{ "In the script: help for the name at the cursor" }</dd></div>
                <div><dt><kbd>{ "F8" }</kbd></dt><dd>{ "In the script: to the next underlined error" }</dd></div>
            </dl>
            <p class="hint">{ "On a Mac, Command works for Ctrl and Option for Alt." }</p>
        </Dialog>
    }
}

#[component]
fn ConfirmReset() -> Html {
    let page = use_page();
    let reset = {
        let page = page.clone();
        Callback::from(move |_: MouseEvent| {
            page.act(Action::Show(None));
            page.act(Action::Reset);
        })
    };
    html! {
        <Dialog title="Reset the workspace?" onclose={page.on(Action::Show(None))}>
            <p>{ "The script, all files, checkpoints and batches go; the example is laid anew. This cannot be undone." }</p>
            <div class="form-end">
                <button type="button" class="button bad" onclick={reset}>{ "Reset" }</button>
                <button type="button" class="button" onclick={page.on::<MouseEvent>(Action::Show(None))}>{ "Keep" }</button>
            </div>
        </Dialog>
    }
}
