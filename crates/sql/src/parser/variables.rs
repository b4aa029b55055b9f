//! Session variables and EXECUTE IMMEDIATE.

use super::Parser;
use super::commands::{Command, NamePlace};
use super::expressions::strip;
use super::tokens::Kind;
use crate::error::Result;
use crate::expr::Expr;

impl Parser<'_> {
    /// DECLARE [OR REPLACE] [VARIABLE] name, ... [type] [DEFAULT value]
    pub(super) fn declare(&mut self) -> Result<Command> {
        let place = self.peek().place;
        self.next();
        let replace = self.words(&["or", "replace"]);
        if !self.word("variable") {
            self.word("var");
        }
        let names = self.separated(&mut Self::name_place)?;
        let start = self.peek().start;
        let mut end = start;
        while self.peek().kind != Kind::End && !self.is_word("default") && !self.is_symbol("=") && !self.is_symbol(";")
        {
            end = self.next().end;
        }
        let data_type = if end > start { Some(self.data_type(start, end)?) } else { None };
        let default = if self.word("default") || self.symbol("=") { Some(self.expression()?) } else { None };
        if data_type.is_none() && default.is_none() {
            return Err(self.parse_error("INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED", &[], place));
        }
        Ok(Command::DeclareVariables { names, data_type, default, replace })
    }

    /// SET VARIABLE name = value, ... or (name, ...) = (query); None where SET means a setting.
    pub(super) fn set_variables(&mut self) -> Result<Option<Command>> {
        let follows = matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted) || self.peek_at(1).text == "(";
        if !(self.is_word("var") || self.is_word("variable")) || !follows {
            return Ok(None);
        }
        self.next();
        if self.symbol("(") {
            let names = self.separated(&mut Self::name_place)?;
            self.expect_symbol(")")?;
            self.expect_symbol("=")?;
            self.expect_symbol("(")?;
            let query = self.query()?;
            self.expect_symbol(")")?;
            return Ok(Some(Command::SetVariablesFrom { names, query }));
        }
        let assignments = self.separated(&mut |parser| {
            let name = parser.name_place()?;
            parser.expect_symbol("=")?;
            let value = if parser.word("default") { None } else { Some(parser.expression()?) };
            Ok((name, value))
        })?;
        Ok(Some(Command::SetVariables { assignments }))
    }

    /// EXECUTE IMMEDIATE text [INTO name, ...] [USING value [AS name], ...]; None for anything else.
    pub(super) fn execute_immediate(&mut self) -> Result<Option<Command>> {
        if !self.words(&["execute", "immediate"]) {
            return Ok(None);
        }
        let text = self.expression()?;
        let into = if self.word("into") { self.separated(&mut Self::name_place)? } else { Vec::new() };
        let mut using = Vec::new();
        if self.word("using") {
            let enclosed = self.symbol("(");
            using = self.separated(&mut |parser| {
                Ok(match strip(&parser.named_expression()?).clone() {
                    Expr::Alias(alias) => (alias.names.first().cloned(), alias.child),
                    Expr::UnresolvedAttribute(parts) => (parts.last().cloned(), Expr::UnresolvedAttribute(parts)),
                    other => (None, other),
                })
            })?;
            if enclosed {
                self.expect_symbol(")")?;
            }
        }
        Ok(Some(Command::ExecuteImmediate { text, into, using }))
    }

    pub(super) fn name_place(&mut self) -> Result<NamePlace> {
        let place = self.peek().place;
        let parts = self.name_parts()?;
        Ok(NamePlace { parts, at: self.origin(place) })
    }
}
