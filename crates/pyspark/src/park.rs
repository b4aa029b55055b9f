//! Lets a script stop in the middle of a call that waits without end, and go on later.
//!
//! The script is compiled with top-level `await` allowed, and the waiting calls become awaits: of `awaitTermination()` and
//! `awaitAnyTermination()` without a timeout, of `sleep` inside a `while`, and of calls to functions of the script that
//! contain such a call (these become `async def`). The text is edited in place, so lines stay where they are. What the
//! rewrite cannot reach (lambdas, generators, functions that are passed around) runs as it stands.

use std::collections::{BTreeMap, BTreeSet};

use ruff_text_size::{Ranged, TextRange};
use rustpython_vm::compiler::ast::visitor::{Visitor, walk_expr, walk_stmt};
use rustpython_vm::compiler::ast::{self, Expr, Stmt};
use rustpython_vm::compiler::parser;

const WAITS: &[&str] = &["awaitTermination", "awaitAnyTermination"];

/// Where a call stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Module,
    Function(usize),
    /// A class body or a lambda: nothing can be awaited there.
    Closed,
}

enum Kind {
    /// `x.awaitTermination()`.
    Wait,
    /// `sleep(...)` in a `while`.
    Sleep,
    /// A call of this name or method.
    Named(String),
}

struct Call {
    scope: Scope,
    kind: Kind,
    whole: TextRange,
    callee: TextRange,
}

struct Function {
    name: String,
    name_at: usize,
    /// Already async, or a generator: cannot be turned into an async function.
    fixed: bool,
}

#[derive(Default)]
struct Survey {
    calls: Vec<Call>,
    functions: Vec<Function>,
    /// Names and attributes that are read without being called.
    loose: BTreeSet<String>,
    loops: usize,
}

struct Walker<'s> {
    survey: &'s mut Survey,
    scope: Scope,
}

impl Walker<'_> {
    fn within(&mut self, scope: Scope, walk: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.scope, scope);
        let loops = std::mem::take(&mut self.survey.loops);
        walk(self);
        self.survey.loops = loops;
        self.scope = outer;
    }

    fn call(&mut self, call: &ast::ExprCall) {
        let name = match &*call.func {
            Expr::Name(name) => name.id.to_string(),
            Expr::Attribute(attribute) => {
                self.visit_expr(&attribute.value);
                attribute.attr.id.to_string()
            }
            other => {
                self.visit_expr(other);
                String::new()
            }
        };
        let bare = call.arguments.args.is_empty() && call.arguments.keywords.is_empty();
        let kind = if WAITS.contains(&name.as_str()) && bare {
            Some(Kind::Wait)
        } else if name == "sleep" && self.survey.loops > 0 {
            Some(Kind::Sleep)
        } else if name.is_empty() {
            None
        } else {
            Some(Kind::Named(name))
        };
        if let Some(kind) = kind {
            self.survey.calls.push(Call { scope: self.scope, kind, whole: call.range(), callee: call.func.range() });
        }
        self.visit_arguments(&call.arguments);
    }
}

impl<'a> Visitor<'a> for Walker<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                for decorator in &function.decorator_list {
                    self.visit_decorator(decorator);
                }
                self.visit_parameters(&function.parameters);
                let index = self.survey.functions.len();
                self.survey.functions.push(Function {
                    name: function.name.id.to_string(),
                    name_at: function.name.range().start().to_usize(),
                    fixed: function.is_async,
                });
                self.within(Scope::Function(index), |walker| walker.visit_body(&function.body));
            }
            Stmt::ClassDef(class) => {
                for decorator in &class.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
                self.within(Scope::Closed, |walker| walker.visit_body(&class.body));
            }
            Stmt::While(_) => {
                self.survey.loops += 1;
                walk_stmt(self, stmt);
                self.survey.loops -= 1;
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Call(call) => self.call(call),
            Expr::Lambda(_) => self.within(Scope::Closed, |walker| walk_expr(walker, expr)),
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                if let Scope::Function(index) = self.scope {
                    self.survey.functions[index].fixed = true;
                }
                walk_expr(self, expr);
            }
            Expr::Name(name) => {
                if name.ctx.is_load() {
                    self.survey.loose.insert(name.id.to_string());
                }
            }
            Expr::Attribute(attribute) => {
                self.survey.loose.insert(attribute.attr.id.to_string());
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }
}

