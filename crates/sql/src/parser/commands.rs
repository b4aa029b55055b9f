//! Statements that are no queries.

use std::sync::Arc;

use super::Parser;
use super::alter::Change;
use super::functions::FunctionDefinition;
use super::tables::TableDefinition;
use super::tokens::Kind;
use crate::catalog::{Remarks, SavedView};
use crate::dataframe::FunctionScope;
use crate::error::{Result, SparkError};
use crate::expr::{Expr, Origin};
use crate::plan::PlanRef;
use crate::types::DataType;
use crate::value::Value;

/// A name with its place in the text.
#[derive(Clone, Debug)]
pub struct NamePlace {
    pub parts: Vec<String>,
    pub at: Arc<Origin>,
}

#[derive(Clone, Debug)]
pub enum Command {
    CreateView {
        name: Vec<String>,
        columns: Vec<String>,
        query: PlanRef,
        replace: bool,
        global: bool,
    },
    /// CREATE VIEW without TEMPORARY.
    SaveView {
        name: Vec<String>,
        /// Its name is not looked up yet.
        view: SavedView,
        replace: bool,
        if_not_exists: bool,
    },
    DropView {
        name: Vec<String>,
        if_exists: bool,
    },
    DropTable {
        name: Vec<String>,
        if_exists: bool,
    },
    /// SET key=value; None: show it, or all.
    Set {
        key: Option<String>,
        value: Option<String>,
    },
    Reset {
        key: Option<String>,
    },
    ShowTables {
        database: Option<Vec<String>>,
        pattern: Option<String>,
        /// SHOW VIEWS: no tables.
        views: bool,
    },
    ShowFunctions {
        scope: FunctionScope,
        pattern: Option<String>,
    },
    ShowCatalogs,
    ShowDatabases {
        pattern: Option<String>,
    },
    ShowColumns {
        table: NamePlace,
    },
    Describe {
        table: NamePlace,
        column: Option<Vec<String>>,
        extended: bool,
    },
    DescribeFunction {
        name: NamePlace,
        extended: bool,
    },
    CreateFunction(Box<FunctionDefinition>),
    DropFunction {
        name: Vec<String>,
        temporary: bool,
        if_exists: bool,
    },
    DescribeDatabase {
        name: Vec<String>,
    },
    DescribeQuery {
        query: PlanRef,
    },
    Explain {
        mode: String,
        query: PlanRef,
    },
    Use {
        name: Vec<String>,
    },
    DeclareVariables {
        names: Vec<NamePlace>,
        data_type: Option<DataType>,
        default: Option<Expr>,
        replace: bool,
    },
    SetVariables {
        /// None: DEFAULT.
        assignments: Vec<(NamePlace, Option<Expr>)>,
    },
    SetVariablesFrom {
        names: Vec<NamePlace>,
        query: PlanRef,
    },
    ExecuteImmediate {
        text: Expr,
        into: Vec<NamePlace>,
        /// Values of the parameters and their names.
        using: Vec<(Option<String>, Expr)>,
    },
    DropVariable {
        name: NamePlace,
        if_exists: bool,
    },
    CacheTable {
        name: Vec<String>,
        /// CACHE TABLE name AS query makes the view.
        query: Option<PlanRef>,
    },
    UncacheTable {
        name: Vec<String>,
        if_exists: bool,
    },
    ClearCache,
    /// REFRESH; None: of a path or all.
    Refresh {
        table: Option<Vec<String>>,
    },
    CreateTable(Box<TableDefinition>),
    Insert {
        table: Vec<String>,
        /// Empty: all of the table's, in order.
        columns: Vec<String>,
        /// PARTITION (column = value, column): values given once for all rows.
        partition: Vec<(String, Option<Expr>)>,
        overwrite: bool,
        query: PlanRef,
    },
    CreateDatabase {
        name: Vec<String>,
        comment: String,
        if_not_exists: bool,
    },
    DropDatabase {
        name: Vec<String>,
        if_exists: bool,
        cascade: bool,
    },
    ShowPartitions {
        table: NamePlace,
    },
    ShowCurrentNamespace,
    ShowCreateTable {
        table: NamePlace,
    },
    ShowProperties {
        table: NamePlace,
        key: Option<String>,
    },
    /// ANALYZE TABLE: there is nothing to gather.
    AnalyzeTable {
        table: NamePlace,
    },
    Truncate {
        table: Vec<String>,
    },
    Alter {
        table: NamePlace,
        view: bool,
        change: Change,
    },
    CommentOnDatabase {
        name: Vec<String>,
        comment: String,
    },
}

