//! Primary expressions: literals, names, CASE, casts, function calls with their clauses, lambdas, subqueries.

use super::Parser;
use super::expressions::call;
use super::tokens::Kind;
use crate::analyzer::STAR_EXCEPT;
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr, FrameBound, Site, SortOrder, UnresolvedFunction, WindowFrame, WindowSpec};
use crate::types::DataType;
use crate::value::Value;

/// `(a, b)`: a struct whose fields are named by their expressions (rowConstructor).
pub(super) const ROW: &str = "$row";

/// In a specification, the name of a WINDOW clause stands for what it names until the query is read.
const NAMED_WINDOW: &str = "$window:";

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Result<Expr> {
        let token = self.peek().clone();
        match &token.kind {
            Kind::Number => {
                self.next();
                self.number(&token, false)
            }
            Kind::Text(_) => Ok(self.string_literal()),
            Kind::Quoted => self.name_or_call(),
            Kind::Symbol => match token.text.as_str() {
                "(" => self.parenthesised(),
                "*" => self.star(),
                ":" if matches!(self.peek_at(1).kind, Kind::Word) => {
                    self.next();
                    let name = self.next().text;
                    self.parameters
                        .named
                        .iter()
                        .find(|(known, _)| *known == name)
                        .map(|(_, value)| value.clone())
                        .ok_or_else(|| self.unbound(&name))
                }
                "?" => {
                    self.next();
                    let position = self.positional;
                    self.positional += 1;
                    match self.parameters.positional.get(position) {
                        Some(value) => Ok(value.clone()),
                        None => Err(self.unbound(&format!("_{}", token.start))),
                    }
                }
                _ => Err(self.unexpected()),
            },
            Kind::Word => self.word_expression(),
            Kind::Hint => {
                self.next();
                self.primary()
            }
            Kind::End => Err(self.unexpected()),
        }
    }

    fn unbound(&self, name: &str) -> SparkError {
        SparkError::analysis("UNBOUND_SQL_PARAMETER", &[("name", name)])
    }

    /// `*`, with EXCEPT (a, b) after it.
    fn star(&mut self) -> Result<Expr> {
        self.next();
        let star = Expr::UnresolvedStar(Vec::new());
        self.star_except(star)
    }

    fn star_except(&mut self, star: Expr) -> Result<Expr> {
        if self.is_word("except") && self.peek_at(1).text == "(" && !self.word_at(2, "select") {
            self.next();
            self.next();
            let mut args = vec![star];
            args.extend(self.separated(&mut |parser| {
                let place = parser.peek().place;
                let parts = parser.name_parts()?;
                Ok(parser.placed(Expr::UnresolvedAttribute(parts), place))
            })?);
            self.expect_symbol(")")?;
            return Ok(call(STAR_EXCEPT, args));
        }
        Ok(star)
    }

    /// `(expr)`, `(a, b)`, `(query)`, `(x, y) -> body`.
    fn parenthesised(&mut self) -> Result<Expr> {
        if self.is_lambda_list() {
            let place = self.peek().place;
            self.next();
            let params = self.separated(&mut Self::identifier)?;
            self.expect_symbol(")")?;
            self.expect_symbol("->")?;
            let body = self.expression()?;
            return Ok(self.placed(Expr::UnresolvedLambda { params, body: Box::new(body) }, place));
        }
        let place = self.peek().place;
        self.next();
        if ["select", "with", "from", "table", "values"].iter().any(|word| self.is_word(word)) {
            let plan = self.query()?;
            self.expect_symbol(")")?;
            return Ok(self.placed(Expr::ScalarSubquery(plan), place));
        }
        let mut items = self.separated(&mut Self::named_expression)?;
        self.expect_symbol(")")?;
        if items.len() == 1
            && let Some(item) = items.pop()
        {
            return Ok(item);
        }
        Ok(call(ROW, items))
    }

    fn is_lambda_list(&self) -> bool {
        let mut ahead = 1;
        loop {
            if !matches!(self.peek_at(ahead).kind, Kind::Word | Kind::Quoted) {
                return false;
            }
            match self.peek_at(ahead + 1).text.as_str() {
                "," => ahead += 2,
                ")" => return self.peek_at(ahead + 2).text == "->",
                _ => return false,
            }
        }
    }

    fn word_expression(&mut self) -> Result<Expr> {
        let token = self.peek().clone();
        let lower = token.text.to_lowercase();
        let before_parenthesis = self.peek_at(1).text == "(" && self.peek_at(1).kind == Kind::Symbol;
        match lower.as_str() {
            "null" if !before_parenthesis => {
                self.next();
                return Ok(Expr::literal(Value::Null, DataType::Null));
            }
            "true" | "false" if !before_parenthesis => {
                self.next();
                return Ok(Expr::bool(lower == "true"));
            }
            "case" if !self.ends_name(1) => {
                let case = self.case()?;
                return Ok(self.placed(case, token.place));
            }
            "interval" if !before_parenthesis && self.peek_at(1).text != "." => {
                let starts = matches!(self.peek_at(1).kind, Kind::Text(_) | Kind::Number)
                    || matches!(self.peek_at(1).text.as_str(), "-" | "+")
                        && matches!(self.peek_at(2).kind, Kind::Text(_) | Kind::Number);
                if starts {
                    self.next();
                    return self.interval_literal();
                }
            }
            "cast" | "try_cast" if before_parenthesis => {
                self.next();
                self.next();
                let child = self.expression()?;
                self.expect_word("as")?;
                let to = self.data_type_in_parentheses()?;
                let mode = if lower == "cast" { EvalMode::Ansi } else { EvalMode::Try };
                let cast = Expr::Cast { child: Box::new(child), to, mode, implicit: false, site: Site::default() };
                return Ok(self.placed(cast, token.place));
            }
            "extract" if before_parenthesis => {
                self.next();
                self.next();
                let unit = self.next().text;
                self.expect_word("from")?;
                let source = self.expression()?;
                self.expect_symbol(")")?;
                let unit = Expr::literal(Value::from(unit.as_str()), DataType::String);
                return Ok(self.placed(call("extract", vec![unit, source]), token.place));
            }
            "timestampadd" | "timestampdiff" | "dateadd" | "datediff" | "date_add" | "date_diff"
                if before_parenthesis && self.peek_at(2).kind == Kind::Word && self.peek_at(3).text == "," =>
            {
                let unit = self.peek_at(2).text.clone();
                if is_datetime_unit(&unit) {
                    let start = self.at;
                    self.at += 4;
                    let name = if lower.ends_with("add") { "timestampadd" } else { "timestampdiff" };
                    let mut args = vec![Expr::literal(Value::from(unit.as_str()), DataType::String)];
                    args.extend(self.separated(&mut Self::expression)?);
                    self.expect_symbol(")")?;
                    if args.len() == 3 {
                        return Ok(self.placed(call(name, args), token.place));
                    }
                    // A column may be named as a unit is.
                    self.at = start;
                }
            }
            "position" if before_parenthesis => {
                if let Some(found) = self.position_in()? {
                    return Ok(self.placed(found, token.place));
                }
            }
            "trim" if before_parenthesis => {
                if let Some(found) = self.trim_from()? {
                    return Ok(self.placed(found, token.place));
                }
            }
            "substring" | "substr" if before_parenthesis => {
                if let Some(found) = self.substring_from()? {
                    return Ok(self.placed(found, token.place));
                }
            }
            "overlay" if before_parenthesis => {
                if let Some(found) = self.overlay_placing()? {
                    return Ok(self.placed(found, token.place));
                }
            }
            "identifier" if before_parenthesis => {
                let parts = self.name_parts()?;
                return Ok(self.placed(Expr::UnresolvedAttribute(parts), token.place));
            }
            _ => {}
        }
        if let Some(literal) = self.typed_literal()? {
            return Ok(literal);
        }
        self.name_or_call()
    }

    fn case(&mut self) -> Result<Expr> {
        self.next();
        let operand = if self.is_word("when") { None } else { Some(self.expression()?) };
        let mut branches = Vec::new();
        while self.word("when") {
            let test = self.expression()?;
            self.expect_word("then")?;
            let value = self.expression()?;
            let condition = match &operand {
                Some(operand) => call("=", vec![operand.clone(), test]),
                None => test,
            };
            branches.push((condition, value));
        }
        if branches.is_empty() {
            return Err(self.unexpected());
        }
        let otherwise = if self.word("else") { Some(Box::new(self.expression()?)) } else { None };
        self.expect_word("end")?;
        Ok(Expr::CaseWhen { branches, otherwise })
    }

    fn position_in(&mut self) -> Result<Option<Expr>> {
        let start = self.at;
        self.at += 2;
        let needle = self.value(1)?;
        if !self.word("in") {
            self.at = start;
            return Ok(None);
        }
        let text = self.value(1)?;
        self.expect_symbol(")")?;
        Ok(Some(call("locate", vec![needle, text])))
    }

    fn trim_from(&mut self) -> Result<Option<Expr>> {
        let start = self.at;
        self.at += 2;
        let kind = ["both", "leading", "trailing"].into_iter().find(|word| self.is_word(word));
        if kind.is_some() {
            self.next();
        }
        let what = if self.is_word("from") { None } else { Some(self.value(1)?) };
        if !self.word("from") {
            self.at = start;
            return Ok(None);
        }
        let text = self.value(1)?;
        self.expect_symbol(")")?;
        let name = match kind {
            Some("leading") => "ltrim",
            Some("trailing") => "rtrim",
            _ => "trim",
        };
        // The characters come first.
        Ok(Some(call(name, what.into_iter().chain([text]).collect())))
    }

    /// OVERLAY(text PLACING other FROM position [FOR length]).
    fn overlay_placing(&mut self) -> Result<Option<Expr>> {
        let start = self.at;
        self.at += 2;
        let mut args = vec![self.value(1)?];
        if !self.word("placing") {
            self.at = start;
            return Ok(None);
        }
        args.push(self.value(1)?);
        self.expect_word("from")?;
        args.push(self.value(1)?);
        if self.word("for") {
            args.push(self.value(1)?);
        }
        self.expect_symbol(")")?;
        Ok(Some(call("overlay", args)))
    }

    fn substring_from(&mut self) -> Result<Option<Expr>> {
        let start = self.at;
        self.at += 2;
        let text = self.expression()?;
        if !self.word("from") {
            self.at = start;
            return Ok(None);
        }
        let mut args = vec![text, self.value(1)?];
        if self.word("for") {
            args.push(self.value(1)?);
        }
        self.expect_symbol(")")?;
        Ok(Some(call("substring", args)))
    }

    fn name_or_call(&mut self) -> Result<Expr> {
        let token = self.peek().clone();
        let is_call = self.peek_at(1).text == "(" && self.peek_at(1).kind == Kind::Symbol;
        if token.kind == Kind::Word && self.peek_at(1).text == "->" {
            let params = vec![self.next().text];
            self.next();
            let body = self.expression()?;
            return Ok(self.placed(Expr::UnresolvedLambda { params, body: Box::new(body) }, token.place));
        }
        if is_call {
            self.next();
            let found = self.function_call(token.text.clone())?;
            return Ok(self.placed(found, token.place));
        }
        // `GROUP BY` at the place of an expression is no name; every other word is, as nothing else can stand here.
        if self.is_reserved() && self.word_at(1, "by") {
            return Err(self.unexpected());
        }
        self.next();
        let mut parts = vec![token.text];
        while self.is_symbol(".") && matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted) {
            // schema.function(...)
            if self.peek_at(2).text == "(" && self.peek_at(2).kind == Kind::Symbol {
                self.next();
                parts.push(self.next().text);
                let found = self.function_call(qualified(parts))?;
                return Ok(self.placed(found, token.place));
            }
            self.next();
            parts.push(self.next().text);
        }
        if self.is_symbol(".") && self.peek_at(1).text == "*" {
            self.next();
            self.next();
            let star = Expr::UnresolvedStar(parts);
            return self.star_except(star);
        }
        Ok(self.placed(Expr::UnresolvedAttribute(parts), token.place))
    }

    /// Arguments and clauses of a call; the opening parenthesis is at hand.
    fn function_call(&mut self, name: String) -> Result<Expr> {
        self.expect_symbol("(")?;
        let distinct = !self.ends_name(1) && self.word("distinct");
        if !distinct && !self.ends_name(1) {
            self.word("all");
        }
        let mut args = Vec::new();
        let mut arg_names = Vec::new();
        if !self.is_symbol(")") {
            loop {
                let named = matches!(self.peek().kind, Kind::Word) && self.peek_at(1).text == "=>";
                if named {
                    arg_names.push(Some(self.next().text));
                    self.next();
                } else {
                    arg_names.push(None);
                }
                // struct() and kin name their fields by aliases.
                args.push(self.named_expression()?);
                if !self.symbol(",") {
                    break;
                }
            }
        }
        let mut ignore_nulls = self.words(&["ignore", "nulls"]);
        self.words(&["respect", "nulls"]);
        self.expect_symbol(")")?;
        if arg_names.iter().all(Option::is_none) {
            arg_names.clear();
        }
        let mut within_group = Vec::new();
        if self.words(&["within", "group"]) {
            self.expect_symbol("(")?;
            if !self.words(&["order", "by"]) {
                return Err(self.unexpected());
            }
            within_group = self.separated(&mut Self::sort_item)?;
            self.expect_symbol(")")?;
        }
        let mut filter = None;
        if self.is_word("filter") && self.peek_at(1).text == "(" {
            self.next();
            self.next();
            self.expect_word("where")?;
            filter = Some(self.expression()?);
            self.expect_symbol(")")?;
        }
        ignore_nulls |= self.words(&["ignore", "nulls"]);
        self.words(&["respect", "nulls"]);
        let over = if self.is_word("over") && (self.peek_at(1).text == "(" || self.peek_at(1).kind == Kind::Word) {
            self.next();
            Some(self.window_reference()?)
        } else {
            None
        };
        Ok(Expr::UnresolvedFunction(Box::new(UnresolvedFunction {
            operator: false,
            name,
            args,
            distinct,
            filter,
            ignore_nulls,
            over,
            within_group,
            arg_names,
        })))
    }

    fn window_reference(&mut self) -> Result<WindowSpec> {
        if !self.is_symbol("(") {
            let name = self.identifier()?;
            return Ok(named_window(&name));
        }
        self.next();
        // (w) names a window too.
        if self.peek().kind == Kind::Word && self.peek_at(1).text == ")" {
            let name = self.next().text;
            self.next();
            return Ok(named_window(&name));
        }
        self.window_spec()
    }

    /// A specification up to its closing parenthesis, which is consumed.
    pub(super) fn window_spec(&mut self) -> Result<WindowSpec> {
        let mut spec = WindowSpec::default();
        if self.words(&["partition", "by"]) || self.words(&["distribute", "by"]) || self.words(&["cluster", "by"]) {
            spec.partition_by = self.separated(&mut Self::expression)?;
        }
        if self.words(&["order", "by"]) || self.words(&["sort", "by"]) {
            spec.order_by = self.separated(&mut Self::sort_item)?;
        }
        let rows = self.is_word("rows");
        if rows || self.is_word("range") {
            self.next();
            let (start, end) = if self.word("between") {
                let start = self.frame_bound()?;
                self.expect_word("and")?;
                (start, self.frame_bound()?)
            } else {
                (self.frame_bound()?, FrameBound::CurrentRow)
            };
            spec.frame = Some(WindowFrame { rows, start, end });
        }
        self.expect_symbol(")")?;
        Ok(spec)
    }

    fn frame_bound(&mut self) -> Result<FrameBound> {
        if self.words(&["unbounded", "preceding"]) {
            return Ok(FrameBound::UnboundedPreceding);
        }
        if self.words(&["unbounded", "following"]) {
            return Ok(FrameBound::UnboundedFollowing);
        }
        if self.words(&["current", "row"]) {
            return Ok(FrameBound::CurrentRow);
        }
        let offset = self.value(1)?;
        if self.word("preceding") {
            return Ok(FrameBound::Offset(Box::new(call("negative", vec![offset]))));
        }
        self.expect_word("following")?;
        Ok(FrameBound::Offset(Box::new(offset)))
    }

    /// `expr [ASC|DESC] [NULLS FIRST|LAST]`.
    pub(super) fn sort_item(&mut self) -> Result<SortOrder> {
        let place = self.peek().place;
        let child = self.expression()?;
        let child = match child {
            literal @ Expr::Literal { .. } => self.placed(literal, place),
            other => other,
        };
        let ascending = !self.word("desc");
        if ascending {
            self.word("asc");
        }
        let nulls_first = if self.words(&["nulls", "first"]) {
            true
        } else if self.words(&["nulls", "last"]) {
            false
        } else {
            ascending
        };
        Ok(SortOrder { child, ascending, nulls_first })
    }

    /// Puts the specifications of the WINDOW clause in the place of their names.
    pub(super) fn with_windows(&self, expr: Expr) -> Result<Expr> {
        expr.try_transform_up(&mut |expr| match expr {
            Expr::UnresolvedFunction(mut found) => {
                if let Some(name) = found.over.as_ref().and_then(window_name) {
                    let spec = self.windows.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name));
                    match spec {
                        Some((_, spec)) => found.over = Some(spec.clone()),
                        None => {
                            return Err(SparkError::analysis(
                                "MISSING_WINDOW_SPECIFICATION",
                                &[("windowName", &name), ("docroot", "https://spark.apache.org/docs/latest")],
                            )
                            .with_context(";\n"));
                        }
                    }
                }
                Ok(Expr::UnresolvedFunction(found))
            }
            other => Ok(other),
        })
    }
}

