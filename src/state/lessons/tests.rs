use super::*;
use tidemark_protocol::messages::{Event, LaidFile};

/// A new workspace, with the opening example in it.
fn open() -> App {
    let mut app = App::default();
    app.apply(Action::Ask(Command::Open { protocol: 1, workspace: "w".to_owned(), now_ms: 0 }));
    ready(&mut app, &opening_example());
    app
}

/// The worker has laid this.
fn ready(app: &mut App, layout: &Layout) {
    let ready = Event::Ready {
        engine_version: "0.1".to_owned(),
        spark_version: "4.3.0".to_owned(),
        script: layout.script.clone(),
        restored: None,
        files: Vec::new(),
    };
    app.apply(Action::Heard(Box::new(ready)));
    app.apply(Action::Heard(Box::new(Event::Settled { command: 0, clock_ms: 0, next_due_ms: None })));
}

fn act(app: &mut App, action: LessonsAction) -> Vec<Effect> {
    app.apply(Action::Lessons(action))
}

fn windows() -> Origin {
    Origin::Lesson("windows".to_owned())
}

fn laid(effects: &[Effect]) -> Option<&Layout> {
    effects.iter().find_map(|effect| match effect {
        Effect::Send(Command::Lay { layout }) => layout.as_ref(),
        _ => None,
    })
}

fn load(app: &mut App, origin: Origin) -> Vec<Effect> {
    let effects = act(app, LessonsAction::Load(origin));
    if let Some(layout) = laid(&effects) {
        ready(app, layout);
    }
    effects
}

#[test]
fn an_untouched_workspace_gives_way_and_an_edited_one_asks_first() {
    let mut app = open();
    assert_eq!(laid(&load(&mut app, windows())), windows().layout().as_ref());
    assert!(app.lessons.laid == Some(windows()) && !app.is_modified());

    app.apply(Action::Edited(Rc::from("print(2)")));
    assert!(app.is_modified());
    assert_eq!(load(&mut app, Origin::Example("word_count".to_owned())), []);
    assert!(app.lessons.pending.is_some());
    assert_eq!(act(&mut app, LessonsAction::Confirm(false)), []);
    assert_eq!((&*app.script, &app.lessons.laid, &app.lessons.pending), ("print(2)", &Some(windows()), &None));

    act(&mut app, LessonsAction::Load(Origin::Opening));
    assert_eq!(laid(&act(&mut app, LessonsAction::Confirm(true))), Some(&opening_example()));
}

#[test]
fn what_a_person_adds_is_their_own_and_what_a_lesson_adds_is_not() {
    let mut app = open();
    load(&mut app, windows());
    let file = LaidFile { path: "data/stream_in/9.json".to_owned(), content: b"{}".to_vec() };
    act(&mut app, LessonsAction::Do(Move::File(file)));
    let lesson = tidemark_lessons::lesson("windows").unwrap();
    for part in &lesson.solution {
        if let tidemark_lessons::Part::Move(one @ Move::Edit(_)) = part {
            act(&mut app, LessonsAction::Do(one.clone()));
        }
    }
    assert!(app.script.contains("30 seconds") && app.is_modified() && !app.has_own_work());

    let write = Command::WriteFile { path: "/workspace/a".to_owned(), content: Vec::new() };
    let effects = app.apply(Action::Ask(write));
    assert!(matches!(&effects[..], [Effect::Send(_), Effect::KeepLessons(_)]) && app.has_own_work());
    act(&mut app, LessonsAction::Load(windows()));
    act(&mut app, LessonsAction::Confirm(true));
    ready(&mut app, &windows().layout().unwrap());
    assert!(!app.has_own_work());
}

#[test]
fn a_script_goes_back_to_its_original() {
    let mut app = open();
    load(&mut app, windows());
    app.apply(Action::Edited(Rc::from("print(2)")));
    let edit = tidemark_lessons::Edit { from: "no such line".to_owned(), to: String::new() };
    act(&mut app, LessonsAction::Do(Move::Edit(edit)));
    assert_eq!(app.notices.len(), 1, "a change that does not fit says so");
    let effects = act(&mut app, LessonsAction::ResetScript);
    assert!(effects.contains(&Effect::ShowScript(app.script.clone())) && effects.contains(&Effect::SaveSoon));
    assert!(!app.is_modified());
}

#[test]
fn the_address_and_an_earlier_visit_bring_a_place_back() {
    let mut app = open();
    assert_eq!(act(&mut app, LessonsAction::Address("lesson=nowhere".to_owned())), []);
    let effects = act(&mut app, LessonsAction::Address("lesson=windows".to_owned()));
    assert!(effects.contains(&Effect::Address("lesson=windows".to_owned())));
    act(&mut app, LessonsAction::Answer("In both".to_owned()));
    let effects = act(&mut app, LessonsAction::Reveal);
    let Some(Effect::KeepLessons(kept)) = effects.first() else { panic!("{effects:?}") };

    let mut again = App::default();
    act(&mut again, LessonsAction::Restore(kept.clone()));
    assert_eq!(again.lessons.lesson().map(|lesson| lesson.name.as_str()), Some("windows"));
    assert!(again.lessons.open && again.lessons.progress("windows").revealed);
    assert_eq!(again.lessons.progress("windows").answer, "In both");
    act(&mut again, LessonsAction::Restore("{".to_owned()));
    assert_eq!(again.lessons, LessonsState::default());
    assert!(act(&mut app, LessonsAction::Toggle).contains(&Effect::Address(String::new())));
    assert_eq!(act(&mut app, LessonsAction::Address(String::new())), []);
    act(&mut app, LessonsAction::Show(Place::Gallery));
    act(&mut app, LessonsAction::Address(String::new()));
    assert!(!app.lessons.open && app.view == View::Script, "Back leaves the lessons");
}
