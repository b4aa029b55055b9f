//! One lesson: load, predict, run, reveal, do the task.

use super::moves::Parts;
use super::{on, text};
use crate::page::{Page, use_page};
use crate::state::lessons::{Origin, Place, Progress};
use crate::state::{Action, LessonsAction};
use crate::ui::{Glyph, Icon};
use tidemark_lessons::{Lesson, lessons};
use tidemark_protocol::messages::Layout;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LessonProps {
    pub name: AttrValue,
}

#[component]
pub fn LessonView(props: &LessonProps) -> Html {
    let page = use_page();
    let Some(lesson) = tidemark_lessons::lesson(&props.name) else { return html! {} };
    let state = &page.app.lessons;
    let progress = state.progress(&lesson.name);
    let laid = state.is_laid(lesson);
    html! {
        <article class="lesson-text" aria-labelledby="lessons-title">
            <p class="lesson-meta">
                <button type="button" class="link" onclick={on(&page, LessonsAction::Show(Place::List))}>{ "All lessons" }</button>
                <span>{ format!("{} of {}", lesson.number, lessons().len()) }</span>
                <span class="badge" title="The release of Spark whose behaviour this lesson tells">{ format!("Spark {}", lesson.spark) }</span>
                if progress.done { <span class="mark yes"><Icon glyph={Glyph::Check} />{ "done" }</span> }
            </p>
            <h2 id="lessons-title" tabindex="-1">{ &lesson.title }</h2>
            { text::blocks(&lesson.intro) }
            <h3><span class="number">{ "1" }</span>{ "Load" }</h3>
            { load(&page, lesson, laid) }
            <h3><span class="number">{ "2" }</span>{ "Predict" }</h3>
            { text::blocks(&lesson.question.text) }
            { answers(&page, lesson, &progress) }
            <h3><span class="number">{ "3" }</span>{ "Run" }</h3>
            <Parts parts={&*lesson.run} {laid} />
            <h3><span class="number">{ "4" }</span>{ "Why" }</h3>
            { why(&page, lesson, &progress) }
            <h3><span class="number">{ "5" }</span>{ "Task" }</h3>
            <Parts parts={&*lesson.task} {laid} />
            { goals(&page, lesson, &progress, laid) }
            { solution(&page, lesson, &progress, laid) }
            { next(&page, lesson) }
        </article>
    }
}

/// What a layout brings, in words.
fn brings(layout: &Layout) -> String {
    let some = |count: usize, one: &str, many: &str| match count {
        0 => String::new(),
        1 => format!(", 1 {one}"),
        count => format!(", {count} {many}"),
    };
    let files = some(layout.files.len(), "file", "files");
    format!("A script{files}{}", some(layout.messages.len(), "message", "messages"))
}

fn load(page: &Page, lesson: &Lesson, laid: bool) -> Html {
    let gate = page.app.gates().reset;
    let origin = Origin::Lesson(lesson.name.clone());
    let modified = laid && page.app.is_modified();
    html! {
        <div class="lesson-load">
            <button type="button" class={classes!("button", (!laid).then_some("primary"))} disabled={!gate.is_open()} title={gate.reason()}
                onclick={on(page, LessonsAction::Load(origin))}>
                { if laid { "Load again" } else { "Load into the workspace" } }
            </button>
            if modified {
                <span class="tag">{ "modified" }</span>
                <button type="button" class="link" onclick={on(page, LessonsAction::ResetScript)}>{ "Reset the script to the original" }</button>
            } else if laid {
                <span class="mark yes"><Icon glyph={Glyph::Check} />{ "loaded" }</span>
            } else {
                <span class="hint">{ brings(&lesson.layout) }</span>
            }
        </div>
    }
}

