//! FROM: tables, subqueries, VALUES, table functions, LATERAL VIEW, PIVOT, UNPIVOT, TABLESAMPLE.

use std::sync::Arc;

use super::Parser;
use super::calls::{ROW, qualified};
use super::errors::Place;
use super::expressions::{call, strip};
use super::query::renamed;
use super::table_arguments::TableArguments;
use super::tokens::Kind;
use crate::analyzer::{INLINE_TABLE, UNPIVOT, UNPIVOT_GROUP};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, Metadata};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};
use crate::types::DataType;
use crate::value::Value;

fn text(value: &str) -> Expr {
    Expr::literal(Value::from(value), DataType::String)
}

/// A name for a column that the analyzer will type.
pub(crate) fn name_only(name: &str) -> Arc<Attribute> {
    Arc::new(Attribute {
        id: ExprId::fresh(),
        name: name.into(),
        data_type: DataType::Null,
        nullable: true,
        qualifier: Vec::new(),
        metadata: Metadata::default(),
    })
}

impl Parser<'_> {
    /// Relations separated by commas, each with its joins.
    pub(super) fn relations(&mut self) -> Result<PlanRef> {
        let mut plan = self.relation()?;
        while self.symbol(",") {
            if self.is_word("lateral") && !self.word_at(1, "view") {
                plan = self.lateral(plan, JoinKind::Inner)?;
                continue;
            }
            let right = self.relation()?;
            plan = Arc::new(LogicalPlan::Join(Join {
                left: plan,
                right,
                kind: JoinKind::Inner,
                condition: JoinCondition::None,
            }));
        }
        Ok(plan)
    }

    fn relation(&mut self) -> Result<PlanRef> {
        let mut plan = self.relation_primary()?;
        while let Some(joined) = self.join_after(plan.clone())? {
            plan = joined;
        }
        Ok(plan)
    }

    /// `(a, b)` after a name; empty when there is none.
    pub(super) fn column_names(&mut self) -> Result<Vec<String>> {
        if !self.symbol("(") {
            return Ok(Vec::new());
        }
        let names = self.separated(&mut Self::identifier)?;
        self.expect_symbol(")")?;
        Ok(names)
    }

    /// `[AS] name [(columns)]`.
    fn table_alias(&mut self, plan: PlanRef, default: Option<&str>) -> Result<PlanRef> {
        let name = if self.word("as") { Some(self.identifier()?) } else { self.try_table_name() };
        let Some(name) = name else {
            return Ok(match default {
                Some(name) => Arc::new(LogicalPlan::SubqueryAlias { name: name.to_owned(), child: plan }),
                None => plan,
            });
        };
        let columns = self.column_names()?;
        Ok(Arc::new(LogicalPlan::SubqueryAlias { name, child: renamed(plan, columns) }))
    }

    pub(super) fn relation_primary(&mut self) -> Result<PlanRef> {
        let plan = self.relation_source()?;
        self.relation_suffix(plan)
    }

    /// PIVOT and UNPIVOT may follow any relation.
    fn relation_suffix(&mut self, mut plan: PlanRef) -> Result<PlanRef> {
        loop {
            if self.is_word("pivot") && self.peek_at(1).text == "(" {
                plan = self.pivot(plan)?;
            } else if self.is_word("unpivot") {
                plan = self.unpivot(plan)?;
            } else {
                return Ok(plan);
            }
        }
    }

    fn relation_source(&mut self) -> Result<PlanRef> {
        if self.symbol("(") {
            let is_query = ["select", "with", "from", "table", "values"].iter().any(|word| self.is_word(word));
            if is_query || self.is_symbol("(") {
                let start = self.at;
                if let Ok(plan) = self.query()
                    && self.symbol(")")
                {
                    let plan = self.sampled(plan)?;
                    return self.table_alias(plan, Some("__auto_generated_subquery_name"));
                }
                if is_query {
                    // Read again for the error.
                    self.at = start;
                    self.query()?;
                    self.expect_symbol(")")?;
                }
                self.at = start;
            }
            let plan = self.relations()?;
            self.expect_symbol(")")?;
            return self.table_alias(plan, None);
        }
        if self.is_word("values") {
            let plan = self.inline_table()?;
            return self.table_alias(plan, None);
        }
        if self.is_word("lateral") {
            return self.lateral(Arc::new(LogicalPlan::OneRow), JoinKind::Inner);
        }
        let streaming = self.is_word("stream")
            && (matches!(self.peek_at(1).kind, Kind::Word | Kind::Quoted) || self.peek_at(1).text == "(");
        if streaming {
            self.next();
        }
        let enclosed = streaming && self.symbol("(");
        let token = self.peek().clone();
        let mut after = 1;
        while self.peek_at(after).text == "." && matches!(self.peek_at(after + 1).kind, Kind::Word | Kind::Quoted) {
            after += 2;
        }
        if matches!(token.kind, Kind::Word)
            && self.peek_at(after).text == "("
            && !token.text.eq_ignore_ascii_case("identifier")
        {
            return self.table_function(Arc::new(LogicalPlan::OneRow), false, false);
        }
        let place = self.peek().place;
        let parts = self.name_parts()?;
        let at = Some(self.origin(place));
        if enclosed {
            self.expect_symbol(")")?;
        }
        let plan = Arc::new(LogicalPlan::UnresolvedRelation { parts, streaming, at });
        let plan = self.sampled(plan)?;
        self.table_alias(plan, None)
    }

    pub(super) fn sampled(&mut self, plan: PlanRef) -> Result<PlanRef> {
        if !self.word("tablesample") {
            return Ok(plan);
        }
        if self.word("system") {
            return Err(SparkError::analysis("UNSUPPORTED_FEATURE.TABLESAMPLE_SYSTEM_NO_SCAN", &[]));
        }
        self.word("bernoulli");
        let place = self.peek().place;
        self.expect_symbol("(")?;
        let plan = self.sample_method(plan, place)?;
        self.expect_symbol(")")?;
        if !self.word("repeatable") {
            return Ok(plan);
        }
        self.expect_symbol("(")?;
        let number = self.value(1)?;
        let repeated = match super::expressions::strip(&number) {
            Expr::Literal { value, .. } => value.as_i64(),
            _ => None,
        };
        let Some(repeated) = repeated else { return Err(self.unexpected()) };
        self.expect_symbol(")")?;
        Ok(match &*plan {
            LogicalPlan::Sample { lower, fraction, with_replacement, child, .. } => Arc::new(LogicalPlan::Sample {
                lower: *lower,
                fraction: *fraction,
                seed: repeated,
                with_replacement: *with_replacement,
                child: child.clone(),
            }),
            _ => plan,
        })
    }

    /// What stands in the parentheses of TABLESAMPLE.
    fn sample_method(&mut self, plan: PlanRef, place: Place) -> Result<PlanRef> {
        let sample = |fraction: f64, child: PlanRef| LogicalPlan::Sample {
            lower: 0.0,
            fraction,
            seed: 0,
            with_replacement: false,
            child,
        };
        if self.is_word("bucket") && self.peek_at(1).kind == Kind::Number {
            self.next();
            let taken: f64 = self.next().text.parse().unwrap_or(0.0);
            for word in ["out", "of"] {
                self.expect_word(word)?;
            }
            let of: f64 = self.next().text.parse().unwrap_or(0.0);
            if self.word("on") {
                let message = [("msg", "BUCKET x OUT OF y ON colname")];
                return Err(self.parse_error("_LEGACY_ERROR_TEMP_0015", &message, place));
            }
            return self.fraction(taken / of, place).map(|fraction| Arc::new(sample(fraction, plan)));
        }
        let text = self.peek().text.clone();
        // BYTELENGTH_LITERAL: "10M".
        let bytes = text.strip_suffix(['b', 'B', 'k', 'K', 'm', 'M', 'g', 'G']);
        if bytes.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
            self.next();
            return Err(self.parse_error("_LEGACY_ERROR_TEMP_0015", &[("msg", "byteLengthLiteral")], place));
        }
        let at = self.peek().place;
        let number = self.value(1)?;
        let amount = match super::expressions::strip(&number) {
            Expr::Literal { value, .. } => value.as_f64(),
            _ => None,
        };
        if self.word("rows") {
            return Ok(Arc::new(LogicalPlan::Limit { limit: self.placed(number, at), child: plan }));
        }
        let Some(amount) = amount else { return Err(self.unexpected()) };
        if self.word("percent") {
            return self.fraction(amount / 100.0, place).map(|fraction| Arc::new(sample(fraction, plan)));
        }
        if self.is_symbol(")") {
            return Err(self.parse_error("_LEGACY_ERROR_TEMP_0016", &[("bytesStr", &text)], place));
        }
        Err(self.unexpected())
    }

    /// A share of rows from 0 to 1.
    fn fraction(&self, fraction: f64, place: Place) -> Result<f64> {
        if (-1e-6..=1.0 + 1e-6).contains(&fraction) {
            return Ok(fraction);
        }
        let shown = crate::value::text::double_to_string(fraction);
        Err(self.parse_error("INVALID_TABLESAMPLE_FRACTION", &[("fraction", &shown)], place))
    }

    /// range(...), explode(...) and other functions in FROM.
    fn table_function(&mut self, input: PlanRef, lateral: bool, outer: bool) -> Result<PlanRef> {
        let place = self.peek().place;
        let name = qualified(self.name_parts()?);
        let lower = name.to_lowercase();
        let TableArguments { args, names, table } = self.table_arguments()?;
        if lower == "range" && !lateral {
            let numbers: Option<Vec<i64>> = args
                .iter()
                .map(|arg| match super::expressions::strip(arg) {
                    Expr::Literal { value, .. } => value.as_i64(),
                    _ => None,
                })
                .collect();
            let plan = match numbers.as_deref() {
                Some([end]) => crate::dataframe::range(0, *end, 1, None)?,
                Some([start, end]) => crate::dataframe::range(*start, *end, 1, None)?,
                Some([start, end, step]) => crate::dataframe::range(*start, *end, *step, None)?,
                Some([start, end, step, parts]) => {
                    crate::dataframe::range(*start, *end, *step, usize::try_from(*parts).ok())?
                }
                _ => return Err(SparkError::not_yet("range() over expressions")),
            };
            return self.table_alias(plan, None);
        }
        let alias = if self.word("as") { Some(self.identifier()?) } else { self.try_table_name() };
        let columns = self.column_names()?;
        let mut generator = call(&name, args);
        if let Expr::UnresolvedFunction(call) = &mut generator {
            call.arg_names = names;
        }
        // The script's own functions, and names that nothing has, are told apart by the analyzer.
        if crate::functions::registry::lookup(&lower).is_none() {
            generator = self.placed(generator, place);
        }
        if let Some(table) = table {
            if lateral {
                return Err(SparkError::not_yet("A table argument of a function in LATERAL"));
            }
            return Ok(crate::dataframe::in_from(generator, Some(table), alias, &columns));
        }
        let generate = Arc::new(LogicalPlan::Generate {
            generator,
            outer,
            qualifier: alias,
            output: columns.iter().map(|name| name_only(name)).collect(),
            child: input,
        });
        Ok(generate)
    }

    /// `LATERAL function(...)` or `LATERAL (query)` joined to what stands before it.
    pub(super) fn lateral(&mut self, left: PlanRef, kind: JoinKind) -> Result<PlanRef> {
        self.expect_word("lateral")?;
        if self.is_symbol("(") {
            self.next();
            let plan = self.query()?;
            self.expect_symbol(")")?;
            let alias = if self.word("as") { Some(self.identifier()?) } else { self.try_table_name() };
            let columns = self.column_names()?;
            let right = renamed(plan, columns);
            let name = alias.unwrap_or_else(|| "__auto_generated_subquery_name".to_owned());
            let right = Arc::new(LogicalPlan::SubqueryAlias { name, child: right });
            return Ok(lateral_join(left, right, kind));
        }
        self.table_function(left, true, false)
    }

    pub(super) fn lateral_view(&mut self, child: PlanRef) -> Result<PlanRef> {
        self.at += 2;
        let outer = self.word("outer");
        let name = self.identifier()?;
        self.expect_symbol("(")?;
        let args = if self.is_symbol(")") { Vec::new() } else { self.separated(&mut Self::expression)? };
        self.expect_symbol(")")?;
        let qualifier = if self.is_word("as") { None } else { self.try_table_name() };
        let mut columns = Vec::new();
        if self.word("as") {
            columns = self.separated(&mut Self::identifier)?;
        } else if !self.is_word("lateral")
            && let Some(first) = self.try_table_name()
        {
            columns.push(first);
            while self.symbol(",") {
                columns.push(self.identifier()?);
            }
        }
        Ok(Arc::new(LogicalPlan::Generate {
            generator: call(&name, args),
            outer,
            qualifier,
            output: columns.iter().map(|name| name_only(name)).collect(),
            child,
        }))
    }

    /// VALUES (1, 'a'), (2, 'b').
    pub(super) fn inline_table(&mut self) -> Result<PlanRef> {
        let place = self.peek().place;
        self.expect_word("values")?;
        let rows = self.separated(&mut |parser| {
            let row = if parser.is_symbol("(") && !["select", "with"].iter().any(|word| parser.word_at(1, word)) {
                parser.next();
                let row = parser.separated(&mut Self::named_expression)?;
                parser.expect_symbol(")")?;
                row
            } else {
                vec![parser.expression()?]
            };
            // A struct alone is a row written as a struct.
            match row.as_slice() {
                [only] => match strip(only) {
                    Expr::UnresolvedFunction(made) if made.name == ROW || made.name.eq_ignore_ascii_case("struct") => {
                        Ok(made.args.clone())
                    }
                    _ => Ok(row),
                },
                _ => Ok(row),
            }
        })?;
        let mut rows: Vec<Expr> = rows.into_iter().map(|row| call("struct", row)).collect();
        rows.push(self.placed(Expr::bool(true), place));
        Ok(Arc::new(LogicalPlan::Project {
            list: vec![call(INLINE_TABLE, rows)],
            child: Arc::new(LogicalPlan::OneRow),
        }))
    }

    /// PIVOT (aggregates FOR column IN (values)).
    pub(super) fn pivot(&mut self, child: PlanRef) -> Result<PlanRef> {
        self.at += 2;
        let aggregates = self.separated(&mut Self::named_expression)?.into_iter().map(counted).collect();
        self.expect_word("for")?;
        let column = if self.symbol("(") {
            let mut columns = self.separated(&mut Self::expression)?;
            self.expect_symbol(")")?;
            if columns.len() == 1 { columns.remove(0) } else { call("struct", columns) }
        } else {
            let place = self.peek().place;
            let parts = self.name_parts()?;
            self.placed(Expr::UnresolvedAttribute(parts), place)
        };
        self.expect_word("in")?;
        self.expect_symbol("(")?;
        let values = self.separated(&mut Self::named_expression)?;
        self.expect_symbol(")")?;
        self.expect_symbol(")")?;
        // Without GROUP BY every column that is used nowhere else groups: the star tells the analyzer so.
        let plan =
            LogicalPlan::Pivot { grouping: vec![Expr::UnresolvedStar(Vec::new())], column, values, aggregates, child };
        self.table_alias(Arc::new(plan), Some("__auto_generated_subquery_name"))
    }

    /// UNPIVOT [INCLUDE|EXCLUDE NULLS] (value FOR name IN (columns)).
    pub(super) fn unpivot(&mut self, child: PlanRef) -> Result<PlanRef> {
        self.next();
        let include = self.words(&["include", "nulls"]);
        self.words(&["exclude", "nulls"]);
        self.expect_symbol("(")?;
        let value = if self.is_symbol("(") {
            call(UNPIVOT_GROUP, self.column_names()?.iter().map(|name| text(name)).collect())
        } else {
            text(&self.identifier()?)
        };
        let several = matches!(value, Expr::UnresolvedFunction(_));
        self.expect_word("for")?;
        let name = self.identifier()?;
        self.expect_word("in")?;
        self.expect_symbol("(")?;
        let columns =
            self.separated(&mut |parser| if several { parser.unpivot_group() } else { parser.named_expression() })?;
        self.expect_symbol(")")?;
        self.expect_symbol(")")?;
        let mut args =
            vec![text(&name), value, Expr::bool(include), Expr::literal(Value::Integer(-1), DataType::Integer)];
        args.extend(columns);
        let plan = LogicalPlan::Project { list: vec![call(UNPIVOT, args)], child };
        self.table_alias(Arc::new(plan), Some("__auto_generated_subquery_name"))
    }
}

