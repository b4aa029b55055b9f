//! CREATE TABLE and INSERT.

use indexmap::IndexMap;

use super::Parser;
use super::commands::Command;
use super::tokens::Kind;
use crate::catalog::Remarks;
use crate::error::{Result, SparkError};
use crate::plan::PlanRef;
use crate::types::StructType;

/// What CREATE TABLE says.
#[derive(Clone, Debug, Default)]
pub struct TableDefinition {
    pub name: Vec<String>,
    pub if_not_exists: bool,
    /// None: the columns come from the query.
    pub schema: Option<StructType>,
    pub format: Option<String>,
    pub partition_by: Vec<String>,
    pub options: IndexMap<String, String>,
    pub location: Option<String>,
    pub remarks: Remarks,
    pub query: Option<PlanRef>,
}

impl Parser<'_> {
    /// After CREATE TABLE.
    pub(super) fn create_table(&mut self) -> Result<Command> {
        let if_not_exists = self.words(&["if", "not", "exists"]);
        let mut table = TableDefinition { name: self.name_parts()?, if_not_exists, ..TableDefinition::default() };
        if self.is_symbol("(") {
            let text = self.in_parentheses()?;
            table.schema = Some(crate::types::parse_struct(&text)?);
        }
        loop {
            if self.word("using") {
                table.format = Some(self.name_parts()?.join("."));
            } else if self.words(&["partitioned", "by"]) {
                table.partition_by = self.column_names()?;
            } else if self.word("options") {
                table.options.extend(self.properties()?);
            } else if self.word("tblproperties") {
                table.remarks.properties.extend(self.properties()?);
            } else if self.word("location") {
                table.location = Some(self.constant_text()?);
            } else if self.word("comment") {
                table.remarks.comment = Some(self.constant_text()?);
            } else if self.is_word("clustered") || self.is_word("row") || self.is_word("stored") || self.is_word("like")
            {
                return Err(SparkError::not_yet("This form of CREATE TABLE"));
            } else {
                break;
            }
        }
        let as_query = self.word("as");
        if as_query || self.is_word("select") || self.is_word("with") || self.is_word("values") {
            table.query = Some(self.query()?);
        }
        Ok(Command::CreateTable(Box::new(table)))
    }

    /// The text between parentheses, which are consumed.
    pub(super) fn in_parentheses(&mut self) -> Result<String> {
        self.expect_symbol("(")?;
        let start = self.peek().start;
        let mut depth = 1;
        loop {
            let token = self.peek();
            if token.kind == Kind::End {
                return Err(self.unexpected());
            }
            let (text, end) = (token.text.clone(), token.start);
            match text.as_str() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            self.next();
            if depth == 0 {
                return Ok(self.sql.get(start..end).unwrap_or_default().to_owned());
            }
        }
    }

    /// `(key = value, 'a.b' 'c')`
    pub(super) fn properties(&mut self) -> Result<IndexMap<String, String>> {
        let mut properties = IndexMap::new();
        self.expect_symbol("(")?;
        loop {
            let key = match self.peek().kind.clone() {
                Kind::Text(text) => {
                    self.next();
                    text
                }
                _ => self.name_parts()?.join("."),
            };
            self.symbol("=");
            let value = match self.peek().kind.clone() {
                Kind::Text(text) => text,
                _ => self.peek().text.clone(),
            };
            self.next();
            properties.insert(key, value);
            if !self.symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")?;
        Ok(properties)
    }

    /// INSERT INTO | OVERWRITE [TABLE] name [PARTITION (column [= value], ...)] [(columns)] query
    pub(super) fn insert(&mut self) -> Result<Command> {
        self.next();
        let overwrite = self.word("overwrite");
        if !overwrite {
            self.expect_word("into")?;
        }
        self.word("table");
        let table = self.name_parts()?;
        let mut partition = Vec::new();
        if self.word("partition") {
            self.expect_symbol("(")?;
            loop {
                let column = self.identifier()?;
                let value = self.symbol("=").then(|| self.expression()).transpose()?;
                partition.push((column, value));
                if !self.symbol(",") {
                    break;
                }
            }
            self.expect_symbol(")")?;
        }
        if overwrite && partition.iter().any(|(_, value)| value.is_some()) {
            return Err(SparkError::not_yet("INSERT OVERWRITE of a partition"));
        }
        let named = self.is_symbol("(") && !self.word_at(1, "select") && !self.word_at(1, "values");
        let columns = if named { self.column_names()? } else { Vec::new() };
        Ok(Command::Insert { table, columns, partition, overwrite, query: self.query()? })
    }
}
