//! Expressions by precedence: OR, AND, NOT, predicates, comparisons, bit operators, sums, products, signs, postfixes.

use super::Parser;
use super::errors::Place;
use super::tokens::Kind;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr, Site, UnresolvedFunction};
use crate::types::DataType;
use crate::value::Value;

/// A call by name.
pub(super) fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::UnresolvedFunction(Box::new(UnresolvedFunction {
        name: name.to_owned(),
        args,
        distinct: false,
        filter: None,
        ignore_nulls: false,
        over: None,
        within_group: Vec::new(),
        arg_names: Vec::new(),
        operator: true,
    }))
}

/// Binary operators of one level: symbol or word as written, and the function's name.
const LEVELS: [&[(&str, &str)]; 7] = [
    &[
        ("=", "="),
        ("==", "="),
        ("<=>", "<=>"),
        ("<>", "!="),
        ("!=", "!="),
        ("<=", "<="),
        (">=", ">="),
        ("<", "<"),
        (">", ">"),
    ],
    &[("|", "|")],
    &[("^", "^")],
    &[("&", "&")],
    &[("<<", "<<"), (">>", ">>"), (">>>", ">>>")],
    &[("+", "+"), ("-", "-"), ("||", "concat")],
    &[("*", "*"), ("/", "/"), ("%", "%"), ("div", "div")],
];

