//! All lessons, with how far a person has come.

use super::on;
use crate::page::use_page;
use crate::state::LessonsAction;
use crate::state::lessons::{Place, Progress};
use crate::ui::{Glyph, Icon};
use tidemark_lessons::{Lesson, lessons};
use yew::prelude::*;

fn mark(progress: &Progress) -> Html {
    if progress.done {
        html! { <span class="mark yes"><Icon glyph={Glyph::Check} />{ "done" }</span> }
    } else if *progress != Progress::default() {
        html! { <span class="mark">{ "begun" }</span> }
    } else {
        html! {}
    }
}

#[component]
pub fn LessonList() -> Html {
    let page = use_page();
    let state = &page.app.lessons;
    let done = lessons().iter().filter(|lesson| state.progress(&lesson.name).done).count();
    let item = |lesson: &Lesson| {
        html! {
            <li key={lesson.name.clone()}>
                <button type="button" class="lesson-entry" onclick={on(&page, LessonsAction::Show(Place::Lesson(lesson.name.clone())))}>
                    <span class="number">{ lesson.number }</span>
                    <span class="name">{ &lesson.title }</span>
                    { mark(&state.progress(&lesson.name)) }
                </button>
            </li>
        }
    };
    html! {
        <div class="lesson-text">
            <h2 id="lessons-title" tabindex="-1">{ "Structured Streaming, step by step" }</h2>
            <p>{ "Each lesson has a script to load, a question to answer before you run it, and a task that checks itself on what the engine does." }</p>
            <p class="hint">{ format!("{done} of {} tasks done. Your progress is kept in this browser.", lessons().len()) }</p>
            <ol class="lesson-list">{ for lessons().iter().map(item) }</ol>
        </div>
    }
}
