//! SQL text to unresolved plans and expressions, by recursive descent over Spark's grammar (SqlBaseParser.g4).
//!
//! Written by hand rather than over a general SQL parser: error texts name the token and place that ANTLR would, and much of
//! what people paste is Spark's own (LATERAL VIEW, typed literals, `::`, `|>`, `<=>`, lambdas, PIVOT).

mod alter;
mod calls;
pub mod commands;
mod errors;
mod expressions;
mod functions;
mod joins;
mod literals;
mod pipe;
mod query;
mod relations;
mod table_arguments;
mod tables;
mod tokens;
mod variables;

use std::sync::Arc;

use self::errors::{Place, fragment, located, syntax_error};
use self::tokens::{Kind, Token, tokenize};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{Expr, Origin, QueryContext, WindowSpec};
use crate::plan::PlanRef;
use crate::session::SqlSession;

pub use alter::Change;
pub use commands::{Command, NamePlace};
pub use functions::FunctionDefinition;
pub(crate) use query::QUALIFY;
pub(crate) use relations::name_only;
pub use tables::TableDefinition;

/// A statement of SQL text.
#[derive(Clone, Debug)]
pub enum Statement {
    Query(PlanRef),
    Command(Command),
}

/// Parameters of spark.sql.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    pub named: Vec<(String, Expr)>,
    pub positional: Vec<Expr>,
}

struct Parser<'a> {
    session: &'a SqlSession,
    sql: &'a str,
    /// The same text, for what outlives the parser.
    text: Arc<str>,
    tokens: Vec<Token>,
    at: usize,
    parameters: &'a Parameters,
    /// `?` met so far.
    positional: usize,
    /// WINDOW w AS (...) of the query at hand.
    windows: Vec<(String, WindowSpec)>,
}

/// Words that end an expression or an alias where a name could stand (strict enough for the grammar's follow sets).
const RESERVED: [&str; 47] = [
    "from",
    "where",
    "group",
    "having",
    "order",
    "sort",
    "cluster",
    "distribute",
    "limit",
    "offset",
    "union",
    "intersect",
    "except",
    "minus",
    "join",
    "inner",
    "left",
    "right",
    "full",
    "cross",
    "natural",
    "on",
    "using",
    "lateral",
    "window",
    "qualify",
    "as",
    "and",
    "or",
    "not",
    "in",
    "between",
    "like",
    "rlike",
    "ilike",
    "is",
    "then",
    "when",
    "else",
    "end",
    "select",
    "tablesample",
    "pivot",
    "unpivot",
    "semi",
    "anti",
    "for",
];

/// Words that name no table without AS or quotes (strictNonReserved).
const STRICT: [&str; 17] = [
    "anti",
    "cross",
    "except",
    "full",
    "inner",
    "intersect",
    "join",
    "lateral",
    "left",
    "minus",
    "natural",
    "on",
    "right",
    "semi",
    "setminus",
    "union",
    "using",
];

