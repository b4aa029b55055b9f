//! Lateral column aliases: items of a select list that name earlier ones (ResolveLateralColumnAliasReference).

use std::sync::Arc;

use super::scope::Scope;
use super::{Analyzer, names};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, LATERAL_REFERENCE, Metadata, quoted_sql};

/// A reference while its item is resolved and named: the column that stands for it and what it means.
pub(super) struct Lateral {
    column: ExprId,
    /// As the item spells it.
    name: String,
    value: Expr,
}

/// An earlier item of the select list by its alias; more than one is an error.
pub(super) fn alias_of(scope: &Scope, name: &str, case_sensitive: bool) -> Result<Option<Expr>> {
    let matches: Vec<&Expr> = scope
        .aliases
        .iter()
        .filter(|(alias, _)| names::same_name(alias, name, case_sensitive))
        .map(|(_, expr)| expr)
        .collect();
    match matches.as_slice() {
        [] => Ok(None),
        [expr] => Ok(Some((*expr).clone())),
        several => Err(SparkError::analysis(
            "AMBIGUOUS_LATERAL_COLUMN_ALIAS",
            &[("name", &names::quoted(name)), ("n", &several.len().to_string())],
        )),
    }
}

impl Analyzer<'_> {
    /// `a.b`, where `a` is an alias.
    pub(super) fn lateral_field(&mut self, parts: &[String], alias: Expr) -> Result<Expr> {
        let fields = |base: Expr| parts[1..].iter().try_fold(base, |expr, field| self.extract_field(expr, field));
        let stand_in = Attribute {
            id: ExprId::fresh(),
            name: parts.first().map(String::as_str).unwrap_or_default().into(),
            data_type: alias.data_type(),
            nullable: alias.nullable(),
            qualifier: Vec::new(),
            metadata: Metadata::default(),
        };
        fields(Expr::Attribute(Arc::new(stand_in))).map_err(|error| self.at_place(error))?;
        let field = fields(alias)?;
        Ok(self.lateral_reference(parts, field))
    }

    /// What an item gives the items after it: its alias, where it was written with one, or a generator's columns.
    pub(super) fn enter_alias(&mut self, scope: &mut Scope, item: &Expr, written: bool) -> Result<()> {
        let Expr::Alias(alias) = item else { return Ok(()) };
        if let Expr::Generator(call) = &alias.child {
            let columns = super::generate::generator_columns(call, &alias.names)?;
            self.generated.extend(columns.iter().map(|column| (column.id, column.name.to_string())));
            scope.generated.extend(columns);
            return Ok(());
        }
        if written
            && alias.names.len() == 1
            && self.conf.bool("spark.sql.lateralColumnAlias.enableImplicitResolution")
            && crate::functions::variable_of(&alias.child).is_none()
            && !alias.child.any(&|inner| matches!(inner, Expr::Generator(_)))
        {
            scope.aliases.push((alias.names[0].clone(), alias.child.clone()));
        }
        Ok(())
    }

    /// Items that name a generator's columns read those that it makes.
    pub(super) fn read_generated(&self, item: Expr, output: &[Arc<Attribute>]) -> Expr {
        item.transform_up(&mut |expr| {
            let Expr::Attribute(column) = &expr else { return expr };
            let named = self.generated.iter().find(|(id, _)| *id == column.id);
            match named.and_then(|(_, name)| output.iter().find(|made| *made.name == **name)) {
                Some(made) => Expr::Attribute(made.clone()),
                None => expr,
            }
        })
    }

    /// The column that stands for an alias until the item has its name, which says `lateralAliasReference(a)`.
    pub(super) fn lateral_reference(&mut self, parts: &[String], value: Expr) -> Expr {
        let id = ExprId::fresh();
        let column = Attribute {
            id,
            name: parts.last().map(String::as_str).unwrap_or_default().into(),
            data_type: value.data_type(),
            nullable: value.nullable(),
            qualifier: vec![LATERAL_REFERENCE.to_owned()],
            metadata: value.to_attribute().metadata.clone(),
        };
        self.laterals.push(Lateral { column: id, name: parts.last().cloned().unwrap_or_default(), value });
        Expr::Attribute(Arc::new(column))
    }

    /// A named item with its references replaced by what they mean.
    pub(super) fn without_laterals(&mut self, item: Expr) -> Result<Expr> {
        let references = std::mem::take(&mut self.laterals);
        if references.is_empty() {
            return Ok(item);
        }
        let reference = |expr: &Expr| match expr {
            Expr::Attribute(column) => references.iter().find(|known| known.column == column.id),
            _ => None,
        };
        let mut refused = None;
        // QUALIFY stands above the list and may name its items anywhere.
        let above = matches!(&item, Expr::Alias(alias) if alias.names.as_slice() == [crate::parser::QUALIFY]);
        item.visit(&mut |expr| {
            let (condition, parameter) = match expr {
                Expr::Window(_) => ("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_WINDOW", "windowExpr"),
                Expr::Aggregate(_) => ("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_AGGREGATE_FUNC", "aggFunc"),
                Expr::Generator(_) => ("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_GENERATOR", "generatorExpr"),
                _ => return,
            };
            let mut inside = None;
            expr.visit(&mut |inner| inside = inside.or(reference(inner)));
            if let Some(named) = inside {
                // Frames that nobody gave are put in later.
                let text = quoted_sql(expr)
                    .replace("RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "unspecifiedframe$()")
                    .replace("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", "unspecifiedframe$()");
                let lca = names::quoted(&named.name);
                let error = SparkError::analysis(condition, &[("lca", &lca), (parameter, &text)]);
                refused.get_or_insert(error);
            }
        });
        if let Some(error) = refused.filter(|_| !above) {
            return Err(error);
        }
        let item = match reference(&item) {
            Some(named) => item.alias(&named.name),
            None => item,
        };
        Ok(item.transform_down(&mut |expr| match reference(&expr) {
            Some(named) => named.value.clone(),
            None => expr,
        }))
    }
}