fn answers(page: &Page, lesson: &Lesson, progress: &Progress) -> Html {
    let answer = |page: &Page| {
        let page = page.clone();
        move |text: String| page.act(Action::Lessons(LessonsAction::Answer(text)))
    };
    if lesson.question.free {
        let answer = answer(page);
        let oninput = Callback::from(move |event: InputEvent| {
            answer(event.target_unchecked_into::<HtmlInputElement>().value());
        });
        return html! {
            <label class="lesson-number">
                <span>{ "Your answer" }</span>
                <input class="input" type="text" inputmode="numeric" autocomplete="off" value={progress.answer.clone()} disabled={progress.revealed} {oninput} />
            </label>
        };
    }
    let choice = |at: usize, text: &String| {
        let (answer, own) = (answer(page), text.clone());
        let onchange = Callback::from(move |_: Event| answer(own.clone()));
        let id = format!("answer-{}-{at}", lesson.name);
        html! {
            <label class="choice" for={id.clone()}>
                <input type="radio" {id} name={format!("answer-{}", lesson.name)} checked={progress.answer == *text}
                    disabled={progress.revealed} {onchange} />
                <span>{ text }</span>
            </label>
        }
    };
    html! {
        <fieldset class="choices">
            <legend class="unseen">{ "Your prediction" }</legend>
            { for lesson.question.answers.iter().enumerate().map(|(at, answer)| choice(at, &answer.text)) }
        </fieldset>
    }
}

fn why(page: &Page, lesson: &Lesson, progress: &Progress) -> Html {
    let Some(right) = lesson.question.answers.iter().find(|answer| answer.right) else { return html! {} };
    let answered = !progress.answer.trim().is_empty();
    if !progress.revealed {
        return html! {
            <div class="lesson-load">
                <button type="button" class="button" disabled={!answered} onclick={on(page, LessonsAction::Reveal)}>{ "Reveal the answer" }</button>
                if !answered { <span class="hint">{ "Predict first." }</span> }
            </div>
        };
    }
    let agrees = progress.answer.trim() == right.text;
    let shown = page.app.lessons.shown.and_then(|at| lesson.question.answers.get(at));
    html! {
        <>
            <p class={classes!("verdict", if agrees { "good" } else { "other" })} role="status">
                <Icon glyph={if agrees { Glyph::Check } else { Glyph::Minus }} />
                <span>
                    <b>{ if agrees { "As you said: " } else { "Not as you said: " } }</b>{ &right.text }
                    if shown.is_some_and(|shown| shown.right) { <small>{ "Your run shows it." }</small> }
                </span>
            </p>
            { text::blocks(&lesson.why) }
        </>
    }
}

fn goals(page: &Page, lesson: &Lesson, progress: &Progress, laid: bool) -> Html {
    let met = |at: usize| laid && page.app.lessons.met.get(at) == Some(&true);
    html! {
        <>
            <ul class="goals" aria-label="Goals of the task">
                { for lesson.goals.iter().enumerate().map(|(at, goal)| html! {
                    <li class={classes!(met(at).then_some("met"))}>
                        <Icon glyph={if met(at) { Glyph::Check } else { Glyph::Open }} />
                        <span>{ &goal.text }</span>
                        <small>{ if met(at) { "done" } else { "not yet" } }</small>
                    </li>
                }) }
            </ul>
            if progress.done {
                <p class="verdict good"><Icon glyph={Glyph::Check} /><b>{ "Task done." }</b></p>
            } else if !laid {
                <p class="hint">{ "Load the lesson: the goals are checked on what runs." }</p>
            }
        </>
    }
}

fn solution(page: &Page, lesson: &'static Lesson, progress: &Progress, laid: bool) -> Html {
    if !progress.solution {
        return html! {
            <p><button type="button" class="link" onclick={on(page, LessonsAction::ShowSolution)}>{ "Show a solution" }</button></p>
        };
    }
    html! {
        <section class="lesson-solution" aria-label="A solution">
            <h4>{ "A solution" }</h4>
            <Parts parts={&*lesson.solution} {laid} />
        </section>
    }
}

fn next(page: &Page, lesson: &Lesson) -> Html {
    let (title, place) = match lesson.next() {
        Some(next) => (format!("Next: {}", next.title), Place::Lesson(next.name.clone())),
        None => ("Next: the example queries".to_owned(), Place::Gallery),
    };
    html! {
        <p class="lesson-next"><button type="button" class="button" onclick={on(page, LessonsAction::Show(place))}>{ title }</button></p>
    }
}
