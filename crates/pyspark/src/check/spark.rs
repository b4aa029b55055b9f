//! Literals that Spark refuses wherever they are reached: modes, formats, intervals, schemas.

use std::collections::{BTreeMap, BTreeSet};

use ruff_text_size::{Ranged, TextRange};
use rustpython_vm::compiler::ast::visitor::{Visitor, walk_expr, walk_stmt};
use rustpython_vm::compiler::ast::{self, Expr, Stmt};
use tidemark_sql::certain as sql;
use tidemark_sql::error::SparkError;
use tidemark_sql::types::parse_struct;
use tidemark_streaming::api::TriggerSpec;
use tidemark_streaming::certain as streaming;

/// Places and what is wrong there.
pub(super) fn mistakes(module: &ast::ModModule) -> Vec<(TextRange, String)> {
    let mut names = Names::default();
    names.visit_body(&module.body);
    let mut finder = Finder { names, found: Vec::new() };
    finder.visit_body(&module.body);
    finder.found
}

/// What the script's names stand for, as far as its imports say.
#[derive(Default)]
struct Names {
    /// Names of modules of functions: `F`.
    modules: BTreeSet<String>,
    /// Functions by the names they are imported under.
    functions: BTreeMap<String, String>,
    /// Functions and methods that the script defines.
    own: BTreeSet<String>,
    /// The script registers data sources of its own.
    registers: bool,
}

const FUNCTIONS: &str = "pyspark.sql.functions";
/// Functions whose arguments are looked at.
const LOOKED_AT: [&str; 2] = ["window", "session_window"];

impl<'a> Visitor<'a> for Names {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::Import(import) => {
                for alias in import.names.iter().filter(|alias| alias.name.as_str() == FUNCTIONS) {
                    if let Some(name) = &alias.asname {
                        self.modules.insert(name.to_string());
                    }
                }
            }
            Stmt::FunctionDef(function) => {
                self.own.insert(function.name.to_string());
            }
            Stmt::Assign(assign) => {
                let bound = assign.targets.iter().filter_map(|target| target.as_name_expr());
                self.own.extend(bound.map(|name| name.id.to_string()));
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Attribute(attribute) = expr {
            self.registers |= attribute.attr.as_str() == "dataSource";
        }
        walk_expr(self, expr);
    }
}

impl Names {
    fn import_from(&mut self, import: &ast::StmtImportFrom) {
        let from = import.module.as_ref().map_or("", |module| module.as_str());
        for alias in &import.names {
            let name = alias.name.as_str();
            let bound = alias.asname.as_ref().map_or(name, |bound| bound.as_str()).to_owned();
            match (from, name) {
                ("pyspark.sql", "functions") => drop(self.modules.insert(bound)),
                (FUNCTIONS, "*") => {
                    self.functions.extend(LOOKED_AT.map(|name| (name.to_owned(), name.to_owned())));
                }
                (FUNCTIONS, _) => drop(self.functions.insert(bound, name.to_owned())),
                _ => {}
            }
        }
    }

    /// The function of pyspark.sql.functions that an expression names.
    fn function(&self, callee: &Expr) -> Option<String> {
        match callee {
            Expr::Name(name) if !self.own.contains(name.id.as_str()) => self.functions.get(name.id.as_str()).cloned(),
            Expr::Attribute(attribute) => match &*attribute.value {
                Expr::Name(module)
                    if self.modules.contains(module.id.as_str()) && !self.own.contains(module.id.as_str()) =>
                {
                    Some(attribute.attr.to_string())
                }
                _ => None,
            },
            _ => None,
        }
    }
}

struct Finder {
    names: Names,
    found: Vec<(TextRange, String)>,
}

impl<'a> Visitor<'a> for Finder {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            // What is tried may fail on purpose.
            Stmt::Try(attempt) => {
                for handler in &attempt.handlers {
                    self.visit_except_handler(handler);
                }
                self.visit_body(&attempt.orelse);
                self.visit_body(&attempt.finalbody);
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Call(call) = expr {
            self.call(call);
        }
        walk_expr(self, expr);
    }
}

