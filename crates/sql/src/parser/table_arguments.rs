//! Arguments of table functions: expressions, named ones, and tables.

use super::Parser;
use super::tokens::Kind;
use crate::dataframe::{TableOptions, at_most_one, table_argument, table_column};
use crate::error::Result;
use crate::expr::Expr;
use crate::plan::PlanRef;

/// What stands in the parentheses of a table function.
#[derive(Default)]
pub(super) struct TableArguments {
    pub(super) args: Vec<Expr>,
    /// By position in `args`; empty when all are positional.
    pub(super) names: Vec<Option<String>>,
    /// The rows of a table argument, whose place in `args` is their column.
    pub(super) table: Option<PlanRef>,
}

impl Parser<'_> {
    /// `(1, name => 'x', TABLE(t) PARTITION BY a ORDER BY b)`, up to and with the closing parenthesis.
    pub(super) fn table_arguments(&mut self) -> Result<TableArguments> {
        self.expect_symbol("(")?;
        let mut found = TableArguments::default();
        let mut tables = 0;
        while !self.is_symbol(")") {
            let named = matches!(self.peek().kind, Kind::Word) && self.peek_at(1).text == "=>";
            found.names.push(if named {
                let name = self.next().text;
                self.next();
                Some(name)
            } else {
                None
            });
            let after = self.peek_at(1);
            let is_table =
                self.is_word("table") && (after.text == "(" || matches!(after.kind, Kind::Word | Kind::Quoted));
            if is_table {
                tables += 1;
                let (plan, column) = self.table_argument()?;
                found.table = Some(plan);
                found.args.push(column);
            } else {
                found.args.push(self.expression()?);
            }
            if !self.symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")?;
        at_most_one(tables)?;
        if found.names.iter().all(Option::is_none) {
            found.names.clear();
        }
        Ok(found)
    }

    /// TABLE(query) or TABLE(name), with its partitions and order: the rows, and the column that holds them.
    fn table_argument(&mut self) -> Result<(PlanRef, Expr)> {
        let place = self.peek().place;
        self.expect_word("table")?;
        if !self.symbol("(") {
            let name = self.name_parts()?.join(".");
            return Err(self.parse_error(
                "INVALID_SQL_SYNTAX.INVALID_TABLE_FUNCTION_IDENTIFIER_ARGUMENT_MISSING_PARENTHESES",
                &[("argumentName", &format!("`{name}`"))],
                place,
            ));
        }
        let table = if ["select", "with", "values", "from", "table"].iter().any(|word| self.is_word(word)) {
            self.query()?
        } else {
            self.relations()?
        };
        self.expect_symbol(")")?;
        let mut options = TableOptions::default();
        // In parentheses or not.
        let enclosed = self.is_symbol("(");
        if enclosed {
            self.next();
        }
        if self.words(&["with", "single", "partition"]) {
            options.single_partition = true;
        } else if self.words(&["partition", "by"]) || self.words(&["distribute", "by"]) {
            let listed = self.symbol("(");
            options.partition_by = if listed {
                let list = self.separated(&mut Self::expression)?;
                self.expect_symbol(")")?;
                list
            } else {
                // Without parentheses one expression: a comma begins the next argument.
                vec![self.expression()?]
            };
        }
        if self.words(&["order", "by"]) || self.words(&["sort", "by"]) {
            let listed = self.symbol("(");
            options.order_by = if listed {
                let list = self.sort_items()?;
                self.expect_symbol(")")?;
                list
            } else {
                vec![self.sort_item()?]
            };
        }
        if enclosed {
            self.expect_symbol(")")?;
        }
        let column = Expr::UnresolvedAttribute(vec![table_column(options.partition_by.len())]);
        Ok((table_argument(table, options), column))
    }
}