impl Parser<'_> {
    /// `(a, b) [AS name]`: the columns that make one row of an UNPIVOT with several value columns.
    fn unpivot_group(&mut self) -> Result<Expr> {
        self.expect_symbol("(")?;
        let columns = self.separated(&mut Self::expression)?;
        self.expect_symbol(")")?;
        let group = call(UNPIVOT_GROUP, columns);
        let named = self.word("as") || matches!(self.peek().kind, Kind::Word | Kind::Quoted);
        Ok(if named { group.alias(&self.identifier()?) } else { group })
    }
}

/// count(*) in PIVOT counts ones: the star is taken before its columns are looked for.
fn counted(expr: Expr) -> Expr {
    expr.transform_up(&mut |e| match e {
        Expr::UnresolvedFunction(mut call)
            if call.name.eq_ignore_ascii_case("count")
                && matches!(call.args.as_slice(), [arg] if matches!(super::expressions::strip(arg), Expr::UnresolvedStar(parts) if parts.is_empty())) =>
        {
            call.args = vec![Expr::literal(Value::Integer(1), DataType::Integer)];
            Expr::UnresolvedFunction(call)
        }
        other => other,
    })
}

/// A join whose right side sees the left side's columns: marked by a hint that the analyzer knows.
pub(super) fn lateral_join(left: PlanRef, right: PlanRef, kind: JoinKind) -> PlanRef {
    let right =
        Arc::new(LogicalPlan::Hint { name: crate::analyzer::LATERAL.to_owned(), parameters: Vec::new(), child: right });
    Arc::new(LogicalPlan::Join(Join { left, right, kind, condition: JoinCondition::None }))
}
