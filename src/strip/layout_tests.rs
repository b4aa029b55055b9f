use super::super::{Model, TimeScale, explain_event, explain_window};
use super::*;
use std::rc::Rc;
use tidemark_protocol::messages::{BatchKind, BatchReport, BatchTable, EventMark, Fate, WindowBar};

const SECOND: i64 = 1_000_000;

fn event(arrival: u64, seconds: i64, fate: Fate) -> EventMark {
    let origin = "/workspace/data/a.json".to_owned();
    EventMark { arrival, event_time_us: Some(seconds * SECOND), origin, row: "{}".to_owned(), fate, source: 0 }
}

fn batch(number: i64, events: Vec<EventMark>, windows: Vec<WindowBar>, watermarks: [i64; 3]) -> Rc<BatchReport> {
    let [late, evict, next] = watermarks.map(|seconds| Some(seconds * 1000));
    Rc::new(BatchReport {
        query: "q".to_owned(),
        batch: number,
        kind: BatchKind::Data,
        clock_ms: 0,
        input_rows: events.len() as i64,
        output_rows: None,
        output: BatchTable { columns: Vec::new(), rows: Vec::new(), total: 0 },
        watermark_ms: evict,
        late_watermark_ms: late,
        next_watermark_ms: next,
        max_event_time_ms: Some(200_000),
        dropped_rows: 0,
        state_rows: 0,
        state_bytes: 0,
        progress_json: String::new(),
        events,
        windows,
        operators: Vec::new(),
    })
}

fn bar(start: i64, end: i64, groups: usize, closed: bool) -> WindowBar {
    WindowBar { start_us: start * SECOND, end_us: end * SECOND, groups, closed }
}

/// Two events in open windows, then a late one while the first window closes.
fn model() -> Model {
    let late = Fate::Dropped { boundary_us: 60 * SECOND, watermark_us: 80 * SECOND };
    let batches = [
        batch(
            0,
            vec![event(0, 5, Fate::Accepted), event(1, 200, Fate::Accepted)],
            vec![bar(0, 60, 1, false)],
            [0, 0, 80],
        ),
        batch(1, vec![event(2, 10, late)], vec![bar(0, 60, 1, true), bar(180, 240, 1, false)], [0, 80, 80]),
    ];
    Model::new(&batches, Some(120_000))
}

#[test]
fn lanes_that_do_not_all_fit_are_not_cut() {
    let model = model();
    let layout = Layout::new(&model, 600.0, 120.0, 0.0);
    let most = layout.content_height() - 120.0;
    assert!(most > 0.0 && (most / layout.lane_height()).fract() < 1e-9, "{layout:?}");
    let whole = Layout::new(&model, 600.0, 400.0, 0.0);
    assert_eq!(whole.lane_height(), LANE);
}

#[test]
fn the_model_knows_windows_watermarks_and_span() {
    let model = model();
    assert_eq!(model.windows.iter().map(|window| window.closed_in).collect::<Vec<_>>(), [Some(1), None]);
    assert_eq!((model.rows, model.dropped(), model.events), (1, 1, 3));
    assert_eq!((model.lanes[0].evict_us, model.lanes[1].evict_us), (None, Some(80 * SECOND)));
    assert_eq!(model.next_late_us, Some(80 * SECOND));
    let (from, to) = model.span.unwrap();
    assert!(from < 0 && to > 240 * SECOND);
}

#[test]
fn overlapping_windows_stand_in_rows() {
    let sliding = vec![bar(0, 60, 1, false), bar(30, 90, 1, false), bar(60, 120, 1, false)];
    let model = Model::new(&[batch(0, Vec::new(), sliding, [0, 0, 0])], None);
    assert_eq!(model.windows.iter().map(|window| window.row).collect::<Vec<_>>(), [0, 1, 0]);
    assert_eq!(model.rows, 2);
}

#[test]
fn the_pointer_finds_marks_bars_and_lanes() {
    let model = model();
    let layout = Layout::new(&model, 1000.0, 400.0, 0.0);
    let scale = TimeScale::new((0, 250 * SECOND), 60.0, 1000.0);
    let spot = Spot { lane: 1, event: 0 };
    let (x, y) = layout.mark(&scale, &model.lanes, spot).unwrap();
    assert_eq!(layout.hit(&model, &scale, x + 3.0, y - 3.0), Hit::Event(spot));
    assert_eq!(layout.hit(&model, &scale, x + 300.0, y), Hit::Lane(1));
    assert_eq!(layout.hit(&model, &scale, scale.x(30 * SECOND), layout.bar(0).0 + 2.0), Hit::Window(0));
    assert_eq!(layout.hit(&model, &scale, x, 3.0), Hit::Nothing);
}

