//! Lessons and example queries, beside the script.

pub mod gallery;
pub mod lesson;
pub mod list;
pub mod moves;
pub mod text;

use crate::page::{Page, use_page};
use crate::state::lessons::{Origin, Place};
use crate::state::{Action, LessonsAction, View};
use crate::ui::{Dialog, Glyph, Tool};
use gallery::Gallery;
use lesson::LessonView;
use list::LessonList;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

/// An action on the lessons as a callback of any event.
fn on<E>(page: &Page, action: LessonsAction) -> Callback<E> {
    page.on(Action::Lessons(action))
}

#[component]
pub fn LessonsPanel() -> Html {
    let page = use_page();
    use_address(&page);
    let lessons = &page.app.lessons;
    let place = lessons.place.clone();
    use_focus_on_title(&place);
    if !lessons.open && page.app.view != View::Lessons {
        return html! {};
    }
    let tab = |name: &'static str, target: Place, current: bool| {
        html! {
            <button type="button" aria-current={current.then_some("page")} onclick={on(&page, LessonsAction::Show(target))}>
                { name }
            </button>
        }
    };
    html! {
        <section class="pane lessons" id="pane-lessons" aria-label="Lessons">
            <header class="pane-head">
                <nav class="tabs" aria-label="Lessons and examples">
                    { tab("Lessons", Place::List, place != Place::Gallery) }
                    { tab("Examples", Place::Gallery, place == Place::Gallery) }
                </nav>
                <Tool glyph={Glyph::Close} name="Close the lessons" class="lessons-close" onclick={on(&page, LessonsAction::Toggle)} />
            </header>
            // Another place begins at its top.
            <div class="pane-body lessons-body" key={format!("{place:?}")} tabindex="-1">
                { match (&place, lessons.lesson()) {
                    (Place::Lesson(_), Some(lesson)) => html! { <LessonView name={lesson.name.clone()} /> },
                    (Place::Gallery, _) => html! { <Gallery /> },
                    _ => html! { <LessonList /> },
                } }
            </div>
            if let Some(origin) = &lessons.pending { { question(&page, origin) } }
        </section>
    }
}

/// Asked before a person's own work goes.
fn question(page: &Page, origin: &Origin) -> Html {
    html! {
        <Dialog title="Replace what you have?" onclose={on(page, LessonsAction::Confirm(false))}>
            <p>{ format!("The workspace has a script or inputs of your own. To load “{}”, the script, all files, checkpoints and batches go. This cannot be undone.", origin.title()) }</p>
            <div class="form-end">
                <button type="button" class="button bad" onclick={on::<MouseEvent>(page, LessonsAction::Confirm(true))}>{ "Replace" }</button>
                <button type="button" class="button" onclick={on::<MouseEvent>(page, LessonsAction::Confirm(false))}>{ "Keep" }</button>
            </div>
        </Dialog>
    }
}

/// Goes where the page's address says, as a link or the Back button changes it.
#[hook]
fn use_address(page: &Page) {
    let desk = page.desk.clone();
    use_effect_with((), move |()| {
        let changed = Closure::<dyn FnMut()>::new(move || {
            desk.dispatch(Action::Lessons(LessonsAction::Address(crate::browser::fragment())));
        });
        if let Some(window) = crate::browser::window() {
            let _ = window.add_event_listener_with_callback("hashchange", changed.as_ref().unchecked_ref());
        }
        move || {
            if let Some(window) = crate::browser::window() {
                let _ = window.remove_event_listener_with_callback("hashchange", changed.as_ref().unchecked_ref());
            }
        }
    });
}

/// A lesson that was opened has the focus on its title, so that a screen reader begins there.
#[hook]
fn use_focus_on_title(place: &Place) {
    let first = use_mut_ref(|| true);
    use_effect_with(place.clone(), move |_| {
        if !first.replace(false) {
            crate::browser::focus("#lessons-title");
        }
    });
}
