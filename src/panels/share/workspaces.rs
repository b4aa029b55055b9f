//! The workspaces of this browser: which there are, what they are called, and what can be done with them.

use crate::browser::{self, WORKSPACE};
use crate::desk::lessons_of;
use crate::page::{Page, use_page};
use crate::state::Action;
use crate::storage;
use web_sys::HtmlInputElement;
use yew::prelude::*;

fn title_key(name: &str) -> String {
    format!("tidemark.title.{name}")
}

/// What the person calls a workspace; otherwise its name in the address.
fn title(name: &str) -> String {
    let own = browser::kept(&title_key(name)).filter(|title| !title.is_empty());
    own.unwrap_or_else(|| if name == WORKSPACE { "First workspace".to_owned() } else { name.to_owned() })
}

/// A title as a name for the address, unlike those there are.
fn address_name(title: &str, taken: &[String]) -> String {
    let letters: String =
        title.to_lowercase().chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    let words: Vec<&str> = letters.split('-').filter(|word| !word.is_empty()).collect();
    let base = if words.is_empty() { "workspace".to_owned() } else { words.join("-") };
    let free = |name: &String| name != WORKSPACE && !taken.contains(name);
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(free).unwrap_or(base)
}

/// What a row asks for before it does something.
#[derive(Clone, PartialEq, Eq)]
enum Asked {
    Rename(String),
    Delete(String),
    New,
}

#[component]
pub(super) fn Workspaces() -> Html {
    let page = use_page();
    let names = use_state(|| None::<Vec<String>>);
    let asked = use_state(|| None::<Asked>);
    let typed = use_node_ref();
    let read = {
        let names = names.clone();
        Callback::from(move |()| {
            let names = names.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let here = browser::workspace();
                let mut found = storage::workspaces().await.unwrap_or_default();
                // Nothing is stored of it before its first change.
                if !found.contains(&here) {
                    found.push(here);
                }
                found.sort_by_key(|name| (name != WORKSPACE, title(name).to_lowercase()));
                names.set(Some(found));
            });
        })
    };
    {
        let read = read.clone();
        use_effect_with((), move |()| read.emit(()));
    }
    {
        let typed = typed.clone();
        use_effect_with((*asked).clone(), move |asked| {
            if let Some(input) = typed.cast::<HtmlInputElement>() {
                // Set once: a value in the markup would come back over what is typed whenever the page is drawn again.
                input.set_value(&if let Some(Asked::Rename(name)) = asked { title(name) } else { String::new() });
                let _ = input.focus();
                input.select();
            }
        });
    }
    let Some(known) = (*names).clone() else { return html! {} };
    let ask = |what: Option<Asked>| {
        let asked = asked.clone();
        Callback::from(move |_: MouseEvent| asked.set(what.clone()))
    };
    let named = {
        let (asked, typed, read, known) = (asked.clone(), typed.clone(), read.clone(), known.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let text =
                typed.cast::<HtmlInputElement>().map_or_else(String::new, |input| input.value().trim().to_owned());
            match &*asked {
                Some(Asked::Rename(name)) => {
                    browser::keep(&title_key(name), &text);
                    asked.set(None);
                    read.emit(());
                }
                Some(Asked::New) if !text.is_empty() => {
                    let name = address_name(&text, &known);
                    browser::keep(&title_key(&name), &text);
                    browser::go(&browser::workspace_address(&name));
                }
                _ => {}
            }
        })
    };
    let delete = |name: &str| {
        let (page, asked, read, name) = (page.clone(), asked.clone(), read.clone(), name.to_owned());
        Callback::from(move |_: MouseEvent| {
            asked.set(None);
            remove(page.clone(), read.clone(), name.clone());
        })
    };
    let form = |label: &str, act: &'static str| {
        html! {
            <form class="workspace-name" onsubmit={named.clone()}>
                <input class="input" ref={typed.clone()} maxlength="60" aria-label={label.to_owned()} />
                <button type="submit" class="button primary">{ act }</button>
                <button type="button" class="button" onclick={ask(None)}>{ "Cancel" }</button>
            </form>
        }
    };
    let here = browser::workspace();
    let row = |name: &String| {
        let shown = title(name);
        let inner = match &*asked {
            Some(Asked::Rename(other)) if other == name => form(&format!("New name of {shown}"), "Rename"),
            Some(Asked::Delete(other)) if other == name => html! {
                <>
                    <span class="workspace-title">{ format!("Delete {shown} with all its files and checkpoints?") }</span>
                    <button type="button" class="button bad" onclick={delete(name)}>{ "Delete" }</button>
                    <button type="button" class="button" onclick={ask(None)}>{ "Keep" }</button>
                </>
            },
            _ => html! {
                <>
                    if *name == here {
                        <span class="workspace-title"><b>{ &shown }</b>{ " " }<span class="soft">{ "open here" }</span></span>
                    } else {
                        <a class="workspace-title" href={browser::workspace_address(name)}>{ &shown }</a>
                    }
                    <button type="button" class="link" aria-label={format!("Rename {shown}")} onclick={ask(Some(Asked::Rename(name.clone())))}>{ "Rename" }</button>
                    if *name != here {
                        <button type="button" class="link" aria-label={format!("Delete {shown}")} onclick={ask(Some(Asked::Delete(name.clone())))}>{ "Delete" }</button>
                    }
                </>
            },
        };
        html! { <li key={name.clone()}>{ inner }</li> }
    };
    html! {
        <section aria-labelledby="share-workspaces">
            <h3 id="share-workspaces">{ "Workspaces in this browser" }</h3>
            <ul class="workspaces">{ for known.iter().map(row) }</ul>
            if *asked == Some(Asked::New) {
                { form("Name of the new workspace", "Create") }
            } else {
                <div class="form-end"><button type="button" class="button" onclick={ask(Some(Asked::New))}>{ "New workspace…" }</button></div>
            }
        </section>
    }
}

/// Deletes a workspace and what is kept beside it, and reads the list again.
fn remove(page: Page, read: Callback<()>, name: String) {
    wasm_bindgen_futures::spawn_local(async move {
        let shown = title(&name);
        match storage::delete_workspace(&name).await {
            Ok(true) => {
                browser::forget(&title_key(&name));
                browser::forget(&lessons_of(&name));
                page.act(Action::Say(format!("{shown} is deleted")));
            }
            Ok(false) => page.act(Action::Tell(format!("{shown} is open in another tab: close that first."))),
            Err(error) => page.act(Action::Tell(format!("{shown} cannot be deleted: {error}"))),
        }
        read.emit(());
    });
}

#[cfg(test)]
mod tests {
    use super::address_name;

    #[test]
    fn a_title_becomes_a_name_that_is_free() {
        let taken = ["late-data".to_owned()];
        assert_eq!(address_name("Late data!", &taken), "late-data-2");
        assert_eq!(address_name("Ümläute & Co", &[]), "ml-ute-co");
        assert_eq!(address_name("…", &[]), "workspace");
        assert_eq!(address_name("Default", &[]), "default-2");
    }
}