/// Functions to make async: those that wait, or call one that does, as far as all of that name can be changed.
fn parking(survey: &Survey) -> BTreeSet<usize> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, function) in survey.functions.iter().enumerate() {
        by_name.entry(&function.name).or_default().push(index);
    }
    by_name.retain(|name, indexes| {
        !survey.loose.contains(*name)
            && !name.starts_with("__")
            && indexes.iter().all(|index| !survey.functions[*index].fixed)
    });
    let mut chosen = BTreeSet::new();
    loop {
        let before = chosen.len();
        for call in &survey.calls {
            let Scope::Function(index) = call.scope else { continue };
            let waits = match &call.kind {
                Kind::Wait | Kind::Sleep => true,
                Kind::Named(name) => {
                    by_name.get(name.as_str()).is_some_and(|indexes| indexes.iter().any(|index| chosen.contains(index)))
                }
            };
            if waits && let Some(indexes) = by_name.get(survey.functions[index].name.as_str()) {
                // All of one name change together: a call by that name awaits whichever it meets.
                chosen.extend(indexes.iter().copied());
            }
        }
        if chosen.len() == before {
            return chosen;
        }
    }
}

/// The script with its waits made awaits; None when there is nothing to do, or it does not parse.
pub(crate) fn rewrite(source: &str) -> Option<String> {
    let module = parser::parse_module(source).ok()?.into_syntax();
    let mut survey = Survey::default();
    Walker { survey: &mut survey, scope: Scope::Module }.visit_body(&module.body);
    let chosen = parking(&survey);
    let names: BTreeSet<&str> = chosen.iter().map(|index| survey.functions[*index].name.as_str()).collect();

    // (offset, closes before opens, inner before outer for closes and the reverse for opens, text)
    let mut edits: Vec<(usize, bool, i64, &str)> = Vec::new();
    for call in &survey.calls {
        let open = match call.scope {
            Scope::Module => true,
            Scope::Function(index) => chosen.contains(&index),
            Scope::Closed => false,
        };
        let (start, end) = (call.whole.start().to_usize(), call.whole.end().to_usize());
        let size = i64::try_from(end - start).unwrap_or(i64::MAX);
        let helper = match &call.kind {
            Kind::Wait if open => "(await __tidemark_wait__(",
            Kind::Sleep if open => "(await __tidemark_sleep__(",
            Kind::Named(name) if open && names.contains(name.as_str()) => "(await __tidemark_drive__(",
            _ => continue,
        };
        edits.push((start, true, -size, helper));
        if matches!(call.kind, Kind::Named(_)) {
            edits.push((end, false, size, "))"));
        } else {
            edits.push((call.callee.end().to_usize(), false, 0, ")"));
            edits.push((end, false, size, ")"));
        }
    }
    for index in &chosen {
        let keyword = source[..survey.functions[*index].name_at].rfind("def")?;
        edits.push((keyword, true, i64::MIN, "async "));
    }
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|(at, opens, size, _)| (*at, *opens, *size));
    let mut text = String::with_capacity(source.len() + edits.len() * 24);
    let mut done = 0;
    for (at, _, _, insertion) in edits {
        text.push_str(&source[done..at]);
        text.push_str(insertion);
        done = at;
    }
    text.push_str(&source[done..]);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::rewrite;

    #[test]
    fn a_wait_at_the_top_is_awaited() {
        let text = rewrite("q = f()\nq.awaitTermination()\n");
        assert_eq!(text.as_deref(), Some("q = f()\n(await __tidemark_wait__(q.awaitTermination)())\n"));
        assert_eq!(rewrite("q.awaitTermination(5)\n"), None);
    }

    #[test]
    fn functions_that_wait_become_async_and_their_calls_awaits() {
        let text = rewrite("def run(q):\n    q.awaitTermination()\ndef main():\n    run(1)\nif True:\n    main()\n");
        let expected = "async def run(q):\n    (await __tidemark_wait__(q.awaitTermination)())\nasync def main():\n    \
                        (await __tidemark_drive__(run(1)))\nif True:\n    (await __tidemark_drive__(main()))\n";
        assert_eq!(text.as_deref(), Some(expected));
    }

    #[test]
    fn functions_that_are_passed_around_stay() {
        assert_eq!(rewrite("def run(q):\n    q.awaitTermination()\ncall(run)\n"), None);
        assert_eq!(rewrite("f = lambda q: q.awaitTermination()\n"), None);
    }

    #[test]
    fn sleeps_park_only_in_while_loops() {
        assert_eq!(rewrite("import time\ntime.sleep(1)\n"), None);
        let text = rewrite("while q.isActive:\n    time.sleep(1)\n");
        assert_eq!(text.as_deref(), Some("while q.isActive:\n    (await __tidemark_sleep__(time.sleep)(1))\n"));
    }
}
