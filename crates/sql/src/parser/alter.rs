//! ALTER TABLE, ALTER VIEW, COMMENT ON.

use super::Parser;
use super::commands::{Command, NamePlace};
use super::tokens::Kind;
use crate::error::{Result, SparkError};
use crate::plan::PlanRef;
use crate::types::StructField;
use indexmap::IndexMap;

/// What a statement changes of a table or view.
#[derive(Clone, Debug)]
pub enum Change {
    Rename(Vec<String>),
    AddColumns(Vec<StructField>),
    SetProperties(IndexMap<String, String>),
    UnsetProperties(Vec<String>),
    Comment(Option<String>),
    ColumnComment {
        column: Vec<String>,
        comment: Option<String>,
    },
    /// CHANGE of a column to this name, type and comment.
    Column {
        column: Vec<String>,
        to: StructField,
    },
    Location(String),
    AddPartition,
    /// What tables of files cannot have done to them, as error texts name it.
    Unsupported(&'static str),
    /// ALTER VIEW ... AS, with the query's text.
    Query(PlanRef, String),
}

impl Parser<'_> {
    pub(super) fn alter(&mut self) -> Result<Command> {
        self.next();
        let view = self.word("view");
        if !view && !self.word("table") {
            return Err(SparkError::not_yet("ALTER other than of a table or a view"));
        }
        let table = self.name_place()?;
        let change = self.change(view)?;
        Ok(Command::Alter { table, view, change })
    }

    fn change(&mut self, view: bool) -> Result<Change> {
        if self.words(&["rename", "to"]) {
            return Ok(Change::Rename(self.name_parts()?));
        }
        if self.words(&["set", "tblproperties"]) {
            return Ok(Change::SetProperties(self.properties()?));
        }
        if self.words(&["unset", "tblproperties"]) {
            self.words(&["if", "exists"]);
            return Ok(Change::UnsetProperties(self.property_names()?));
        }
        if view {
            if self.word("as") || self.is_word("select") || self.is_word("with") || self.is_word("values") {
                let start = self.peek().start;
                let query = self.query()?;
                return Ok(Change::Query(query, self.sql.get(start..).unwrap_or_default().trim().to_owned()));
            }
            return Err(self.unexpected());
        }
        if self.words(&["rename", "column"]) {
            self.name_parts()?;
            self.expect_word("to")?;
            self.identifier()?;
            return Ok(Change::Unsupported("RENAME COLUMN"));
        }
        if self.words(&["drop", "column"]) || self.words(&["drop", "columns"]) {
            self.words(&["if", "exists"]);
            let enclosed = self.symbol("(");
            self.separated(&mut Self::name_parts)?;
            if enclosed {
                self.expect_symbol(")")?;
            }
            return Ok(Change::Unsupported("DROP COLUMN"));
        }
        if self.words(&["set", "location"]) {
            return Ok(Change::Location(self.constant_text()?));
        }
        if self.words(&["add", "column"]) || self.words(&["add", "columns"]) {
            let text = if self.is_symbol("(") {
                self.in_parentheses()?
            } else {
                let start = self.peek().start;
                self.rest(start)
            };
            return Ok(Change::AddColumns(crate::types::parse_struct(&text)?.fields));
        }
        if self.is_word("add") || self.words(&["drop", "partition"]) {
            self.rest(0);
            return Ok(Change::AddPartition);
        }
        let changed = self.word("change");
        if changed || self.word("alter") {
            self.word("column");
            let column = self.name_parts()?;
            return self.changed_column(column);
        }
        Err(SparkError::not_yet("This form of ALTER TABLE"))
    }

    fn changed_column(&mut self, column: Vec<String>) -> Result<Change> {
        if self.word("comment") {
            return Ok(Change::ColumnComment { column, comment: Some(self.constant_text()?) });
        }
        if self.words(&["set", "not", "null"]) {
            return Ok(Change::Unsupported("ALTER COLUMN ... SET NOT NULL"));
        }
        if self.words(&["drop", "not", "null"]) {
            return Ok(Change::Unsupported("ALTER COLUMN ... DROP NOT NULL"));
        }
        let text = if self.word("type") {
            let name = crate::types::quote_if_needed(column.last().map(String::as_str).unwrap_or_default());
            let start = self.peek().start;
            format!("{name} {}", self.rest(start))
        } else {
            let start = self.peek().start;
            self.rest(start)
        };
        let to = crate::types::parse_struct(&text)?.fields.into_iter().next();
        to.map(|to| Change::Column { column, to }).ok_or_else(|| self.unexpected())
    }

    /// `(key, 'a.b')`
    fn property_names(&mut self) -> Result<Vec<String>> {
        self.expect_symbol("(")?;
        let names = self.separated(&mut |parser| match parser.peek().kind.clone() {
            Kind::Text(text) => {
                parser.next();
                Ok(text)
            }
            _ => Ok(parser.name_parts()?.join(".")),
        })?;
        self.expect_symbol(")")?;
        Ok(names)
    }

    /// COMMENT ON TABLE | COLUMN | DATABASE name IS 'text' | NULL.
    pub(super) fn comment_on(&mut self) -> Result<Command> {
        self.next();
        self.expect_word("on")?;
        let database = ["database", "schema", "namespace"].iter().any(|word| self.word(word));
        let column = !database && self.word("column");
        if !database && !column {
            self.expect_word("table")?;
        }
        let mut name = self.name_place()?;
        self.expect_word("is")?;
        let comment = if self.word("null") { None } else { Some(self.constant_text()?) };
        if database {
            return Ok(Command::CommentOnDatabase { name: name.parts, comment: comment.unwrap_or_default() });
        }
        let change = if column {
            let own = name.parts.pop().unwrap_or_default();
            if name.parts.is_empty() {
                let condition = "INVALID_SQL_SYNTAX.COMMENT_ON_COLUMN_INCORRECT_IDENTIFIER";
                return Err(SparkError::new(crate::error::ErrorClass::Parse, condition, &[]));
            }
            Change::ColumnComment { column: vec![own], comment }
        } else {
            Change::Comment(comment)
        };
        let table = NamePlace { parts: name.parts, at: name.at };
        Ok(Command::Alter { table, view: false, change })
    }
}
