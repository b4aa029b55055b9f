//! The exactly-once account: what the sink got of the batch that a crash cut off.

use crate::page::use_page;
use crate::state::{Action, ReplayAction, point_name};
use crate::ui::{Glyph, Tool};
use tidemark_protocol::messages::Attempt;
use yew::prelude::*;

/// What came of a batch in the sink's eyes, and why.
pub(super) fn conclusion(attempts: &[Attempt]) -> String {
    let sink = attempts.first().map_or("", |attempt| attempt.sink.as_str());
    let given = attempts.iter().filter(|attempt| attempt.delivered).count();
    let took: Vec<i64> = attempts.iter().filter_map(|attempt| attempt.rows).collect();
    match (given, took.len()) {
        (_, 0) => "The sink was given no rows.".to_owned(),
        (1, 1) => "Once: nothing is lost, nothing is doubled.".to_owned(),
        (_, 1) => {
            "Once: the sink's own log (_spark_metadata) has the batch, so it left it out the second time.".to_owned()
        }
        _ => match sink {
            "memory" => "The first table went with its driver. The new one has the batch once; rows of earlier batches are lost with the old table."
                .to_owned(),
            "console" => "Doubled: a console cannot take back what it has printed.".to_owned(),
            "foreachBatch" => {
                "The function was called twice with the same batch id: writing by that id makes it exactly once."
                    .to_owned()
            }
            "foreach" => "Given twice with the same epoch id: open() may return False for one that is done.".to_owned(),
            "kafka" => "Doubled: Kafka has the records of both attempts.".to_owned(),
            "noop" => "Given twice; this sink keeps nothing.".to_owned(),
            _ => "Given twice: at least once, not exactly once.".to_owned(),
        },
    }
}

#[component]
pub(super) fn AccountCard() -> Html {
    let page = use_page();
    let Some(attempts) = page.main.replay.account.clone() else { return html! {} };
    let Some(first) = attempts.first() else { return html! {} };
    let before = attempts.first().map_or(0, |attempt| attempt.run);
    html! {
        <section class="account" aria-label="Exactly-once account">
            <header>
                <h3>{ format!("Batch {} and the {} sink", first.batch, first.sink) }</h3>
                <Tool glyph={Glyph::Close} name="Close" onclick={page.on(Action::Replay(ReplayAction::CloseAccount))} />
            </header>
            <table class="grid">
                <thead><tr>
                    <th scope="col">{ "Attempt" }</th><th scope="col" class="num">{ "Rows taken" }</th><th scope="col">{ "Then" }</th>
                </tr></thead>
                <tbody>
                    { for attempts.iter().map(|attempt| html! {
                        <tr>
                            <td>{ if attempt.run == before { "before the crash" } else { "after the restart" } }</td>
                            <td class="num">{ match (attempt.delivered, attempt.rows) {
                                (false, _) => "not reached".to_owned(),
                                (true, None) => "left out".to_owned(),
                                (true, Some(rows)) => rows.to_string(),
                            } }</td>
                            <td>{ attempt.crashed.map_or_else(|| "committed".to_owned(), |point| format!("crashed {}", point_name(Some(point)))) }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
            <p class="verdict-line">{ conclusion(&attempts) }</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempts(sink: &str, rows: [Option<i64>; 2]) -> Vec<Attempt> {
        let one = |(run, rows): (u64, Option<i64>)| Attempt {
            query: "q".to_owned(),
            sink: sink.to_owned(),
            batch: 1,
            run,
            rows,
            crashed: None,
            delivered: true,
        };
        [(1, rows[0]), (2, rows[1])].map(one).to_vec()
    }

    #[test]
    fn each_sink_has_its_own_account() {
        assert!(conclusion(&attempts("console", [Some(3), Some(3)])).starts_with("Doubled"));
        assert!(conclusion(&attempts("parquet", [Some(3), None])).starts_with("Once: the sink's own log"));
        assert!(conclusion(&attempts("foreachBatch", [Some(3), Some(3)])).contains("same batch id"));
        let mut lost = attempts("console", [None, Some(3)]);
        lost[0].delivered = false;
        assert!(conclusion(&lost).starts_with("Once: nothing"));
    }
}
