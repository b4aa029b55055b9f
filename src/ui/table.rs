//! A table whose rows are drawn only where they are seen.

use std::rc::Rc;
use tidemark_protocol::messages::Column;
use web_sys::HtmlElement;
use yew::prelude::*;

/// Height of a row in root font sizes: as in www/styles/parts.css.
const ROW: f64 = 25.0 / 16.0;
/// Browsers lay out no more than some tens of millions of px: a longer table is scrolled in proportion.
const TALLEST: f64 = 8_000_000.0;
/// Rows drawn beyond each edge.
const MARGIN: usize = 8;
/// Rows asked for at once.
const CHUNK: usize = 200;

pub type Row = Rc<Vec<Option<String>>>;

#[derive(Properties, PartialEq)]
pub struct TableProps {
    pub label: AttrValue,
    pub columns: Vec<Column>,
    pub total: usize,
    /// A row that is known.
    pub row: Callback<usize, Option<Row>>,
    /// Changes when `row` answers differently.
    pub version: (usize, i64),
    /// Rows that are seen and not known: offset and count.
    #[prop_or_default]
    pub need: Callback<(usize, usize)>,
    /// A row was chosen by pointer or Enter; None: rows cannot be.
    #[prop_or_default]
    pub pick: Option<Callback<usize>>,
    /// What choosing a row does.
    #[prop_or_default]
    pub pick_hint: AttrValue,
}

/// What is drawn: these rows, with room above and below them (px).
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    rows: std::ops::Range<usize>,
    above: f64,
    below: f64,
}

/// For a viewport of `height` that is scrolled to `top`, over `total` rows of height `row` (all px).
fn seen(top: f64, height: f64, total: usize, row: f64) -> Seen {
    let whole = total as f64 * row;
    let tall = whole.min(TALLEST);
    // Where the viewport's top would be if the table were laid out in full.
    let most = (tall - height).max(1.0);
    let meant = if whole > tall { (top / most).clamp(0.0, 1.0) * (whole - height).max(0.0) } else { top };
    let first = ((meant / row).floor().max(0.0) as usize).saturating_sub(MARGIN).min(total);
    let count = (height / row).ceil().max(1.0) as usize + 2 * MARGIN;
    let rows = first..(first + count).min(total);
    let above = (rows.start as f64 * row - (meant - top)).max(0.0);
    let drawn = (rows.end - rows.start) as f64 * row;
    Seen { below: (tall - above - drawn).max(0.0), rows, above }
}

fn is_number(data_type: &str) -> bool {
    let simple = ["tinyint", "smallint", "int", "bigint", "float", "double"];
    simple.contains(&data_type) || data_type.starts_with("decimal")
}

#[component]
pub fn VirtualTable(props: &TableProps) -> Html {
    let node = use_node_ref();
    let view = use_state(|| (0.0, 600.0));
    let onscroll = {
        let (node, view) = (node.clone(), view.clone());
        Callback::from(move |_: Event| {
            if let Some(element) = node.cast::<HtmlElement>() {
                view.set((f64::from(element.scroll_top()), f64::from(element.client_height())));
            }
        })
    };
    let Seen { rows: range, above, below } = seen(view.0, view.1, props.total, ROW * crate::browser::root_px());
    let missing = range.clone().find(|index| props.row.emit(*index).is_none());
    {
        let need = props.need.clone();
        let chunk = missing.map(|index| index / CHUNK * CHUNK);
        use_effect_with((chunk, props.version.1), move |(chunk, _)| {
            if let Some(offset) = chunk {
                need.emit((*offset, CHUNK));
            }
        });
    }
    let numeric: Vec<bool> = props.columns.iter().map(|column| is_number(&column.data_type)).collect();
    let cell = |(at, value): (usize, &Option<String>)| {
        let class =
            classes!(numeric.get(at).copied().unwrap_or(false).then_some("num"), value.is_none().then_some("null"));
        html! { <td {class}>{ value.as_deref().unwrap_or("NULL") }</td> }
    };
    let line = |index: usize| {
        let cells: Html = match props.row.emit(index) {
            Some(row) => row.iter().enumerate().map(cell).collect(),
            None => html! { <td class="null" colspan={props.columns.len().to_string()}>{ "…" }</td> },
        };
        let Some(pick) = props.pick.clone() else {
            return html! { <tr key={index} aria-rowindex={(index + 2).to_string()}>{ cells }</tr> };
        };
        let onclick = pick.reform(move |_: MouseEvent| index);
        let onkeydown = Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" {
                event.prevent_default();
                pick.emit(index);
            }
        });
        html! {
            <tr key={index} class="pick" tabindex="0" title={props.pick_hint.clone()} {onclick} {onkeydown}
                aria-rowindex={(index + 2).to_string()}>{ cells }</tr>
        }
    };
    html! {
        <div class="table-scroll" ref={node} {onscroll} tabindex="0" role="region" aria-label={props.label.clone()}>
            <table class="grid" aria-rowcount={(props.total + 1).to_string()}>
                <thead>
                    <tr>
                        { for props.columns.iter().zip(&numeric).map(|(column, numeric)| html! {
                            <th scope="col" class={classes!(numeric.then_some("num"))} title={column.data_type.clone()}>
                                { &column.name }
                            </th>
                        }) }
                    </tr>
                </thead>
                <tbody>
                    if above > 0.0 { <tr class="spacer" ~style={format!("height:{above}px")}></tr> }
                    { for range.map(line) }
                    if below > 0.0 { <tr class="spacer" ~style={format!("height:{below}px")}></tr> }
                </tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::{MARGIN, Seen, TALLEST, seen};

    #[test]
    fn only_rows_near_the_viewport_are_drawn() {
        assert_eq!(seen(0.0, 250.0, 5, 25.0), Seen { rows: 0..5, above: 0.0, below: 0.0 });
        let middle = seen(250_000.0, 250.0, 100_000, 25.0);
        assert_eq!(middle, Seen { rows: 9_992..10_018, above: 249_800.0, below: 2_249_550.0 });
    }

    #[test]
    fn a_table_taller_than_a_browser_can_lay_out_is_scrolled_in_proportion() {
        let first = seen(0.0, 250.0, 1_000_000, 25.0);
        assert_eq!((first.rows.clone(), first.above), (0..26, 0.0));
        let last = seen(TALLEST - 250.0, 250.0, 1_000_000, 25.0);
        assert_eq!(last.rows, 999_982..1_000_000);
        assert!((last.above + 18.0 * 25.0 - TALLEST).abs() < 0.01, "{last:?}");
        let middle = seen((TALLEST - 250.0) / 2.0, 250.0, 1_000_000, 25.0);
        // The first row of the viewport is drawn at the viewport's top.
        assert_eq!(middle.rows.start, 499_995 - MARGIN);
        assert!((middle.above - ((TALLEST - 250.0) / 2.0 - MARGIN as f64 * 25.0)).abs() < 25.0, "{middle:?}");
    }
}