impl<'a> Parser<'a> {
    fn new(session: &'a SqlSession, sql: &'a str, parameters: &'a Parameters) -> Result<Self> {
        Ok(Self {
            session,
            sql,
            text: sql.into(),
            tokens: tokenize(sql)?,
            at: 0,
            parameters,
            positional: 0,
            windows: Vec::new(),
        })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if self.at < self.tokens.len() - 1 {
            self.at += 1;
        }
        token
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Symbol && token.text == symbol
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.next();
        }
        found
    }

    fn expect_symbol(&mut self, symbol: &str) -> Result<()> {
        if self.symbol(symbol) { Ok(()) } else { Err(self.unexpected_missing(symbol)) }
    }

    fn word_at(&self, ahead: usize, word: &str) -> bool {
        let token = self.peek_at(ahead);
        token.kind == Kind::Word && token.text.eq_ignore_ascii_case(word)
    }

    fn is_word(&self, word: &str) -> bool {
        self.word_at(0, word)
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    /// All these words in a row.
    fn words(&mut self, words: &[&str]) -> bool {
        let found = words.iter().enumerate().all(|(i, word)| self.word_at(i, word));
        if found {
            self.at += words.len();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.word(word) { Ok(()) } else { Err(self.unexpected_missing(&word.to_uppercase())) }
    }

    /// PARSE_EMPTY_STATEMENT.
    fn empty(&self) -> SparkError {
        let error = SparkError::new(ErrorClass::Parse, "PARSE_EMPTY_STATEMENT", &[]);
        located(error, self.sql, self.peek().place)
    }

    /// A syntax error at the token at hand.
    fn unexpected(&self) -> SparkError {
        self.unexpected_with("")
    }

    fn unexpected_missing(&self, wanted: &str) -> SparkError {
        let token = self.peek();
        if token.kind == Kind::End { self.unexpected() } else { self.unexpected_with(&format!(": missing '{wanted}'")) }
    }

    fn unexpected_with(&self, hint: &str) -> SparkError {
        let token = self.peek();
        if token.kind == Kind::End {
            return syntax_error(self.sql, token.place, "end of input", "");
        }
        let shown = match token.kind {
            Kind::Quoted => format!("'`{}`'", token.text),
            _ => format!("'{}'", token.text),
        };
        syntax_error(self.sql, token.place, &shown, hint)
    }

    /// Nothing but a semicolon may follow.
    fn end(&mut self) -> Result<()> {
        let mut separated = false;
        while self.symbol(";") {
            separated = true;
        }
        if self.peek().kind == Kind::End {
            return Ok(());
        }
        // One stray word is "extra input" where the text before it is whole.
        let last = self.peek_at(1).kind == Kind::End
            || self.tokens.get(self.at.wrapping_sub(1)).is_some_and(|t| t.text == ";");
        let plain =
            matches!(self.peek().kind, Kind::Word | Kind::Quoted | Kind::Number | Kind::Text(_)) || self.is_symbol(")");
        if (last || separated) && plain {
            let hint = format!(": extra input '{}'", self.peek().text);
            return Err(self.unexpected_with(&hint));
        }
        Err(self.unexpected())
    }

    /// A name where none need stand: quoted, a word that starts no clause, or one that would start a clause without anything in it.
    fn try_identifier(&mut self) -> Option<String> {
        let token = self.peek();
        let is_name = match token.kind {
            Kind::Quoted => true,
            Kind::Word => !self.is_reserved() || self.ends_item(1),
            _ => false,
        };
        is_name.then(|| self.next().text)
    }

    /// The name of a table or subquery where none need stand: words of joins and set operations are none.
    fn try_table_name(&mut self) -> Option<String> {
        if self.nearest_follows() {
            return None;
        }
        let token = self.peek();
        let strict = token.kind == Kind::Word && STRICT.iter().any(|word| token.text.eq_ignore_ascii_case(word));
        if strict { None } else { self.try_identifier() }
    }

    /// Whether the word at hand may start a clause or go on with an expression.
    fn is_reserved(&self) -> bool {
        let token = self.peek();
        token.kind == Kind::Word && RESERVED.iter().any(|word| token.text.eq_ignore_ascii_case(word))
    }

    /// Whether the token this far ahead ends an item of a list.
    fn ends_item(&self, ahead: usize) -> bool {
        let token = self.peek_at(ahead);
        match token.kind {
            Kind::End => true,
            Kind::Symbol => matches!(token.text.as_str(), "," | ")" | ";" | "|>"),
            _ => self.word_at(ahead, "from"),
        }
    }

    /// Whether the word before the token this far ahead can only be a name: nothing follows that a word like CASE or DISTINCT leads.
    fn ends_name(&self, ahead: usize) -> bool {
        const AFTER: [&str; 12] =
            ["from", "as", "is", "in", "and", "or", "like", "between", "then", "end", "asc", "desc"];
        let token = self.peek_at(ahead);
        match token.kind {
            Kind::End => true,
            Kind::Symbol => !matches!(token.text.as_str(), "(" | "-" | "+" | "*" | "~" | "!" | "?" | ":" | "[" | "{"),
            Kind::Word => AFTER.iter().any(|word| token.text.eq_ignore_ascii_case(word)),
            _ => false,
        }
    }

    /// A name where one must stand: any word, as no keyword of Spark's is reserved.
    fn identifier(&mut self) -> Result<String> {
        match self.peek().kind {
            Kind::Word | Kind::Quoted => Ok(self.next().text),
            _ => Err(self.unexpected()),
        }
    }

    /// `a.b.c`.
    fn name_parts(&mut self) -> Result<Vec<String>> {
        if self.is_word("identifier") && self.peek_at(1).text == "(" {
            self.next();
            self.next();
            let text = self.constant_text()?;
            self.expect_symbol(")")?;
            return crate::dataframe::parse_attribute_name(&text);
        }
        let mut parts = vec![self.identifier()?];
        while self.is_symbol(".") && matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted) {
            self.next();
            parts.push(self.next().text);
        }
        Ok(parts)
    }

    /// A string: a literal or a parameter (IDENTIFIER clause).
    fn constant_text(&mut self) -> Result<String> {
        match self.expression()? {
            Expr::Literal { value: crate::value::Value::String(text), .. } => Ok(text.to_string()),
            _ => Err(self.unexpected()),
        }
    }

    /// What was read since a place.
    fn context(&self, place: Place) -> QueryContext {
        let end =
            self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(self.sql.len(), |token| token.end);
        fragment(&self.text, place, end)
    }

    fn origin(&self, place: Place) -> Arc<Origin> {
        let context = Some(self.context(place));
        Arc::new(Origin { line: place.line, position: place.position, text: None, context })
    }

    /// The expression with its place for error texts.
    fn placed(&self, expr: Expr, place: Place) -> Expr {
        Expr::At { child: Box::new(expr), origin: self.origin(place) }
    }

    fn parse_error(&self, condition: &str, parameters: &[(&str, &str)], place: Place) -> SparkError {
        let context = self.context(place);
        SparkError::new(ErrorClass::Parse, condition, parameters).with_context(context.summary()).with_place(&context)
    }

    /// Markers of parameters are of one kind only.
    fn check_parameters(&self) -> Result<()> {
        let symbol = |at: usize, text: &str| {
            self.tokens.get(at).is_some_and(|token| token.kind == Kind::Symbol && token.text == text)
        };
        let word = |at: usize| self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word);
        let named = (0..self.tokens.len()).any(|at| symbol(at, ":") && word(at + 1));
        let positional = (0..self.tokens.len()).any(|at| symbol(at, "?"));
        if named && positional {
            return Err(SparkError::analysis("INVALID_QUERY_MIXED_QUERY_PARAMETERS", &[]));
        }
        Ok(())
    }

    /// A list in parentheses or without: items separated by commas.
    fn separated<T>(&mut self, item: &mut dyn FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.symbol(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }
}

