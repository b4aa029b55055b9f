//! The page as a whole: its state, its keyboard, its layout.

use crate::browser::{self, Theme};
use crate::desk::Desk;
use crate::keys::{self, Key};
use crate::page::Page;
use crate::panels::batches::BatchesPanel;
use crate::panels::compare::VerdictDialog;
use crate::panels::detail::DetailPanel;
use crate::panels::files::FilesPanel;
use crate::panels::lessons::LessonsPanel;
use crate::panels::notices::Notices;
use crate::panels::overlays::Overlays;
use crate::panels::script::ScriptPanel;
use crate::panels::scrubber::Scrubber;
use crate::panels::session::SessionStrip;
use crate::panels::share::{Embedded, NewVersion, ShareDialogs, SparkBadge};
use crate::panels::timeline::Timeline;
use crate::panels::toolbar::Toolbar;
use crate::state::scripts::{ScriptsAction, ScriptsDialog};
use crate::state::share::{ShareAction, ShareDialog};
use crate::state::{Action, FilesTab, LessonsAction, Overlay, ReplayAction, View};
use crate::ui::{Glyph, Tool};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

#[component]
pub fn TidemarkApp() -> Html {
    let desk = use_memo((), |()| Desk::default());
    let redraw = use_force_update();
    let theme = use_state(Theme::stored);
    let colours = use_state(|| 0u32);
    {
        let desk = desk.clone();
        use_effect_with((), move |()| {
            desk.start(Callback::from(move |()| redraw.force_update()));
            let keys = listen_to_keys(&desk);
            let links = listen_to_links(&desk);
            move || drop((keys, links))
        });
    }
    {
        let colours = colours.clone();
        use_effect_with(*theme, move |theme| {
            theme.apply();
            colours.set(*colours + 1);
        });
    }
    use_system_colours(colours.clone());
    let main = desk.app();
    let page = Page { app: main.shown(), main, desk: desk.clone() };
    let switch_theme = {
        let theme = theme.clone();
        Callback::from(move |()| theme.set(theme.next()))
    };
    let glyph = match *theme {
        Theme::System => Glyph::System,
        Theme::Light => Glyph::Light,
        Theme::Dark => Glyph::Dark,
    };
    let view = page.app.view;
    if page.app.share.embed {
        return html! {
            <ContextProvider<Page> context={page.clone()}>
                <div class="app embed" data-view="embed" data-engine={engine_word(&page)} data-busy={page.app.is_busy().to_string()}>
                    <Embedded />
                    <ShareDialogs />
                </div>
            </ContextProvider<Page>>
        };
    }
    html! {
        <ContextProvider<Page> context={page.clone()}>
            <div class="app" data-view={view.id()} data-lessons={page.app.lessons.open.then_some("open")} data-detail={page.main.enlarged.then_some("large")}
                data-engine={engine_word(&page)} data-busy={is_busy(&page).to_string()} data-time={time_word(&page)}>
                <header class="bar">
                    <h1 class="brand"><span class="brand-mark" aria-hidden="true"></span>{ "Tidemark" }</h1>
                    <SparkBadge />
                    <Toolbar />
                    <div class="bar-end">
                        <Tool glyph={Glyph::Lessons} name="Lessons" text=true class="lessons-toggle roomy" key_of={Key::GoLessons}
                            hint="Lessons and example queries" pressed={page.app.lessons.open}
                            onclick={page.on(Action::Lessons(LessonsAction::Toggle))} />
                        <Tool glyph={Glyph::Share} name="Share" text=true class="roomy" key_of={Key::Share}
                            hint="A link, Markdown, files for real Spark; open a workspace or checkpoint"
                            onclick={page.on(Action::Share(ShareAction::Show(Some(ShareDialog::Share))))} />
                        <Tool {glyph} name="Colours" hint={format!("Colours: {}", theme.name())} onclick={switch_theme} />
                        <Tool glyph={Glyph::Help} name="Help" key_of={Key::Help}
                            onclick={page.on(Action::Show(Some(Overlay::Shortcuts)))} />
                    </div>
                </header>
                <div class="strips">
                    <SessionStrip />
                    <Scrubber />
                </div>
                <main class="panes">
                    <LessonsPanel />
                    <ScriptPanel />
                    <FilesPanel />
                    <Timeline colours={*colours} />
                    <BatchesPanel />
                    <DetailPanel key={format!("{}-{:?}", time_word(&page), page.main.replay.shown())} />
                </main>
                <nav class="views" aria-label="Panels">
                    { for View::ALL.iter().map(|other| html! {
                        <button type="button" aria-current={(*other == view).then_some("page")}
                            onclick={page.on(Action::SelectView(*other))}>{ other.label() }</button>
                    }) }
                </nav>
                <NewVersion />
                <Notices />
                <Overlays />
                <VerdictDialog />
                <ShareDialogs />
            </div>
        </ContextProvider<Page>>
    }
}

fn is_busy(page: &Page) -> bool {
    page.app.is_busy() || page.main.is_busy()
}

/// For style sheets and end-to-end tests: which run the panels show.
fn time_word(page: &Page) -> &'static str {
    match &page.main.replay {
        replay if !replay.looking => "now",
        replay if replay.past => "past",
        _ => "second",
    }
}

