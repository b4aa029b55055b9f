//! The graph: boxes for nodes, lines for rows, and a marked line where the event time goes.

use crate::format;
use crate::page::{Page, use_page};
use crate::plan::{Edge, Graph, Place, Toward, WIDTH};
use crate::state::{Action, InspectAction};
use std::rc::Rc;
use tidemark_protocol::messages::{BatchReport, PlanNode, PlanReport};
use yew::prelude::*;

/// Heights of a node without and with state, px.
const PLAIN: f64 = 46.0;
const STATEFUL: f64 = 86.0;
/// Characters of a line that fit a node.
const FITS: usize = 44;

#[derive(Properties, PartialEq)]
pub struct GraphProps {
    pub plan: Rc<PlanReport>,
    pub picked: usize,
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// What the selected batch did in a stateful node: its state, and its two watermarks.
pub(super) fn figures(node: &PlanNode, batch: Option<&BatchReport>) -> Option<(String, String)> {
    let id = node.operator?;
    let report = batch?.operators.iter().find(|report| report.id == id)?;
    let state = format!(
        "{}, {} updated, {} removed, {} late",
        format::plural(report.rows_total, "row", "rows"),
        format::count(report.rows_updated),
        format::count(report.rows_removed),
        format::count(report.rows_dropped)
    );
    let time = |ms: Option<i64>| ms.filter(|ms| *ms != 0).map(|ms| format::time(ms.saturating_mul(1000)));
    let watermarks = match (time(report.late_watermark_ms), time(report.eviction_watermark_ms)) {
        (None, None) => "no watermark yet".to_owned(),
        (None, Some(evict)) => format!("nothing late yet · evict ≤ {evict}"),
        (Some(late), None) => format!("late ≤ {late}"),
        (Some(late), Some(evict)) => format!("late ≤ {late} · evict ≤ {evict}"),
    };
    Some((state, watermarks))
}

/// The node as one sentence.
fn spoken(node: &PlanNode, figures: Option<&(String, String)>) -> String {
    let mut text = format!("{} {}", node.name, node.brief);
    if let Some(operator) = node.operator {
        text.push_str(&format!(", stateful operator {operator}"));
    } else if node.stateful {
        text.push_str(", stateful");
    }
    if !node.streaming {
        text.push_str(", static");
    }
    if let Some((state, watermarks)) = figures {
        text.push_str(&format!(", {state}, {watermarks}"));
    }
    let times: Vec<&str> = node.output.iter().filter(|c| c.delay_ms.is_some()).map(|c| &*c.name).collect();
    if !times.is_empty() {
        text.push_str(&format!(", event time {}", times.join(", ")));
    }
    if let Some(hint) = &node.hint {
        text.push_str(&format!(". {hint}"));
    }
    text
}

fn edge(edge: &Edge) -> Html {
    let ((x1, y1), (x2, y2)) = (edge.start, edge.end);
    let middle = (y1 + y2) / 2.0;
    let path = format!("M{x1:.1} {y1:.1}C{x1:.1} {middle:.1} {x2:.1} {middle:.1} {x2:.1} {y2:.1}");
    if edge.event_time.is_empty() {
        return html! { <path class="plan-edge" d={path} /> };
    }
    let label = cut(&edge.event_time.join(", "), 24);
    let width = 7.0 * label.chars().count() as f64 + 22.0;
    let x = (x1 + x2) / 2.0;
    html! {
        <g class={classes!("plan-trace", edge.ends.then_some("ends"))} data-from={edge.from.to_string()} data-to={edge.to.to_string()}>
            <path d={path} />
            if edge.ends { <path class="plan-end" d={format!("M{:.1} {:.1}h14", x2 - 7.0, y2 + 3.0)} /> }
            <rect x={format!("{:.1}", x - width / 2.0)} y={format!("{:.1}", middle - 8.0)} width={format!("{width:.1}")} height="16" rx="8" />
            <circle cx={format!("{:.1}", x - width / 2.0 + 10.0)} cy={format!("{middle:.1}")} r="4" />
            <path class="plan-hands" d={format!("M{:.1} {:.1}v-3m0 3h2.5", x - width / 2.0 + 10.0, middle)} />
            <text x={format!("{:.1}", x + 7.0)} y={format!("{:.1}", middle + 4.0)} text-anchor="middle">{ label }</text>
        </g>
    }
}

fn node(page: &Page, plan: &PlanReport, at: usize, place: &Place, picked: bool) -> Html {
    let Some(node) = plan.nodes.get(at) else { return html! {} };
    let figures = figures(node, page.app.shown_batch().map(|batch| &**batch));
    let class = classes!(
        "plan-node",
        picked.then_some("picked"),
        node.stateful.then_some("stateful"),
        (!node.streaming).then_some("static"),
        node.hint.is_some().then_some("hinted")
    );
    let badge = match (node.operator, node.streaming, at) {
        (Some(operator), ..) => Some(format!("state {operator}")),
        (None, ..) if node.stateful => Some("state".to_owned()),
        (_, false, _) => Some("static".to_owned()),
        (_, _, 0) => Some("sink".to_owned()),
        _ if node.children.is_empty() => Some("source".to_owned()),
        _ => None,
    };
    let badge_width = badge.as_ref().map_or(0.0, |badge| 6.5 * badge.chars().count() as f64 + 12.0);
    // Letters of a bold name are about eight units wide at most.
    let name = cut(&node.name, ((WIDTH - badge_width - 24.0) / 7.8) as usize);
    html! {
        <g {class} id={format!("plan-node-{at}")} transform={format!("translate({:.1} {:.1})", place.x, place.y)}
            role="button" aria-pressed={if picked { "true" } else { "false" }} tabindex={if picked { "0" } else { "-1" }}
            aria-description={spoken(node, figures.as_ref())} onclick={page.on(Action::Inspect(InspectAction::PickNode(at)))}>
            <rect class="plan-box" width={WIDTH.to_string()} height={place.height.to_string()} rx="7" />
            if node.stateful { <path class="plan-bar" d={format!("M2 7v{}", place.height - 14.0)} /> }
            <text class="plan-name" x="12" y="19">{ name }</text>
            if let Some(badge) = badge {
                <rect class="plan-badge" x={format!("{:.1}", WIDTH - badge_width - 8.0)} y="7" width={format!("{badge_width:.1}")} height="16" rx="8" />
                <text class="plan-badge-text" x={format!("{:.1}", WIDTH - badge_width / 2.0 - 8.0)} y="19" text-anchor="middle">{ badge }</text>
            }
            <text class="plan-brief" x="12" y="36">{ cut(&node.brief, FITS) }</text>
            if let Some((state, watermarks)) = &figures {
                <text class="plan-brief" x="12" y="58">{ cut(state, FITS + 4) }</text>
                <text class="plan-brief marks" x="12" y="75">{ cut(watermarks, FITS + 4) }</text>
            }
            if node.hint.is_some() {
                <circle class="plan-warn" cx={WIDTH.to_string()} cy="0" r="8" />
                <text class="plan-warn-text" x={WIDTH.to_string()} y="4" text-anchor="middle">{ "!" }</text>
            }
        </g>
    }
}

#[component]
pub fn GraphView(props: &GraphProps) -> Html {
    let page = use_page();
    let plan = &props.plan;
    let graph =
        use_memo(plan.clone(), |plan| Graph::new(plan, |node| if node.operator.is_some() { STATEFUL } else { PLAIN }));
    let onkeydown = {
        let (page, plan, graph, picked) = (page.clone(), plan.clone(), graph.clone(), props.picked);
        Callback::from(move |event: KeyboardEvent| {
            let toward = match event.key().as_str() {
                "ArrowUp" => Toward::Parent,
                "ArrowDown" => Toward::Child,
                "ArrowLeft" => Toward::Left,
                "ArrowRight" => Toward::Right,
                _ => return,
            };
            event.prevent_default();
            if let Some(next) = graph.toward(&plan, picked, toward) {
                page.act(Action::Inspect(InspectAction::PickNode(next)));
                crate::browser::focus(&format!("#plan-node-{next}"));
            }
        })
    };
    // Larger text in the browser is a larger drawing.
    let scale = crate::browser::root_px() / 16.0;
    html! {
        <div class="plan-graph" {onkeydown}>
            <svg width={format!("{:.0}", graph.width * scale)} height={format!("{:.0}", graph.height * scale)}
                viewBox={format!("0 0 {:.0} {:.0}", graph.width, graph.height)} role="group"
                aria-label="Plan of the query, the sink first. Arrow keys go from node to node.">
                { for graph.edges.iter().map(edge) }
                { for graph.places.iter().enumerate().map(|(at, place)| node(&page, plan, at, place, at == props.picked)) }
            </svg>
        </div>
    }
}
