//! A small chart: one value over batches.

use crate::format;
use crate::page::use_page;
use crate::state::Action;
use yew::prelude::*;

const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 64.0;
/// Points drawn at most: more are thinned to the greatest of their neighbours, so that no peak is lost.
const POINTS: usize = 240;

/// What a value counts, and so how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Rows,
    Bytes,
    Milliseconds,
}

impl Unit {
    fn write(self, value: f64) -> String {
        match self {
            Unit::Rows => format::count(value as i64),
            Unit::Bytes => format::bytes(value.max(0.0) as u64),
            Unit::Milliseconds => format::span((value as i64).saturating_mul(1000)),
        }
    }

    /// The end of a scale that reaches `value`.
    fn round_up(self, value: f64) -> f64 {
        let minutes =
            [1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 360.0, 720.0, 1440.0].map(|count| count * 60_000.0);
        match self {
            Unit::Milliseconds if value > 10_000.0 => {
                let round = minutes.into_iter().find(|round| *round >= value);
                round.unwrap_or_else(|| round_up(value / 86_400_000.0) * 86_400_000.0)
            }
            _ => round_up(value),
        }
    }
}

/// One batch: its number and its value; None where it has none.
pub type Point = (i64, Option<f64>);

/// The least round number that is not below `value`: 1, 2 or 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power).find(|round| *round >= value).unwrap_or(value)
}

/// At most [`POINTS`] points, each the greatest of the points that it stands for.
fn thinned(points: &[Point]) -> Vec<Point> {
    let group = points.len().div_ceil(POINTS).max(1);
    let greatest = |chunk: &[Point]| {
        chunk.iter().copied().max_by(|a, b| a.1.unwrap_or(f64::MIN).total_cmp(&b.1.unwrap_or(f64::MIN)))
    };
    points.chunks(group).filter_map(greatest).collect()
}

/// The middle of each point in the chart's units.
fn place(points: &[Point], top: f64) -> Vec<Option<(f64, f64)>> {
    let step = WIDTH / points.len().max(1) as f64;
    let at = |(index, point): (usize, &Point)| {
        point.1.map(|value| (step * (index as f64 + 0.5), HEIGHT - value / top * (HEIGHT - 4.0)))
    };
    points.iter().enumerate().map(at).collect()
}

fn line(places: &[Option<(f64, f64)>]) -> String {
    let mut path = String::new();
    let mut pen_up = true;
    for place in places {
        match place {
            Some((x, y)) => {
                path.push_str(&format!("{}{x:.1} {y:.1}", if pen_up { "M" } else { "L" }));
                pen_up = false;
            }
            None => pen_up = true,
        }
    }
    path
}

#[derive(Properties, PartialEq)]
pub struct ChartProps {
    pub title: AttrValue,
    pub points: Vec<Point>,
    pub unit: Unit,
    pub selected: Option<i64>,
    /// Bars for what happens in a batch, a line for what stands after it.
    pub bars: bool,
    #[prop_or_default]
    pub class: Classes,
}

#[component]
pub fn Chart(props: &ChartProps) -> Html {
    let page = use_page();
    let points = thinned(&props.points);
    let highest = points.iter().filter_map(|point| point.1).fold(0.0, f64::max);
    let top = props.unit.round_up(highest);
    let places = place(&points, top);
    let step = WIDTH / points.len().max(1) as f64;
    let now = props.points.iter().find(|point| Some(point.0) == props.selected).and_then(|point| point.1);
    let value = now.map_or_else(|| "–".to_owned(), |value| props.unit.write(value));
    let newest = props
        .points
        .last()
        .and_then(|point| point.1)
        .map_or_else(|| "none".to_owned(), |value| props.unit.write(value));
    let summary = format!("{}: {newest} in the newest batch, at most {}", props.title, props.unit.write(highest));
    html! {
        <figure class={classes!("chart", props.class.clone())}>
            <figcaption><span>{ props.title.clone() }</span><b>{ value }</b></figcaption>
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none" role="img" aria-label={summary}>
                <path class="chart-base" d={format!("M0 {HEIGHT}H{WIDTH}")} />
                if props.bars {
                    { for places.iter().flatten().map(|(x, y)| html! {
                        <rect class="chart-bar" x={format!("{:.2}", x - step * 0.38)} y={format!("{y:.2}")}
                            width={format!("{:.2}", (step * 0.76).min(12.0).max(step * 0.5))} height={format!("{:.2}", HEIGHT - y)} />
                    }) }
                } else {
                    <path class="chart-line" d={line(&places)} />
                    if let [Some((x, y))] = places.as_slice() {
                        <circle class="chart-dot" cx={x.to_string()} cy={y.to_string()} r="2.5" />
                    }
                }
                { for points.iter().enumerate().map(|(index, point)| {
                    let text = point.1.map_or_else(|| "–".to_owned(), |value| props.unit.write(value));
                    let class = classes!("chart-hit", (Some(point.0) == props.selected).then_some("selected"));
                    html! {
                        <rect {class} x={format!("{:.2}", step * index as f64)} y="0" width={format!("{step:.2}")}
                            height={HEIGHT.to_string()} onclick={page.on(Action::SelectBatch(point.0))}>
                            <title>{ format!("Batch {}: {text}", point.0) }</title>
                        </rect>
                    }
                }) }
            </svg>
            <div class="chart-scale"><span>{ props.unit.write(top) }</span></div>
        </figure>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_at_round_numbers() {
        assert_eq!([0.0, 1.0, 3.0, 7.0, 12.0, 480.0].map(round_up), [1.0, 1.0, 5.0, 10.0, 20.0, 500.0]);
    }

    #[test]
    fn thinning_keeps_the_peaks() {
        let mut points: Vec<Point> = (0..2400).map(|batch| (batch, Some(1.0))).collect();
        points[1234].1 = Some(9.0);
        let thin = thinned(&points);
        assert_eq!(thin.len(), 240);
        assert!(thin.contains(&(1234, Some(9.0))));
    }

    #[test]
    fn a_gap_lifts_the_pen() {
        assert_eq!(line(&[Some((0.0, 1.0)), None, Some((2.0, 1.0)), Some((3.0, 0.0))]), "M0.0 1.0M2.0 1.0L3.0 0.0");
    }
}
