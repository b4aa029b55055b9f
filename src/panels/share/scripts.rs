//! The scripts of the workspace: which one is shown, and what can be done with it.

use crate::keys::Key;
use crate::page::{Page, use_page};
use crate::state::Action;
use crate::state::scripts::{ScriptsAction, ScriptsDialog};
use crate::ui::{Dialog, Glyph, Tool};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// In the script's header.
#[component]
pub fn ScriptBar() -> Html {
    let page = use_page();
    let scripts = &page.app.scripts;
    // A script that runs keeps the engine from answering.
    let gate = page.app.gates().reset;
    let onchange = {
        let page = page.clone();
        Callback::from(move |event: Event| {
            let value = event.target_dyn_into::<HtmlSelectElement>().map_or_else(String::new, |select| select.value());
            page.act(Action::Scripts(ScriptsAction::Open(value)));
        })
    };
    let show = |dialog: ScriptsDialog| page.on(Action::Scripts(ScriptsAction::Show(Some(dialog))));
    if scripts.names.is_empty() {
        return html! {};
    }
    html! {
        <div class="script-bar">
            <select aria-label="Script shown" {onchange} disabled={!gate.is_open()}>
                { for scripts.names.iter().map(|name| html! {
                    <option value={name.clone()} selected={*name == scripts.current}>{ name }</option>
                }) }
            </select>
            <Tool glyph={Glyph::Add} name="New script" {gate} onclick={show(ScriptsDialog::New)} />
            <Tool glyph={Glyph::Rename} name="Rename script" {gate} onclick={show(ScriptsDialog::Rename)} />
            if scripts.names.len() > 1 {
                <Tool glyph={Glyph::Delete} name="Delete script" {gate} onclick={show(ScriptsDialog::Delete)} />
            }
            <Tool glyph={Glyph::History} name="Runs so far" key_of={Key::History}
                hint="Former runs: how they ended, and their text" onclick={show(ScriptsDialog::History)} />
        </div>
    }
}

fn closing(page: &Page) -> Callback<()> {
    page.on(Action::Scripts(ScriptsAction::Show(None)))
}

/// A name to type, and what is done with it.
#[derive(Properties, PartialEq)]
struct NameProps {
    title: AttrValue,
    name: AttrValue,
    act: AttrValue,
    onname: Callback<String>,
    #[prop_or_default]
    children: Html,
}

#[component]
fn NameDialog(props: &NameProps) -> Html {
    let page = use_page();
    let name = use_state(|| props.name.to_string());
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                let _ = input.focus();
                input.select();
            }
        });
    }
    let oninput = {
        let name = name.clone();
        Callback::from(move |event: InputEvent| {
            name.set(event.target_dyn_into::<HtmlInputElement>().map_or_else(String::new, |input| input.value()));
        })
    };
    let typed = name.trim();
    let full = if typed.ends_with(".py") { typed.to_owned() } else { format!("{typed}.py") };
    let scripts = &page.app.scripts;
    let taken = full != props.name.as_str() && scripts.names.contains(&full);
    let bad = typed.is_empty() || typed.contains(['/', '\\']);
    let onsubmit = {
        let (onname, name) = (props.onname.clone(), name.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if !taken && !bad {
                onname.emit((*name).clone());
            }
        })
    };
    html! {
        <Dialog title={props.title.clone()} onclose={closing(&page)}>
            <form class="stack-form" {onsubmit}>
                <label class="field">
                    <span>{ "Name" }</span>
                    <input class="input mono" ref={node} value={(*name).clone()} {oninput} maxlength="80" />
                </label>
                if taken { <p class="hint warn" role="alert">{ format!("There is a script {full} already.") }</p> }
                if bad && !typed.is_empty() { <p class="hint warn" role="alert">{ "A name has no slashes." }</p> }
                { props.children.clone() }
                <div class="form-end">
                    <button type="submit" class="button primary" disabled={taken || bad}>{ props.act.clone() }</button>
                    <button type="button" class="button" onclick={closing(&page).reform(|_: MouseEvent| ())}>{ "Cancel" }</button>
                </div>
            </form>
        </Dialog>
    }
}

#[component]
pub(super) fn NewScript() -> Html {
    let page = use_page();
    let copy = use_state(|| false);
    let names = &page.app.scripts.names;
    let unused =
        (2..).map(|number| format!("script{number}.py")).find(|name| !names.contains(name)).unwrap_or_default();
    let onname = {
        let (page, copy) = (page.clone(), *copy);
        Callback::from(move |name| page.act(Action::Scripts(ScriptsAction::New { name, copy })))
    };
    let onchange = {
        let copy = copy.clone();
        Callback::from(move |event: Event| {
            copy.set(event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked()));
        })
    };
    html! {
        <NameDialog title="New script" name={unused} act="Create" {onname}>
            <label class="check">
                <input type="checkbox" checked={*copy} {onchange} />
                { format!("Begin with the text of {}", page.app.scripts.current) }
            </label>
        </NameDialog>
    }
}

#[component]
pub(super) fn RenameScript() -> Html {
    let page = use_page();
    let onname = {
        let page = page.clone();
        Callback::from(move |name| page.act(Action::Scripts(ScriptsAction::Rename(name))))
    };
    html! { <NameDialog title="Rename script" name={page.app.scripts.current.clone()} act="Rename" {onname} /> }
}

#[component]
pub(super) fn DeleteScript() -> Html {
    let page = use_page();
    let name = &page.app.scripts.current;
    html! {
        <Dialog title={format!("Delete {name}?")} onclose={closing(&page)}>
            <p>{ "Its text goes; files and checkpoints stay. The texts of its runs stay in the history." }</p>
            <div class="form-end">
                <button type="button" class="button bad" onclick={page.on::<MouseEvent>(Action::Scripts(ScriptsAction::Delete))}>{ "Delete" }</button>
                <button type="button" class="button" onclick={closing(&page).reform(|_: MouseEvent| ())}>{ "Keep" }</button>
            </div>
        </Dialog>
    }
}
