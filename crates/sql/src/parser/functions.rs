//! CREATE FUNCTION and DROP FUNCTION of SQL functions.

use super::Parser;
use super::commands::Command;
use super::errors::Place;
use super::tokens::Kind;
use crate::catalog::{FunctionParameter, FunctionReturn};
use crate::error::{Result, SparkError};
use crate::types::{DataType, StructField, StructType};

/// What CREATE FUNCTION ... RETURN says.
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    pub name: Vec<String>,
    pub temporary: bool,
    pub replace: bool,
    pub if_not_exists: bool,
    pub parameters: Vec<FunctionParameter>,
    /// None: what the body gives.
    pub returns: Option<FunctionReturn>,
    pub comment: Option<String>,
    pub deterministic: Option<bool>,
    /// READS SQL DATA.
    pub reads: Option<bool>,
    /// The text after RETURN.
    pub body: String,
    /// Whether that is a query.
    pub is_query: bool,
}

/// Words that end the type of a parameter or a result.
const AFTER_TYPE: [&str; 11] = [
    "not",
    "default",
    "comment",
    "return",
    "language",
    "specific",
    "deterministic",
    "contains",
    "reads",
    "sql",
    "collate",
];

impl Parser<'_> {
    /// After CREATE [OR REPLACE] [TEMPORARY] FUNCTION.
    pub(super) fn create_function(&mut self, start: Place, replace: bool, temporary: bool) -> Result<Command> {
        let if_not_exists = self.words(&["if", "not", "exists"]);
        let name = self.name_parts()?;
        if !self.is_symbol("(") {
            return Err(SparkError::not_yet("CREATE FUNCTION of a class of the JVM"));
        }
        self.next();
        let parameters = if self.is_symbol(")") { Vec::new() } else { self.separated(&mut Self::parameter)? };
        self.expect_symbol(")")?;
        let returns = if self.word("returns") { Some(self.function_return()?) } else { None };
        let mut definition = FunctionDefinition {
            name,
            temporary,
            replace,
            if_not_exists,
            parameters,
            returns,
            comment: None,
            deterministic: None,
            reads: None,
            body: String::new(),
            is_query: false,
        };
        while !self.is_word("return") {
            if self.word("comment") {
                definition.comment = Some(self.constant_text()?);
            } else if self.word("deterministic") {
                definition.deterministic = Some(true);
            } else if self.words(&["not", "deterministic"]) {
                definition.deterministic = Some(false);
            } else if self.words(&["contains", "sql"]) {
                definition.reads = Some(false);
            } else if self.words(&["reads", "sql", "data"]) {
                definition.reads = Some(true);
            } else if self.words(&["language", "sql"]) || self.words(&["sql", "security", "definer"]) {
            } else if self.word("language") {
                self.identifier()?;
                self.expect_word("return")?;
            } else {
                return Err(self.unexpected());
            }
        }
        self.next();
        let body = self.peek().clone();
        if body.kind == Kind::End {
            return Err(self.unexpected());
        }
        let words = ["select", "with", "values", "from", "table"];
        definition.is_query = words.iter().any(|word| self.is_word(word));
        // Read here for errors of syntax, and once more by itself whenever the function is called.
        if definition.is_query {
            self.query()?;
        } else {
            self.expression()?;
        }
        let end = self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(body.end, |token| token.end);
        definition.body = self.sql.get(body.start..end).unwrap_or_default().to_owned();
        self.check_names(&definition, start)?;
        Ok(Command::CreateFunction(Box::new(definition)))
    }

    fn check_names(&self, definition: &FunctionDefinition, start: Place) -> Result<()> {
        if definition.replace && definition.if_not_exists {
            let condition = "INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE";
            return Err(self.parse_error(condition, &[], start));
        }
        if definition.temporary && definition.if_not_exists {
            let condition = "INVALID_SQL_SYNTAX.CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS";
            return Err(self.parse_error(condition, &[], start));
        }
        if definition.temporary { self.check_qualifier(&definition.name, start) } else { Ok(()) }
    }

    /// Temporary functions have no names of schemas.
    fn check_qualifier(&self, name: &[String], start: Place) -> Result<()> {
        let Some((name, qualifier)) = name.split_last().filter(|_| crate::catalog::variable_name(name).is_none())
        else {
            return Ok(());
        };
        let parameters = [
            ("objectType", "FUNCTION"),
            ("objectName", &*crate::analyzer::quoted(name)),
            ("qualifier", &*crate::analyzer::quote_parts(qualifier)),
        ];
        Err(self.parse_error("INVALID_TEMP_OBJ_QUALIFIER", &parameters, start))
    }

    /// After DROP [TEMPORARY] FUNCTION.
    pub(super) fn drop_function(&mut self, start: Place, temporary: bool) -> Result<Command> {
        let if_exists = self.words(&["if", "exists"]);
        let name = self.name_parts()?;
        if temporary {
            self.check_qualifier(&name, start)?;
        }
        Ok(Command::DropFunction { name, temporary, if_exists })
    }

    /// `name type [NOT NULL] [DEFAULT value] [COMMENT text]`
    fn parameter(&mut self) -> Result<FunctionParameter> {
        let start = self.peek().start;
        let name = self.identifier()?;
        let data_type = self.function_type()?;
        let mut parameter = FunctionParameter { name, data_type, default: None, comment: None, not_null: None };
        loop {
            if self.words(&["not", "null"]) {
                let end = self.tokens.get(self.at - 1).map_or(start, |token| token.end);
                parameter.not_null = Some(self.sql.get(start..end).unwrap_or_default().to_owned());
            } else if self.word("default") {
                let start = self.peek().start;
                self.expression()?;
                let end = self.tokens.get(self.at - 1).map_or(start, |token| token.end);
                parameter.default = Some(self.sql.get(start..end).unwrap_or_default().to_owned());
            } else if self.word("comment") {
                parameter.comment = Some(self.constant_text()?);
            } else {
                return Ok(parameter);
            }
        }
    }

    fn function_return(&mut self) -> Result<FunctionReturn> {
        if !self.is_word("table") {
            return Ok(FunctionReturn::Value(self.function_type()?));
        }
        self.next();
        if !self.symbol("(") {
            return Ok(FunctionReturn::Table(None));
        }
        let fields = self.separated(&mut |parser| {
            let name = parser.identifier()?;
            let field = StructField::new(name, parser.function_type()?, true);
            if parser.word("comment") {
                parser.constant_text()?;
            }
            Ok(field)
        })?;
        self.expect_symbol(")")?;
        Ok(FunctionReturn::Table(Some(StructType { fields })))
    }

    /// A type up to what may follow it.
    fn function_type(&mut self) -> Result<DataType> {
        let start = self.peek().start;
        let (mut end, mut depth) = (start, 0_i32);
        loop {
            let token = self.peek();
            match (&token.kind, token.text.as_str()) {
                (Kind::End, _) => break,
                (Kind::Symbol, "," | ")") if depth == 0 => break,
                (Kind::Symbol, "(" | "<") => depth += 1,
                (Kind::Symbol, ")" | ">") => depth -= 1,
                (Kind::Symbol, ">>") => depth -= 2,
                (Kind::Word, word) if depth == 0 && end > start => {
                    let interval = self
                        .sql
                        .get(start..end)
                        .is_some_and(|text| text.len() >= 8 && text[..8].eq_ignore_ascii_case("interval"));
                    let known = AFTER_TYPE.iter().any(|after| word.eq_ignore_ascii_case(after));
                    let part = ["precision", "with", "without", "local", "time", "zone"]
                        .iter()
                        .any(|part| word.eq_ignore_ascii_case(part));
                    if known || !(interval || part) {
                        break;
                    }
                }
                (Kind::Text(_), _) if depth == 0 => break,
                _ => {}
            }
            end = self.next().end;
        }
        if end == start {
            return Err(self.unexpected());
        }
        self.data_type(start, end)
    }
}
