use super::*;
use crate::state::tests::{batch, commands, hear, info, settled, stepping};

fn said(app: &mut App, event: ReplayEvent) -> Vec<Effect> {
    hear(app, Event::Replay(event))
}

fn second_says(app: &mut App, event: Event) -> Vec<Effect> {
    said(app, ReplayEvent::Said(Box::new(event)))
}

fn moment(batch: i64) -> Moment {
    Moment { kind: MomentKind::Batch { query: "q".to_owned(), batch }, clock_ms: 0 }
}

/// Three batches, the page shows the first of them.
fn past() -> App {
    let mut app = stepping();
    for number in 0..3 {
        hear(&mut app, Event::Batch(Box::new(batch("q", number))));
        said(&mut app, ReplayEvent::Moments { first: number as usize, moments: vec![moment(number)], lost: false });
    }
    settled(&mut app, 2);
    let effects = app.apply(Action::Replay(ReplayAction::Goto(0)));
    assert_eq!(commands(&effects), [&Command::Replay(ReplayCommand::Goto { moment: 0 })]);
    said(&mut app, ReplayEvent::Opened(Second::Past { moment: 0 }));
    said(&mut app, ReplayEvent::Did { script: Some("then".to_owned()), armed: None });
    second_says(&mut app, Event::QueryStarted(info("q")));
    second_says(&mut app, Event::Settled { command: 1, clock_ms: 0, next_due_ms: None });
    said(&mut app, ReplayEvent::Did { script: None, armed: None });
    second_says(&mut app, Event::Batch(Box::new(batch("q", 0))));
    second_says(&mut app, Event::Settled { command: 2, clock_ms: 0, next_due_ms: None });
    let effects = said(&mut app, ReplayEvent::Arrived);
    assert_eq!(effects, [Effect::ShowScript(Rc::from("then"))]);
    settled(&mut app, 3);
    app
}

fn shown(app: &App) -> Rc<App> {
    Rc::new(app.clone()).shown()
}

#[test]
fn the_past_is_shown_and_nothing_can_be_done_in_it() {
    let app = past();
    let then = shown(&app);
    assert_eq!(then.queries[0].batches.len(), 1);
    assert_eq!(then.gates().step.reason(), Some(PAST));
    assert_eq!(app.queries[0].batches.len(), 3);
    assert_eq!((app.replay.shown(), app.replay.newest()), (Some(0), Some(2)));
}

#[test]
fn questions_about_the_past_go_to_the_second_run_and_now_ends_it() {
    let mut app = past();
    let effects = app.apply(Action::OpenFile("a".to_owned()));
    let ask = ReplayCommand::Ask(Box::new(Command::ReadFile { path: "a".to_owned() }));
    assert_eq!(commands(&effects), [&Command::Replay(ask)]);
    let effects = app.apply(Action::Replay(ReplayAction::Now));
    assert_eq!(commands(&effects), [&Command::Replay(ReplayCommand::Discard)]);
    assert_eq!(effects[0], Effect::ShowScript(app.script.clone()));
    said(&mut app, ReplayEvent::Closed);
    assert!(app.replay.second.is_none());
    assert_eq!(shown(&app).queries[0].batches.len(), 3);
}

#[test]
fn forward_from_the_newest_moment_is_now() {
    let mut app = past();
    let effects = app.apply(Action::Replay(ReplayAction::Forward));
    assert_eq!(commands(&effects), [&Command::Replay(ReplayCommand::Goto { moment: 1 })]);
    said(&mut app, ReplayEvent::Forward(Second::Past { moment: 1 }));
    // A second wish waits for the first.
    assert_eq!(app.apply(Action::Replay(ReplayAction::Goto(2))), []);
    let effects = said(&mut app, ReplayEvent::Arrived);
    assert_eq!(commands(&effects), [&Command::Replay(ReplayCommand::Goto { moment: 2 })]);
    said(&mut app, ReplayEvent::Forward(Second::Past { moment: 2 }));
    said(&mut app, ReplayEvent::Arrived);
    app.apply(Action::Replay(ReplayAction::Forward));
    assert!(!app.replay.looking);
}

#[test]
fn a_branch_is_worked_in_and_becomes_the_workspace() {
    let mut app = past();
    app.apply(Action::Replay(ReplayAction::Branch));
    said(&mut app, ReplayEvent::Branched);
    assert!(shown(&app).gates().step.is_open());
    let effects = app.apply(Action::Step);
    let ask = ReplayCommand::Ask(Box::new(Command::Step { query: None }));
    assert_eq!(commands(&effects), [&Command::Replay(ask)]);
    second_says(&mut app, Event::Settled { command: 3, clock_ms: 0, next_due_ms: None });
    said(&mut app, ReplayEvent::Adopted);
    said(&mut app, ReplayEvent::Moments { first: 0, moments: vec![moment(0)], lost: false });
    assert!(app.replay.second.is_none() && !app.frozen);
    assert_eq!((app.queries[0].batches.len(), app.replay.newest()), (1, Some(0)));
    assert_eq!(&*app.script, "then");
}

#[test]
fn a_what_if_run_stands_beside_the_workspace() {
    let mut app = past();
    app.apply(Action::Replay(ReplayAction::Now));
    said(&mut app, ReplayEvent::Closed);
    let changes = Changes { watermark_delay_ms: Some(10_000), ..Changes::default() };
    app.apply(Action::Replay(ReplayAction::SetChanges(changes.clone())));
    let effects = app.apply(Action::Replay(ReplayAction::RunWhatIf));
    assert_eq!(commands(&effects), [&Command::Replay(ReplayCommand::WhatIf { changes: changes.clone() })]);
    said(&mut app, ReplayEvent::Opened(Second::WhatIf { changes }));
    assert!(app.replay.beside().is_none());
    said(&mut app, ReplayEvent::Arrived);
    assert!(app.replay.beside().is_some() && !app.replay.looking);
    assert_eq!(app.tab, Tab::Compare);
}