impl Parser<'_> {
    /// An expression with or without AS name; several names for generators.
    pub(super) fn named_expression(&mut self) -> Result<Expr> {
        let expr = self.expression()?;
        // AS with no name after it is the name itself.
        let names_follow = matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted) || self.peek_at(1).text == "(";
        if self.is_word("as") && !names_follow {
            let name = self.next().text;
            return Ok(expr.alias(&name));
        }
        if self.word("as") {
            if self.symbol("(") {
                let names = self.separated(&mut Self::identifier)?;
                self.expect_symbol(")")?;
                return Ok(with_names(expr, names));
            }
            // Reserved words may be aliases when AS says so.
            let token = self.peek().clone();
            return match token.kind {
                Kind::Word | Kind::Quoted => {
                    self.next();
                    let dash = self.peek().clone();
                    if token.kind == Kind::Word && self.is_symbol("-") && self.peek_at(1).kind == Kind::Word {
                        let ident = format!("{}-{}", token.text, self.peek_at(1).text);
                        let error = SparkError::new(ErrorClass::Parse, "INVALID_IDENTIFIER", &[("ident", &ident)]);
                        return Err(super::errors::located(error, self.sql, dash.place));
                    }
                    Ok(expr.alias(&token.text))
                }
                _ => Err(self.unexpected()),
            };
        }
        match self.try_identifier() {
            Some(name) => Ok(expr.alias(&name)),
            None if self.is_symbol("(") && matches!(strip(&expr), Expr::UnresolvedFunction(_)) => {
                self.next();
                let names = self.separated(&mut Self::identifier)?;
                self.expect_symbol(")")?;
                Ok(with_names(expr, names))
            }
            None => Ok(expr),
        }
    }

    pub(super) fn expression(&mut self) -> Result<Expr> {
        let place = self.peek().place;
        let mut left = self.conjunction()?;
        while self.is_word("or") {
            self.next();
            let right = self.conjunction()?;
            left = self.placed(call("or", vec![left, right]), place);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Expr> {
        let place = self.peek().place;
        let mut left = self.negation()?;
        while self.is_word("and") {
            self.next();
            let right = self.negation()?;
            left = self.placed(call("and", vec![left, right]), place);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expr> {
        let start = self.peek().place;
        if self.word("not") || self.symbol("!") {
            let inner = self.negation()?;
            return Ok(self.placed(call("not", vec![inner]), start));
        }
        if self.is_word("exists") && self.peek_at(1).text == "(" {
            let starts = ["select", "with", "from", "table", "values"];
            if starts.iter().any(|word| self.word_at(2, word)) {
                self.next();
                self.next();
                let plan = self.query()?;
                self.expect_symbol(")")?;
                return Ok(Expr::Exists { plan, negated: false });
            }
        }
        let value = self.value(0)?;
        // A predicate stands where its keyword does.
        let place = self.peek().place;
        let predicate = self.predicate(value)?;
        Ok(match predicate {
            call @ Expr::UnresolvedFunction(_) => self.placed(call, place),
            other => other,
        })
    }

    fn predicate(&mut self, value: Expr) -> Result<Expr> {
        let negated = self.is_word("not")
            && ["between", "in", "like", "rlike", "regexp", "ilike"].iter().any(|word| self.word_at(1, word));
        if negated {
            self.next();
        }
        let found = if self.word("between") {
            let low = self.value(1)?;
            self.expect_word("and")?;
            let high = self.value(1)?;
            call("between", vec![value, low, high])
        } else if self.word("in") {
            return self.in_list(value, negated);
        } else if self.word("like") {
            return self.pattern("like", value, negated);
        } else if self.word("ilike") {
            return self.pattern("ilike", value, negated);
        } else if self.word("rlike") || self.word("regexp") {
            let pattern = self.value(1)?;
            call("rlike", vec![value, pattern])
        } else if self.word("is") {
            let not = self.word("not");
            let test = if self.word("null") {
                return Ok(call(if not { "isnotnull" } else { "isnull" }, vec![value]));
            } else if self.word("true") {
                call("<=>", vec![value, Expr::bool(true)])
            } else if self.word("false") {
                call("<=>", vec![value, Expr::bool(false)])
            } else if self.word("unknown") {
                call("isnull", vec![value])
            } else if self.words(&["distinct", "from"]) {
                let other = self.value(1)?;
                let same = call("<=>", vec![value, other]);
                return Ok(if not { same } else { call("not", vec![same]) });
            } else {
                return Err(self.unexpected());
            };
            return Ok(if not { call("not", vec![test]) } else { test });
        } else {
            return Ok(value);
        };
        Ok(if negated { call("not", vec![found]) } else { found })
    }

    fn pattern(&mut self, name: &str, value: Expr, negated: bool) -> Result<Expr> {
        for (word, function) in [("any", "likeany"), ("some", "likeany"), ("all", "likeall")] {
            if self.is_word(word) && self.peek_at(1).text == "(" {
                self.next();
                self.next();
                let patterns = self.separated(&mut Self::expression)?;
                self.expect_symbol(")")?;
                // ILIKE over several patterns compares in lower case.
                let lower = |expr: Expr| if name == "ilike" { call("lower", vec![expr]) } else { expr };
                let args = std::iter::once(value).chain(patterns).map(lower).collect();
                let function = if negated { format!("not{function}") } else { function.to_owned() };
                return Ok(call(&function, args));
            }
        }
        let pattern = self.value(1)?;
        let mut args = vec![value, pattern];
        if self.is_word("escape") {
            let place = self.next().place;
            let escape = self.value(1)?;
            if let Expr::Literal { value: Value::String(text), .. } = &escape
                && text.chars().count() != 1
            {
                return Err(self.parse_error("INVALID_ESC", &[("invalidEscape", &format!("'{text}'"))], place));
            }
            args.push(escape);
        }
        let found = call(name, args);
        Ok(if negated { call("not", vec![found]) } else { found })
    }

    fn in_list(&mut self, value: Expr, negated: bool) -> Result<Expr> {
        self.expect_symbol("(")?;
        // Spark's grammar tries expressions first: SELECT before a text alone is a typed literal there, of no known type.
        let literal = self.is_word("select") && matches!(self.peek_at(1).kind, Kind::Text(_));
        if literal && self.peek_at(2).text == ")" {
            let (word, place) = (self.peek().text.to_uppercase(), self.peek().place);
            return Err(self.unknown_literal(&word, place));
        }
        if ["select", "with", "from", "table", "values"].iter().any(|word| self.is_word(word)) {
            let plan = self.query()?;
            self.expect_symbol(")")?;
            return Ok(Expr::InSubquery { child: Box::new(value), plan, negated });
        }
        let mut args = vec![value];
        args.extend(self.separated(&mut Self::expression)?);
        self.expect_symbol(")")?;
        let found = call("in", args);
        Ok(if negated { call("not", vec![found]) } else { found })
    }

    /// Values: operators of this level and tighter. Level 0 compares; arguments of predicates start at level 1.
    pub(super) fn value(&mut self, level: usize) -> Result<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.signed() };
        let place = self.peek().place;
        let mut left = self.value(level + 1)?;
        loop {
            let token = self.peek();
            let found = match token.kind {
                Kind::Symbol | Kind::Word => {
                    operators.iter().find(|(written, _)| token.text.eq_ignore_ascii_case(written))
                }
                _ => None,
            };
            let Some((_, name)) = found else { return Ok(left) };
            self.next();
            let right = self.value(level + 1)?;
            left = match *name {
                "!=" => call("not", vec![call("=", vec![left, right])]),
                name => call(name, vec![left, right]),
            };
            left = self.placed(left, place);
        }
    }

    fn signed(&mut self) -> Result<Expr> {
        for (symbol, name) in [("-", "-"), ("+", "+"), ("~", "~")] {
            if self.is_symbol(symbol) {
                let place = self.next().place;
                // A sign before a number belongs to it.
                if symbol == "-" && self.peek().kind == Kind::Number {
                    return self.postfix_after_negative_number();
                }
                let inner = self.signed()?;
                return Ok(self.placed(call(name, vec![inner]), place));
            }
        }
        self.postfix()
    }

    fn postfix_after_negative_number(&mut self) -> Result<Expr> {
        let token = self.next();
        let number = self.number(&token, true)?;
        self.postfixes(number, token.place)
    }

    fn postfix(&mut self) -> Result<Expr> {
        let place = self.peek().place;
        let primary = self.primary()?;
        self.postfixes(primary, place)
    }

    fn postfixes(&mut self, mut expr: Expr, place: Place) -> Result<Expr> {
        loop {
            if self.symbol("::") {
                let to = self.data_type_until_expression_goes_on()?;
                let cast = Expr::Cast {
                    child: Box::new(expr),
                    to,
                    mode: EvalMode::Ansi,
                    implicit: false,
                    site: Site::default(),
                };
                expr = self.placed(cast, place);
            } else if self.symbol("[") {
                let extraction = self.value(1)?;
                self.expect_symbol("]")?;
                let extract = Expr::UnresolvedExtract { child: Box::new(expr), extraction: Box::new(extraction) };
                expr = self.placed(extract, place);
            } else if self.is_symbol(".") && matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted) {
                self.next();
                let name = self.next().text;
                expr = match expr {
                    Expr::At { child, origin } => match *child {
                        Expr::UnresolvedAttribute(mut parts) => {
                            parts.push(name);
                            Expr::At { child: Box::new(Expr::UnresolvedAttribute(parts)), origin }
                        }
                        other => field(Expr::At { child: Box::new(other), origin }, &name),
                    },
                    other => field(other, &name),
                };
            } else if self.is_symbol(":") && matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted) {
                expr = self.variant_path(expr)?;
            } else if self.is_symbol(".") && self.peek_at(1).text == "*" {
                let target = match strip(&expr) {
                    Expr::UnresolvedAttribute(parts) => parts.clone(),
                    _ => return Err(self.unexpected()),
                };
                self.next();
                self.next();
                expr = Expr::UnresolvedStar(target);
            } else {
                return Ok(expr);
            }
        }
    }

    /// `v:a.b[0]`: a part of a variant, named by the last field.
    fn variant_path(&mut self, variant: Expr) -> Result<Expr> {
        let place = self.next().place;
        let mut path = "$".to_owned();
        let mut last = String::new();
        loop {
            let token = self.next();
            if !matches!(token.kind, Kind::Word | Kind::Quoted) {
                return Err(self.unexpected());
            }
            path.push_str(&format!("['{}']", token.text));
            last = if last.is_empty() { token.text } else { format!("{last}.{}", token.text) };
            while self.is_symbol("[") {
                self.next();
                let index = self.next();
                let step = match &index.kind {
                    Kind::Text(key) => format!("['{key}']"),
                    Kind::Number => format!("[{}]", index.text),
                    _ => return Err(self.unexpected()),
                };
                path.push_str(&step);
                self.expect_symbol("]")?;
            }
            if !(self.is_symbol(".") && matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted)) {
                break;
            }
            self.next();
        }
        let name = last.rsplit('.').next().unwrap_or("").to_owned();
        let path = Expr::literal(Value::from(path), DataType::String);
        Ok(self.placed(call("variant_get", vec![variant, path]), place).alias(&name))
    }

    /// A type after `::`: a name with what is in its brackets.
    fn data_type_until_expression_goes_on(&mut self) -> Result<DataType> {
        let start = self.peek().start;
        if !matches!(self.peek().kind, Kind::Word) {
            return Err(self.unexpected());
        }
        let first = self.next();
        let mut end = first.end;
        if first.text.eq_ignore_ascii_case("interval") {
            while ["year", "month", "day", "hour", "minute", "second", "to"].iter().any(|word| self.is_word(word)) {
                end = self.next().end;
            }
        }
        if self.is_symbol("(") || self.is_symbol("<") || self.is_symbol("<>") {
            let (open, close) = if self.is_symbol("(") { ("(", ")") } else { ("<", ">") };
            let mut depth = 0_i32;
            loop {
                let token = self.next();
                end = token.end;
                if token.kind == Kind::End {
                    return Err(self.unexpected());
                }
                if token.text == open {
                    depth += 1;
                } else if token.text == close {
                    depth -= 1;
                } else if token.text == ">>" {
                    depth -= 2;
                } else if token.text == ">>>" {
                    depth -= 3;
                }
                if depth <= 0 {
                    break;
                }
            }
        }
        self.data_type(start, end)
    }

    /// The type whose text stands between two offsets.
    pub(super) fn data_type(&self, start: usize, end: usize) -> Result<DataType> {
        let parsed = crate::types::parse_data_type(&self.sql[start..end]).map_err(|mut error| {
            let place = super::errors::at(self.sql, start);
            error.context.clear();
            match error.condition.as_deref() {
                Some("PARSE_SYNTAX_ERROR") => super::errors::located(error, self.sql, place),
                _ if error.class != ErrorClass::Parse => error,
                _ => {
                    let fragment = super::errors::fragment(&self.text, place, end);
                    error.with_context(fragment.summary()).with_place(&fragment)
                }
            }
        })?;
        let ntz = self.session.conf.borrow().timestamp_is_ntz();
        Ok(parsed.without_lengths().with_timestamps(ntz))
    }

    /// The type up to the closing parenthesis of CAST, which is consumed.
    pub(super) fn data_type_in_parentheses(&mut self) -> Result<DataType> {
        let start = self.peek().start;
        let mut depth = 0_i32;
        let mut end = start;
        loop {
            let token = self.peek();
            match (token.kind.clone(), token.text.as_str()) {
                (Kind::End, _) => return Err(self.unexpected()),
                (Kind::Symbol, "(") => depth += 1,
                (Kind::Symbol, ")") if depth == 0 => break,
                (Kind::Symbol, ")") => depth -= 1,
                _ => {}
            }
            end = token.end;
            self.next();
        }
        if end == start {
            return Err(self.unexpected());
        }
        let found = self.data_type(start, end)?;
        self.next();
        Ok(found)
    }
}

fn field(child: Expr, name: &str) -> Expr {
    let extraction = Expr::literal(Value::from(name), DataType::String);
    Expr::UnresolvedExtract { child: Box::new(child), extraction: Box::new(extraction) }
}

pub(super) fn strip(expr: &Expr) -> &Expr {
    match expr {
        Expr::At { child, .. } => strip(child),
        other => other,
    }
}

/// An alias of several names.
fn with_names(expr: Expr, names: Vec<String>) -> Expr {
    let mut aliased = expr.alias("");
    if let Expr::Alias(alias) = &mut aliased {
        alias.names = names;
    }
    aliased
}
