//! Run, step, stop, crash: the session's controls.

use crate::keys::Key;
use crate::page::use_page;
use crate::state::{Action, Overlay, ReplayAction, Speed, StepPlan, point_name};
use crate::ui::{Glyph, Icon, Tool};
use tidemark_protocol::messages::CrashPoint;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[component]
pub fn Toolbar() -> Html {
    let page = use_page();
    let app = &page.app;
    let gates = app.gates();
    let step_hint = match gates.step_plan {
        StepPlan::RunFirst => "Run the script, then one trigger",
        _ => "Run one trigger",
    };
    let interrupt = app.is_busy() && app.slow;
    let broken = app.is_broken_off() && gates.restart.is_open();
    html! {
        <div class="toolbar" role="toolbar" aria-label="Session controls">
            if interrupt {
                <Tool glyph={Glyph::Interrupt} name="Interrupt" text=true class="bad" gate={gates.interrupt}
                    hint="Stop the engine in mid-way and start it again; files and committed batches stay"
                    onclick={page.on(Action::Interrupt)} />
            } else {
                <Tool glyph={Glyph::Run} name="Run" text=true class="outline" key_of={Key::Run} gate={gates.run}
                    hint="Run the script from its first line; files and checkpoints stay"
                    onclick={page.on(Action::Run)} />
            }
            <Tool glyph={Glyph::Step} name="Step" text=true key_of={Key::Step} gate={gates.step} hint={step_hint}
                class={classes!((!broken).then_some("primary"))} onclick={page.on(Action::Step)} />
            <Tool glyph={if app.continuous { Glyph::Pause } else { Glyph::Play }}
                name={if app.continuous { "Pause" } else { "Run continuously" }}
                hint={if app.continuous { "Pause after this trigger" } else { "One trigger after another" }}
                key_of={Key::Continuous} gate={gates.continuous} pressed={app.continuous}
                onclick={page.on(Action::ToggleContinuous)} />
            <SpeedSelect />
            <span class="rule"></span>
            <Tool glyph={Glyph::Stop} name="Stop" text=true class="roomy" key_of={Key::Stop} gate={gates.stop}
                hint="Stop the queries as query.stop() does; a waiting script goes on" onclick={page.on(Action::Stop)} />
            <Tool glyph={Glyph::Restart} name="Restart from checkpoint" key_of={Key::Restart} gate={gates.restart}
                short="Restart" class={classes!("roomy", broken.then_some("primary"))}
                hint="Run the script again on the same files: each query goes on from its checkpoint"
                onclick={page.on(Action::Restart)} />
            <Tool glyph={Glyph::Shield} name="May I restart?" class="roomy" key_of={Key::MayRestart} gate={gates.may_restart}
                hint="Try the script on a copy of the workspace: whether its queries go on from their checkpoints"
                onclick={page.on(Action::Replay(ReplayAction::AskVerdict))} />
            <CrashMenu />
            <span class="rule"></span>
            <Tool glyph={Glyph::Reset} name="Reset" text=true class="roomy" key_of={Key::Reset} gate={gates.reset}
                hint="Empty the workspace and lay the example anew"
                onclick={page.on(Action::Show(Some(Overlay::ConfirmReset)))} />
        </div>
    }
}

#[component]
fn SpeedSelect() -> Html {
    let page = use_page();
    let speed = page.app.speed;
    let onchange = {
        let page = page.clone();
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map_or(-1, |select| select.selected_index());
            if let Some(speed) = usize::try_from(index).ok().and_then(|index| Speed::ALL.get(index)) {
                page.act(Action::SetSpeed(*speed));
            }
        })
    };
    html! {
        <select class="speed" aria-label="Triggers a second of a continuous run" title="Triggers a second of a continuous run" {onchange}>
            { for Speed::ALL.iter().map(|choice| html! {
                <option selected={*choice == speed}>{ choice.label() }</option>
            }) }
        </select>
    }
}

const POINTS: [(Option<CrashPoint>, &str, &str); 4] = [
    (None, "Now", "Between batches: nothing is half done"),
    (Some(CrashPoint::OffsetsWritten), "Offsets written", "Next batch: planned, nothing has run"),
    (Some(CrashPoint::SinkDone), "Sink done", "Next batch: output is out, the commit is missing"),
    (Some(CrashPoint::CommitWritten), "Commit written", "Next batch: committed, nothing after it has run"),
];

#[component]
fn CrashMenu() -> Html {
    let page = use_page();
    let open = page.app.overlay == Some(Overlay::CrashMenu);
    let gate = page.app.gates().crash;
    let armed = page.app.armed;
    let close = page.on::<FocusEvent>(Action::Show(None));
    let node = use_node_ref();
    let onfocusout = {
        let node = node.clone();
        Callback::from(move |event: FocusEvent| {
            let to =
                event.related_target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Node>(target).ok());
            let inside = node.cast::<web_sys::Node>().is_some_and(|node| node.contains(to.as_ref()));
            if !inside && to.is_some() {
                close.emit(event);
            }
        })
    };
    let onkeydown = page_menu_keys(&page);
    let choose = |point: Option<CrashPoint>| {
        let page = page.clone();
        Callback::from(move |_: MouseEvent| {
            page.act(Action::Show(None));
            page.act(Action::Crash(point));
        })
    };
    let toggle = page.on(Action::Show(if open { None } else { Some(Overlay::CrashMenu) }));
    let hint = match armed {
        Some(point) => format!("Armed: the next batch is killed {}", point_name(Some(point))),
        None => "Kill the driver, now or inside the next batch".to_owned(),
    };
    html! {
        <div class="menu-host" ref={node} {onfocusout} {onkeydown}>
            <Tool glyph={Glyph::Crash} name="Crash" text=true key_of={Key::Crash} {gate} {hint}
                class={classes!("roomy", armed.map(|_| "armed"))} pressed={armed.map(|_| true)} onclick={toggle} />
            if open {
                <div class="menu" role="menu" aria-label="Crash">
                    { for POINTS.iter().map(|(point, name, what)| html! {
                        <button type="button" role="menuitem" onclick={choose(*point)}>
                            <Icon glyph={Glyph::Crash} />
                            <span><b>{ *name }</b><small>{ *what }</small></span>
                        </button>
                    }) }
                </div>
            }
        </div>
    }
}

/// Arrow keys go through the items of an open menu, Escape closes it.
fn page_menu_keys(page: &crate::page::Page) -> Callback<KeyboardEvent> {
    let page = page.clone();
    Callback::from(move |event: KeyboardEvent| {
        if page.app.overlay != Some(Overlay::CrashMenu) {
            return;
        }
        match event.key().as_str() {
            "Escape" => page.act(Action::Show(None)),
            "ArrowDown" => {
                crate::browser::focus(".menu button:focus + button, .menu:not(:focus-within) button:first-child");
                event.prevent_default();
            }
            "ArrowUp" => {
                crate::browser::focus(".menu button:has(+ button:focus), .menu:not(:focus-within) button:last-child");
                event.prevent_default();
            }
            _ => {}
        }
    })
}
