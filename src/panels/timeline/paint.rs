//! Paints the strip.

use crate::browser::{css_colour, root_px};
use crate::format;
use crate::strip::{Hit, Layout, Model, Partners, Spot, TimeScale};
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
    select: String,
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
            select: css_colour("--select"),
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
            let open = window.closed_in.is_none() && window.merged_in.is_none();
            if window.merged_in.is_some() {
                self.dashed(&[3.0, 2.0]);
            }
            self.on.begin_path();
            let _ = self.on.round_rect_with_f64(x, top, width, height, 3.0);
            self.on.set_fill_style_str(if open { &self.colours.tint } else { &self.colours.hover });
            self.on.fill();
            let hovered = self.scene.hover == Hit::Window(index);
            let edge = if open { &self.colours.accent } else { &self.colours.line };
            self.on.set_stroke_style_str(if hovered { &self.colours.ink } else { edge });
            self.on.set_line_width(if hovered { 1.5 } else { 1.0 });
            self.on.stroke();
            self.dashed(&[]);
            self.end_edge(open, x + width, top, height);
            if height < 12.0 {
                continue;
            }
            let groups = format::plural(window.groups as i64, "group", "groups");
            let (long, short) = match (window.closed_in, window.merged_in) {
                (Some(batch), _) => (format!("closed in {batch}"), "✓".to_owned()),
                (None, Some(batch)) => (format!("merged in {batch}"), "→".to_owned()),
                (None, None) => (groups, window.groups.to_string()),
            };
            let colour = if open { &self.colours.accent_ink } else { &self.colours.soft };
            let words = if width > 64.0 { long } else { short };
            if width > 14.0 {
                self.text(colour, "center", &words, x + width / 2.0, top + height / 2.0 + 0.5);
            }
        }
    }

    /// The end of a window is what the watermark is compared with, and the comparison is closed: a heavy edge with feet that
    /// point inward, as a closed interval is written.
    fn end_edge(&self, open: bool, right: f64, top: f64, height: f64) {
        let colour = if open { &self.colours.accent } else { &self.colours.soft };
        let foot = if height < 12.0 { 2.0 } else { 4.0 };
        let (top, bottom, right) = (top + 0.75, top + height - 0.75, right - 0.75);
        self.stroke(colour, 2.5, &[(right - foot, top), (right, top), (right, bottom), (right - foot, bottom)]);
    }

    fn lanes(&self) {
        let layout = &self.scene.layout;
        for lane in layout.visible() {
            self.lane(lane);
        }
        let visible = layout.visible();
        self.partners(visible.clone());
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
        self.parts(index);
        // The border of a batch, on the axis of arrival.
        let border = top + height - 0.5;
        self.stroke(&self.colours.line, 1.0, &[(0.0, border), (layout.width, border)]);
        self.stroke(&self.colours.soft, 2.0, &[(0.0, border), (scale.left - 6.0, border)]);
        let colour = if selected { &self.colours.ink } else { &self.colours.soft };
        self.text(colour, "left", &format!("{}", lane.batch.batch), 8.0, top + height / 2.0);
        if matches!(lane.batch.kind, BatchKind::NoData { .. }) {
            self.text(&self.colours.faint, "left", "no data", scale.left + 4.0, top + height / 2.0);
        }
    }

    /// Names of the sources, each over its part of the lane.
    fn parts(&self, lane: usize) {
        let layout = &self.scene.layout;
        for (source, name) in self.scene.model.sources.iter().enumerate() {
            let (top, height) = layout.part(lane, source);
            if source > 0 {
                self.dashed(&[1.0, 3.0]);
                self.stroke(&self.colours.faint, 1.0, &[(30.0, top + 0.5), (layout.width, top + 0.5)]);
                self.dashed(&[]);
            }
            let most = ((self.scale.left - 36.0) / 6.0).max(3.0) as usize;
            let name: String = match name.char_indices().nth(most) {
                Some((at, _)) => format!("{}…", name.get(..at).unwrap_or_default()),
                None => name.clone(),
            };
            self.text(&self.colours.faint, "left", &name, 30.0, top + height / 2.0);
        }
    }

    /// The time range of the rows that can match the picked one, on the parts of the other source.
    fn partners(&self, visible: std::ops::Range<usize>) {
        let (layout, model) = (&self.scene.layout, &self.scene.model);
        let spot = match (self.scene.hover, self.scene.selected) {
            (Hit::Event(spot), _) => Some(spot),
            (_, selected) => selected,
        };
        let Some(partners) = spot.and_then(|spot| Partners::of(model, spot)) else { return };
        let from = partners.from_us.map_or(self.scale.left, |us| self.scale.x(us)).max(self.scale.left);
        let to = partners.to_us.map_or(layout.width, |us| self.scale.x(us)).min(layout.width);
        if to < from {
            return;
        }
        let (from, to) = (from - 3.0, to + 3.0);
        for lane in visible.start..visible.end + 1 {
            for source in &partners.sources {
                let (top, height) = layout.part(lane, *source);
                self.fill(&self.colours.select, from, top + 2.0, to - from, height - 4.0);
                for (x, bounded, inward) in
                    [(from, partners.from_us.is_some(), 4.0), (to, partners.to_us.is_some(), -4.0)]
                {
                    if bounded {
                        let (top, bottom) = (top + 2.0, top + height - 2.0);
                        let bracket = [(x + inward, top), (x, top), (x, bottom), (x + inward, bottom)];
                        self.stroke(&self.colours.accent_ink, 1.5, &bracket);
                    }
                }
            }
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
        let (x, middle) = (scale.x(newest), top + height / 2.0);
        let lag = model.lanes.last().and_then(|lane| lane.evict_us).filter(|us| Some(*us) != model.next_evict_us);
        let y = if lag.is_some() { top + height * 0.28 } else { middle };
        if let (Some(_), Some(delay)) = (model.next_evict_us, model.delay_us) {
            self.span(scale.x(newest.saturating_sub(delay)), x - 6.0, y, &format!("delay {}", format::span(delay)));
        }
        if let Some(watermark) = lag {
            // The watermark of the newest batch was behind by more than the delay: it is worked out when a batch is over.
            let words = format!("lag {}", format::span(newest.saturating_sub(watermark)));
            self.span(scale.x(watermark), x - 6.0, top + height * 0.76, &words);
        }
        let y = middle;
        self.on.begin_path();
        for (at, (dx, dy)) in [(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)].into_iter().enumerate() {
            if at == 0 { self.on.move_to(x + dx, y + dy) } else { self.on.line_to(x + dx, y + dy) }
        }
        self.on.close_path();
        self.on.set_fill_style_str(&self.colours.ink);
        self.on.fill();
    }

    /// A measured distance with its name.
    fn span(&self, from: f64, to: f64, y: f64, words: &str) {
        let from = from.max(self.scale.left) + 1.0;
        if to <= from {
            return;
        }
        self.stroke(&self.colours.soft, 1.0, &[(from, y), (to, y)]);
        for x in [from, to] {
            self.stroke(&self.colours.soft, 1.0, &[(x, y - 3.5), (x, y + 3.5)]);
        }
        let width = 6.5 * words.chars().count() as f64;
        if to - from > width + 8.0 {
            let middle = (from + to) / 2.0;
            self.fill(&self.colours.ground, middle - width / 2.0, y - 7.0, width, 14.0);
            self.text(&self.colours.soft, "center", words, middle, y);
        } else {
            // Before it, where the past is.
            self.fill(&self.colours.ground, from - 6.0 - width, y - 7.0, width + 2.0, 14.0);
            self.text(&self.colours.soft, "right", words, from - 5.0, y);
        }
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
