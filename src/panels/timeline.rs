//! The event-time strip: a canvas over the geometry of [`crate::strip`], with a pointer, a keyboard and words.

pub mod legend;
pub mod paint;
pub mod surface;
pub mod words;

use self::legend::Legend;
use self::paint::{Palette, Scene};
use self::surface::{draw, use_size};
use self::words::Words;
use crate::browser::{before_next_frame, root_px};
use crate::page::use_page;
use crate::panels::plan::use_plan;
use crate::state::{Action, FatesAction};
use crate::strip::{Hit, Layout, Model, Move, Spot, TimeScale, explain_event, pick};
use crate::ui::{Glyph, Tool, by_pointers};
use std::rc::Rc;
use tidemark_protocol::messages::SourceInfo;
use web_sys::{HtmlCanvasElement, HtmlElement};
use yew::prelude::*;

/// Room for the batch numbers, for names of sources beside them, and at the right, px.
const LEFT: f64 = 56.0;
const LEFT_NAMES: f64 = 104.0;
const RIGHT: f64 = 14.0;

/// What a source is called: its folder, or its format.
fn source_name(source: &SourceInfo) -> String {
    let folder = source.folder.as_deref().and_then(|folder| folder.rsplit('/').next());
    folder.map_or_else(|| source.format.clone(), str::to_owned)
}

#[derive(Properties, PartialEq)]
pub struct TimelineProps {
    /// Changes when the colours of the page change.
    pub colours: u32,
}