/// One expression, with an alias if it has one (F.expr, selectExpr, filter). It keeps its text.
pub fn parse_expression(session: &SqlSession, sql: &str) -> Result<Expr> {
    let parameters = Parameters::default();
    let mut parser = Parser::new(session, sql, &parameters)?;
    let expr = parser.named_expression()?;
    parser.end()?;
    let (child, line, position, context) = match expr {
        Expr::At { child, origin } => (child, origin.line, origin.position, origin.context.clone()),
        other => (Box::new(other), 1, 0, None),
    };
    Ok(Expr::At { child, origin: Arc::new(Origin { line, position, text: Some(sql.into()), context }) })
}

/// A whole statement.
pub fn parse_statement(session: &SqlSession, sql: &str, parameters: &Parameters) -> Result<Statement> {
    let mut parser = Parser::new(session, sql, parameters)?;
    if parser.peek().kind == Kind::End {
        return Err(parser.empty());
    }
    parser.check_parameters()?;
    let statement = match parser.command()? {
        Some(command) => Statement::Command(command),
        None => Statement::Query(parser.query()?),
    };
    parser.end()?;
    Ok(statement)
}

/// A table name (`db.t`), as writeStream.toTable and spark.table take it.
pub fn parse_table_name(session: &SqlSession, sql: &str) -> Result<Vec<String>> {
    let parameters = Parameters::default();
    let mut parser = Parser::new(session, sql, &parameters)?;
    if parser.peek().kind == Kind::End {
        return Err(parser.empty());
    }
    let parts = parser.name_parts()?;
    parser.end()?;
    Ok(parts)
}
