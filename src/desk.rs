//! Where the state lives and its effects are carried out.

use crate::editor::Editor;
use crate::engine::{EngineClient, Heard};
use crate::state::share::{ShareAction, ShareEffect};
use crate::state::{Action, App, AssistAction, Effect, LessonsAction};
use gloo_timers::callback::Timeout;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tidemark_protocol::Command;
use tidemark_protocol::messages::PROTOCOL_VERSION;
use yew::Callback;

/// Pause after an edit before the text is saved, ms.
const SAVE_PAUSE: u32 = 300;
/// Pause after an edit before the text is checked, ms.
const CHECK_PAUSE: u32 = 450;
/// A command that takes longer than this can be interrupted, ms.
const SLOW: u32 = 700;

/// The state, the worker, the editor of the script and the timers between them.
#[derive(Default)]
pub struct Desk {
    app: RefCell<Rc<App>>,
    engine: RefCell<Option<EngineClient>>,
    editor: RefCell<Option<Editor>>,
    redraw: RefCell<Option<Callback<()>>>,
    /// The next frame draws what was heard.
    frame_asked: Cell<bool>,
    save: RefCell<Option<Timeout>>,
    check: RefCell<Option<Timeout>>,
    step: RefCell<Option<Timeout>>,
    /// The browser was asked to keep the storage: once, when there is work to lose.
    asked_to_persist: Cell<bool>,
}

impl Desk {
    pub fn app(&self) -> Rc<App> {
        self.app.borrow().clone()
    }

    /// Starts the worker; `redraw` is called after each change of the state.
    pub fn start(self: &Rc<Self>, redraw: Callback<()>) {
        *self.redraw.borrow_mut() = Some(redraw);
        self.dispatch(Action::Share(ShareAction::Here {
            address: crate::browser::address(),
            fragment: crate::browser::fragment(),
            embed: crate::browser::is_embedded(),
        }));
        if let Some(text) = crate::browser::kept(&lessons_key()) {
            self.dispatch(Action::Lessons(LessonsAction::Restore(text)));
        }
        let fragment = crate::browser::fragment();
        if !fragment.is_empty() {
            self.dispatch(Action::Lessons(LessonsAction::Address(fragment)));
        }
        self.start_worker();
    }

    /// What the person did is drawn at once.
    pub fn dispatch(self: &Rc<Self>, action: Action) {
        self.change(action);
        self.redraw_now();
    }

    /// What the worker said is drawn with the next frame, once however much it says.
    fn hear(self: &Rc<Self>, action: Action) {
        self.change(action);
        if self.frame_asked.replace(true) {
            return;
        }
        let desk = Rc::downgrade(self);
        crate::browser::before_next_frame(move || {
            if let Some(desk) = desk.upgrade() {
                desk.redraw_now();
            }
        });
    }

    fn redraw_now(&self) {
        self.frame_asked.set(false);
        let redraw = self.redraw.borrow().clone();
        if let Some(redraw) = redraw {
            redraw.emit(());
        }
    }

    fn change(self: &Rc<Self>, action: Action) {
        let effects = {
            let mut app = self.app.borrow_mut();
            let effects = Rc::make_mut(&mut app).apply(action);
            crate::zone::show(app.assist.times, &app.assist.session_zone);
            effects
        };
        for effect in effects {
            self.perform(effect);
        }
    }

    /// The editor of the script is there (or gone).
    pub fn set_editor(&self, editor: Option<Editor>) {
        *self.editor.borrow_mut() = editor;
    }

    pub fn with_editor(&self, act: impl FnOnce(&Editor)) {
        if let Some(editor) = &*self.editor.borrow() {
            act(editor);
        }
    }

