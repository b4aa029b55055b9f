//! The recipe of made-up events: how many, how fast, how much out of order, how late, how uneven. The same seed makes the
//! same events.

use crate::format::plural;
use tidemark_protocol::messages::MadeUp;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RecipeProps {
    /// Event time of the first event, ms.
    pub start_ms: i64,
    /// On the button: "Send", "Write".
    pub verb: AttrValue,
    /// Ask over how many files the events are spread.
    #[prop_or_default]
    pub files: bool,
    /// The recipe, and the number of files.
    pub onmade: Callback<(MadeUp, u32)>,
}

/// A field: its name, unit, least value, step, and what it does.
type Line = (&'static str, &'static str, &'static str, &'static str, &'static str);

const LINES: [Line; 9] = [
    ("Events", "", "1", "1", "How many"),
    ("Rate", "a second", "0.001", "any", "Events per second of event time"),
    ("Disorder", "s", "0", "any", "Each event is set back by up to this much"),
    ("Late", "%", "0", "1", "Of a hundred, so many are late"),
    ("Late by", "s", "0", "any", "How far late events are behind"),
    ("Keys", "", "1", "1", "Different keys"),
    ("Skew", "", "0", "any", "0: all keys as often; 1: the second half as often as the first, and so on"),
    ("Seed", "", "0", "1", "The same seed makes the same events; it counts on with each press"),
    ("Files", "", "1", "1", "The events are spread over so many files, in the order of arrival"),
];
const BEGIN: [&str; 9] = ["20", "1", "5", "10", "600", "4", "1", "1", "2"];
/// Index of the seed.
const SEED: usize = 7;

fn recipe(values: &[String], start_ms: i64) -> (MadeUp, u32) {
    let number = |at: usize| values.get(at).and_then(|text| text.trim().parse::<f64>().ok()).unwrap_or(0.0).max(0.0);
    let ms = |at: usize| (number(at) * 1000.0) as i64;
    let made = MadeUp {
        seed: number(SEED) as u64,
        count: number(0) as u32,
        start_ms,
        per_second: number(1),
        disorder_ms: ms(2),
        late_percent: number(3) as u32,
        late_ms: ms(4),
        keys: number(5) as u32,
        skew: number(6),
    };
    (made, number(8) as u32)
}

#[component]
pub fn Recipe(props: &RecipeProps) -> Html {
    let values = use_state(|| BEGIN.map(str::to_owned).to_vec());
    let oninput = |at: usize| {
        let values = values.clone();
        Callback::from(move |event: InputEvent| {
            let mut next = (*values).clone();
            if let (Some(slot), Some(input)) = (next.get_mut(at), event.target_dyn_into::<HtmlInputElement>()) {
                *slot = input.value();
            }
            values.set(next);
        })
    };
    let onsubmit = {
        let (values, made, start) = (values.clone(), props.onmade.clone(), props.start_ms);
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let (recipe, files) = recipe(&values, start);
            let mut next = (*values).clone();
            if let Some(seed) = next.get_mut(SEED) {
                *seed = recipe.seed.saturating_add(1).to_string();
            }
            values.set(next);
            made.emit((recipe, files));
        })
    };
    let count = recipe(&values, 0).0.count;
    let shown = if props.files { LINES.len() } else { LINES.len() - 1 };
    html! {
        <form class="event-form recipe" aria-label="Made-up events" {onsubmit}>
            <div class="fields">
                { for LINES.iter().take(shown).enumerate().map(|(at, (name, unit, least, step, what))| html! {
                    <label class="field" key={*name} title={*what}>
                        <span>{ *name }if !unit.is_empty() { <small>{ *unit }</small> }</span>
                        <input class="input mono" type="number" min={*least} step={*step} required=true
                            value={values.get(at).cloned().unwrap_or_default()} oninput={oninput(at)} />
                    </label>
                }) }
            </div>
            <div class="form-end">
                <button type="submit" class="button primary">
                    { format!("{} {}", props.verb, plural(i64::from(count), "event", "events")) }
                </button>
                <span class="hint">{ "Late rows are those behind the watermark when their batch runs." }</span>
            </div>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_become_a_recipe() {
        let (made, files) = recipe(&BEGIN.map(str::to_owned), 5);
        assert_eq!((made.count, made.disorder_ms, made.late_ms, made.seed, files), (20, 5_000, 600_000, 1, 2));
        let (made, _) = recipe(&["-3".to_owned(), "x".to_owned()], 0);
        assert_eq!((made.count, made.per_second), (0, 0.0));
    }
}