/// A string literal.
fn literal(expr: &Expr) -> Option<&str> {
    expr.as_string_literal_expr().map(|text| text.value.to_str())
}

/// Whether a chain of calls and attributes goes through one of these attributes.
fn passes(expr: &Expr, wanted: &[&str]) -> bool {
    match expr {
        Expr::Attribute(attribute) => wanted.contains(&attribute.attr.as_str()) || passes(&attribute.value, wanted),
        Expr::Call(call) => passes(&call.func, wanted),
        _ => false,
    }
}

impl Finder {
    fn call(&mut self, call: &ast::ExprCall) {
        if let Some(function) = self.names.function(&call.func) {
            match function.as_str() {
                "window" => {
                    for (place, name) in [(1, "windowDuration"), (2, "slideDuration"), (3, "startTime")] {
                        self.expect(call, place, name, sql::window_length);
                    }
                }
                "session_window" => self.expect(call, 1, "gapDuration", sql::interval),
                _ => {}
            }
            return;
        }
        let Expr::Attribute(callee) = &*call.func else { return };
        let method = callee.attr.as_str();
        if self.names.own.contains(method) {
            return;
        }
        let chain = &callee.value;
        let writes = passes(chain, &["writeStream"]);
        let reads_stream = passes(chain, &["readStream"]);
        match method {
            "outputMode" => self.expect(call, 0, "outputMode", streaming::output_mode),
            "withWatermark" => self.expect(call, 1, "delayThreshold", sql::delay),
            "trigger" if writes => self.trigger(call),
            "start" | "toTable" if writes => {
                self.expect(call, usize::MAX, "outputMode", streaming::output_mode);
            }
            "schema" if reads_stream || passes(chain, &["read"]) => {
                self.expect(call, 0, "schema", |text| parse_struct(text).map(drop));
            }
            "format" if reads_stream && !self.names.registers => {
                self.expect(call, 0, "source", sql::stream_format);
            }
            "format" if writes && !self.names.registers => self.expect(call, 0, "source", streaming::sink_format),
            _ => {}
        }
    }

    fn trigger(&mut self, call: &ast::ExprCall) {
        let given = call.arguments.keywords.iter().filter(|keyword| !keyword.value.is_none_literal_expr());
        if given.clone().count() > 1 && call.arguments.keywords.iter().all(|keyword| keyword.arg.is_some()) {
            let message = "[ONLY_ALLOW_SINGLE_TRIGGER] Only a single trigger is allowed.".to_owned();
            self.found.push((call.arguments.range(), message));
            return;
        }
        let specs = [TriggerSpec::ProcessingTime as fn(String) -> _, TriggerSpec::Continuous, TriggerSpec::RealTime];
        for (name, spec) in ["processingTime", "continuous", "realTime"].into_iter().zip(specs) {
            self.expect(call, usize::MAX, name, |text| streaming::trigger(&spec(text.trim().to_owned())));
        }
    }

    /// Reports the argument if it is a literal that `check` refuses.
    fn expect(
        &mut self,
        call: &ast::ExprCall,
        place: usize,
        name: &str,
        check: impl FnOnce(&str) -> Result<(), SparkError>,
    ) {
        // An argument behind a starred one may stand anywhere.
        let positional = call.arguments.args.iter().take(place.saturating_add(1)).all(|arg| !arg.is_starred_expr());
        let at_place = call.arguments.args.get(place).filter(|_| positional);
        let by_name = call
            .arguments
            .keywords
            .iter()
            .find(|keyword| keyword.arg.as_ref().is_some_and(|keyword| keyword.as_str() == name));
        let Some(argument) = at_place.or(by_name.map(|keyword| &keyword.value)) else { return };
        if let Some(text) = literal(argument)
            && let Err(error) = check(text)
        {
            self.found.push((argument.range(), error.to_string()));
        }
    }
}
