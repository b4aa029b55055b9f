//! The example queries, by theme.

use super::on;
use crate::page::use_page;
use crate::state::LessonsAction;
use crate::state::lessons::Origin;
use tidemark_lessons::{Example, gallery};
use yew::prelude::*;

#[component]
pub fn Gallery() -> Html {
    let page = use_page();
    let gate = page.app.gates().reset;
    let laid = page.app.lessons.laid.clone();
    let item = |example: &Example| {
        let origin = Origin::Example(example.name.clone());
        let here = laid.as_ref() == Some(&origin);
        html! {
            <li class="example" key={example.name.clone()} aria-current={here.then_some("true")}>
                <div>
                    <h4>{ &example.title }</h4>
                    <p>{ &example.about }</p>
                </div>
                <button type="button" class="button" aria-label={format!("Load {}", example.title)} disabled={!gate.is_open()}
                    title={gate.reason()} onclick={on(&page, LessonsAction::Load(origin))}>
                    { if here { "Load again" } else { "Load" } }
                </button>
            </li>
        }
    };
    let themes = gallery().chunk_by(|one, next| one.theme == next.theme);
    html! {
        <div class="lesson-text">
            <h2 id="lessons-title" tabindex="-1">{ "Example queries" }</h2>
            <p>{ "Small scripts with inputs that show one thing each. Load one, step through it, change it." }</p>
            { for themes.filter_map(|theme| Some((theme.first()?.theme.clone(), theme))).map(|(name, examples)| html! {
                <section aria-label={format!("Examples: {name}")}>
                    <h3>{ name }</h3>
                    <ul class="examples">{ for examples.iter().map(item) }</ul>
                </section>
            }) }
        </div>
    }
}
