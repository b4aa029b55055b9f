//! The rows of state, a table a section, each row with what the batch did to it.

use crate::format::count;
use crate::page::{Page, use_page};
use crate::state::{Action, FatesAction};
use std::rc::Rc;
use tidemark_protocol::messages::{Pick, RowMark, StateReport, StateRow, StateSection};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RowsProps {
    pub report: Rc<StateReport>,
}

#[component]
pub fn Rows(props: &RowsProps) -> Html {
    let page = use_page();
    let report = &props.report;
    html! {
        { for report.sections.iter().enumerate().map(|(at, section)| {
            let rows: Vec<&StateRow> = report.rows.iter().filter(|row| row.section == at).collect();
            html! {
                <div class="state-section" role="group" key={at} aria-label={title(section)}>
                    { head(section, report.batch) }
                    if rows.is_empty() {
                        <p class="empty">{ none(report, section) }</p>
                    } else {
                        { table(&page, report, section, &rows) }
                    }
                </div>
            }
        }) }
    }
}

fn several_partitions(report: &StateReport) -> bool {
    report.rows.first().is_some_and(|first| report.rows.iter().any(|row| row.partition != first.partition))
}

fn title(section: &StateSection) -> String {
    if section.name.is_empty() { "Rows of the state".to_owned() } else { format!("State of the {} side", section.name) }
}

fn none(report: &StateReport, section: &StateSection) -> &'static str {
    if !report.request.filter.is_empty() {
        "No row holds this text."
    } else if report.request.changes_only {
        "The batch changed nothing here."
    } else if section.held > 0 || report.request.offset > 0 {
        "None on this page."
    } else {
        "Nothing is held: no row has come, or all of it was evicted."
    }
}

/// What is held, what the batch did, and how rows leave.
fn head(section: &StateSection, batch: i64) -> Html {
    let figure = |sign: &'static str, number: usize, name: &'static str| {
        html! { <span class={classes!("change", name)}>{ format!("{sign}{} {name}", count(number as i64)) }</span> }
    };
    html! {
        <header class="state-head">
            if !section.name.is_empty() { <h3>{ format!("{} side", section.name) }</h3> }
            <span>{ format!("{} held", count(section.held as i64)) }</span>
            if section.compared {
                { figure("+", section.added, "added") }
                { figure("~", section.changed, "changed") }
                { figure("−", section.removed, "removed") }
            } else {
                <span class="soft">{ format!("what batch {batch} changed is not known: the version before is gone") }</span>
            }
            <p class={classes!("rule", section.unbounded.then_some("warn"))}>
                if section.unbounded { <b>{ "Unbounded: " }</b> }
                { &section.rule }
            </p>
        </header>
    }
}

/// Sign and word of a mark; the sign stands in the table.
fn mark(mark: &RowMark) -> (&'static str, &'static str) {
    match mark {
        RowMark::Held => ("", ""),
        RowMark::Added => ("+", "added"),
        RowMark::Changed(_) => ("~", "changed"),
        RowMark::Removed => ("−", "removed"),
    }
}

fn cell(class: &'static str, value: &Option<String>, before: Option<&Option<String>>) -> Html {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "NULL".to_owned());
    let class = classes!(class, value.is_none().then_some("null"));
    match before.filter(|before| *before != value) {
        Some(before) => html! {
            <td class={classes!(class, "changed")}><del>{ text(before) }</del><span class="arrow" aria-hidden="true">{ " → " }</span><ins>{ text(value) }</ins></td>
        },
        None => html! { <td {class}>{ text(value) }</td> },
    }
}

fn row(page: &Page, operator: usize, row: &StateRow, partitions: bool) -> Html {
    let (sign, word) = mark(&row.mark);
    let before = match &row.mark {
        RowMark::Changed(before) => before.as_slice(),
        _ => &[],
    };
    let expiry = match (&row.mark, &row.expiry) {
        (RowMark::Removed, _) => "left in this batch".to_owned(),
        (_, Some(expiry)) => expiry.clone(),
        (_, None) => "never".to_owned(),
    };
    html! {
        <tr class={word}>
            <td class="mark"><span aria-hidden="true">{ sign }</span><span class="sr">{ word }</span></td>
            if partitions { <td class="num soft">{ row.partition }</td> }
            { for row.key.iter().map(|value| cell("key", value, None)) }
            { for row.value.iter().enumerate().map(|(at, value)| cell("", value, before.get(at))) }
            <td class="expiry">{ expiry }</td>
            <td class="fate">
                if row.mark != RowMark::Removed {
                    <button type="button" class="link" aria-label={format!("Fate of state row {}", said(&row.key))}
                        onclick={page.on(Action::Fates(FatesAction::Select(Pick::State { operator, partition: row.partition, key: row.key.clone() })))}>
                        { "Fate" }
                    </button>
                }
            </td>
        </tr>
    }
}

/// A key as words.
fn said(key: &[Option<String>]) -> String {
    key.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect::<Vec<_>>().join(", ")
}

fn table(page: &Page, report: &StateReport, section: &StateSection, rows: &[&StateRow]) -> Html {
    let (operator, partitions) = (report.request.operator, several_partitions(report));
    html! {
        <div class="table-scroll" tabindex="0" role="region" aria-label={title(section)}>
            <table class="grid state-rows">
                <thead>
                    <tr>
                        <th scope="col" class="mark"><span class="sr">{ "Change" }</span></th>
                        if partitions { <th scope="col" class="num">{ "Part." }</th> }
                        { for section.key.iter().map(|column| html! { <th scope="col" class="key" title={column.data_type.clone()}>{ &column.name }</th> }) }
                        { for section.value.iter().map(|column| html! { <th scope="col" title={column.data_type.clone()}>{ &column.name }</th> }) }
                        <th scope="col">{ "Leaves" }</th>
                        <th scope="col"><span class="sr">{ "Fate" }</span></th>
                    </tr>
                </thead>
                <tbody>{ for rows.iter().map(|entry| row(page, operator, entry, partitions)) }</tbody>
            </table>
        </div>
    }
}