    fn start_worker(self: &Rc<Self>) {
        self.engine.borrow_mut().take();
        let desk = Rc::downgrade(self);
        let heard = Callback::from(move |heard| {
            let Some(desk) = desk.upgrade() else { return };
            desk.hear(match heard {
                Heard::Event(event) => Action::Heard(event),
                Heard::Failed(message) => Action::EngineFailed(message),
            });
        });
        match EngineClient::start(heard) {
            Ok(engine) => {
                *self.engine.borrow_mut() = Some(engine);
                // Inside another page nothing is kept, and nobody is asked about it.
                let embed = self.app().share.embed;
                let workspace = if embed { String::new() } else { crate::browser::workspace() };
                let now_ms = crate::browser::now_ms();
                self.dispatch(Action::Ask(Command::Open { protocol: PROTOCOL_VERSION, workspace, now_ms }));
            }
            Err(error) => self.dispatch(Action::EngineFailed(error)),
        }
    }

    fn later(self: &Rc<Self>, ms: u32, action: Action) -> Timeout {
        let desk = Rc::downgrade(self);
        Timeout::new(ms, move || {
            if let Some(desk) = desk.upgrade() {
                desk.dispatch(action);
            }
        })
    }

    fn perform(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Send(command) => {
                if matches!(command, Command::Run { .. })
                    && !self.app().share.embed
                    && !self.asked_to_persist.replace(true)
                {
                    wasm_bindgen_futures::spawn_local(async {
                        crate::storage::ask_to_persist().await;
                    });
                }
                if let Some(engine) = &*self.engine.borrow() {
                    engine.send(command);
                }
            }
            Effect::RestartWorker => self.start_worker(),
            Effect::ShowScript(text) => {
                self.with_editor(|editor| editor.set_text(&text));
                self.perform(Effect::CheckSoon);
            }
            Effect::StepAfter { ms } => {
                let timer = self.later(ms, Action::NextStep);
                *self.step.borrow_mut() = Some(timer);
            }
            Effect::CheckBusy(sent) => {
                self.later(SLOW, Action::StillBusy(sent)).forget();
            }
            Effect::SaveSoon => {
                let timer = self.later(SAVE_PAUSE, Action::SaveScript);
                *self.save.borrow_mut() = Some(timer);
            }
            Effect::CheckSoon => {
                let timer = self.later(CHECK_PAUSE, Action::Assist(AssistAction::Check));
                *self.check.borrow_mut() = Some(timer);
            }
            Effect::Download { path, content } => crate::browser::download(&path, &content),
            Effect::Share(effect) => self.perform_share(effect),
            Effect::RevealLine(line) => {
                self.with_editor(|editor| editor.go_to(line));
            }
            Effect::KeepLessons(text) => crate::browser::keep(&lessons_key(), &text),
            Effect::Address(fragment) => crate::browser::set_fragment(&fragment),
        }
    }

    fn perform_share(self: &Rc<Self>, effect: ShareEffect) {
        match effect {
            ShareEffect::KeepPage => {
                let act = |action: ShareAction| {
                    let desk = Rc::downgrade(self);
                    move || {
                        if let Some(desk) = desk.upgrade() {
                            desk.dispatch(Action::Share(action.clone()));
                        }
                    }
                };
                crate::offline::start(act(ShareAction::Kept), act(ShareAction::NewVersion));
            }
            ShareEffect::Copy { text, what } => {
                let desk = Rc::downgrade(self);
                crate::browser::copy_then(&text, move |done| {
                    if let Some(desk) = desk.upgrade() {
                        desk.dispatch(Action::Share(ShareAction::Copied { what, done }));
                    }
                });
            }
            ShareEffect::ForgetFragment => crate::browser::forget_fragment(),
            ShareEffect::OpenWorkspace(name) => {
                crate::browser::name_workspace(&name);
                self.start_worker();
            }
            ShareEffect::Update => crate::offline::update(),
        }
    }
}

fn lessons_key() -> String {
    lessons_of(&crate::browser::workspace())
}

/// Where the state of the lessons is kept: with the workspace that it speaks of.
pub fn lessons_of(workspace: &str) -> String {
    format!("tidemark.lessons.{workspace}")
}