#[component]
pub fn Timeline(props: &TimelineProps) -> Html {
    let page = use_page();
    let scroller = use_node_ref();
    let canvas = use_node_ref();
    let size = use_state(|| (0.0, 0.0));
    let scroll = use_state(|| 0.0);
    let span = use_state(|| None::<(i64, i64)>);
    let hover = use_state(|| Hit::Nothing);
    let selected = use_state(|| None::<Spot>);
    let dragged = use_mut_ref(|| None::<f64>);

    let view = page.app.shown_query();
    let model = {
        let batches = view.map(|view| view.batches.as_slice()).unwrap_or_default();
        let delay = view.and_then(|view| view.info.watermark_delay_ms);
        let sources: Vec<String> =
            view.map(|view| view.info.sources.iter().map(source_name).collect()).unwrap_or_default();
        let joins = page.app.shown_plan().map(|plan| plan.joins.clone()).unwrap_or_default();
        use_memo((by_pointers(batches), delay, sources, joins), |(_, delay, sources, joins)| {
            Model::new(batches, *delay).with_sources(sources.clone(), joins.clone())
        })
    };
    use_plan(&page, false);
    let layout = Layout::new(&model, size.0, size.1, *scroll);
    let left = if model.sources.is_empty() { LEFT } else { LEFT_NAMES };
    let scale = (*span).or(model.span).map(|span| TimeScale::new(span, left, size.0 - RIGHT));
    let batch = page.app.shown_batch().map(|batch| batch.batch);

    use_size(scroller.clone(), size.clone());
    {
        let (scroller, scroll) = (scroller.clone(), scroll.clone());
        use_effect_with((model.lanes.len(), size.1 as i64), move |_| {
            if let Some(element) = scroller.cast::<HtmlElement>() {
                element.set_scroll_top(element.scroll_height());
                scroll.set(f64::from(element.scroll_top()));
            }
        });
    }
    {
        let scene = Scene { model: model.clone(), layout, scale, hover: *hover, selected: *selected, batch };
        // Asking for a colour makes the browser work out styles anew: once is enough.
        let palette = use_memo((props.colours, root_px().to_bits()), |_| Palette::of_page());
        let canvas = canvas.clone();
        let zone = (page.app.assist.times, page.app.assist.session_zone.clone());
        use_effect_with((Rc::new(scene), props.colours, zone), move |(scene, ..)| {
            let scene = scene.clone();
            // After the batch's tables: together they would take longer than a frame.
            before_next_frame(move || {
                if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                    draw(&canvas, &scene, &palette);
                }
            });
        });
    }

    let onscroll = {
        let (scroller, scroll) = (scroller.clone(), scroll.clone());
        Callback::from(move |_: Event| {
            if let Some(element) = scroller.cast::<HtmlElement>() {
                scroll.set(f64::from(element.scroll_top()));
            }
        })
    };
    let hit = {
        let model = model.clone();
        move |event: &MouseEvent| match scale {
            Some(scale) => layout.hit(&model, &scale, f64::from(event.offset_x()), f64::from(event.offset_y())),
            None => Hit::Nothing,
        }
    };
    let onpointermove = {
        let (hover, span, dragged, hit) = (hover.clone(), span.clone(), dragged.clone(), hit.clone());
        Callback::from(move |event: PointerEvent| {
            let x = f64::from(event.offset_x());
            let from = *dragged.borrow();
            match (from, scale) {
                (Some(from), Some(scale)) if event.buttons() == 1 => {
                    *dragged.borrow_mut() = Some(x);
                    span.set(Some(scale.panned(x - from)));
                }
                _ => hover.set(hit(&event)),
            }
        })
    };
    let onpointerdown = {
        let dragged = dragged.clone();
        Callback::from(move |event: PointerEvent| *dragged.borrow_mut() = Some(f64::from(event.offset_x())))
    };
    let onpointerup = {
        let dragged = dragged.clone();
        Callback::from(move |_: PointerEvent| *dragged.borrow_mut() = None)
    };
    let onpointerleave = {
        let (hover, dragged) = (hover.clone(), dragged.clone());
        Callback::from(move |_: PointerEvent| {
            *dragged.borrow_mut() = None;
            hover.set(Hit::Nothing);
        })
    };
    let onclick = {
        let (page, model, selected, hit) = (page.clone(), model.clone(), selected.clone(), hit.clone());
        Callback::from(move |event: MouseEvent| {
            let lane = match hit(&event) {
                Hit::Event(spot) => {
                    selected.set(Some(spot));
                    if let Some(pick) = pick(&model, spot) {
                        page.act(Action::Fates(FatesAction::Mark(pick)));
                    }
                    spot.lane
                }
                Hit::Lane(lane) => {
                    selected.set(None);
                    lane
                }
                Hit::Window(_) | Hit::Nothing => return,
            };
            if let Some(lane) = model.lanes.get(lane) {
                page.act(Action::SelectBatch(lane.batch.batch));
            }
        })
    };
    let zoom = {
        let span = span.clone();
        move |factor: f64, x: Option<f64>| {
            if let Some(scale) = scale {
                span.set(Some(scale.zoomed(factor, x.unwrap_or((scale.left + scale.right) / 2.0))));
            }
        }
    };
    let onwheel = {
        let zoom = zoom.clone();
        Callback::from(move |event: WheelEvent| {
            if event.ctrl_key() || event.meta_key() {
                event.prevent_default();
                zoom(if event.delta_y() > 0.0 { 1.25 } else { 0.8 }, Some(f64::from(event.offset_x())));
            }
        })
    };
    let onkeydown = {
        let (model, selected, scroller, zoom) = (model.clone(), selected.clone(), scroller.clone(), zoom.clone());
        let page = page.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.alt_key() || event.meta_key() {
                return;
            }
            let by = match event.key().as_str() {
                "ArrowRight" => Move::Next,
                "ArrowLeft" => Move::Previous,
                "ArrowDown" => Move::LaneDown,
                "ArrowUp" => Move::LaneUp,
                "Home" => Move::First,
                "End" => Move::Last,
                "d" | "D" => Move::NextDropped,
                "+" => return zoom(0.8, None),
                "-" => return zoom(1.25, None),
                "Enter" => {
                    if let Some(pick) = selected.and_then(|spot| pick(&model, spot)) {
                        page.act(Action::Fates(FatesAction::Select(pick)));
                        crate::browser::focus("#tab-fate");
                    }
                    return;
                }
                "Escape" => return selected.set(None),
                _ => return,
            };
            event.prevent_default();
            if let Some(spot) = Spot::moved(*selected, &model.lanes, by) {
                selected.set(Some(spot));
                if let Some(element) = scroller.cast::<HtmlElement>() {
                    element.set_scroll_top(layout.scroll_to(spot.lane) as i32);
                }
            }
        })
    };
    let button = |factor: f64| {
        let zoom = zoom.clone();
        Callback::from(move |()| zoom(factor, None))
    };
    let fit = {
        let span = span.clone();
        Callback::from(move |()| span.set(None))
    };
    let told = match (*hover, *selected) {
        (Hit::Nothing | Hit::Lane(_), Some(spot)) => Hit::Event(spot),
        (hover, _) => hover,
    };
    let summary = format!(
        "Event-time strip: {} events in {} batches, {} dropped, {} windows. Arrow keys go from event to event.",
        model.events,
        model.lanes.len(),
        model.dropped(),
        model.windows.len()
    );
    let height = format!("height:{}px", layout.content_height().max(size.1));
    html! {
        <section class="pane time" id="pane-time" aria-label="Event time">
            <header class="pane-head">
                <h2>{ "Event time" }</h2>
                <Legend filtered={model.filtered} several={!model.sources.is_empty()} />
                <span class="grow"></span>
                <Tool glyph={Glyph::Minus} name="Zoom out" onclick={button(1.25)} />
                <Tool glyph={Glyph::Add} name="Zoom in" onclick={button(0.8)} />
                <Tool glyph={Glyph::Fit} name="Show all" onclick={fit} />
            </header>
            <div class="timeline" ref={scroller} {onscroll} tabindex="0" role="application" aria-label={summary}
                aria-describedby="timeline-words" aria-activedescendant={selected.map(|_| "timeline-spot")} {onkeydown}>
                if let Some(spot) = *selected {
                    <div class="sr" id="timeline-spot" role="img" aria-label={spoken(&model, spot)}></div>
                }
                <div class="timeline-inner" ~style={height}>
                    <canvas ref={canvas} aria-hidden="true" {onpointermove} {onpointerdown} {onpointerup} {onpointerleave}
                        {onclick} {onwheel}></canvas>
                </div>
                if scale.is_none() {
                    <p class="empty over">{ empty(&model, page.app.fates.follow) }</p>
                }
            </div>
            <Words {model} {told} zone={(page.app.assist.times, page.app.assist.session_zone.clone())} />
        </section>
    }
}

/// The event at the cursor, as assistive technology names it.
fn spoken(model: &Model, spot: Spot) -> String {
    let told = explain_event(model, spot);
    let source = model.lanes.get(spot.lane).and_then(|lane| lane.seats.get(spot.event)).map_or(0, |seat| seat.source);
    let of = model.sources.get(source).map(|name| format!(" of {name}")).unwrap_or_default();
    told.map(|told| format!("Event{of}: {}. {}", told.title, told.body)).unwrap_or_default()
}

fn empty(model: &Model, follow: bool) -> &'static str {
    if !model.lanes.is_empty() && !follow {
        "Rows are not followed: the strip has no events to show. The switch is in the Fate tab."
    } else if model.lanes.is_empty() {
        "Events stand here at their event time, batch by batch, under their windows and against the watermark. Step to see the first ones."
    } else {
        "Nothing here has an event time. A query shows its events once it uses withWatermark or window."
    }
}