/// For style sheets and end-to-end tests: how the engine stands.
fn engine_word(page: &Page) -> &'static str {
    use crate::state::Engine;
    match page.app.engine {
        Engine::Starting => "starting",
        Engine::Ready { .. } => "ready",
        Engine::Failed(_) => "failed",
        Engine::Panicked(_) => "panicked",
    }
}

/// Counts on when the system's colours change.
#[hook]
fn use_system_colours(colours: UseStateHandle<u32>) {
    let count = use_mut_ref(|| 1_000u32);
    use_effect_with((), move |()| {
        let query =
            web_sys::window().and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok().flatten());
        let changed = Closure::<dyn FnMut()>::new(move || {
            Theme::stored().apply();
            *count.borrow_mut() += 1;
            colours.set(*count.borrow());
        });
        if let Some(query) = &query {
            query.set_onchange(Some(changed.as_ref().unchecked_ref()));
        }
        move || {
            if let Some(query) = query {
                query.set_onchange(None);
            }
            drop(changed);
        }
    });
}

/// A listener on the document; goes when dropped.
struct Keys {
    closure: Closure<dyn FnMut(KeyboardEvent)>,
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(document) = web_sys::window().and_then(|window| window.document()) {
            let _ = document.remove_event_listener_with_callback("keydown", self.closure.as_ref().unchecked_ref());
        }
    }
}

fn listen_to_keys(desk: &Rc<Desk>) -> Keys {
    let desk = desk.clone();
    let closure = Closure::<dyn FnMut(KeyboardEvent)>::new(move |event: KeyboardEvent| {
        let control = event.ctrl_key() || event.meta_key();
        if let Some(key) = keys::pressed(&event.code(), control, event.alt_key(), event.shift_key()) {
            event.prevent_default();
            if !event.repeat() {
                press(&desk, key);
            }
        }
    });
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        let _ = document.add_event_listener_with_callback("keydown", closure.as_ref().unchecked_ref());
    }
    Keys { closure }
}

/// A link that is opened in the tab that shows the page already. Lives as long as the page.
fn listen_to_links(desk: &Rc<Desk>) -> Closure<dyn FnMut()> {
    let desk = desk.clone();
    let closure = Closure::<dyn FnMut()>::new(move || {
        desk.dispatch(Action::Share(ShareAction::Arrived(browser::fragment())));
    });
    if let Some(window) = browser::window() {
        let _ = window.add_event_listener_with_callback("hashchange", closure.as_ref().unchecked_ref());
    }
    closure
}

fn press(desk: &Rc<Desk>, key: Key) {
    let app = desk.app();
    let gates = app.shown().gates();
    let act = |action: Action, closed: Option<&'static str>| match closed {
        None => desk.dispatch(action),
        Some(reason) => desk.dispatch(Action::Say(reason.to_owned())),
    };
    let go = |view: View, selector: &str| {
        desk.dispatch(Action::SelectView(view));
        browser::focus(selector);
    };
    match key {
        Key::Run => act(Action::Run, gates.run.reason()),
        Key::Step => act(Action::Step, gates.step.reason()),
        Key::Continuous => act(Action::ToggleContinuous, gates.continuous.reason()),
        Key::Stop => act(Action::Stop, gates.stop.reason()),
        Key::Restart => act(Action::Restart, gates.restart.reason()),
        Key::Crash => {
            act(Action::Show(Some(Overlay::CrashMenu)), gates.crash.reason());
            browser::focus(".menu-host button");
        }
        Key::Reset => act(Action::Show(Some(Overlay::ConfirmReset)), gates.reset.reason()),
        Key::Share => desk.dispatch(Action::Share(ShareAction::Show(Some(ShareDialog::Share)))),
        Key::History => desk.dispatch(Action::Scripts(ScriptsAction::Show(Some(ScriptsDialog::History)))),
        Key::AddEvent => {
            desk.dispatch(Action::ShowFiles(FilesTab::AddEvent));
            browser::focus("#tab-add-event");
        }
        Key::Earlier => desk.dispatch(Action::Replay(ReplayAction::Back)),
        Key::Later => desk.dispatch(Action::Replay(ReplayAction::Forward)),
        Key::Now => desk.dispatch(Action::Replay(ReplayAction::Now)),
        Key::MayRestart => act(Action::Replay(ReplayAction::AskVerdict), app.gates().may_restart.reason()),
        Key::GoScript => go(View::Script, "#pane-script .cm-content"),
        Key::GoFiles => go(View::Files, "#pane-files [aria-selected=true]"),
        Key::GoTime => go(View::Time, "#pane-time .timeline"),
        Key::GoBatches => go(View::Batches, "#pane-batches .pane-body"),
        Key::GoDetail => go(View::Detail, "#pane-detail [aria-selected=true]"),
        Key::GoLessons => {
            desk.dispatch(Action::Lessons(LessonsAction::Toggle));
            browser::focus("#lessons-title");
        }
        Key::Help => desk.dispatch(Action::Show(Some(Overlay::Shortcuts))),
    }
}
