//! The code editor as a component.

use crate::editor::{self, Mounted};
use std::cell::RefCell;
use std::rc::Rc;
use tidemark_protocol::messages::{Column, Problem};
use web_sys::HtmlElement;
use yew::prelude::*;

/// A marked line (1-based); `kind` is "error" or "parked".
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub line: u32,
    pub kind: &'static str,
    pub title: String,
}

#[derive(Properties, PartialEq)]
pub struct CodeProps {
    /// The text at the beginning; the editor owns it from then on. Another `document` shows its text anew.
    pub text: Rc<str>,
    #[prop_or_default]
    pub document: AttrValue,
    pub language: AttrValue,
    pub label: AttrValue,
    #[prop_or_default]
    pub mark: Option<Mark>,
    /// What is certainly wrong with the text of the edit that was checked.
    #[prop_or_default]
    pub problems: Rc<Vec<Problem>>,
    #[prop_or_default]
    pub checked: u64,
    /// Columns that can be completed.
    #[prop_or_default]
    pub columns: Vec<Column>,
    pub onchange: Callback<Rc<str>>,
    #[prop_or_default]
    pub onblur: Callback<()>,
    /// Gets what only a screen reader is told.
    #[prop_or_default]
    pub onsay: Callback<String>,
    /// The editor is there (Some), or goes (None).
    #[prop_or_default]
    pub onmount: Callback<Option<editor::Editor>>,
}

/// What the editor calls: the newest callbacks of the component.
type Handlers = Rc<RefCell<(Callback<Rc<str>>, Callback<()>, Callback<String>)>>;

#[component]
pub fn Code(props: &CodeProps) -> Html {
    let host = use_node_ref();
    let mounted = use_mut_ref(|| None::<Mounted>);
    let failed = use_state(|| None::<String>);
    let handlers: Handlers = use_mut_ref(Default::default);
    *handlers.borrow_mut() = (props.onchange.clone(), props.onblur.clone(), props.onsay.clone());
    {
        let (host, mounted, failed, handlers) = (host.clone(), mounted.clone(), failed.clone(), handlers.clone());
        let (text, language, label) = (props.text.clone(), props.language.clone(), props.label.clone());
        let onmount = props.onmount.clone();
        use_effect_with((), move |()| {
            let on_change = {
                let handlers = handlers.clone();
                Callback::from(move |text| {
                    let handler = handlers.borrow().0.clone();
                    handler.emit(text);
                })
            };
            let on_blur = {
                let handlers = handlers.clone();
                Callback::from(move |()| {
                    let handler = handlers.borrow().1.clone();
                    handler.emit(());
                })
            };
            let on_say = Callback::from(move |text| {
                let handler = handlers.borrow().2.clone();
                handler.emit(text);
            });
            if let Some(host) = host.cast::<HtmlElement>() {
                match editor::mount(&host, &text, &language, &label, on_change, on_blur, on_say) {
                    Ok(new) => {
                        onmount.emit(Some(new.editor.clone()));
                        *mounted.borrow_mut() = Some(new);
                    }
                    Err(error) => failed.set(Some(error)),
                }
            }
            move || {
                onmount.emit(None);
                mounted.borrow_mut().take();
            }
        });
    }
    {
        let mounted = mounted.clone();
        let text = props.text.clone();
        use_effect_with(props.document.clone(), move |_| {
            if let Some(mounted) = &*mounted.borrow() {
                mounted.editor.set_text(&text);
            }
        });
    }
    {
        let mounted = mounted.clone();
        let problems = props.problems.clone();
        use_effect_with((props.checked, problems.clone()), move |_| {
            let flat = js_sys::Array::new();
            for problem in &*problems {
                flat.push(&problem.from.into());
                flat.push(&problem.to.into());
                flat.push(&problem.message.as_str().into());
            }
            if let Some(mounted) = &*mounted.borrow() {
                mounted.editor.set_problems(&flat);
            }
        });
    }
    {
        let mounted = mounted.clone();
        use_effect_with(props.columns.clone(), move |columns| {
            let flat = js_sys::Array::new();
            for column in columns {
                flat.push(&column.name.as_str().into());
                flat.push(&column.data_type.as_str().into());
            }
            if let Some(mounted) = &*mounted.borrow() {
                mounted.editor.set_columns(&flat);
            }
        });
    }
    use_effect_with(props.mark.clone(), move |mark| {
        if let Some(mounted) = &*mounted.borrow() {
            match mark {
                Some(mark) => mounted.editor.mark(mark.line, mark.kind, &mark.title),
                None => mounted.editor.clear_mark(),
            }
        }
    });
    html! {
        <>
            <div class="code" ref={host}></div>
            if let Some(error) = &*failed { <p class="empty" role="alert">{ error }</p> }
        </>
    }
}