impl Parser<'_> {
    /// A command at the start of the text; None when a query stands there.
    pub(super) fn command(&mut self) -> Result<Option<Command>> {
        let word = if self.peek().kind == Kind::Word { self.peek().text.to_lowercase() } else { String::new() };
        Ok(Some(match word.as_str() {
            "create" => self.create()?,
            "drop" => self.drop()?,
            "set" => self.set()?,
            "reset" => {
                self.next();
                let start = self.peek().start;
                let key = self.rest(start);
                Command::Reset { key: Some(key).filter(|key| !key.is_empty()) }
            }
            "show" => self.show()?,
            "describe" | "desc" => self.describe()?,
            "explain" => {
                self.next();
                let mode = ["extended", "formatted", "codegen", "cost"].into_iter().find(|mode| self.word(mode));
                Command::Explain { mode: mode.unwrap_or("simple").to_owned(), query: self.query()? }
            }
            "use" => {
                self.next();
                for word in ["database", "schema", "namespace", "catalog"] {
                    self.word(word);
                }
                Command::Use { name: self.name_parts()? }
            }
            "declare" => self.declare()?,
            "cache" | "uncache" | "refresh" | "clear" | "analyze" => self.caching(&word)?,
            "insert" => self.insert()?,
            "truncate" => {
                self.next();
                self.expect_word("table")?;
                Command::Truncate { table: self.name_parts()? }
            }
            "alter" => self.alter()?,
            "comment" if self.word_at(1, "on") => self.comment_on()?,
            "merge" | "update" | "delete" | "load" | "msck" | "grant" | "call" => {
                return Err(SparkError::not_yet(&format!("The statement {}", word.to_uppercase())));
            }
            "execute" => return self.execute_immediate(),
            _ => return Ok(None),
        }))
    }

    /// The text from an offset to the end; the tokens are consumed.
    pub(super) fn rest(&mut self, start: usize) -> String {
        self.at = self.tokens.len() - 1;
        self.sql.get(start..).unwrap_or("").trim().trim_end_matches(';').trim().to_owned()
    }

    fn create(&mut self) -> Result<Command> {
        let start = self.peek().place;
        self.next();
        let replace = self.words(&["or", "replace"]);
        let global = self.word("global");
        let temporary = self.word("temp") || self.word("temporary");
        if !replace && !global && !temporary && self.word("table") {
            return self.create_table();
        }
        if !replace && !global && !temporary && ["database", "schema", "namespace"].iter().any(|word| self.word(word)) {
            return self.create_database();
        }
        if !global && self.word("function") {
            return self.create_function(start, replace, temporary);
        }
        if !self.word("view") {
            return Err(SparkError::not_yet("CREATE other than a table, a view, a function or a database"));
        }
        let if_not_exists = self.words(&["if", "not", "exists"]);
        let name = self.name_parts()?;
        let mut comments = Vec::new();
        let mut columns = Vec::new();
        if self.symbol("(") {
            columns = self.separated(&mut |parser| {
                let column = parser.identifier()?;
                let comment = parser.word("comment").then(|| parser.constant_text()).transpose()?;
                comments.push(comment);
                Ok(column)
            })?;
            self.expect_symbol(")")?;
        }
        let mut remarks = Remarks::default();
        loop {
            if self.word("comment") {
                remarks.comment = Some(self.constant_text()?);
            } else if self.word("tblproperties") {
                remarks.properties.extend(self.properties()?);
            } else {
                break;
            }
        }
        self.expect_word("as")?;
        let start = self.peek().start;
        let query = self.query()?;
        if !temporary {
            let text = self.sql.get(start..).unwrap_or_default().trim().trim_end_matches(';').trim().to_owned();
            let view = SavedView { name: String::new(), query, columns, comments, remarks, text };
            return Ok(Command::SaveView { name, view, replace, if_not_exists });
        }
        Ok(Command::CreateView { name, columns, query, replace, global })
    }

    fn create_database(&mut self) -> Result<Command> {
        let if_not_exists = self.words(&["if", "not", "exists"]);
        let name = self.name_parts()?;
        let mut comment = String::new();
        loop {
            if self.word("comment") {
                comment = self.constant_text()?;
            } else if self.word("location") {
                return Err(SparkError::not_yet("CREATE DATABASE with LOCATION"));
            } else if self.words(&["with", "dbproperties"]) || self.words(&["with", "properties"]) {
                self.properties()?;
            } else {
                break;
            }
        }
        Ok(Command::CreateDatabase { name, comment, if_not_exists })
    }

    fn drop(&mut self) -> Result<Command> {
        let start = self.peek().place;
        self.next();
        let temporary = (self.is_word("temporary") || self.is_word("temp")) && self.word_at(1, "function");
        if temporary {
            self.next();
        }
        if self.word("function") {
            return self.drop_function(start, temporary);
        }
        if self.words(&["temporary", "variable"]) || self.words(&["temp", "variable"]) {
            let if_exists = self.words(&["if", "exists"]);
            return Ok(Command::DropVariable { name: self.name_place()?, if_exists });
        }
        if ["database", "schema", "namespace"].iter().any(|word| self.word(word)) {
            let if_exists = self.words(&["if", "exists"]);
            let name = self.name_parts()?;
            let cascade = self.word("cascade");
            self.word("restrict");
            return Ok(Command::DropDatabase { name, if_exists, cascade });
        }
        let view = self.word("view");
        if !view {
            self.expect_word("table")?;
        }
        let if_exists = self.words(&["if", "exists"]);
        let name = self.name_parts()?;
        self.word("purge");
        Ok(if view { Command::DropView { name, if_exists } } else { Command::DropTable { name, if_exists } })
    }

    fn set(&mut self) -> Result<Command> {
        self.next();
        if let Some(command) = self.set_variables()? {
            return Ok(command);
        }
        if self.words(&["time", "zone"]) {
            let value = match self.peek().kind.clone() {
                Kind::Text(text) => {
                    self.next();
                    text
                }
                // The JVM's own zone, which is UTC here.
                _ if self.word("local") => "UTC".to_owned(),
                _ if self.word("interval") => {
                    let literal = self.interval_literal()?;
                    let Expr::Literal { value: Value::DayTimeInterval(micros), .. } = literal else {
                        return Err(self.unexpected());
                    };
                    let minutes = micros / 60_000_000;
                    let sign = if minutes < 0 { '-' } else { '+' };
                    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
                }
                _ => {
                    let start = self.peek().start;
                    self.rest(start)
                }
            };
            return Ok(Command::Set { key: Some("spark.sql.session.timeZone".to_owned()), value: Some(value) });
        }
        let start = self.peek().start;
        let text = self.rest(start);
        if text.is_empty() || text == "-v" {
            return Ok(Command::Set { key: None, value: None });
        }
        Ok(match text.split_once('=') {
            Some((key, value)) => {
                let value = value.trim().trim_matches('`').to_owned();
                Command::Set { key: Some(key.trim().trim_matches('`').to_owned()), value: Some(value) }
            }
            None => Command::Set { key: Some(text), value: None },
        })
    }

    fn show(&mut self) -> Result<Command> {
        self.next();
        if self.word("catalogs") {
            return Ok(Command::ShowCatalogs);
        }
        let mut scope = FunctionScope::All;
        for (word, named) in
            [("system", FunctionScope::System), ("user", FunctionScope::User), ("all", FunctionScope::All)]
        {
            if self.is_word(word) && self.word_at(1, "functions") {
                self.next();
                scope = named;
            }
        }
        if self.word("functions") {
            self.database()?;
            return Ok(Command::ShowFunctions { scope, pattern: self.like_pattern(true)? });
        }
        let views = self.is_word("views");
        if self.word("tables") || self.word("views") {
            let database = self.database()?;
            return Ok(Command::ShowTables { database, pattern: self.like_pattern(false)?, views });
        }
        if self.word("databases") || self.word("schemas") || self.word("namespaces") {
            self.database()?;
            return Ok(Command::ShowDatabases { pattern: self.like_pattern(false)? });
        }
        if self.word("columns") {
            if !(self.word("in") || self.word("from")) {
                return Err(self.unexpected());
            }
            let mut table = self.name_place()?;
            if let Some(database) = self.database()? {
                let own = table.parts.pop();
                table.parts = database.into_iter().chain(own).collect();
            }
            return Ok(Command::ShowColumns { table });
        }
        if self.word("partitions") {
            return Ok(Command::ShowPartitions { table: self.name_place()? });
        }
        if self.words(&["current", "namespace"]) || self.words(&["current", "database"]) {
            return Ok(Command::ShowCurrentNamespace);
        }
        if self.words(&["create", "table"]) {
            let table = self.name_place()?;
            if self.words(&["as", "serde"]) {
                return Err(SparkError::not_yet("SHOW CREATE TABLE AS SERDE"));
            }
            return Ok(Command::ShowCreateTable { table });
        }
        if self.word("tblproperties") {
            let table = self.name_place()?;
            let mut key = None;
            if self.symbol("(") {
                key = Some(match self.peek().kind.clone() {
                    Kind::Text(_) => self.constant_text()?,
                    _ => self.name_parts()?.join("."),
                });
                self.expect_symbol(")")?;
            }
            return Ok(Command::ShowProperties { table, key });
        }
        Err(SparkError::not_yet("This SHOW statement"))
    }

    fn describe(&mut self) -> Result<Command> {
        self.next();
        if self.word("query") || self.is_word("select") || self.is_word("with") || self.is_word("values") {
            return Ok(Command::DescribeQuery { query: self.query()? });
        }
        if self.is_word("function") && matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted | Kind::Text(_)) {
            self.next();
            let extended = self.word("extended");
            let at = self.origin(self.peek().place);
            let name = match self.peek().kind.clone() {
                Kind::Text(text) => {
                    self.next();
                    NamePlace { parts: vec![text], at }
                }
                _ => self.name_place()?,
            };
            return Ok(Command::DescribeFunction { name, extended });
        }
        for word in ["database", "schema", "namespace"] {
            if self.is_word(word) && matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted) {
                self.next();
                self.word("extended");
                return Ok(Command::DescribeDatabase { name: self.name_parts()? });
            }
        }
        self.word("table");
        let extended = self.word("extended") | self.word("formatted");
        let table = self.name_place()?;
        let column = matches!(self.peek().kind, Kind::Word | Kind::Quoted).then(|| self.name_parts()).transpose()?;
        Ok(Command::Describe { table, column, extended })
    }

    /// `IN database` or `FROM database`.
    fn database(&mut self) -> Result<Option<Vec<String>>> {
        if self.word("in") || self.word("from") { self.name_parts().map(Some) } else { Ok(None) }
    }

    /// `[LIKE] 'pattern'`; a function's name may stand without quotes.
    fn like_pattern(&mut self, bare: bool) -> Result<Option<String>> {
        self.word("like");
        match self.peek().kind.clone() {
            Kind::Text(text) => {
                self.next();
                Ok(Some(text))
            }
            Kind::Word | Kind::Quoted if bare => Ok(Some(self.name_parts()?.join("."))),
            _ => Ok(None),
        }
    }

    /// CACHE, UNCACHE, CLEAR CACHE, REFRESH and ANALYZE.
    fn caching(&mut self, word: &str) -> Result<Command> {
        self.next();
        match word {
            "cache" => {
                self.word("lazy");
                self.expect_word("table")?;
                let name = self.name_parts()?;
                if self.word("options") {
                    self.properties()?;
                }
                let with_query = self.word("as") || self.is_word("select") || self.is_word("with");
                let query = with_query.then(|| self.query()).transpose()?;
                Ok(Command::CacheTable { name, query })
            }
            "uncache" => {
                self.expect_word("table")?;
                let if_exists = self.words(&["if", "exists"]);
                Ok(Command::UncacheTable { name: self.name_parts()?, if_exists })
            }
            "clear" => {
                self.expect_word("cache")?;
                Ok(Command::ClearCache)
            }
            _ => {
                let tables = self.word("table");
                if word == "analyze" && tables {
                    let table = self.name_place()?;
                    self.rest(0);
                    return Ok(Command::AnalyzeTable { table });
                }
                let named = matches!(self.peek().kind, Kind::Word | Kind::Quoted) && !self.is_word("tables");
                let table = named.then(|| self.name_parts()).transpose()?;
                while self.peek().kind != Kind::End {
                    self.next();
                }
                Ok(Command::Refresh { table })
            }
        }
    }
}
