//! Paints the strip.

use crate::browser::{css_colour, root_px};
use crate::format;
use crate::strip::{Hit, Layout, Model, Spot, TimeScale};
use std::f64::consts::TAU;
use std::rc::Rc;
use tidemark_protocol::messages::{BatchKind, Fate};
use wasm_bindgen::JsValue;
use web_sys::CanvasRenderingContext2d;

/// Events of a batch from which on they are drawn as grains.
const DENSE: usize = 250;
/// Size of the grid on which grains stand, px.
const GRAIN: f64 = 4.0;

/// Everything that is to be seen.
pub struct Scene {
    pub model: Rc<Model>,
    pub layout: Layout,
    /// None while nothing has an event time.
    pub scale: Option<TimeScale>,
    pub hover: Hit,
    pub selected: Option<Spot>,
    /// The selected batch's number.
    pub batch: Option<i64>,
}

/// Scenes of the same model are compared by their pointers first: models can be large.
impl PartialEq for Scene {
    fn eq(&self, other: &Scene) -> bool {
        Rc::ptr_eq(&self.model, &other.model)
            && (self.layout, self.scale, self.hover, self.selected, self.batch)
                == (other.layout, other.scale, other.hover, other.selected, other.batch)
    }
}

/// The page's colours.
pub struct Palette {
    ink: String,
    soft: String,
    faint: String,
    line: String,
    ground: String,
    hover: String,
    accent: String,
    accent_ink: String,
    tint: String,
    water: String,
    drop: String,
    font: String,
}

impl Palette {
    pub fn of_page() -> Palette {
        let family = css_colour("--sans");
        Palette {
            ink: css_colour("--ink"),
            soft: css_colour("--ink-soft"),
            faint: css_colour("--ink-faint"),
            line: css_colour("--line"),
            ground: css_colour("--surface"),
            hover: css_colour("--hover"),
            accent: css_colour("--accent"),
            accent_ink: css_colour("--accent-ink"),
            tint: css_colour("--accent-tint"),
            water: css_colour("--water"),
            drop: css_colour("--drop"),
            font: format!("{}px {family}", 0.6875 * root_px()),
        }
    }
}

struct Painter<'a> {
    on: &'a CanvasRenderingContext2d,
    scene: &'a Scene,
    colours: &'a Palette,
    scale: TimeScale,
}

pub fn paint(on: &CanvasRenderingContext2d, scene: &Scene, colours: &Palette) {
    on.clear_rect(0.0, 0.0, scene.layout.width, scene.layout.height);
    let Some(scale) = scene.scale.filter(|scale| scale.right > scale.left) else { return };
    on.set_font(&colours.font);
    on.set_text_baseline("middle");
    let painter = Painter { on, scene, colours, scale };
    painter.lanes();
    painter.head();
    painter.bars();
}

