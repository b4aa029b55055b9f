//! Statements that are no queries.

use super::Parser;
use super::tables::TableDefinition;
use super::tokens::Kind;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::plan::PlanRef;
use crate::types::DataType;
use crate::value::Value;

#[derive(Clone, Debug)]
pub enum Command {
    CreateView {
        name: Vec<String>,
        columns: Vec<String>,
        query: PlanRef,
        replace: bool,
        global: bool,
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
        pattern: Option<String>,
        /// SHOW VIEWS: no tables.
        views: bool,
    },
    ShowFunctions {
        pattern: Option<String>,
    },
    ShowCatalogs,
    ShowDatabases,
    ShowColumns {
        table: Vec<String>,
    },
    Describe {
        table: Vec<String>,
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
    DeclareVariable {
        name: String,
        data_type: Option<DataType>,
        default: Option<Expr>,
        replace: bool,
    },
    SetVariable {
        name: String,
        value: Expr,
    },
    DropVariable {
        name: String,
        if_exists: bool,
    },
    CacheTable,
    CreateTable(Box<TableDefinition>),
    Insert {
        table: Vec<String>,
        /// Empty: all of the table's, in order.
        columns: Vec<String>,
        overwrite: bool,
        query: PlanRef,
    },
    ShowPartitions {
        table: Vec<String>,
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
            "cache" | "uncache" | "refresh" | "clear" | "analyze" => {
                while self.peek().kind != Kind::End {
                    self.next();
                }
                Command::CacheTable
            }
            "insert" => self.insert()?,
            "alter" | "truncate" | "merge" | "update" | "delete" | "load" | "msck" | "grant" | "call" => {
                return Err(SparkError::not_yet(&format!("The statement {}", word.to_uppercase())));
            }
            _ => return Ok(None),
        }))
    }

    /// The text from an offset to the end; the tokens are consumed.
    fn rest(&mut self, start: usize) -> String {
        self.at = self.tokens.len() - 1;
        self.sql.get(start..).unwrap_or("").trim().trim_end_matches(';').trim().to_owned()
    }

    fn create(&mut self) -> Result<Command> {
        self.next();
        let replace = self.words(&["or", "replace"]);
        let global = self.word("global");
        let temporary = self.word("temp") || self.word("temporary");
        if !replace && !global && !temporary && self.word("table") {
            return self.create_table();
        }
        if !self.word("view") {
            return Err(SparkError::not_yet("CREATE other than a table or a temporary view"));
        }
        if !temporary {
            return Err(SparkError::not_yet("CREATE VIEW other than a temporary view"));
        }
        self.words(&["if", "not", "exists"]);
        let name = self.name_parts()?;
        let columns = self.column_names()?;
        if self.word("comment") {
            self.next();
        }
        self.expect_word("as")?;
        Ok(Command::CreateView { name, columns, query: self.query()?, replace, global })
    }

    fn drop(&mut self) -> Result<Command> {
        self.next();
        if self.words(&["temporary", "variable"]) || self.words(&["temp", "variable"]) {
            let if_exists = self.words(&["if", "exists"]);
            return Ok(Command::DropVariable { name: self.identifier()?, if_exists });
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
        for word in ["var", "variable"] {
            if self.is_word(word) && self.peek_at(1).kind == Kind::Word && self.peek_at(2).text == "=" {
                self.next();
                let name = self.identifier()?;
                self.expect_symbol("=")?;
                return Ok(Command::SetVariable { name, value: self.expression()? });
            }
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
        for scope in ["system", "user", "all"] {
            if self.is_word(scope) && self.word_at(1, "functions") {
                self.next();
            }
        }
        if self.word("functions") {
            if self.word("in") || self.word("from") {
                self.name_parts()?;
            }
            self.word("like");
            let pattern = match self.peek().kind.clone() {
                Kind::Text(text) => {
                    self.next();
                    Some(text)
                }
                Kind::Word => Some(self.name_parts()?.join(".")),
                _ => None,
            };
            return Ok(Command::ShowFunctions { pattern });
        }
        let views = self.is_word("views");
        if self.word("tables") || self.word("views") {
            if self.word("in") || self.word("from") {
                self.name_parts()?;
            }
            self.word("like");
            let pattern = match self.peek().kind.clone() {
                Kind::Text(text) => {
                    self.next();
                    Some(text)
                }
                _ => None,
            };
            return Ok(Command::ShowTables { pattern, views });
        }
        if self.word("databases") || self.word("schemas") || self.word("namespaces") {
            return Ok(Command::ShowDatabases);
        }
        if self.word("columns") {
            if !(self.word("in") || self.word("from")) {
                return Err(self.unexpected());
            }
            return Ok(Command::ShowColumns { table: self.name_parts()? });
        }
        if self.word("partitions") {
            return Ok(Command::ShowPartitions { table: self.name_parts()? });
        }
        Err(SparkError::not_yet("This SHOW statement"))
    }

    fn describe(&mut self) -> Result<Command> {
        self.next();
        if self.word("query") || self.is_word("select") || self.is_word("with") || self.is_word("values") {
            return Ok(Command::DescribeQuery { query: self.query()? });
        }
        if self.is_word("function") && matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted) {
            return Err(SparkError::not_yet("DESCRIBE FUNCTION"));
        }
        self.word("table");
        self.word("extended");
        self.word("formatted");
        Ok(Command::Describe { table: self.name_parts()? })
    }

    fn declare(&mut self) -> Result<Command> {
        self.next();
        let replace = self.words(&["or", "replace"]);
        self.word("variable");
        self.word("var");
        let name = self.identifier()?;
        let start = self.peek().start;
        let mut end = start;
        while self.peek().kind != Kind::End && !self.is_word("default") && !self.is_symbol("=") {
            end = self.next().end;
        }
        let data_type = if end > start { Some(self.data_type(start, end)?) } else { None };
        let default = if self.word("default") || self.symbol("=") { Some(self.expression()?) } else { None };
        Ok(Command::DeclareVariable { name, data_type, default, replace })
    }
}