fn named_window(name: &str) -> WindowSpec {
    WindowSpec { partition_by: vec![Expr::UnresolvedRegex(format!("{NAMED_WINDOW}{name}"))], ..WindowSpec::default() }
}

fn window_name(spec: &WindowSpec) -> Option<String> {
    match spec.partition_by.as_slice() {
        [Expr::UnresolvedRegex(text)] => text.strip_prefix(NAMED_WINDOW).map(str::to_owned),
        _ => None,
    }
}

fn is_datetime_unit(word: &str) -> bool {
    const UNITS: [&str; 11] = [
        "year",
        "quarter",
        "month",
        "week",
        "day",
        "dayofyear",
        "hour",
        "minute",
        "second",
        "millisecond",
        "microsecond",
    ];
    UNITS.iter().any(|unit| word.eq_ignore_ascii_case(unit))
}

/// The name of a function: Spark's own are known by their last part, all others keep their schema.
pub(super) fn qualified(parts: Vec<String>) -> String {
    let is = |part: &String, word: &str| part.eq_ignore_ascii_case(word);
    match parts.as_slice() {
        [builtin, name] if is(builtin, "builtin") => name.clone(),
        [system, builtin, name] if is(system, "system") && is(builtin, "builtin") => name.clone(),
        _ => parts.join("."),
    }
}