impl Painter<'_> {
    fn fill(&self, colour: &str, x: f64, y: f64, width: f64, height: f64) {
        self.on.set_fill_style_str(colour);
        self.on.fill_rect(x, y, width, height);
    }

    fn stroke(&self, colour: &str, width: f64, points: &[(f64, f64)]) {
        self.on.set_stroke_style_str(colour);
        self.on.set_line_width(width);
        self.on.begin_path();
        for (at, (x, y)) in points.iter().enumerate() {
            if at == 0 { self.on.move_to(*x, *y) } else { self.on.line_to(*x, *y) }
        }
        self.on.stroke();
    }

    fn dashed(&self, pattern: &[f64]) {
        let dashes = js_sys::Array::new();
        for length in pattern {
            dashes.push(&JsValue::from_f64(*length));
        }
        let _ = self.on.set_line_dash(&dashes);
    }

    fn text(&self, colour: &str, align: &str, text: &str, x: f64, y: f64) {
        self.on.set_fill_style_str(colour);
        self.on.set_text_align(align);
        let _ = self.on.fill_text(text, x, y);
    }

    /// The axis and a ground under it and the bars, because lanes scroll below.
    fn head(&self) {
        let layout = &self.scene.layout;
        self.fill(&self.colours.ground, 0.0, 0.0, layout.width, layout.lanes_top());
        let bottom = layout.axis_height() + 0.5;
        for tick in self.scale.ticks(92.0) {
            self.stroke(
                &self.colours.line,
                1.0,
                &[(tick.x.round() + 0.5, bottom - 5.0), (tick.x.round() + 0.5, bottom)],
            );
            if tick.x > self.scale.left + 16.0 && tick.x < layout.width - 24.0 {
                self.text(&self.colours.soft, "center", &tick.label, tick.x, 11.0);
            }
        }
        self.text(
            &self.colours.faint,
            "left",
            format::date(self.scale.from_us).get(5..).unwrap_or_default(),
            8.0,
            11.0,
        );
        self.stroke(&self.colours.line, 1.0, &[(0.0, bottom), (layout.width, bottom)]);
        let under = layout.lanes_top() - 0.5;
        self.stroke(&self.colours.line, 1.0, &[(0.0, under), (layout.width, under)]);
    }

    fn bars(&self) {
        let (layout, left) = (&self.scene.layout, self.scale.left);
        if !self.scene.model.windows.is_empty() {
            self.text(&self.colours.faint, "left", "windows", 8.0, layout.bar(0).0 + layout.bar(0).1 / 2.0);
        }
        for (index, window) in self.scene.model.windows.iter().enumerate() {
            let (from, to) = (self.scale.x(window.start_us).max(left), self.scale.x(window.end_us).min(layout.width));
            if to <= left || from >= layout.width {
                continue;
            }
            let (top, height) = layout.bar(window.row);
            let (x, width) = (from + 1.0, (to - from - 2.0).max(1.5));
            let open = window.closed_in.is_none();
            self.on.begin_path();
            let _ = self.on.round_rect_with_f64(x, top, width, height, 3.0);
            self.on.set_fill_style_str(if open { &self.colours.tint } else { &self.colours.hover });
            self.on.fill();
            let hovered = self.scene.hover == Hit::Window(index);
            let edge = if open { &self.colours.accent } else { &self.colours.line };
            self.on.set_stroke_style_str(if hovered { &self.colours.ink } else { edge });
            self.on.set_line_width(if hovered { 1.5 } else { 1.0 });
            self.on.stroke();
            let groups = format::plural(window.groups as i64, "group", "groups");
            let long = window.closed_in.map_or_else(|| groups.clone(), |batch| format!("closed in {batch}"));
            let short = window.closed_in.map_or_else(|| window.groups.to_string(), |_| "✓".to_owned());
            let colour = if open { &self.colours.accent_ink } else { &self.colours.soft };
            let words = if width > 64.0 { long } else { short };
            if width > 14.0 {
                self.text(colour, "center", &words, x + width / 2.0, top + height / 2.0 + 0.5);
            }
        }
    }

    fn lanes(&self) {
        let layout = &self.scene.layout;
        for lane in layout.visible() {
            self.lane(lane);
        }
        let visible = layout.visible();
        self.staircase(visible.clone());
        self.next();
        for lane in visible {
            self.events(lane);
        }
    }

    fn lane(&self, index: usize) {
        let (layout, scale) = (&self.scene.layout, &self.scale);
        let Some(lane) = self.scene.model.lanes.get(index) else { return };
        let (top, height) = (layout.lane_top(index), layout.lane_height());
        let selected = self.scene.batch == Some(lane.batch.batch);
        if selected || self.scene.hover == Hit::Lane(index) {
            self.fill(&self.colours.hover, 0.0, top, layout.width, height);
        }
        if let Some(late) = lane.late_us {
            let to = scale.x(late).min(layout.width);
            if to > scale.left {
                self.fill(&self.colours.water, scale.left, top, to - scale.left, height);
            }
        }
        self.stroke(&self.colours.line, 1.0, &[(0.0, top + height - 0.5), (layout.width, top + height - 0.5)]);
        let colour = if selected { &self.colours.ink } else { &self.colours.soft };
        self.text(colour, "left", &format!("{}", lane.batch.batch), 8.0, top + height / 2.0);
        if matches!(lane.batch.kind, BatchKind::NoData { .. }) {
            self.text(&self.colours.faint, "left", "no data", scale.left + 4.0, top + height / 2.0);
        }
    }

    /// The watermarks, down the lanes: a step where they move.
    fn staircase(&self, visible: std::ops::Range<usize>) {
        let (layout, model) = (&self.scene.layout, &self.scene.model);
        let past_last = visible.end == model.lanes.len();
        let value = |index: usize, evict: bool| match model.lanes.get(index) {
            Some(lane) => {
                if evict {
                    lane.evict_us
                } else {
                    lane.late_us
                }
            }
            None => {
                if evict {
                    model.next_evict_us
                } else {
                    model.next_late_us
                }
            }
        };
        let end = if past_last { visible.end + 1 } else { visible.end };
        for evict in [false, true] {
            let mut points = Vec::new();
            for index in visible.start..end {
                let Some(us) = value(index, evict) else { continue };
                let x =
                    self.scale.x(us).min(layout.width).max(self.scale.left).round() + if evict { 0.5 } else { -0.5 };
                let top = layout.lane_top(index);
                points.push((x, top));
                points.push((x, top + layout.lane_height()));
            }
            if points.is_empty() {
                continue;
            }
            self.dashed(if evict { &[] } else { &[3.0, 3.0] });
            self.stroke(&self.colours.accent, if evict { 2.0 } else { 1.25 }, &points);
        }
        self.dashed(&[]);
    }

    /// The batch to come: the watermark that it will have, the newest event, and the delay between them.
    fn next(&self) {
        let (layout, model, scale) = (&self.scene.layout, &self.scene.model, &self.scale);
        let (top, height) = (layout.lane_top(model.lanes.len()), layout.lane_height());
        self.text(&self.colours.faint, "left", "next", 8.0, top + height / 2.0);
        let Some(newest) = model.max_event_us else { return };
        let (x, y) = (scale.x(newest), top + height / 2.0);
        if let (Some(watermark), Some(delay)) = (model.next_evict_us, model.delay_us) {
            let from = scale.x(watermark) + 3.0;
            self.stroke(&self.colours.soft, 1.0, &[(from, y), (x - 6.0, y)]);
            self.stroke(&self.colours.soft, 1.0, &[(x - 6.0, y - 3.5), (x - 6.0, y + 3.5)]);
            let words = format!("delay {}", format::span(delay));
            let width = 6.5 * words.len() as f64;
            if x - from > width {
                let middle = (from + x) / 2.0;
                self.fill(&self.colours.ground, middle - width / 2.0, y - 7.0, width, 14.0);
                self.text(&self.colours.soft, "center", &words, middle, y);
            }
        }
        self.on.begin_path();
        for (at, (dx, dy)) in [(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)].into_iter().enumerate() {
            if at == 0 { self.on.move_to(x + dx, y + dy) } else { self.on.line_to(x + dx, y + dy) }
        }
        self.on.close_path();
        self.on.set_fill_style_str(&self.colours.ink);
        self.on.fill();
    }

    fn events(&self, lane: usize) {
        let (layout, model) = (&self.scene.layout, &self.scene.model);
        let Some(events) = model.lanes.get(lane).map(|lane| &lane.batch.events) else { return };
        let dense = events.len() > DENSE;
        let mut taken = std::collections::HashSet::new();
        for (event, mark) in events.iter().enumerate() {
            let spot = Spot { lane, event };
            let Some((x, y)) = layout.mark(&self.scale, &model.lanes, spot) else { continue };
            if x < self.scale.left || x > layout.width {
                continue;
            }
            let told = self.scene.selected == Some(spot) || self.scene.hover == Hit::Event(spot);
            // Where marks stand on each other one of a kind is enough: thousands of circles would take longer than a frame.
            let kind = std::mem::discriminant(&mark.fate);
            if dense && !told && !taken.insert(((x / GRAIN) as i32, (y / GRAIN) as i32, kind)) {
                continue;
            }
            match mark.fate {
                Fate::Accepted if dense => self.fill(&self.colours.ink, x - 1.5, y - 1.5, 3.0, 3.0),
                Fate::Accepted => self.dot(x, y, true),
                Fate::Filtered => self.dot(x, y, false),
                Fate::Dropped { .. } => self.cross(x, y),
            }
            if told {
                self.on.set_stroke_style_str(&self.colours.ink);
                self.on.set_line_width(1.5);
                self.on.begin_path();
                let _ = self.on.arc(x, y, 7.0, 0.0, TAU);
                self.on.stroke();
            }
        }
    }

    fn dot(&self, x: f64, y: f64, filled: bool) {
        self.on.begin_path();
        let _ = self.on.arc(x, y, 3.5, 0.0, TAU);
        self.on.set_fill_style_str(if filled { &self.colours.ink } else { &self.colours.ground });
        self.on.fill();
        self.on.set_stroke_style_str(if filled { &self.colours.ground } else { &self.colours.faint });
        self.on.set_line_width(1.0);
        self.on.stroke();
    }

    fn cross(&self, x: f64, y: f64) {
        let arm = 4.0;
        for (colour, width) in [(&self.colours.ground, 4.5), (&self.colours.drop, 2.25)] {
            self.stroke(colour, width, &[(x - arm, y - arm), (x + arm, y + arm)]);
            self.stroke(colour, width, &[(x - arm, y + arm), (x + arm, y - arm)]);
        }
    }
}