#[test]
fn the_keyboard_goes_through_events_and_lanes() {
    let model = model();
    let at = |lane, event| Some(Spot { lane, event });
    let moved = |from, by| Spot::moved(from, &model.lanes, by);
    assert_eq!((moved(None, Move::Next), moved(None, Move::First)), (at(1, 0), at(0, 0)));
    assert_eq!(moved(at(0, 0), Move::Next), at(0, 1));
    assert_eq!(moved(at(0, 0), Move::LaneDown), at(1, 0));
    assert_eq!(moved(at(1, 0), Move::LaneUp), at(0, 1));
    assert_eq!(moved(at(1, 0), Move::Next), None);
    assert_eq!(moved(at(0, 0), Move::NextDropped), at(1, 0));
}

#[test]
fn only_visible_lanes_are_drawn() {
    let batches: Vec<_> = (0..1000).map(|number| batch(number, Vec::new(), Vec::new(), [0, 0, 0])).collect();
    let model = Model::new(&batches, None);
    // Ten lanes fit without stretching them.
    let layout = Layout::new(&model, 1000.0, 332.0, 3000.0);
    assert_eq!(layout.visible(), 100..112);
    assert_eq!(layout.scroll_to(105), 3000.0);
    assert_eq!(Layout::new(&model, 1000.0, 332.0, 0.0).scroll_to(999), 999.0 * 30.0 - 276.0);
}

#[test]
fn a_dropped_event_says_what_was_compared() {
    let model = model();
    let told = explain_event(&model, Spot { lane: 1, event: 0 }).unwrap();
    assert_eq!(told.title, "Dropped in batch 1");
    assert!(told.body.contains("00:01:00 <= 00:01:20"), "{}", told.body);
    assert!(told.body.contains("20 s too late"), "{}", told.body);
}

#[test]
fn an_open_window_says_what_closes_it() {
    let told = explain_window(&model(), 1).unwrap();
    assert!(told.body.contains("00:06:00"), "{}", told.body);
    let closed = explain_window(&model(), 0).unwrap();
    assert!(closed.body.contains("batch 1"), "{}", closed.body);
}

#[test]
fn two_sources_stand_on_two_parts_of_a_lane() {
    let mut events = vec![event(0, 5, Fate::Accepted), event(1, 6, Fate::Accepted), event(2, 7, Fate::Accepted)];
    events[1].source = 1;
    let model = Model::new(&[batch(0, events, Vec::new(), [0, 0, 0])], None);
    let names = vec!["clicks".to_owned(), "buys".to_owned()];
    let model = model.with_sources(names, Vec::new());
    let layout = Layout::new(&model, 1000.0, 400.0, 0.0);
    let scale = TimeScale::new((0, 10 * SECOND), 60.0, 1000.0);
    let y = |event| layout.mark(&scale, &model.lanes, Spot { lane: 0, event }).unwrap().1;
    let (second, _) = layout.part(0, 1);
    assert!(y(0) < y(2) && y(2) < second && second < y(1));
}

#[test]
fn sliding_windows_never_overlap() {
    let sliding = (0..12).map(|at| bar(at * 5, at * 5 + 60, 1, false)).collect();
    let model = Model::new(&[batch(0, Vec::new(), sliding, [0, 0, 0])], None);
    let layout = Layout::new(&model, 1000.0, 400.0, 0.0);
    let scale = TimeScale::new((0, 120 * SECOND), 60.0, 1000.0);
    assert_eq!(model.rows, 12);
    for (at, window) in model.windows.iter().enumerate() {
        let (top, height) = layout.bar(window.row);
        assert!(height >= 6.0 && top + height < layout.lanes_top());
        let middle = (window.start_us + window.end_us) / 2;
        assert_eq!(layout.hit(&model, &scale, scale.x(middle), top + height / 2.0), Hit::Window(at));
    }
}

#[test]
fn a_session_that_grew_is_not_left_open() {
    let batches = [
        batch(0, Vec::new(), vec![bar(0, 10, 1, false), bar(20, 30, 1, false)], [0, 0, 0]),
        batch(1, Vec::new(), vec![bar(0, 30, 1, false)], [0, 0, 0]),
    ];
    let model = Model::new(&batches, None);
    let merged: Vec<_> = model.windows.iter().map(|window| (window.end_us / SECOND, window.merged_in)).collect();
    assert_eq!(merged, [(10, Some(1)), (30, None), (30, Some(1))]);
    assert_eq!(model.open().count(), 1);
}
